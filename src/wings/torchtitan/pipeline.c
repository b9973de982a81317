#include "wings/torchtitan/pipeline.h"

#include "framework/stage_names.h"
#include "wings/torchtitan/exceptions.h"

#include <inttypes.h>
#include <string.h>

bool pipeline_in_v(const struct pipeline_schedule *schedule, enum titan_pp_v which)
{
	return schedule && schedule->v &&
	       (which == PP_V_DUAL_PIPE ||
		(which == PP_V_ZERO_BUBBLE && strcmp(schedule->name, "DualPipeV") != 0));
}

/* One run of a splitter. */
struct splitter {
	struct arena *arena;
	const struct pipeline_request *request;
	const struct pipeline_schedule *schedule;
	struct pipeline_split *split;
	const char *where; /* the module, whose name differs by version */
};

static bool fail_told(struct splitter *s, enum field_id because, struct told told)
{
	if (!told.where)
		told.where = s->where;
	s->split->raised = told;
	s->split->because = because;
	return false;
}

#define fail(s, because, ...) fail_told(s, because, exception_tell((s)->arena, __VA_ARGS__))

static struct stage *new_stage(struct splitter *s)
{
	return stages_add(s->arena, &s->split->stages);
}

static void hold(struct splitter *s, struct stage *stage, const char *module)
{
	vec_push(s->arena, &stage->modules, module);
}

/* Layers [from, to) that exist. */
static void hold_layers(struct splitter *s, struct stage *stage, int64_t from, int64_t to)
{
	stage_hold_layers(s->arena, stage, from, to < s->request->layers ? to : s->request->layers);
}

/*
 * Stages for a list of first layers, as every manual split makes them: where the next stage's
 * layer comes earlier it is never met, and the stage runs to the end.
 */
static void stages_from(struct splitter *s, const int64_t *first, int64_t count)
{
	int64_t i;

	for (i = 0; i < count; i++) {
		struct stage *stage = new_stage(s);
		if (!i)
			hold(s, stage, "tok_embeddings");
		hold_layers(s, stage, first[i],
			    i + 1 < count && first[i + 1] >= first[i] ? first[i + 1]
								      : s->request->layers);
		if (i + 1 == count) {
			hold(s, stage, "norm");
			hold(s, stage, s->request->output);
		}
	}
}

static int64_t default_stages(const struct splitter *s)
{
	return s->request->pp * (s->schedule->single ? 1 : 2);
}

/*
 * Splits before layers_per_stage, 2024-10: torchtitan parallelisms/pipelining_utils.py,
 * generate_split_points. The first stage is the smallest, extra layers go to the middle ones.
 */
static bool split_by_interval(struct splitter *s)
{
	const struct pipeline_request *r = s->request;
	int64_t total = default_stages(s), extra, at = 0, i, *first;

	if (total > r->layers)
		return fail(s, FIELD_PP, TITAN(STAGES_LAYERS));
	first = arena_array(s->arena, (size_t)total, sizeof(*first));
	extra = r->layers % total;
	for (i = 1; i < total; i++) {
		at += r->layers / total + (i > 1 && extra > 0);
		extra -= i > 1 && extra > 0;
		first[i] = at;
	}
	stages_from(s, first, total);
	return true;
}

/*
 * The number of stages of 8b737fe3c, for a week: layers_per_stage counts no embedding and no
 * output.
 */
static bool stages_by_layers(struct splitter *s, int64_t *total)
{
	const struct pipeline_request *r = s->request;
	int64_t per_rank;

	*total = default_stages(s);
	if (!r->layers_per_stage)
		return *total <= r->layers || fail(s, FIELD_PP, TITAN(STAGES_LAYERS));
	*total = r->layers / r->layers_per_stage + (r->layers % r->layers_per_stage > 0);
	if (*total % r->pp)
		return fail(s, FIELD_PP_LAYERS_PER_STAGE, TITAN(STAGES_PP), VALUE(*total),
			    VALUE(r->pp));
	per_rank = *total / r->pp;
	if (s->schedule->single ? per_rank == 1 : per_rank >= 2)
		return true;
	return fail(s, FIELD_PP_LAYERS_PER_STAGE, TITAN(PER_RANK), VALUE(per_rank),
		    VALUE(s->schedule->single ? "1 for single" : ">= 2 for multi"));
}

