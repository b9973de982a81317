#include "base/json.h"
#include "report/plan/view.h"
#include "report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* An HSDP plan of `replicas` x 8 ranks with one parameter [20, 6] over both axes. */
static void make_job(struct job *job, struct arena *arena, int64_t replicas)
{
	struct plan *plan = plan_new(arena, PLAN_APPLIED);
	struct parameter *parameter = arena_new(arena, struct parameter);
	struct sharded sharded = { .parameter = parameter, .unit = -1, .dims = 2 };
	struct mesh mesh = { .name = "dp_shard", .backend = "nccl", .exists = true };

	memset(job, 0, sizeof(*job));
	job->arena = arena;
	job->applied = plan;
	job->world = plan->world = replicas * 8;
	settings_init(&job->settings);
	plan->degrees = (struct degrees) { .dp_replicate = replicas, .dp_shard = 8, .tp = 1 };
	plan->requested = plan->dense.strategy = STRATEGY_HSDP;
	plan->dense.shard = mesh.layout = layout_axis(8, 1);
	plan->dense.replicate = layout_axis(replicas, 8);
	mesh.from[mesh.from_count++] = "dp_shard";
	vec_push(arena, &plan->meshes, mesh);
	parameter->fqn = "norm.weight";
	parameter->dims = 2;
	parameter->shape[0] = 20;
	parameter->shape[1] = 6;
	sharded.dim[0].name = "dp_replicate";
	sharded.dim[0].layout = &plan->dense.replicate;
	sharded.dim[1].name = "dp_shard";
	sharded.dim[1].layout = &plan->dense.shard;
	sharded.dim[1].placement.kind = PLACE_SHARD;
	vec_push(arena, &plan->parameters, sharded);
}

static void assert_holds(const char *json, const char *part)
{
	if (!strstr(json, part))
		fail_msg("no %s in\n%s", part, json);
}

/* The whole text is one JSON document. */
static void assert_json(struct arena *arena, const struct buf *out)
{
	struct json_reader json;
	enum json_token token;

	json_open(&json, arena, out->data, out->length);
	do
		token = json_next(&json);
	while (token != JSON_END && token != JSON_ERROR);
	assert_int_equal(token, JSON_END);
}

static void lists_are_complete_in_small_worlds(void **state)
{
	struct arena arena;
	struct job job;
	struct plan_view view = { 0 };
	struct buf out;

	(void)state;
	arena_init(&arena);
	buf_init(&out);
	make_job(&job, &arena, 2);
	report_plan_json(&job, &view, &out);
	assert_json(&arena, &out);
	assert_holds(out.data,
		     "{\"schema\":\"parplan.plan/1\",\"dialect\":null,\"world_size\":16,");
	assert_holds(out.data, "\"degrees\":{\"dp_replicate\":2,\"dp_shard\":8,\"tp\":1}");
	assert_holds(out.data,
		     "\"meshes\":{\"dp_shard\":{\"size\":8,\"exists\":true,\"backend\":\"nccl\","
		     "\"flattened\":false,\"from\":[\"dp_shard\"],\"layout\":{\"sizes\":[8],"
		     "\"strides\":[1]},\"count\":2,\"groups\":[[0,1,2,3,4,5,6,7],"
		     "[8,9,10,11,12,13,14,15]]}}");
	assert_holds(out.data, "\"replicate_groups\":[[0,8],[1,9],[2,10],[3,11],[4,12],[5,13],"
			       "[6,14],[7,15]]}");
	assert_holds(out.data, "{\"fqn\":\"norm.weight\",\"shape\":[20,6],\"stage\":0,"
			       "\"mesh\":[\"dp_replicate\",\"dp_shard\"],"
			       "\"placements\":[\"R\",\"S(0)\"],"
			       "\"local\":[{\"rank\":0,\"shape\":[3,6],\"offset\":[0,0]}]}");
	assert_holds(out.data, "\"error\":null");
	buf_release(&out);
	arena_release(&arena);
}

static void ranks_and_names_are_chosen(void **state)
{
	struct arena arena;
	struct job job;
	struct plan_view view = { 0 };
	struct buf out;
	const char *error = NULL;

	(void)state;
	arena_init(&arena);
	buf_init(&out);
	make_job(&job, &arena, 2);
	assert_null(rank_list_read(&arena, "6-7,15", &view.ranks));
	report_plan_json(&job, &view, &out);
	assert_holds(out.data, "\"local\":[{\"rank\":6,\"shape\":[2,6],\"offset\":[18,0]},"
			       "{\"rank\":7,\"shape\":[0,6],\"offset\":[20,0]},"
			       "{\"rank\":15,\"shape\":[0,6],\"offset\":[20,0]}]");
	buf_clear(&out);
	view.param = pattern_new(&arena, "^norm", &error);
	report_plan_json(&job, &view, &out);
	assert_holds(out.data, "norm.weight");
	buf_clear(&out);
	view.param = pattern_new(&arena, "attention", &error);
	report_plan_json(&job, &view, &out);
	assert_holds(out.data, "\"parameters\":[]");
	buf_release(&out);
	arena_release(&arena);
}

