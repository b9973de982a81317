#include "base/number.h"
#include "framework/stage_layout.h"
#include "wings/megatron/megatron.h"
#include "input/field.h"

#include <inttypes.h>
#include <string.h>

/*
 * What Megatron-LM checks about stages and microbatches: training/arguments.py, core/transformer/
 * transformer_config.py, core/transformer/transformer_block.py get_num_layers_to_build and
 * core/pipeline_parallel/schedules.py, at d98e8a64 where no other commit is named.
 */

/* Days on which a check or its words changed. */
enum {
	PP_TWO_INTERLEAVES = 20240531, /* 3ee489d9ea: pp 2, where transfers are overlapped */
	CAPITAL_WHEN = 20250613,       /* 77732c3628, with the layout as text */
	MICROBATCH_GROUPS = 20241101,  /* 4295be1a6c: --microbatch-group-size-per-virtual-... */
};

static bool known(const struct megatron *m, enum field_id field)
{
	return setting_known(&m->job->settings.items[field]);
}

static int64_t number(const struct megatron *m, enum field_id field)
{
	return setting_int(&m->job->settings, field, 0);
}

static const char *word(const struct megatron *m, enum field_id field)
{
	return setting_text(&m->job->settings, field, "");
}

/* ---- stages on each rank ---- */

static int64_t stages_of_layout(const struct settings *settings, int64_t pp)
{
	const int64_t stages = stage_layout_read(megatron_layout(settings), NULL, 0);

	return pp > 0 && stages % pp == 0 ? stages / pp : 0;
}

/* Layers that count: embedding and output may be told to. */
static int64_t counted_layers(const struct settings *settings)
{
	return setting_int(settings, FIELD_MODEL_LAYERS, 0) +
	       setting_int(settings, FIELD_PP_FIRST_STAGE_LESS, 0) +
	       setting_int(settings, FIELD_PP_LAST_STAGE_LESS, 0);
}

/* Stages on each rank where the layers of each are given. */
static int64_t stages_of_layers(const struct settings *settings, int64_t pp)
{
	const int64_t each = setting_int(settings, FIELD_PP_LAYERS_PER_STAGE, 0);
	const int64_t layers = counted_layers(settings);

	if (pp < 1 || each < 1 || setting_int(settings, FIELD_MODEL_LAYERS, 0) < 1 || layers % pp ||
	    layers / pp % each)
		return 0;
	return layers / pp / each;
}

int64_t megatron_virtual_stages(const struct settings *settings, int64_t pp)
{
	const struct setting *counted = &settings->items[FIELD_PP_VIRTUAL_STAGES];

	if (*megatron_layout(settings))
		return stages_of_layout(settings, pp);
	if (setting_known(counted))
		return counted->integer;
	if (setting_known(&settings->items[FIELD_PP_LAYERS_PER_STAGE]))
		return stages_of_layers(settings, pp);
	return counted->unresolved ? 0 : 1;
}

const char *megatron_number_or_none(const struct megatron *m, enum field_id field)
{
	const struct setting *setting = &m->job->settings.items[field];

	if (!setting_given(setting) || !setting_known(setting))
		return "None";
	return arena_printf(m->plan->arena, "%" PRId64, setting->integer);
}

/* Flags of which Megatron takes one. */
static void raise_one_way(struct megatron *m)
{
	const char *own = megatron_own_layout(m);
	const char *layout = own ? own : megatron_layout(&m->job->settings);

	if (!megatron_since(m, CAPITAL_WHEN))
		megatron_raise(m, MEGATRON(VIRTUAL_TWICE));
	else
		megatron_raise(m, MEGATRON(VIRTUAL_THRICE),
			       VALUE(megatron_number_or_none(m, FIELD_PP_LAYERS_PER_STAGE)),
			       VALUE(megatron_number_or_none(m, FIELD_PP_VIRTUAL_STAGES)),
			       VALUE(own || *layout ? arena_printf(m->plan->arena, "'%s'", layout)
						    : "None"));
	megatron_blame(m, FIELD_PP_LAYERS_PER_STAGE);
	megatron_blame(m, FIELD_PP_VIRTUAL_STAGES);
	megatron_blame(m, FIELD_PP_LAYER_SPLIT);
}

/*
 * parplan's own form says what the stages are, not by which flag: what contradicts itself is
 * refused, a layout in the words of transformer_config.py.
 */