/* 8b737fe3c: the first and the last stage are set, the middle ones share what remains but one. */
static bool split_by_ends(struct splitter *s)
{
	const struct pipeline_request *r = s->request;
	int64_t total, each, remaining, middle, i, *first;

	if (!stages_by_layers(s, &total))
		return false;
	each = (r->layers + 2) / total;
	first = arena_array(s->arena, (size_t)total, sizeof(*first));
	first[1] = each > 1 ? each - 1 : 0;
	remaining = r->layers - 2 * first[1] - 1;
	first[total - 1] = r->layers - (each > 1 ? each - 1 : 0);
	middle = total - 3;
	if (!middle)
		return fail(s, FIELD_PP, TITAN(MIDDLE_STAGES));
	for (i = 1; i <= middle; i++)
		first[i + 1] = first[i] + remaining / middle + (i <= remaining % middle);
	stages_from(s, first, total);
	return true;
}

/* Whether layers_per_stage fits the layers and the schedule: bare asserts, v0.1.0. */
static bool rigid_fit(struct splitter *s, int64_t effective, int64_t *total)
{
	const struct pipeline_request *r = s->request;
	int64_t per_rank;

	if (effective % r->pp || effective / r->pp % r->layers_per_stage)
		return fail(s, FIELD_PP_LAYERS_PER_STAGE, TITAN(LAYERS_RIGID));
	per_rank = effective / r->pp / r->layers_per_stage;
	if (s->schedule->single && per_rank != 1)
		return fail(s, FIELD_PP_LAYERS_PER_STAGE, TITAN(PER_RANK_ONE), VALUE(per_rank));
	if (!s->schedule->single && per_rank < 2)
		return fail(s, FIELD_PP_LAYERS_PER_STAGE, TITAN(PER_RANK_TWO), VALUE(per_rank));
	*total = per_rank * r->pp;
	return true;
}

/* v0.1.0: torchtitan@f7084fc78 distributed/pipeline.py, generate_split_points. */
static bool split_by_points(struct splitter *s)
{
	const struct pipeline_request *r = s->request;
	int64_t effective = r->layers + 2, total = default_stages(s), each, extra, i, *first;

	if (r->layers_per_stage) {
		if (!rigid_fit(s, effective, &total))
			return false;
	} else if (total > effective) {
		return fail(s, FIELD_PP, TITAN(STAGES_TOTAL));
	}
	each = effective / total;
	extra = effective % total;
	first = arena_array(s->arena, (size_t)total, sizeof(*first));
	for (i = 1; i < total; i++)
		first[i] = first[i - 1] + each - (i == 1) + (i <= extra);
	stages_from(s, first, total);
	return true;
}

static bool virtual_stages_fail(struct splitter *s, int64_t stages, int64_t per_rank, bool single)
{
	const struct pipeline_request *r = s->request;
	const char *info = arena_printf(
		s->arena,
		"Model has %" PRId64 " layers with pipeline_parallel_layers_per_stage=%" PRId64
		", resulting in num_virtual_stages=%" PRId64 " across %" PRId64 " PP ranks. ",
		r->layers, r->layers_per_stage, stages, r->pp);

	if (single)
		return fail(s, FIELD_PP_LAYERS_PER_STAGE, TITAN(PER_RANK_SINGLE), VALUE(per_rank),
			    VALUE(info), VALUE(r->layers / r->pp));
	return fail(s, FIELD_PP_LAYERS_PER_STAGE, TITAN(PER_RANK_MULTI), VALUE(per_rank),
		    VALUE(info));
}

/* v0.2.0 and later: torchtitan@73a0e6979d distributed/pipeline_parallel.py, pipeline_llm. */
static bool virtual_stages(struct splitter *s, int64_t *stages)
{
	const struct pipeline_request *r = s->request;
	int64_t per_rank, n;

	*stages = default_stages(s);
	if (!r->layers_per_stage)
		return true;
	n = r->layers + r->input_weight + r->output_weight;
	n = *stages = n / r->layers_per_stage + (n % r->layers_per_stage > 0);
	if (n % r->pp)
		return fail(s, FIELD_PP_LAYERS_PER_STAGE, TITAN(STAGES_VIRTUAL), VALUE(n),
			    VALUE(r->pp), VALUE(r->layers), VALUE(r->layers_per_stage),
			    VALUE(r->pp));
	per_rank = n / r->pp;
	if (s->schedule->single ? per_rank != 1 : per_rank < 2)
		return virtual_stages_fail(s, n, per_rank, s->schedule->single);
	return true;
}

/* The checks of generate_llm_fqn_per_model_part for more than one stage. */
static bool parts_fit(struct splitter *s, int64_t stages, int64_t effective)
{
	const struct pipeline_request *r = s->request;
	int64_t each = effective / stages;

	if (stages > effective)
		return fail(s, FIELD_PP, TITAN(STAGES_EFFECTIVE), VALUE(stages), VALUE(effective));
	if (r->input_weight > each)
		return fail(s, FIELD_PP_FIRST_STAGE_LESS, TITAN(INPUT_WEIGHT),
			    VALUE(r->input_weight), VALUE(each));
	if (r->output_weight > each)
		return fail(s, FIELD_PP_LAST_STAGE_LESS, TITAN(OUTPUT_WEIGHT),
			    VALUE(r->output_weight), VALUE(each));
	return true;
}

