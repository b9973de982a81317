#include "search/candidate.h"

#include "base/buf.h"
#include "framework/wing.h"
#include "input/field.h"

#include <inttypes.h>
#include <string.h>

static void say(struct said *said, const struct site *site, enum field_id field, const char *value)
{
	struct variation variation = { field, value };

	if (site->open[field])
		vec_push(said->arena, &said->list, variation);
}

static void say_int(struct said *said, const struct site *site, enum field_id field, int64_t value)
{
	say(said, site, field, arena_printf(said->arena, "%" PRId64, value));
}

static void say_choice(struct said *said, const struct choice *choice)
{
	int i;

	for (i = 0; i < choice->count; i++)
		vec_push(said->arena, &said->list, choice->said[i]);
}

static bool given(const struct site *site, enum field_id field)
{
	return setting_given(&site->job.settings.items[field]);
}

/* What a candidate says of ZeRO's stage, or --fix and --vary say for it; or "". */
static const char *stage_of(const struct space *space, const struct candidate *candidate)
{
	const struct site *site = space->sites.items[candidate->at[AXIS_SITE]];

	if (!candidate_cuts_state(space, candidate))
		return "";
	if (candidate_varies(site, FIELD_ZERO_STAGE))
		return setting_text(&site->job.settings, FIELD_ZERO_STAGE, "");
	return choice_says(&space->zero.list.items[candidate->at[AXIS_ZERO]], FIELD_ZERO_STAGE);
}

size_t candidate_axes(const struct space *space, const struct candidate *candidate)
{
	static const enum axis axes[] = { AXIS_PP,	  AXIS_TP, AXIS_CP, AXIS_SEQUENCE,
					  AXIS_REPLICATE, AXIS_EP, AXIS_ETP };
	size_t i, count = candidate_dp(space, candidate) > candidate->at[AXIS_REPLICATE];

	for (i = 0; i < sizeof(axes) / sizeof(axes[0]); i++)
		count += candidate->at[axes[i]] > 1;
	return count;
}

bool candidate_repeats(const struct space *space, const struct candidate *candidate)
{
	const struct site *site = space->sites.items[candidate->at[AXIS_SITE]];
	const char *stage = stage_of(space, candidate);

	if (*stage)
		return strcmp(stage, "3") != 0;
	return setting_int(&site->job.settings, FIELD_DP_SHARD, 1) == 1;
}

bool candidate_keeps_dp(const struct space *space, const struct candidate *candidate,
			const struct settings *own)
{
	const int64_t replicate = setting_int(own, FIELD_DP_REPLICATE, 0),
		      shard = setting_int(own, FIELD_DP_SHARD, 0);
	const int64_t dp = candidate_dp(space, candidate);

	if (*stage_of(space, candidate) || !replicate || !shard)
		return false;
	if (replicate == -1 || shard == -1) /* it is what is left */
		return dp % (replicate == -1 ? shard : replicate) == 0;
	return replicate * shard == dp;
}

/* Whether a size of data parallelism stands, and no other one is what is left of the world. */
static bool stands(const struct site *site, enum field_id field, enum field_id other)
{
	const struct setting *own = &site->job.settings.items[field];
	const struct setting *rest = &site->job.settings.items[other];

	return (given(site, field) || own->origin == ORIGIN_DERIVED) && own->integer != -1 &&
	       (own->integer != 1 || (setting_known(rest) && rest->integer != -1));
}

/* What stands in the file of data parallelism that the framework derives is not to contradict it.
 */
static void say_derived(struct said *said, const struct space *space, const struct site *site,
			const struct candidate *candidate)
{
	static const enum field_id derived[] = { FIELD_DP_SHARD, FIELD_DP_REPLICATE };
	const int64_t dp = candidate_dp(space, candidate);
	const bool repeats = candidate_repeats(space, candidate);
	const struct settings *settings = &site->job.settings;
	const bool alone = setting_int(settings, FIELD_DP_SHARD, 1) == 1 &&
			   setting_int(settings, FIELD_DP_REPLICATE, 1) == 1;
	const bool said_so =
		stands(site, derived[0], derived[1]) || stands(site, derived[1], derived[0]);
	size_t i;

	for (i = 0; said_so && i < sizeof(derived) / sizeof(derived[0]); i++) {
		const int64_t ranks = (derived[i] == FIELD_DP_REPLICATE) == repeats ? dp : 1;
		const struct variation variation = { derived[i],
						     arena_printf(said->arena, "%" PRId64, ranks) };
		if (setting_int(settings, derived[i], 1) == ranks)
			continue;
		if (alone) /* it follows from the degrees, where they are said in the file */
			vec_push(said->arena, &said->list, variation);
		else
			say(said, site, derived[i], variation.value);
	}
}