static void large_worlds_are_layouts(void **state)
{
	struct arena arena;
	struct job job;
	struct plan_view view = { 0 };
	struct buf out;

	(void)state;
	arena_init(&arena);
	buf_init(&out);
	make_job(&job, &arena, 131072);
	report_plan_json(&job, &view, &out);
	assert_json(&arena, &out);
	assert_true(out.length < 4096);
	assert_holds(out.data, "\"count\":131072,\"groups\":null");
	assert_holds(out.data, "\"replicate\":{\"sizes\":[131072],\"strides\":[8]}");
	buf_clear(&out);
	make_job(&job, &arena, 256);
	view.expand = true;
	report_plan_json(&job, &view, &out);
	assert_holds(out.data, "[2040,2041,2042,2043,2044,2045,2046,2047]");
	buf_release(&out);
	arena_release(&arena);
}

static void errors_keep_their_exact_text(void **state)
{
	struct arena arena;
	struct job job;
	struct plan_view view = { 0 };
	struct buf out;

	(void)state;
	arena_init(&arena);
	buf_init(&out);
	make_job(&job, &arena, 2);
	plan_raise(job.applied, "ValueError", "ParallelDims", "\n  Mesh '%s' \"x\"", "tp");
	report_plan_json(&job, &view, &out);
	assert_json(&arena, &out);
	assert_holds(out.data,
		     "\"error\":{\"type\":\"ValueError\",\"message\":\"\\n  Mesh 'tp' \\\"x\\\"\","
		     "\"where\":\"ParallelDims\"}");
	buf_release(&out);
	arena_release(&arena);
}

static void declared_is_what_somebody_wrote(void **state)
{
	struct arena arena;
	struct job job;
	struct plan_view view = { 0 };
	struct buf out;

	(void)state;
	arena_init(&arena);
	buf_init(&out);
	make_job(&job, &arena, 2);
	job.applied->world = job.world = 0;
	settings_put_int(&job.settings, &arena, FIELD_TP, 4, ORIGIN_GIVEN);
	settings_put_int(&job.settings, &arena, FIELD_CP, 1, ORIGIN_DEFAULT);
	settings_put_int(&job.settings, &arena, FIELD_DP_SHARD, -1, ORIGIN_DEFAULT);
	report_plan_json(&job, &view, &out);
	assert_json(&arena, &out);
	assert_holds(out.data, "\"world_size\":null,\"declared\":{\"dp_replicate\":null,"
			       "\"dp_shard\":-1,\"cp\":null,\"tp\":4,\"pp\":null,\"ep\":null}");
	assert_holds(out.data, "\"degrees\":null");
	assert_holds(out.data, "\"applied\":null");
	assert_holds(out.data, "\"note\":\"the world size is not known");
	buf_release(&out);
	arena_release(&arena);
}

/*
 * A plan of 8 ranks as Megatron's distributed optimizer makes it: a weight [20, 6] cut by tp and
 * repeated over dp_cp, behind 30 elements of others in a run of 160 whose states dp_cp shares.
 */
static void make_run_job(struct job *job, struct arena *arena)
{
	struct plan *plan;
	struct sharded *sharded;
	struct layout *tp = arena_new(arena, struct layout);

	make_job(job, arena, 1);
	plan = job->applied;
	*tp = layout_axis(2, 1);
	plan->requested = plan->dense.strategy = STRATEGY_DDP;
	plan->dense.shard = (struct layout) { 0 };
	plan->dense.replicate = layout_axis(4, 2);
	plan->dense.run = (struct run_cut) { .name = "dp_cp", .layout = plan->dense.replicate };
	plan->dense.run.held[HELD_OPTIMIZER] = true;
	sharded = &plan->parameters.items[0];
	sharded->dim[0].name = "dp";
	sharded->dim[1] = (struct mesh_dim) { .name = "tp",
					      .layout = tp,
					      .placement = { .kind = PLACE_SHARD } };
	sharded->run_at = 30;
	sharded->run_length = 160;
}

