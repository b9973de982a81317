#include "framework/checkpoint.h"
#include "search/sites.h"
#include "search/trial.h"
#include "unit/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

/*
 * What candidates share is the same as what each would have alone: bounds of a layout and of
 * microbatches, and glances at a layout's one plan, whichever of its candidates it was made for. A
 * checkpoint is read once for all of them.
 */

static const char *const configs[] = {
	"framework: {torchtitan: v0.2.0}\nmodel: llama3-8b\n"
	"parallelism: {dp_shard: 16}\ntraining: {seq_len: 8192, local_batch_size: 4}\n",
	"framework: {torchtitan: v0.2.2}\nmodel: deepseek_v3-16b\n"
	"parallelism: {dp_shard: 16, ep: 4}\ntraining: {seq_len: 4096, local_batch_size: 2}\n",
	"framework: {megatron: core}\nmodel: llama3-8b\nparallelism: {tp: 4}\n"
	"training: {seq_len: 4096, micro_batch_size: 1, global_batch_size: 32}\n",
	"framework: {deepspeed: edaa7221}\nmodel: llama3-8b\nparallelism: {zero_stage: 3}\n"
	"training: {seq_len: 2048, micro_batch_size: 2, global_batch_size: 64}\n"
};

enum { CONFIGS = sizeof(configs) / sizeof(*configs), CASES = 400 };

struct problem {
	struct arena arena;
	struct space space;
	struct bounds bounds;
};

static const struct aim aim = { .risk = 0.1 };

static void read_problem(struct problem *problem, const char *config)
{
	struct arena *arena = &problem->arena;
	struct overrides *overrides = arena_new(arena, struct overrides);
	struct findings *findings = arena_new(arena, struct findings);
	const struct sites_request request = { .path = "job.yaml", .overrides = overrides };
	const char *trouble;

	findings_init(findings, arena);
	overrides->text = arena_join(arena,
				     "parplan: 1\ncluster: {gpu: h100-sxm, nodes: 2, "
				     "gpus_per_node: 8}\n",
				     config, "");
	problem->space.arena = arena;
	sites_read(&problem->space, &request, findings, &trouble);
	assert_null(trouble);
	bounds_prepare(&problem->bounds, &problem->space, &aim);
}

static int setup(void **state)
{
	struct problem *problems = test_calloc(CONFIGS, sizeof(*problems));
	size_t i;

	for (i = 0; i < CONFIGS; i++) {
		arena_init(&problems[i].arena);
		read_problem(&problems[i], configs[i]);
	}
	*state = problems;
	return 0;
}

static int teardown(void **state)
{
	struct problem *problems = *state;
	size_t i;

	for (i = 0; i < CONFIGS; i++)
		arena_release(&problems[i].arena);
	test_free(problems);
	return 0;
}

static void assert_same(const struct bound *a, const struct bound *b)
{
	assert_memory_equal(a, b, sizeof(*a));
}

static struct candidate any(struct random *random, const struct space *space, uint64_t *number)
{
	*number = (uint64_t)random_below(random, (int64_t)space_count(space));
	return space_candidate(space, *number);
}

/* Another candidate of the same layout, or itself. */
static struct candidate sibling(struct random *random, const struct space *space,
				const struct candidate *candidate, struct arena *arena)
{
	struct candidate other = *candidate;
	struct leaves leaves = { 0 };

	space_leaves(space, candidate, arena, &leaves);
	other.at[AXIS_MICRO] =
		leaves.micro.list.items[random_below(random, (int64_t)leaves.micro.list.count)];
	other.at[AXIS_RECOMPUTE] =
		leaves.recompute.list
			.items[random_below(random, (int64_t)leaves.recompute.list.count)];
	return other;
}

static void test_bounds(void **state)
{
	struct random random;
	int64_t number;

	random_each(number, random, CASES)
	{
		struct problem *problem =
			&((struct problem *)*state)[random_below(&random, CONFIGS)];
		struct bounds fresh = problem->bounds;
		struct layout_bounds layout;
		struct arena arena;
		uint64_t at;
		const struct candidate candidate = any(&random, &problem->space, &at);
		struct candidate other;
		struct bound alone, shared;

		arena_init(&arena);
		other = sibling(&random, &problem->space, &candidate, &arena);
		fresh.microbatches = microbatches_new(&arena);
		bounds_begin(&layout, &problem->bounds, &problem->space, &candidate);
		bounds_at(&layout, candidate.at[AXIS_MICRO], candidate.at[AXIS_RECOMPUTE]);
		shared = bounds_at(&layout, other.at[AXIS_MICRO], other.at[AXIS_RECOMPUTE]);
		alone = bound_of(&fresh, &problem->space, &other);
		assert_same(&shared, &alone);
		arena_release(&arena);
	}
}