static void say_data_parallel(struct said *said, const struct space *space, const struct site *site,
			      const struct candidate *candidate)
{
	const int64_t dp = candidate_dp(space, candidate), copies = candidate->at[AXIS_REPLICATE];

	if (site->derived_dp) {
		if (!candidate_keeps_dp(space, candidate, &site->job.settings))
			say_derived(said, space, site, candidate);
		return;
	}
	if (site->total)
		say_int(said, site, FIELD_DP, dp);
	say_int(said, site, FIELD_DP_REPLICATE, copies);
	say_int(said, site, FIELD_DP_SHARD, dp / copies);
}

static void say_experts(struct said *said, const struct site *site,
			const struct candidate *candidate)
{
	if (setting_int(&site->job.settings, FIELD_MODEL_MOE_EXPERTS, 0) < 2)
		return;
	say_int(said, site, FIELD_EP, candidate->at[AXIS_EP]);
	if (candidate->at[AXIS_ETP])
		say_int(said, site, FIELD_ETP, candidate->at[AXIS_ETP]);
	else if (given(site, FIELD_ETP))
		say_int(said, site, FIELD_ETP, 1);
}

int64_t candidate_end(const struct site *site, enum field_id less)
{
	return setting_int(&site->job.settings, less, site->does[HABIT_SPREADS_ENDS]);
}

int64_t candidate_stage_layers(const struct site *site, int64_t pp, int64_t virtual_stages,
			       bool several)
{
	const int64_t units = site->job.model->layers +
			      candidate_end(site, FIELD_PP_FIRST_STAGE_LESS) +
			      candidate_end(site, FIELD_PP_LAST_STAGE_LESS);
	const int64_t stages = pp * virtual_stages;
	const bool stays =
		given(site, FIELD_PP_LAYERS_PER_STAGE) && !site->open[FIELD_PP_LAYERS_PER_STAGE];
	const int64_t each =
		stays ? setting_int(&site->job.settings, FIELD_PP_LAYERS_PER_STAGE, units)
		      : (units + stages - 1) / stages;

	if (virtual_stages == (several ? 2 : 1) && !given(site, FIELD_PP_LAYERS_PER_STAGE))
		return -1;
	if (stays)
		return each > 0 && (units + each - 1) / each == stages ? each : 0;
	if (!site->open[FIELD_PP_LAYERS_PER_STAGE] ||
	    (site->does[HABIT_TRAINER] && !site->does[HABIT_SPREADS_ENDS]))
		return 0;
	return (units + each - 1) / each == stages ? each : 0;
}

bool candidate_leaves_split(const struct site *site, int64_t pp)
{
	const struct settings *settings = &site->job.settings;

	return site->does[HABIT_MEGATRON] && site->open[FIELD_PP_LAYER_SPLIT] &&
	       given(site, FIELD_PP_LAYER_SPLIT) && pp != setting_int(settings, FIELD_PP, 1) &&
	       strcmp(setting_text(settings, FIELD_PP_LAYER_SPLIT, ""), "even") != 0;
}

bool candidate_uneven(const struct site *site, int64_t pp)
{
	static const enum field_id fields[] = {
		FIELD_PP_FIRST_STAGE_LAYERS, FIELD_PP_LAST_STAGE_LAYERS, FIELD_PP_FIRST_STAGE_LESS,
		FIELD_PP_LAST_STAGE_LESS,    FIELD_PP_LAYER_SPLIT,	 FIELD_PP_STAGES
	};
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (given(site, fields[i]) &&
		    (fields[i] != FIELD_PP_LAYER_SPLIT || !candidate_leaves_split(site, pp)))
			return true;
	return false;
}

int64_t candidate_last_layers(const struct site *site, int64_t pp, int64_t virtual_stages)
{
	const int64_t layers = site->job.model->layers, each = (layers + pp - 1) / pp;

	if (pp < 2 || virtual_stages > 1 || layers % pp == 0 || !site->does[HABIT_MEGATRON] ||
	    !site->open[FIELD_PP_LAST_STAGE_LAYERS] || candidate_uneven(site, pp) ||
	    given(site, FIELD_PP_LAYERS_PER_STAGE))
		return 0;
	return layers > each * (pp - 1) ? layers - each * (pp - 1) : 0;
}

bool candidate_counts_stages(const struct site *site)
{
	return site->does[HABIT_MEGATRON] ||
	       (!site->does[HABIT_TRAINER] && given(site, FIELD_PP_VIRTUAL_STAGES));
}