static void states_of_a_run_have_cuts_of_their_own(void **state)
{
	struct arena arena;
	struct job job;
	struct plan_view view = { 0 };
	struct buf out;

	(void)state;
	arena_init(&arena);
	buf_init(&out);
	make_run_job(&job, &arena);
	assert_null(rank_list_read(&arena, "0-2,4,7", &view.ranks));
	report_plan_json(&job, &view, &out);
	assert_json(&arena, &out);
	assert_holds(out.data, "\"mesh\":[\"dp\",\"tp\"],\"placements\":[\"R\",\"S(0)\"],"
			       "\"local\":[{\"rank\":0,\"shape\":[10,6],\"offset\":[0,0]},"
			       "{\"rank\":1,\"shape\":[10,6],\"offset\":[10,0]},");
	assert_holds(out.data, "\"optimizer\":{\"mesh\":[\"dp_cp\",\"tp\"],"
			       "\"placements\":[\"F\",\"S(0)\"],"
			       "\"local\":[{\"rank\":0,\"shape\":[10],\"offset\":[0]},"
			       "{\"rank\":1,\"shape\":[10],\"offset\":[0]},"
			       "{\"rank\":2,\"shape\":[40],\"offset\":[10]},"
			       "{\"rank\":4,\"shape\":[10],\"offset\":[50]},"
			       "{\"rank\":7,\"shape\":[0],\"offset\":[60]}]}}");
	assert_null(strstr(out.data, "\"gradient\""));
	assert_null(strstr(out.data, "\"copy\""));
	assert_null(strstr(out.data, "\"stages_assumed\""));
	buf_release(&out);
	arena_release(&arena);
}

/* Where no dim repeats the parameter over ranks of the run, the run's dim stands last. */
static void parameters_of_a_run_are_flat_themselves(void **state)
{
	struct arena arena;
	struct job job;
	struct plan_view view = { 0 };
	struct buf out;
	struct sharded *sharded;

	(void)state;
	arena_init(&arena);
	buf_init(&out);
	make_run_job(&job, &arena);
	job.applied->stages_assumed = true;
	job.applied->dense.run.held[HELD_PARAMETER] = true;
	sharded = &job.applied->parameters.items[0];
	sharded->dim[0] = sharded->dim[1];
	sharded->dims = 1;
	sharded->copy = true;
	report_plan_json(&job, &view, &out);
	assert_json(&arena, &out);
	assert_holds(out.data, "\"stage\":0,\"copy\":true,\"mesh\":[\"tp\",\"dp_cp\"],"
			       "\"placements\":[\"S(0)\",\"F\"],"
			       "\"local\":[{\"rank\":0,\"shape\":[10],\"offset\":[0]}],"
			       "\"gradient\":{\"mesh\":[\"tp\"],\"placements\":[\"S(0)\"],"
			       "\"local\":[{\"rank\":0,\"shape\":[10,6],\"offset\":[0,0]}]}}");
	assert_null(strstr(out.data, "\"optimizer\""));
	assert_holds(out.data, "\"stages\":[],\"stages_assumed\":true");
	buf_release(&out);
	arena_release(&arena);
}

static void text_says_what_is_cut_flat(void **state)
{
	struct arena arena;
	struct job job;
	struct plan_view view = { 0 };
	struct stage stages[] = { { .index = 0 }, { .index = 1, .pp_rank = 1 } };
	struct buf out;

	(void)state;
	arena_init(&arena);
	buf_init(&out);
	make_run_job(&job, &arena);
	job.applied->dense.run.held[HELD_GRADIENT] = true;
	job.applied->stages_assumed = true;
	vec_push(&arena, &job.applied->stages, stages[0]);
	vec_push(&arena, &job.applied->stages, stages[1]);
	report_plan_text(&job, &view, &out, false, 80);
	assert_holds(out.data, "    replicate {0,2,4,6} {1,3,5,7}\n"
			       "    flat      gradients, optimizer state over dp_cp: {0,2,4,6} "
			       "{1,3,5,7}\n");
	assert_holds(out.data,
		     "  assumed: blocks are dealt out evenly, only the script knows where "
		     "it cuts them\n");
	buf_release(&out);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_complete_in_small_worlds),
		cmocka_unit_test(ranks_and_names_are_chosen),
		cmocka_unit_test(large_worlds_are_layouts),
		cmocka_unit_test(errors_keep_their_exact_text),
		cmocka_unit_test(declared_is_what_somebody_wrote),
		cmocka_unit_test(states_of_a_run_have_cuts_of_their_own),
		cmocka_unit_test(parameters_of_a_run_are_flat_themselves),
		cmocka_unit_test(text_says_what_is_cut_flat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
