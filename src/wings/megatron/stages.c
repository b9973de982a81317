#include "base/text.h"
#include "framework/stage_layout.h"
#include "wings/megatron/megatron.h"
#include "framework/placing_stages.h"

#include <string.h>

/*
 * Which layers a stage holds: megatron/core/transformer/transformer_block.py
 * get_num_layers_to_build and pipeline_parallel_layer_layout.py at d98e8a64.
 */

enum { STAGES_MOST = PLACED_STAGES_MOST };

/* ---- stages ---- */

/* Layers of pipeline rank `rank`, over all its stages; -1 where nobody says. */
static int64_t layers_of_rank(const struct megatron *m, int64_t rank)
{
	const struct settings *s = &m->job->settings;
	const int64_t first = setting_int(s, FIELD_PP_FIRST_STAGE_LAYERS, 0);
	const int64_t last = setting_int(s, FIELD_PP_LAST_STAGE_LAYERS, 0);
	const int64_t middle = m->degrees.pp - (first > 0) - (last > 0);

	if (first && rank == 0)
		return first;
	if (last && rank == m->degrees.pp - 1)
		return last;
	return middle > 0 && (m->layers - first - last) % middle == 0
		       ? (m->layers - first - last) / middle
		       : -1;
}

/* Layers of stage `stage` of all: embedding and output take the place of one where they count. */
static int64_t layers_of_stage(const struct megatron *m, int64_t stage)
{
	const struct settings *s = &m->job->settings;
	const int64_t stages = m->degrees.pp * m->virtual_stages;
	const int64_t embedding = setting_int(s, FIELD_PP_FIRST_STAGE_LESS, 0);
	const int64_t output = setting_int(s, FIELD_PP_LAST_STAGE_LESS, 0);
	int64_t layers;

	if (embedding + output > 0) {
		layers = m->layers + embedding + output;
		if (layers % stages)
			return -1;
		return layers / stages - (stage == 0 ? embedding : 0) -
		       (stage == stages - 1 ? output : 0);
	}
	layers = layers_of_rank(m, stage % m->degrees.pp);
	return layers < 0 || layers % m->virtual_stages ? -1 : layers / m->virtual_stages;
}

/* Layers of each stage into `layers`; false where they are not known or do not add up. */
static bool find_layers(const struct megatron *m, int64_t *layers, int64_t stages)
{
	const char *layout = megatron_layout(&m->job->settings);
	int64_t i, total = 0;

	if (*layout) {
		if (stage_layout_read(layout, layers, stages) != stages)
			return false;
	} else {
		for (i = 0; i < stages; i++)
			layers[i] = layers_of_stage(m, i);
	}
	for (i = 0; i < stages; i++) {
		if (layers[i] < 0)
			return false;
		total += layers[i];
	}
	return total == m->layers;
}

void megatron_put_stages(struct megatron *m)
{
	const int64_t stages = m->degrees.pp * m->virtual_stages;
	int64_t *layers;

	if (m->degrees.pp < 2 || m->layers < 1 || stages > STAGES_MOST)
		return;
	layers = arena_array(m->plan->arena, (size_t)stages, sizeof(*layers));
	if (find_layers(m, layers, stages))
		put_stages(m->plan, layers, stages, false);
}
