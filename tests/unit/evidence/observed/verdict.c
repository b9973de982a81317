/* Verdicts on runs made in memory: what each code needs, and that missing evidence is never one. */
#include "unit/evidence/captured.h"
#include "evidence/observed/verdict.h"
#include "unit/random.h"
#include "unit/rules/judged.h"

#define CONFIG "parplan: 1\nframework: {torchtitan: v0.2.2}\n"
#define HSDP   CONFIG "world: 16\nparallelism: {dp_replicate: 2, dp_shard: 8}\n"
#define FLAT   CONFIG "world: 16\nparallelism: {dp_shard: 16}\n"
#define COPIES CONFIG "world: 16\nparallelism: {dp_replicate: 16, dp_shard: 1}\n"
#define TENSOR CONFIG "world: 16\nparallelism: {dp_shard: 8, tp: 2}\n"

static struct verdict judged(struct arena *arena, const char *config, const struct capture *capture)
{
	struct job *job = job_of(arena, config, NULL);
	struct observed *observed = arena_new(arena, struct observed);

	assert_null(verdict_refuses(job));
	*observed = observed_of(arena, capture, job->intended);
	return verdict_of(arena, job, observed);
}

static void expect(const struct verdict *verdict, enum verdict_kind kind, const char *code)
{
	if (verdict->kind != kind || strcmp(verdict->code, code) != 0)
		fail_msg("%s %s (%s), not %s %s", verdict_name(verdict->kind), verdict->code,
			 verdict->text, verdict_name(kind), code);
}

static bool has_reason(const struct verdict *verdict, const char *code)
{
	size_t i;

	for (i = 0; i < verdict->reasons.count; i++)
		if (!strcmp(verdict->reasons.items[i].code, code))
			return true;
	return false;
}

static const struct axis_verdict *axis_of_verdict(const struct verdict *verdict, enum role role)
{
	size_t i;

	for (i = 0; i < verdict->axes.count; i++)
		if (verdict->axes.items[i].axis == role)
			return &verdict->axes.items[i];
	fail_msg("the verdict has no %s", role_name(role));
	return NULL;
}

/* ---- runs ---- */

static void hsdp_rank(struct capture *capture, int64_t rank)
{
	capture_fsdp(capture, "mesh_fsdp", rank, 8, 1);
	capture_copies(capture, rank, 2, 8, 8);
	capture_loss(capture, rank);
}

static void collapsed_rank(struct capture *capture, int64_t rank)
{
	capture_fsdp(capture, "default_pg", rank, 16, 1);
	capture_loss(capture, rank);
}

static void no_sync_rank(struct capture *capture, int64_t rank)
{
	capture_fsdp(capture, "mesh_fsdp", rank, 8, 1);
	capture_group(capture, "mesh_dp_replicate", rank, 2, 8);
	capture_loss(capture, rank);
}

static void narrow_rank(struct capture *capture, int64_t rank)
{
	capture_fsdp(capture, "", rank, 4, 1);
	capture_copies(capture, rank, 4, 4, 4);
	capture_loss(capture, rank);
}

static void ddp_rank(struct capture *capture, int64_t rank)
{
	capture_ddp(capture, rank, 16, 1);
}

static void tensor_rank(struct capture *capture, int64_t rank)
{
	capture_tensor(capture, rank, 2, 1);
	capture_fsdp(capture, "", rank, 8, 2);
}

static void swapped_rank(struct capture *capture, int64_t rank)
{
	capture_tensor(capture, rank, 2, 8);
	capture_fsdp(capture, "", rank, 8, 1);
}

static void idle_tensor_rank(struct capture *capture, int64_t rank)
{
	capture_group(capture, "mesh_tp", rank, 2, 1);
	capture_fsdp(capture, "", rank, 8, 2);
	capture_loss(capture, rank);
}

static void wrapped_rank(struct capture *capture, int64_t rank)
{
	collapsed_rank(capture, rank);
	capture_ddp(capture, rank, 16, 1);
}

/* Half of the ranks share over 16, half over 8. */
static void torn_rank(struct capture *capture, int64_t rank)
{
	if (rank < 4)
		collapsed_rank(capture, rank);
	else
		hsdp_rank(capture, rank);
}