/* Those that are counted may follow from the layers of each, which the file gives. */
static void say_virtual_stages(struct said *said, const struct site *site,
			       const struct candidate *candidate)
{
	const int64_t count = candidate->at[AXIS_VIRTUAL];
	const int64_t last = candidate_last_layers(site, candidate->at[AXIS_PP], count);

	if (last)
		say_int(said, site, FIELD_PP_LAST_STAGE_LAYERS, last);
	if (given(site, FIELD_PP_LAYERS_PER_STAGE) ||
	    (count > 1 && !site->open[FIELD_PP_VIRTUAL_STAGES] &&
	     !given(site, FIELD_PP_VIRTUAL_STAGES)))
		say_int(said, site, FIELD_PP_LAYERS_PER_STAGE,
			site->job.model->layers / (candidate->at[AXIS_PP] * count));
	else if (count > 1 || given(site, FIELD_PP_VIRTUAL_STAGES))
		say_int(said, site, FIELD_PP_VIRTUAL_STAGES, count);
}

/* Megatron's schedule follows from the stages of a rank: a config that names it names another. */
static void unsay_schedule(struct said *said, const struct site *site, int64_t stages)
{
	const char *schedule = setting_text(&site->job.settings, FIELD_PP_SCHEDULE, "");

	if (site->does[HABIT_MEGATRON] && given(site, FIELD_PP_SCHEDULE) &&
	    (stages > 1) != (strcmp(schedule, "1F1B") != 0))
		say(said, site, FIELD_PP_SCHEDULE, NULL);
}

/* Megatron refuses stages that differ, and several of them, where there is one rank. */
static void unsay_stages(struct said *said, const struct site *site)
{
	static const enum field_id stages[] = { FIELD_PP_LAYERS_PER_STAGE, FIELD_PP_VIRTUAL_STAGES,
						FIELD_PP_FIRST_STAGE_LAYERS,
						FIELD_PP_LAST_STAGE_LAYERS, FIELD_PP_LAYER_SPLIT };
	size_t i;

	for (i = 0; site->does[HABIT_MEGATRON] && i < sizeof(stages) / sizeof(stages[0]); i++)
		if (given(site, stages[i]))
			say(said, site, stages[i], NULL);
	unsay_schedule(said, site, 1);
}

bool candidate_varies(const struct site *site, enum field_id field)
{
	size_t i;

	for (i = 0; i < site->said.count; i++)
		if (site->said.items[i].field == field)
			return true;
	return false;
}

/* Passes are not captured where the framework refuses to. */
static void say_graphs(struct said *said, const struct site *site,
		       const struct candidate *candidate)
{
	if (site->does[HABIT_CAPTURES_ALONE] && !candidate_varies(site, FIELD_CUDA_GRAPH) &&
	    (candidate->at[AXIS_PP] > 1 ||
	     (candidate->at[AXIS_EP] > 1 && job_waits_for_host(&site->job))))
		say(said, site, FIELD_CUDA_GRAPH, "false");
}

static void say_pipeline(struct said *said, const struct space *space, const struct site *site,
			 const struct candidate *candidate)
{
	const struct choice *schedule = &space->schedule.list.items[candidate->at[AXIS_SCHEDULE]];
	const int64_t count = candidate->at[AXIS_VIRTUAL];
	int64_t layers;

	if (candidate->at[AXIS_PP] < 2) {
		unsay_stages(said, site);
		return;
	}
	say_choice(said, schedule);
	if (candidate_leaves_split(site, candidate->at[AXIS_PP]))
		say(said, site, FIELD_PP_LAYER_SPLIT, NULL);
	if (!count)
		return;
	if (candidate_counts_stages(site)) {
		unsay_schedule(said, site, count);
		say_virtual_stages(said, site, candidate);
		return;
	}
	layers = candidate_stage_layers(site, candidate->at[AXIS_PP], count, count > 1);
	if (layers > 0)
		say_int(said, site, FIELD_PP_LAYERS_PER_STAGE, layers);
}

bool candidate_has_local(const struct site *site)
{
	return given(site, FIELD_LOCAL_BATCH_SIZE) ||
	       (!given(site, FIELD_MICRO_BATCH_SIZE) && site->does[HABIT_TRAINER]);
}