/* generate_llm_fqn_per_model_part: extra layers go to the first stages. */
static bool generate_parts(struct splitter *s, int64_t stages)
{
	const struct pipeline_request *r = s->request;
	int64_t effective = r->layers + r->input_weight + r->output_weight, at = 0, i;

	if (stages < 1)
		return fail(s, FIELD_PP, TITAN(STAGES_NONE));
	if (stages > 1 && !parts_fit(s, stages, effective))
		return false;
	for (i = 0; i < stages; i++) {
		struct stage *stage = new_stage(s);
		int64_t take = effective / stages + (i < effective % stages);
		if (i == 0) {
			hold(s, stage, "tok_embeddings");
			take -= r->input_weight;
		}
		if (i + 1 == stages)
			take -= r->output_weight;
		hold_layers(s, stage, at, at + take);
		at += take > 0 ? take : 0;
		if (i + 1 == stages) {
			hold(s, stage, "norm");
			hold(s, stage, r->output);
		}
	}
	return true;
}

static bool split_by_fqns(struct splitter *s)
{
	int64_t stages;

	if (!virtual_stages(s, &stages))
		return false;
	if (!s->request->parts)
		return generate_parts(s, stages);
	stages_of_names(s->arena, &s->split->stages, s->request->parts);
	return true;
}

static bool assign_ranks(struct splitter *s)
{
	const int64_t stages = (int64_t)s->split->stages.count, pp = s->request->pp;
	const bool v = pipeline_in_v(s->schedule, s->request->v);

	if (stages % pp)
		return fail(s, s->request->parts ? FIELD_PP_STAGES : FIELD_PP_SPLIT_POINTS,
			    TITAN(STAGES_EVEN), VALUE(stages),
			    VALUE(s->request->degree_named ? "pp_degree" : "pp_size"), VALUE(pp));
	if (v && stages / pp != 2)
		return fail(s, FIELD_PP_SCHEDULE, TITAN(STAGES_V), VALUE(stages / pp));
	stages_to_ranks(&s->split->stages, pp, v);
	return true;
}

static bool split_stages(struct splitter *s)
{
	const struct pipeline_request *r = s->request;

	if (r->algorithm == PP_FQNS)
		return split_by_fqns(s);
	if (r->algorithm == PP_GIVEN_POINTS || (r->split_points && r->split_points->first)) {
		/* up to cec7fb6fc no points are one stage, whatever the schedule */
		stages_at_points(s->arena, &s->split->stages, r->split_points, r->layers,
				 r->output);
		return true;
	}
	if (r->algorithm == PP_RIGID_LAYERS)
		return split_by_points(s);
	return r->algorithm == PP_LAYERS_PER_STAGE ? split_by_ends(s) : split_by_interval(s);
}

/* Refuses split points where they are deprecated, and finds the schedule, or fails. */
static bool look_up(struct splitter *s)
{
	const struct pipeline_request *request = s->request;
	struct told told;

	memset(s->split, 0, sizeof(*s->split));
	s->split->because = FIELD_PP;
	s->where = request->algorithm == PP_FQNS ? "torchtitan/distributed/pipeline_parallel.py"
						 : "torchtitan/distributed/pipeline.py";
	s->schedule = NULL;
	if (request->algorithm == PP_NONE) /* TorchTitan's words, before aafe0e870 */
		return fail(s, FIELD_PP, TITAN(PP_NONE));
	if (request->algorithm == PP_FQNS && request->split_points && request->split_points->first)
		return fail(s, FIELD_PP_SPLIT_POINTS, TITAN(PP_POINTS));
	s->schedule = pipeline_schedule_find(request->schedule);
	if (request->own_names && (s->schedule || request->algorithm == PP_GIVEN_POINTS))
		return true; /* stages are as the points say: the name is looked at after them */
	s->schedule = pipeline_look_up(s->arena, &request->torch, request->schedule, &told);
	if (s->schedule)
		return true;
	return fail_told(s, FIELD_PP_SCHEDULE, told);
}

void pipeline_ask(struct arena *arena, const struct pipeline_request *request,
		  struct pipeline_split *split)
{
	struct splitter s = { .arena = arena, .request = request, .split = split };

	look_up(&s);
}

void pipeline_split(struct arena *arena, const struct pipeline_request *request,
		    struct pipeline_split *split)
{
	struct splitter s = { .arena = arena, .request = request, .split = split };

	if (look_up(&s) && split_stages(&s))
		assign_ranks(&s);
	if (split->raised.type)
		split->stages.count = 0;
}