static const struct {
	const char *config;
	void (*rank)(struct capture *capture, int64_t rank);
	enum verdict_kind kind;
	const char *code;
	enum role proven; /* an axis whose calls must be listed */
	int64_t degree;
} runs[] = {
	{ HSDP, hsdp_rank, VERDICT_MATCH, "MATCH", ROLE_REPLICATE, 2 },
	{ FLAT, collapsed_rank, VERDICT_MATCH, "MATCH", ROLE_SHARD, 16 },
	{ COPIES, ddp_rank, VERDICT_MATCH, "MATCH", ROLE_REPLICATE, 16 },
	{ TENSOR, tensor_rank, VERDICT_MATCH, "MATCH", ROLE_TP, 2 },
	{ HSDP, collapsed_rank, VERDICT_MISMATCH, "HSDP_COLLAPSED_TO_FSDP", ROLE_SHARD, 16 },
	{ HSDP, no_sync_rank, VERDICT_MISMATCH, "REPLICA_SYNC_MISSING", ROLE_SHARD, 8 },
	{ FLAT, hsdp_rank, VERDICT_MISMATCH, "UNINTENDED_HSDP", ROLE_REPLICATE, 2 },
	{ FLAT, ddp_rank, VERDICT_MISMATCH, "DDP_INSTEAD_OF_SHARD", ROLE_REPLICATE, 16 },
	{ HSDP, ddp_rank, VERDICT_MISMATCH, "DDP_INSTEAD_OF_SHARD", ROLE_REPLICATE, 16 },
	{ COPIES, collapsed_rank, VERDICT_MISMATCH, "SHARD_INSTEAD_OF_DDP", ROLE_SHARD, 16 },
	{ HSDP, narrow_rank, VERDICT_MISMATCH, "WRONG_DEGREE", ROLE_SHARD, 4 },
	{ TENSOR, swapped_rank, VERDICT_MISMATCH, "DIM_ORDER_SWAPPED", ROLE_TP, 2 },
	{ TENSOR, idle_tensor_rank, VERDICT_MISMATCH, "DIM_UNUSED", ROLE_SHARD, 8 },
	{ FLAT, wrapped_rank, VERDICT_MISMATCH, "EXTRA_TRAFFIC", ROLE_SHARD, 16 },
	{ HSDP, torn_rank, VERDICT_MISMATCH, "RANK_DISAGREEMENT", ROLE_SHARD, 8 },
};

static void every_code(void **state)
{
	const struct axis_verdict *axis;
	struct verdict verdict;
	struct capture capture;
	int64_t rank;
	size_t i;

	for (i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		capture_open(&capture, *state, 16, 2);
		for (rank = 0; rank < 16; rank++)
			runs[i].rank(&capture, rank);
		verdict = judged(*state, runs[i].config, &capture);
		expect(&verdict, runs[i].kind, runs[i].code);
		axis = axis_of_verdict(&verdict, runs[i].proven);
		assert_int_equal(axis->status, AXIS_PROVEN);
		assert_int_equal(axis->seen, runs[i].degree);
		assert_true(axis->evidence.count > 0);
		assert_true(verdict.kind == VERDICT_MATCH || verdict.evidence.count > 0);
		assert_true(verdict.confidence >= 0.9);
	}
}

/* One rank says the same, less surely, of all but what ranks must agree on. */
static void one_rank(void **state)
{
	struct verdict verdict;
	struct capture capture;
	size_t i;

	for (i = 0; i + 1 < sizeof(runs) / sizeof(*runs); i++) {
		capture_open(&capture, *state, 16, 2);
		runs[i].rank(&capture, 5);
		verdict = judged(*state, runs[i].config, &capture);
		expect(&verdict, runs[i].kind, runs[i].code);
		assert_true(verdict.confidence < 0.9 && verdict.confidence >= 0.6);
		assert_true(has_reason(&verdict, "ONE_RANK_ONLY"));
		assert_non_null(verdict.next);
	}
}

/* ---- what is not seen ---- */

/* Communicators by size alone, as old logs of NCCL have them. */
static void logs_only(void **state)
{
	static const int64_t planned[] = { 16, 8, 2, 0 }, collapsed[] = { 16, 0 };
	const int64_t *const logs[] = { planned, collapsed };
	struct verdict verdict;
	struct capture capture;
	size_t i, k;

	for (i = 0; i < 2; i++) {
		capture_open(&capture, *state, 16, 0);
		for (k = 0; logs[i][k]; k++) {
			struct seen_group group = { .name = "",
						    .desc = "",
						    .backend = "nccl",
						    .size = logs[i][k],
						    .observer = -1 };
			vec_push((struct arena *)*state, &capture.groups, group);
		}
		verdict = judged(*state, HSDP, &capture);
		expect(&verdict, VERDICT_INSUFFICIENT, "INSUFFICIENT");
		assert_true(has_reason(&verdict, "NO_TRAFFIC"));
		assert_int_equal(axis_of_verdict(&verdict, ROLE_SHARD)->status,
				 i ? AXIS_ASSUMED : AXIS_CONSISTENT);
		assert_true(verdict.confidence <= 0.5);
		assert_non_null(verdict.next);
	}
}