/* Of a pass, of which a pipeline has several without any that are accumulated, and of a step. */
static void say_tokens(struct said *said, const struct space *space, const struct site *site,
		       const struct candidate *candidate)
{
	const int64_t length = setting_int(&site->job.settings, FIELD_SEQ_LEN, 1);
	const int64_t micro = candidate->at[AXIS_MICRO], each = candidate_each(space, candidate);

	say_int(said, site, FIELD_TOKENS_PER_MICROBATCH, micro * length);
	if (candidate->at[AXIS_PP] > 1)
		say_int(said, site, FIELD_PP_MICROBATCHES, each / micro);
	if (setting_int(&site->job.settings, FIELD_TOKENS_PER_STEP, -1) != -1 ||
	    (candidate->at[AXIS_PP] < 2 && micro != each))
		say_int(said, site, FIELD_TOKENS_PER_STEP, site->batch * length);
}

/*
 * The batch of the optimizer stays as it is. A local batch is what a rank has of a step between two
 * passes of the pipeline, which cuts it into microbatches; without one it is the microbatch.
 */
static void say_batch(struct said *said, const struct space *space, const struct site *site,
		      const struct candidate *candidate)
{
	const int64_t micro = candidate->at[AXIS_MICRO], each = candidate_each(space, candidate);
	const bool local = candidate_has_local(site), cut = local && candidate->at[AXIS_PP] > 1;

	if (site->tokens) {
		say_tokens(said, space, site, candidate);
		return;
	}
	if (cut) {
		say_int(said, site, FIELD_LOCAL_BATCH_SIZE, each);
		if (site->does[HABIT_COUNTS_MICRO])
			say_int(said, site, FIELD_PP_MICROBATCHES, each / micro);
		else
			say_int(said, site, FIELD_PP_MICROBATCH_SIZE, micro);
	} else {
		say_int(said, site, local ? FIELD_LOCAL_BATCH_SIZE : FIELD_MICRO_BATCH_SIZE, micro);
	}
	if (given(site, FIELD_GLOBAL_BATCH_SIZE) || !local ||
	    (candidate->at[AXIS_PP] < 2 && micro != each))
		say_int(said, site, FIELD_GLOBAL_BATCH_SIZE, site->batch);
	if (given(site, FIELD_GRADIENT_ACCUMULATION) ||
	    (!site->open[FIELD_GLOBAL_BATCH_SIZE] && micro != each))
		say_int(said, site, FIELD_GRADIENT_ACCUMULATION, cut ? 1 : each / micro);
}

/* Ranks that compute with the same parameters: of different samples, and of parts of sequences. */
static int64_t alike(const struct space *space, const struct candidate *candidate)
{
	return candidate_dp(space, candidate) * candidate->at[AXIS_CP] *
	       candidate->at[AXIS_SEQUENCE] / candidate_inside(space, candidate);
}

bool candidate_shares(const struct space *space, const struct candidate *candidate)
{
	return alike(space, candidate) > candidate->at[AXIS_REPLICATE];
}

bool candidate_cuts_state(const struct space *space, const struct candidate *candidate)
{
	return alike(space, candidate) > 1;
}

/* A pipeline of one stage is one where an engine runs it, and none where nobody asks for it. */
static bool leaves_pipeline_out(const struct site *site)
{
	return site->does[HABIT_ENGINE] && !given(site, FIELD_PP) &&
	       !setting_unresolved(&site->job.settings, FIELD_PP) &&
	       setting_int(&site->job.settings, FIELD_PP, 1) == 1;
}

void candidate_settings(const struct space *space, const struct candidate *candidate,
			struct said *said)
{
	const struct site *site = space->sites.items[candidate->at[AXIS_SITE]];
	size_t i;

	for (i = 0; i < site->said.count; i++)
		vec_push(said->arena, &said->list, site->said.items[i]);
	say_data_parallel(said, space, site, candidate);
	say_int(said, site, FIELD_CP, candidate->at[AXIS_CP]);
	if (candidate->at[AXIS_SEQUENCE] > 1 || given(site, site->ulysses))
		say_int(said, site, site->ulysses, candidate->at[AXIS_SEQUENCE]);
	say_int(said, site, FIELD_TP, candidate->at[AXIS_TP]);
	if (candidate->at[AXIS_PP] > 1 || !leaves_pipeline_out(site))
		say_int(said, site, FIELD_PP, candidate->at[AXIS_PP]);
	say_experts(said, site, candidate);
	if (candidate_cuts_state(space, candidate))
		say_choice(said, &space->zero.list.items[candidate->at[AXIS_ZERO]]);
	if (candidate->at[AXIS_TP] > 1)
		say_choice(said, &space->tensor.list.items[candidate->at[AXIS_TENSOR]]);
	say_pipeline(said, space, site, candidate);
	say_graphs(said, site, candidate);
	if (candidate_shares(space, candidate))
		say_choice(said, &space->reshard.list.items[candidate->at[AXIS_RESHARD]]);
	say_batch(said, space, site, candidate);
	say_choice(said, &space->recompute.list.items[candidate->at[AXIS_RECOMPUTE]]);
}