static void check_agreement(struct megatron *m)
{
	const struct settings *s = &m->job->settings;
	const struct setting *counted = &s->items[FIELD_PP_VIRTUAL_STAGES];
	const int64_t by_layout = *megatron_layout(s) ? stages_of_layout(s, m->degrees.pp) : 0;
	const int64_t by_layers = stages_of_layers(s, m->degrees.pp);
	const int64_t by_count = setting_given(counted) ? counted->integer : 0;

	if (by_layout && by_count && by_layout != by_count) {
		megatron_raise(m, MEGATRON(LAYOUT_VIRTUAL), VALUE(by_count), VALUE(by_layout));
		megatron_blame(m, FIELD_PP_VIRTUAL_STAGES);
		megatron_blame(m, FIELD_PP_LAYER_SPLIT);
	} else if (by_layers &&
		   ((by_count && by_layers != by_count) || (by_layout && by_layers != by_layout))) {
		raise_one_way(m);
	}
}

static void check_one_way(struct megatron *m)
{
	const bool each = known(m, FIELD_PP_LAYERS_PER_STAGE);
	const bool counted = setting_given(&m->job->settings.items[FIELD_PP_VIRTUAL_STAGES]);
	const bool layout = megatron_own_layout(m) || *megatron_layout(&m->job->settings);

	if (!m->own_file)
		check_agreement(m);
	else if (each + counted + layout > 1)
		raise_one_way(m);
}

static bool is_uneven(const struct megatron *m)
{
	return known(m, FIELD_PP_FIRST_STAGE_LAYERS) || known(m, FIELD_PP_LAST_STAGE_LAYERS);
}

static void check_virtual_layers(struct megatron *m, int64_t each)
{
	const int64_t layers = counted_layers(&m->job->settings), pp = m->degrees.pp;

	if (is_uneven(m))
		megatron_raise(m, MEGATRON(UNEVEN_VIRTUAL));
	else if (m->layers && layers % pp)
		megatron_raise(m, MEGATRON(LAYERS_PP));
	else if (m->layers && each > 0 && layers / pp % each)
		megatron_raise(m, MEGATRON(LAYERS_VIRTUAL));
	megatron_blame(m, FIELD_PP_LAYERS_PER_STAGE);
	megatron_blame(m, FIELD_PP);
	megatron_blame(m, FIELD_MODEL_LAYERS);
}

/* True where the file fixes how layers are split, by saying it or by being Megatron's own. */
static bool splits_evenly(const struct megatron *m)
{
	const char *split = word(m, FIELD_PP_LAYER_SPLIT);

	if (is_uneven(m) || known(m, FIELD_PP_STAGES) ||
	    m->job->settings.items[FIELD_PP_LAYER_SPLIT].invalid)
		return false;
	return *split ? !strcmp(split, "even") : m->own_file;
}

static void check_layers(struct megatron *m)
{
	const char *own = megatron_own_layout(m);
	const char *layout = own ? own : megatron_layout(&m->job->settings);

	if (own || *layout) {
		megatron_validate_layout(m, layout);
	} else if (known(m, FIELD_PP_LAYERS_PER_STAGE)) {
		check_virtual_layers(m, number(m, FIELD_PP_LAYERS_PER_STAGE));
	} else if (!known(m, FIELD_PP_VIRTUAL_STAGES) && splits_evenly(m) && m->layers &&
		   counted_layers(&m->job->settings) % m->degrees.pp) {
		megatron_raise(m, MEGATRON(LAYERS));
		megatron_blame(m, FIELD_PP);
		megatron_blame(m, FIELD_MODEL_LAYERS);
	}
}

/* pp 2 is enough since it was found to work where transfers are overlapped. */
static void check_interleaved(struct megatron *m)
{
	const bool overlaps = setting_bool(&m->job->settings, FIELD_OVERLAP_P2P, true);
	const bool two = overlaps && megatron_since(m, PP_TWO_INTERLEAVES);
	const char *when = megatron_since(m, CAPITAL_WHEN) ? "When" : "when";

	if (m->virtual_stages < 2 || m->degrees.pp >= (two ? 2 : 3))
		return;
	if (!megatron_since(m, PP_TWO_INTERLEAVES))
		megatron_raise(m, MEGATRON(INTERLEAVED_2024));
	else if (overlaps)
		megatron_raise(m, MEGATRON(INTERLEAVED), VALUE(when));
	else
		megatron_raise(m, MEGATRON(INTERLEAVED_P2P), VALUE(when));
	megatron_blame(m, FIELD_PP_VIRTUAL_STAGES);
	megatron_blame(m, FIELD_PP_LAYERS_PER_STAGE);
	megatron_blame(m, FIELD_PP_LAYER_SPLIT);
	megatron_blame(m, FIELD_PP);
}

void megatron_validate_pipeline(struct megatron *m)
{
	check_one_way(m);
	if (!m->plan->error)
		check_layers(m);
	if (!m->plan->error)
		check_interleaved(m);
}

/* ---- layers of virtual stages ---- */

