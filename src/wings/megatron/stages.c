#include "base/text.h"
#include "wings/megatron/megatron.h"
#include "framework/placing_stages.h"

#include <string.h>

/*
 * Which layers a stage holds: megatron/core/transformer/transformer_block.py
 * get_num_layers_to_build and pipeline_parallel_layer_layout.py at d98e8a64.
 */

enum { REPEATS_MOST = 4096, STAGES_MOST = PLACED_STAGES_MOST };

/* A layout while it is read: what it holds so far. */
struct reading {
	const char *at;
	int64_t *layers, room;
	int64_t stages; /* begun */
	int depth;
	bool broken;
};

static void read_items(struct reading *r);

/* Adds decoder layers to the stage under way. */
static void add_layers(struct reading *r, int64_t count)
{
	if (r->layers && r->stages <= r->room)
		r->layers[r->stages - 1] += count;
}

static void begin_stage(struct reading *r)
{
	if (++r->stages > STAGES_MOST)
		r->broken = true;
	else if (r->layers && r->stages <= r->room)
		r->layers[r->stages - 1] = 0;
}

/* The number behind '*', or 1. */
static int64_t read_repeats(struct reading *r)
{
	int64_t count;

	if (*r->at != '*')
		return 1;
	r->at++;
	if (!text_digits(&r->at, 4, &count) || count > REPEATS_MOST) {
		r->broken = true;
		return 1;
	}
	return count;
}

/* "(tt|)*29": the inside is read as often as is said. */
static void read_group(struct reading *r)
{
	const char *start = ++r->at, *end;
	int64_t repeats, i;
	struct reading dry = { .at = start, .stages = 1, .depth = r->depth + 1 };

	if (dry.depth > 8) {
		r->broken = true;
		return;
	}
	read_items(&dry);
	r->at = dry.at;
	if (dry.broken || *r->at != ')') {
		r->broken = true;
		return;
	}
	r->at++;
	repeats = read_repeats(r);
	end = r->at;
	r->depth++;
	for (i = 0; i < repeats && !r->broken; i++) {
		r->at = start;
		read_items(r);
	}
	r->depth--;
	r->at = end;
}

static void read_item(struct reading *r)
{
	const char item = *r->at++;
	int64_t repeats = read_repeats(r);

	if (item == 't')
		add_layers(r, repeats);
	else if (item == '|')
		while (repeats-- > 0 && !r->broken)
			begin_stage(r);
}

/* Up to the end or the bracket that closes the group. */
static void read_items(struct reading *r)
{
	while (*r->at && *r->at != ')' && !r->broken) {
		if (*r->at == '(')
			read_group(r);
		else if (strchr("Etm|L", *r->at))
			read_item(r);
		else if (*r->at == ',' || *r->at == ' ')
			r->at++;
		else
			r->broken = true;
	}
}

int64_t megatron_layout_stages(const char *text, int64_t *layers, int64_t room)
{
	struct reading r = { .at = text, .layers = layers, .room = room };

	begin_stage(&r);
	read_items(&r);
	return r.broken || *r.at ? 0 : r.stages;
}

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
	const char *layout = setting_text(&m->job->settings, FIELD_PP_LAYER_SPLIT, "");
	int64_t i, total = 0;

	if (*layout && strcmp(layout, "even") != 0) {
		if (megatron_layout_stages(layout, layers, stages) != stages)
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