/* ---- in words ---- */

const char *variation_text(struct arena *arena, const struct variation *variation)
{
	const char *key = field_of(variation->field)->key, *dot = strchr(key, '.');

	key = dot ? dot + 1 : key;
	return variation->value ? arena_join(arena, key, " ", variation->value)
				: arena_join(arena, "no ", key, "");
}

static void put_degree(struct buf *out, const char *name, int64_t value)
{
	if (value > 1)
		buf_printf(out, "%s%s %" PRId64, out->length ? ", " : "", name, value);
}

static void put_word(struct buf *out, const char *before, const char *word, const char *after)
{
	if (*word)
		buf_printf(out, "%s%s%s%s", out->length ? ", " : "", before, word, after);
}

static void put_pipeline(const struct space *space, const struct candidate *candidate,
			 struct buf *out)
{
	if (candidate->at[AXIS_PP] < 2)
		return;
	put_word(out, "", space->schedule.list.items[candidate->at[AXIS_SCHEDULE]].name, "");
	if (candidate->at[AXIS_VIRTUAL] > 1)
		buf_printf(out, " x%" PRId64, candidate->at[AXIS_VIRTUAL]);
}

/* Copies that the framework makes by a rule of its own, as HYBRID_SHARD of a copy for each node. */
static int64_t derived_copies(const struct space *space, const struct candidate *candidate)
{
	const struct site *site = space->sites.items[candidate->at[AXIS_SITE]];
	struct said said = { 0 };
	struct arena arena;
	struct job job;
	int64_t copies = 1;

	if (site->job.applied->dense.strategy != STRATEGY_HSDP)
		return 1;
	arena_init(&arena);
	said.arena = &arena;
	candidate_settings(space, candidate, &said);
	job_vary(&job, &arena, &site->job, said.list.items, said.list.count, 0);
	if (!job.applied->error && job.applied->dense.strategy == STRATEGY_HSDP)
		copies = job.applied->degrees.dp_replicate;
	arena_release(&arena);
	return copies;
}

/* "dp 4x8": copies of the parameters, and ranks that share each. */
static void put_data_parallel(const struct space *space, const struct candidate *candidate,
			      struct buf *out)
{
	const struct site *site = space->sites.items[candidate->at[AXIS_SITE]];
	const int64_t dp = candidate_dp(space, candidate);
	const int64_t copies =
		site->derived_dp ? derived_copies(space, candidate) : candidate->at[AXIS_REPLICATE];
	const bool cut = site->derived_dp || site->open[FIELD_DP_SHARD] ||
			 setting_int(&site->job.settings, FIELD_DP_SHARD, -1) != 1;

	if (copies > 1 && cut && dp % copies == 0)
		buf_printf(out, "%sdp %" PRId64 "x%" PRId64, out->length ? ", " : "", copies,
			   dp / copies);
	else
		put_degree(out, "dp", dp);
}

const char *candidate_text(const struct space *space, const struct candidate *candidate,
			   struct arena *arena)
{
	const struct site *site = space->sites.items[candidate->at[AXIS_SITE]];
	const char *text;
	struct buf out;

	buf_init(&out);
	put_word(&out, "", site->name, "");
	put_data_parallel(space, candidate, &out);
	put_degree(&out, "tp", candidate->at[AXIS_TP]);
	put_degree(&out, "cp", candidate->at[AXIS_CP]);
	put_degree(&out, "sp", candidate->at[AXIS_SEQUENCE]);
	put_degree(&out, "pp", candidate->at[AXIS_PP]);
	put_degree(&out, "ep", candidate->at[AXIS_EP]);
	put_degree(&out, "etp", candidate->at[AXIS_ETP]);
	put_pipeline(space, candidate, &out);
	if (candidate_cuts_state(space, candidate))
		put_word(&out, "", space->zero.list.items[candidate->at[AXIS_ZERO]].name, "");
	if (candidate->at[AXIS_TP] > 1)
		put_word(&out, "", space->tensor.list.items[candidate->at[AXIS_TENSOR]].name, "");
	if (candidate_shares(space, candidate))
		put_word(&out, "reshard ",
			 space->reshard.list.items[candidate->at[AXIS_RESHARD]].name, "");
	buf_printf(&out, "%smb %" PRId64, out.length ? ", " : "", candidate->at[AXIS_MICRO]);
	put_word(&out, "recompute ",
		 space->recompute.list.items[candidate->at[AXIS_RECOMPUTE]].name, "");
	text = arena_strdup(arena, out.data);
	buf_release(&out);
	return text;
}