/* Calls that a file may have hidden are never missed. */
static void limits_hide(void **state)
{
	static const char *const codes[] = { "RING_BUFFER_WRAPPED", "ACTIVE_CALLS_ONLY",
					     "CUDA_GRAPH",	    "CUSTOM_COMM_KERNELS",
					     "LOG_GARBLED",	    "WINDOW_TOO_SHORT" };
	static void (*const ranks[])(struct capture *, int64_t) = { no_sync_rank,
								    idle_tensor_rank };
	static const char *const configs[] = { HSDP, TENSOR };
	struct verdict verdict;
	struct capture capture;
	size_t i, k;

	for (i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		for (k = 0; k < 2; k++) {
			struct seen_limit limit = { codes[i], "it hides calls", { 0, 1 } };
			capture_open(&capture, *state, 16, 2);
			ranks[k](&capture, 0);
			ranks[k](&capture, 15);
			vec_push((struct arena *)*state, &capture.limits, limit);
			verdict = judged(*state, configs[k], &capture);
			expect(&verdict, VERDICT_INSUFFICIENT, "INSUFFICIENT");
			assert_true(has_reason(&verdict, codes[i]));
			assert_true(has_reason(&verdict, "AXIS_NOT_SEEN"));
		}
}

/* Without marks of steps a loss behind the gradients says that the step is over. */
static void end_of_step(void **state)
{
	struct verdict verdict;
	struct capture capture;

	capture_open(&capture, *state, 16, 0);
	no_sync_rank(&capture, 0);
	verdict = judged(*state, HSDP, &capture);
	expect(&verdict, VERDICT_MISMATCH, "REPLICA_SYNC_MISSING");
	assert_true(has_reason(&verdict, "NO_STEP"));

	capture_open(&capture, *state, 16, 0);
	capture_loss(&capture, 0);
	capture_fsdp(&capture, "mesh_fsdp", 0, 8, 1);
	verdict = judged(*state, HSDP, &capture);
	expect(&verdict, VERDICT_INSUFFICIENT, "INSUFFICIENT");
}

static void another_job(void **state)
{
	struct verdict verdict;
	struct capture capture;

	capture_open(&capture, *state, 8, 2);
	capture_fsdp(&capture, "", 0, 8, 1);
	verdict = judged(*state, HSDP, &capture);
	expect(&verdict, VERDICT_INSUFFICIENT, "INSUFFICIENT");
	assert_true(has_reason(&verdict, "OTHER_WORLD"));
}

static void nothing_at_all(void **state)
{
	struct verdict verdict;
	struct capture capture;

	capture_open(&capture, *state, 0, 0);
	verdict = judged(*state, HSDP, &capture);
	expect(&verdict, VERDICT_INSUFFICIENT, "INSUFFICIENT");
	assert_true(has_reason(&verdict, "NO_TRAFFIC"));

	capture_open(&capture, *state, 1, 0);
	verdict = judged(*state, CONFIG "world: 1\nparallelism: {dp_shard: 1}\n", &capture);
	expect(&verdict, VERDICT_MATCH, "MATCH");
}

static void one_step(void **state)
{
	struct verdict verdict;
	struct capture capture;

	capture_open(&capture, *state, 16, 1);
	hsdp_rank(&capture, 0);
	hsdp_rank(&capture, 8);
	verdict = judged(*state, HSDP, &capture);
	expect(&verdict, VERDICT_MATCH, "MATCH");
	assert_true(has_reason(&verdict, "WINDOW_TOO_SHORT"));
	assert_true(verdict.confidence < 0.9);
}

/* What a log or a checkpoint says is told, and decides nothing. */
static void claims(void **state)
{
	struct seen_claim said = { "dp_shard", 8, false, false, { 0, 1 } };
	struct seen_claim stored = { "dp_shard", 16, true, false, { 0, 2 } };
	struct verdict verdict;
	struct capture capture;

	capture_open(&capture, *state, 16, 2);
	vec_push((struct arena *)*state, &capture.claims, said);
	vec_push((struct arena *)*state, &capture.claims, stored);
	verdict = judged(*state, HSDP, &capture);
	expect(&verdict, VERDICT_INSUFFICIENT, "INSUFFICIENT");
	assert_int_equal(axis_of_verdict(&verdict, ROLE_SHARD)->status, AXIS_CONSISTENT);
	assert_true(has_reason(&verdict, "CHECKPOINT_DIFFERS"));
	assert_false(has_reason(&verdict, "LOG_DIFFERS"));
}

/* ---- the rest of the plan ---- */

static void types(void **state)
{
	struct verdict verdict;
	struct capture capture;

	capture_open(&capture, *state, 16, 2);
	collapsed_rank(&capture, 0);
	verdict = judged(*state, FLAT "training: {param_dtype: float32}\n", &capture);
	expect(&verdict, VERDICT_MISMATCH, "DTYPE_DIFFERS");
	verdict = judged(*state, FLAT "training: {param_dtype: bfloat16, reduce_dtype: float32}\n",
			 &capture);
	expect(&verdict, VERDICT_MATCH, "MATCH");
}

/* The version that drops the copies: the run obeys it and is still no match. */
static void as_built(void **state)
{
	struct verdict verdict;
	struct capture capture;

	capture_open(&capture, *state, 16, 2);
	collapsed_rank(&capture, 0);
	collapsed_rank(&capture, 15);
	verdict = judged(*state,
			 "parplan: 1\nframework: {torchtitan: d7cabfb6c}\nworld: 16\n"
			 "model: llama3-8b\nparallelism: {dp_replicate: 2, dp_shard: 8}\n",
			 &capture);
	expect(&verdict, VERDICT_MISMATCH, "HSDP_COLLAPSED_TO_FSDP");
	assert_non_null(verdict.built);
	assert_non_null(strstr(verdict.built, "as the framework builds it"));
}

/* A distributed optimizer gathers and scatters over its copies once a step. */
static void distributed_optimizer(void **state)
{
	struct verdict verdict;
	struct capture capture;
	size_t i;

	capture_open(&capture, *state, 16, 2);
	capture_fsdp(&capture, "DATA_PARALLEL_GROUP", 0, 16, 1);
	for (i = 0; i < capture.calls.count; i++)
		capture.calls.items[i].count = 1;
	verdict = judged(*state, COPIES, &capture);
	expect(&verdict, VERDICT_MATCH, "MATCH");
}

/* Two neighbouring stages have a communicator of their own, and all ranks carry sends of pairs. */
static void links_of_stages(void **state)
{
	static const char config[] = CONFIG "world: 16\nparallelism: {pp: 4, dp_shard: 4}\n";
	struct verdict verdict;
	struct capture capture;

	capture_open(&capture, *state, 16, 2);
	capture_pipeline(&capture, 0, 2, 4);
	capture_pipeline(&capture, 12, 2, 4);
	verdict = judged(*state, config, &capture);
	expect(&verdict, VERDICT_INSUFFICIENT, "INSUFFICIENT");

	capture_open(&capture, *state, 16, 2);
	capture_pipeline(&capture, 0, 16, 1);
	capture_pipeline(&capture, 3, 16, 1);
	verdict = judged(*state, config, &capture);
	expect(&verdict, VERDICT_INSUFFICIENT, "INSUFFICIENT");

	capture_open(&capture, *state, 16, 2);
	capture_pipeline(&capture, 0, 2, 8);
	capture_pipeline(&capture, 12, 2, 8);
	verdict = judged(*state, config, &capture);
	expect(&verdict, VERDICT_MISMATCH, "WRONG_DEGREE");
}

/* gloo's groups count only where there are no others; "fake" ones are none. */
static void backends(void **state)
{
	static const char *const names[][2] = { { "cpu:gloo,cuda:nccl", "gloo" },
						{ "gloo", "gloo" },
						{ "nccl", "fake" } };
	static const int64_t families[] = { 1, 2, 1 };
	struct observed observed;
	struct capture capture;
	size_t i;

	for (i = 0; i < 3; i++) {
		capture_open(&capture, *state, 16, 2);
		capture_group(&capture, "a", 0, 16, 1);
		capture_group(&capture, "b", 0, 8, 1);
		capture_group(&capture, "undefined", 0, 16, 1); /* the same ranks once more */
		capture.groups.items[0].backend = names[i][0];
		capture.groups.items[1].backend = names[i][1];
		capture.groups.items[2].backend = names[i][0];
		observed = observed_of(*state, &capture, NULL);
		assert_int_equal(observed.families.list.count, families[i]);
		assert_int_equal(observed.families.list.items[0].names.count, 1);
	}
}

static void no_verdict(void **state)
{
	struct job *job = job_of(*state, CONFIG "world: 12\nparallelism: {dp_shard: 8}\n", NULL);

	assert_non_null(verdict_refuses(job));
	job = job_of(*state, CONFIG "parallelism: {dp_shard: -1}\n", NULL);
	assert_non_null(verdict_refuses(job));
}

/* ---- properties ---- */

struct shape {
	int64_t pp, replicate, shard, tp, world;
};

static struct shape any_shape(struct random *random)
{
	struct shape shape = { 1 << random_below(random, 3), 1 << random_below(random, 3),
			       1 << random_below(random, 4), 1 << random_below(random, 3), 0 };

	shape.world = shape.pp * shape.replicate * shape.shard * shape.tp;
	return shape;
}

static const char *config_of(struct arena *arena, const struct shape *shape)
{
	return arena_printf(arena,
			    "parplan: 1\nworld: %d\nparallelism: {pp: %d, dp_replicate: %d, "
			    "dp_shard: %d, tp: %d}\n",
			    (int)shape->world, (int)shape->pp, (int)shape->replicate,
			    (int)shape->shard, (int)shape->tp);
}

static void rank_of_shape(struct capture *capture, const struct shape *shape, int64_t rank)
{
	int64_t stride = shape->tp;

	if (shape->tp > 1)
		capture_tensor(capture, rank, shape->tp, 1);
	if (shape->shard > 1)
		capture_fsdp(capture, "", rank, shape->shard, stride);
	if (shape->replicate > 1 && shape->shard > 1)
		capture_copies(capture, rank, shape->replicate, stride * shape->shard,
			       shape->shard);
	else if (shape->replicate > 1)
		capture_ddp(capture, rank, shape->replicate, stride);
	if (shape->pp > 1)
		capture_pipeline(capture, rank, shape->pp, shape->world / shape->pp);
}

/* What a plan makes is found again, with and without the plan at hand. */
static void plans_are_found(void **state)
{
	struct random random;
	struct arena arena;
	int64_t number;

	(void)state;
	random_each(number, random, 200)
	{
		struct shape shape = any_shape(&random);
		struct observed observed;
		struct verdict verdict;
		struct capture capture;
		arena_init(&arena);
		capture_open(&capture, &arena, shape.world, 2);
		rank_of_shape(&capture, &shape, random_below(&random, shape.world));
		rank_of_shape(&capture, &shape, shape.world - 1);
		observed = observed_of(&arena, &capture, NULL);
		assert_true(observed.axes.solved);
		assert_int_equal(observed_degree(&observed, ROLE_PP), shape.pp);
		assert_int_equal(observed_degree(&observed, ROLE_REPLICATE), shape.replicate);
		assert_int_equal(observed_degree(&observed, ROLE_SHARD), shape.shard);
		assert_int_equal(observed_degree(&observed, ROLE_TP), shape.tp);
		verdict = judged(&arena, config_of(&arena, &shape), &capture);
		expect(&verdict, VERDICT_MATCH, "MATCH");
		arena_release(&arena);
	}
}

/* Whatever calls of a good run are lost, as long as the file says that some may be. */
static void losses_never_accuse(void **state)
{
	struct seen_limit limit = { "RING_BUFFER_WRAPPED", "the oldest calls are gone", { 0, 1 } };
	struct random random;
	struct arena arena;
	int64_t number;

	(void)state;
	random_each(number, random, 300)
	{
		struct shape shape = any_shape(&random);
		struct verdict verdict;
		struct capture capture;
		size_t i, kept = 0;
		arena_init(&arena);
		capture_open(&capture, &arena, shape.world, 2);
		rank_of_shape(&capture, &shape, 0);
		rank_of_shape(&capture, &shape, shape.world - 1);
		for (i = 0; i < capture.calls.count; i++)
			if (random_below(&random, 2))
				capture.calls.items[kept++] = capture.calls.items[i];
		capture.calls.count = kept;
		vec_push(&arena, &capture.limits, limit);
		verdict = judged(&arena, config_of(&arena, &shape), &capture);
		if (verdict.kind == VERDICT_MISMATCH)
			fail_msg("%s: %s of\n%s", verdict.code, verdict.text,
				 config_of(&arena, &shape));
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_code),
		TEST(one_rank),
		TEST(logs_only),
		TEST(limits_hide),
		TEST(end_of_step),
		TEST(another_job),
		TEST(nothing_at_all),
		TEST(one_step),
		TEST(claims),
		TEST(types),
		TEST(as_built),
		TEST(distributed_optimizer),
		TEST(no_verdict),
		TEST(links_of_stages),
		TEST(backends),
		random_test(plans_are_found),
		random_test(losses_never_accuse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