/* Where less is borne out, all of a bound is less, so that one held against it is not above again.
 */
static void test_borne(void **state)
{
	struct random random;
	int64_t number;

	random_each(number, random, CASES / 4)
	{
		struct problem *problem =
			&((struct problem *)*state)[random_below(&random, CONFIGS)];
		struct bounds less = problem->bounds;
		uint64_t at;
		const struct candidate candidate = any(&random, &problem->space, &at);
		const struct bound all = bound_of(&problem->bounds, &problem->space, &candidate);
		struct bound half;

		less.borne = (struct borne) { 0.5, 0.5 };
		half = bound_of(&less, &problem->space, &candidate);
		assert_true(fabs(half.time - all.time / 2) <= 1e-9 * all.time);
		assert_true(fabs(half.need - all.need / 2) <= 1e-9 * all.need);
		assert_true(fabs(half.memory - all.memory / 2) <= 1e-9 * all.memory);
	}
}

/* The glance at a candidate, and what its step is forecast to be, on a plan that is there. */
static bool look(struct trial *trial, const struct candidate *candidate, struct bound *bound,
		 struct outcome *outcome)
{
	*bound = (struct bound) { 0 };
	if (!trial_begin(trial, candidate, 0, bound))
		return false;
	*outcome = trial_forecast(trial);
	return true;
}

static void test_plans(void **state)
{
	struct random random;
	int64_t number;

	random_each(number, random, CASES / 4)
	{
		struct problem *problem =
			&((struct problem *)*state)[random_below(&random, CONFIGS)];
		struct arena arena;
		const struct borne borne = { 1, 1 };
		struct trial trials[2];
		struct bound bounds[2];
		struct outcome outcomes[2];
		uint64_t at;
		const struct candidate candidate = any(&random, &problem->space, &at);
		struct candidate other;
		int i;

		arena_init(&arena);
		other = sibling(&random, &problem->space, &candidate, &arena);
		for (i = 0; i < 2; i++)
			trial_init(&trials[i], &problem->space, &aim, &borne);
		look(&trials[0], &candidate, &bounds[0], &outcomes[0]);
		if (look(&trials[0], &other, &bounds[0], &outcomes[0]) &&
		    look(&trials[1], &other, &bounds[1], &outcomes[1])) {
			assert_same(&bounds[0], &bounds[1]);
			assert_memory_equal(outcomes[0].score, outcomes[1].score,
					    sizeof(outcomes[0].score));
			assert_memory_equal(&outcomes[0].memory, &outcomes[1].memory,
					    sizeof(outcomes[0].memory));
		}
		for (i = 0; i < 2; i++)
			trial_release(&trials[i]);
		arena_release(&arena);
	}
}

static void test_checkpoints(void **state)
{
	static const struct variation tp = { FIELD_TP, "2" };
	static const struct variation other = { FIELD_CHECKPOINT_RESUME,
						"testdata/dcp/fsdp2-tp2.metadata" };
	struct problem problem = { 0 };
	const struct job *read;
	struct job job;

	(void)state;
	arena_init(&problem.arena);
	read_problem(&problem, "framework: {torchtitan: v0.2.0}\nmodel: llama3-8b\n"
			       "parallelism: {dp_shard: 16}\ntraining: {seq_len: 8192, "
			       "local_batch_size: 1}\n"
			       "checkpoint: {resume: testdata/dcp/titan-fsdp4.metadata}\n");
	read = &problem.space.sites.items[0]->job;
	assert_int_equal(read->checkpoint->source, CHECKPOINT_METADATA);
	job_vary(&job, &problem.arena, read, &tp, 1, 0);
	assert_ptr_equal(job.checkpoint, read->checkpoint);
	job_vary(&job, &problem.arena, read, &other, 1, 0);
	checkpoint_of_job(&job);
	assert_string_equal(job.checkpoint->name, other.value);
	arena_release(&problem.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = { random_test(test_bounds), random_test(test_borne),
					    random_test(test_plans),
					    cmocka_unit_test(test_checkpoints) };

	return cmocka_run_group_tests(tests, setup, teardown);
}