/* Where embedding or output count as layers, transformer_config.py asks first. */
static void raise_counted(struct megatron *m, int64_t layers)
{
	const int64_t pp = m->degrees.pp;

	if (layers % pp)
		megatron_raise(m, MEGATRON(LAYERS_ENDS), VALUE(layers), VALUE(pp));
	else
		megatron_raise(m, MEGATRON(LAYERS_ENDS_VIRTUAL), VALUE(layers / pp),
			       VALUE(m->virtual_stages));
}

static void raise_even(struct megatron *m, int64_t layers)
{
	const int64_t pp = m->degrees.pp;

	if (layers % pp)
		megatron_raise(m, MEGATRON(LAYERS_BLOCK), VALUE(layers), VALUE(pp));
	else
		megatron_raise(m, MEGATRON(LAYERS_BLOCK_VIRTUAL), VALUE(layers / pp),
			       VALUE(m->virtual_stages));
}

void megatron_validate_split(struct megatron *m)
{
	const int64_t layers = counted_layers(&m->job->settings);

	if (m->virtual_stages < 2 || m->degrees.pp < 2 || m->layers < 1 || !splits_evenly(m) ||
	    known(m, FIELD_PP_LAYERS_PER_STAGE) ||
	    layers % multiply(m->degrees.pp, m->virtual_stages) == 0)
		return;
	if (layers != m->layers)
		raise_counted(m, layers);
	else
		raise_even(m, layers);
	megatron_blame(m, FIELD_PP_VIRTUAL_STAGES);
	megatron_blame(m, FIELD_PP);
	megatron_blame(m, FIELD_MODEL_LAYERS);
}

/* ---- microbatches of the interleaved schedule ---- */

/* Sequences of the first step; 0 where nobody knows. */
static int64_t first_batch(const struct settings *settings)
{
	const struct setting *growing = &settings->items[FIELD_RAMPUP_BATCH_SIZE];
	const struct node *start = setting_known(growing) ? growing->node->first : NULL;

	if (!setting_known(growing))
		return setting_int(settings, FIELD_GLOBAL_BATCH_SIZE, 0);
	return start && field_fits(FIELD_INT, start) ? start->integer : 0;
}

bool megatron_step_of(const struct job *job, int64_t pp, int64_t dp, struct interleaved_step *step)
{
	const struct settings *s = &job->settings;
	const int64_t micro = setting_int(s, FIELD_MICRO_BATCH_SIZE, 0), batch = first_batch(s);

	step->pp = pp;
	step->grouped = setting_known(&s->items[FIELD_PP_MICROBATCH_GROUP]);
	step->group = setting_int(s, FIELD_PP_MICROBATCH_GROUP, pp);
	if (pp < 2 || dp < 1 || micro < 1 || batch < 1 || step->group < 1 ||
	    setting_unresolved(s, FIELD_PP_MICROBATCH_GROUP) || megatron_virtual_stages(s, pp) < 2)
		return false;
	step->microbatches = batch / multiply(micro, dp);
	return step->microbatches > 0;
}

/* Before groups could be told their size, they were as large as pp. */
static void check_rounds(struct megatron *m, const struct interleaved_step *step)
{
	if (step->microbatches % step->pp == 0)
		return;
	megatron_raise(m, megatron_told(MEGATRON_MICROBATCHES_2024, m->when),
		       VALUE(step->microbatches), VALUE(step->pp));
}

static void check_groups(struct megatron *m, const struct interleaved_step *step)
{
	const int64_t rest = step->microbatches % step->group;

	if (step->group > step->microbatches || step->group < step->pp)
		megatron_raise(m, MEGATRON(MICROBATCH_GROUP), VALUE(step->pp),
			       VALUE(step->microbatches));
	else if (rest > 0 && rest < step->pp)
		megatron_raise(m, MEGATRON(MICROBATCHES_REST), VALUE(rest));
}

/* True where groups of some size would do and parplan's own form does not say which are formed. */
static bool may_be_grouped(const struct megatron *m, const struct interleaved_step *step)
{
	return !m->own_file && !step->grouped && step->microbatches >= step->pp;
}

void megatron_validate_step(struct megatron *m)
{
	struct interleaved_step step;

	if (m->plan->error || !m->counts_batch ||
	    !megatron_step_of(m->job, m->degrees.pp, m->degrees.dp, &step))
		return;
	if (!megatron_since(m, MICROBATCH_GROUPS))
		check_rounds(m, &step);
	else if (!may_be_grouped(m, &step))
		check_groups(m, &step);
	if (!m->plan->error)
		return;
	megatron_blame(m, FIELD_GLOBAL_BATCH_SIZE);
	megatron_blame(m, FIELD_PP_MICROBATCH_GROUP);
	megatron_blame(m, FIELD_PP_VIRTUAL_STAGES);
	megatron_blame(m, FIELD_PP);
	plan_postpone(m->plan);
}
