#include "sim/step.h"

#include "sim/data_parallel.h"

#include "unit/arena.h"
#include "workloads.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static double sum(const struct step *step)
{
	return step->compute + step->tensor + step->context + step->expert + step->data +
	       step->bubble + step->optimizer;
}

#define TITAN "torchtitan: v0.2.0, torch: 2.9.0"

/* Eight ranks as four stages, which so many microbatches go through. */
static struct workload *piped(struct arena *arena, const char *schedule, int microbatches)
{
	const struct asked asked = {
		.framework = TITAN,
		.parallelism = arena_printf(arena, "pp: 4, pipeline: {schedule: %s}", schedule),
		.training = arena_printf(arena, "local_batch_size: %d", microbatches)
	};
	struct workload *work = workload_of(arena, &asked);

	assert_string_equal(work->schedule->name, schedule);
	assert_int_equal(work->microbatches, microbatches);
	return work;
}

static struct step step_of(struct arena *arena, const struct workload *work)
{
	return step_run(arena, h100(arena), work).step;
}

static bool adds_up(const struct step *step)
{
	return fabs(sum(step) - step->total) < 1e-9 * step->total;
}

static double bubble(struct arena *arena, const struct workload *work)
{
	struct step step = step_of(arena, work);

	assert_true(adds_up(&step));
	return step.bubble / step.total;
}

/* What the parts say adds up, whatever the parallelism. */
static void test_parts(void **state)
{
	struct step step =
		step_of(*state, WORK(.framework = TITAN, .training = "micro_batch_size: 1, "
								     "global_batch_size: 24"));

	assert_true(adds_up(&step));
	assert_true(step.data > 0 && step.bubble == 0);
	step = step_of(*state, WORK(.framework = TITAN, .parallelism = "tp: 2, cp: 2"));
	assert_true(adds_up(&step));
	assert_true(step.tensor > 0 && step.context > 0);
}

static double total_of(struct arena *arena, int microbatches)
{
	const struct asked asked = { .framework = TITAN,
				     .training = arena_printf(
					     arena, "micro_batch_size: 1, global_batch_size: %d",
					     8 * microbatches) };

	return step_of(arena, workload_of(arena, &asked)).total;
}

/* Steps with more microbatches than are simulated cost as much more as each of them. */
static void test_further(void **state)
{
	double some = total_of(*state, 6), more = total_of(*state, 7);
	double most = total_of(*state, 106);

	assert_true(fabs(most - some - 100 * (more - some)) < 1e-9 * most);
}

/* Micro-steps are microbatches: they make a step as long as the batch that they come to. */
static void test_accumulated(void **state)
{
	static const char *const trainings[] = {
		"micro_batch_size: 2, gradient_accumulation_steps: 4",
		"micro_batch_size: 2, global_batch_size: 64",
		"micro_batch_size: 2, global_batch_size: 64, gradient_accumulation_steps: 1",
	};
	double totals[3];
	size_t i;

	for (i = 0; i < sizeof(trainings) / sizeof(*trainings); i++) {
		const struct workload *work =
			WORK(.framework = "torch: 2.9.0", .parallelism = "dp_shard: 8",
			     .training = trainings[i]);
		assert_int_equal(work->microbatches, 4);
		totals[i] = step_of(*state, work).total;
	}
	assert_true(totals[0] == totals[1] && totals[1] == totals[2]);
}

/* Fewer bubbles with more microbatches, with interleaving, and with gradients computed apart. */
static void test_bubbles(void **state)
{
	double plain = bubble(*state, piped(*state, "1F1B", 8));
	double longer = bubble(*state, piped(*state, "1F1B", 64));
	double interleaved = bubble(*state, piped(*state, "Interleaved1F1B", 8));
	double zero = bubble(*state, piped(*state, "ZBVZeroBubble", 8));

	assert_true(plain > 0.15 && plain < 3.0 / 11 + 0.05);
	assert_true(longer < plain / 3);
	assert_true(interleaved < 0.8 * plain);
	assert_true(zero < interleaved);
}

/* A slow rank slows the whole pipeline, by no more than its own factor. */
static void test_straggler(void **state)
{
	struct workload *work = piped(*state, "1F1B", 16);
	double even = step_of(*state, work).total, slow;
	struct hurt hurt[4] = { { .slow = 1 }, { .slow = 1 }, { .slow = 1 }, { .slow = 1 } };

	hurt[3].slow = 1.5; /* the last, which has the output to compute, too */
	work->hurt = hurt;
	slow = step_of(*state, work).total;
	assert_true(slow > 1.2 * even && slow <= 1.5 * even);
}

/* What a slow rank waits for with others takes no longer; only its own computing does. */
static void test_slow_waits(void **state)
{
	struct workload *work = WORK(.parallelism = "tp: 8");
	struct hurt hurt = { .slow = 2 };
	struct step even = step_of(*state, work), slow;

	work->hurt = &hurt;
	slow = step_of(*state, work);
	assert_true(even.tensor > 0.05 * even.total);
	assert_true(fabs(slow.tensor - even.tensor) < 1e-6 * even.tensor);
	assert_true(fabs(slow.compute - 2 * even.compute) < 1e-6 * slow.compute);
}

/* A lost adapter costs what crosses its node its share, and what stays inside nothing. */
static void test_lost_adapter(void **state)
{
	struct workload *work = WORK(.training = "optimizer: {distributed: true}");
	struct profile *profile = h100(*state);
	struct hurt hurt = { 1, 1 };
	double whole = step_run(*state, profile, work).step.total, one;

	work->hurt = &hurt;
	assert_true(step_run(*state, profile, work).step.total == whole);
	work = WORK(.world = 16, .training = "optimizer: {distributed: true}");
	profile->numbers[FIGURE_NIC_COUNT].value = 8;
	profile->numbers[FIGURE_NIC_BANDWIDTH].value = 5;
	whole = step_run(*state, profile, work).step.data;
	work->hurt = &hurt;
	one = step_run(*state, profile, work).step.data;
	assert_true(one > 1.08 * whole && one < 1.2 * whole); /* 8 / 7 of what crosses */
}

/* Work of the reductions of one pipeline rank, ps. */
static int64_t reductions(const struct run *run, int32_t rank)
{
	int64_t work = 0;
	size_t i;

	for (i = 0; i < run->program.tasks.count; i++)
		if (run->program.tasks.items[i].kind == TASK_REDUCE &&
		    run->program.tasks.items[i].rank == rank)
			work += run->program.tasks.items[i].work;
	return work;
}

static size_t gathers(const struct run *run, int32_t rank)
{
	size_t count = 0, i;

	for (i = 0; i < run->program.tasks.count; i++)
		count += run->program.tasks.items[i].kind == TASK_GATHER &&
			 run->program.tasks.items[i].rank == rank;
	return count;
}

/*
 * Parameters that are let go after each forward pass are gathered once more than there are
 * microbatches, in whatever order passes come: for each backward pass behind a forward one, and
 * each forward pass that is behind no backward one. Gradients of weights that are made apart do not
 * count.
 */
static void test_gathers(void **state)
{
	static const char *const names[] = { "1F1B",
					     "GPipe",
					     "Interleaved1F1B",
					     "InterleavedZeroBubble",
					     "InterleavedZeroBubble, layers_per_stage: 3",
					     "ZBVZeroBubble" };
	enum { RANKS = 4, MICROBATCHES = 16 };
	size_t i;
	int k;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t counts[2][RANKS];
		for (k = 0; k < 2; k++) {
			const struct asked asked = {
				.framework = "torchtitan: v0.2.2",
				.world = 4 * RANKS,
				.training = "local_batch_size: 16",
				.parallelism = arena_printf(
					*state,
					"dp_shard: 4, pp: 4, reshard_after_forward: %s, pipeline: "
					"{microbatch_size: 1, schedule: %s}",
					k ? "always" : "never", names[i]),
			};
			const struct workload *work = workload_of(*state, &asked);
			const struct run run = step_run(*state, h100(*state), work);
			int32_t rank;
			for (rank = 0; rank < RANKS; rank++)
				counts[k][rank] = gathers(&run, rank);
		}
		for (k = 0; k < RANKS; k++)
			assert_int_equal(counts[1][k], (MICROBATCHES + 1) * counts[0][k]);
	}
}

/* Only the position of the pipeline that has the node is bound by it. */
static void test_lost_position(void **state)
{
	struct workload *work = WORK(.world = 64, .parallelism = "pp: 4",
				     .training = "micro_batch_size: 1, global_batch_size: 256, "
						 "optimizer: {distributed: true}");
	struct hurt hurt[4] = { { 1, 0 }, { 1, 2 }, { 1, 0 }, { 1, 0 } };
	struct run whole = step_run(*state, h100(*state), work), lost;

	work->hurt = hurt;
	lost = step_run(*state, h100(*state), work);
	assert_true(reductions(&whole, 0) > 0);
	assert_true(reductions(&lost, 0) == reductions(&whole, 0));
	assert_true((double)reductions(&lost, 1) > 1.1 * (double)reductions(&whole, 1));
}

#define OLD	"megatron: core@2022-06" /* before Transformer Engine */
#define SHARDED "optimizer: {distributed: true}"

/*
 * Across nodes, gradients that stay whole are reduced in one piece, and those of a sharded
 * optimizer in many; Megatron's own scatters them in one.
 */
static void test_pieces(void **state)
{
	const struct profile *profile = h100(*state);
	const double whole = profile_get(profile, FIGURE_DP_WHOLE);
	const double serial = profile_get(profile, FIGURE_DP_SERIAL);
	const struct {
		struct asked asked;
		bool own_file, scatters;
		double slowdown;
	} cases[] = {
		{ { .framework = OLD, .world = 16 }, false, false, whole },
		{ { .framework = OLD, .training = SHARDED, .world = 16 }, false, false, serial },
		{ { .framework = OLD, .training = SHARDED, .world = 16 }, true, true, whole },
		{ { .framework = OLD, .training = SHARDED }, false, false, 1 },
		{ { .framework = TITAN, .world = 16 }, false, true, 1 },
	};
	size_t i;

	assert_true(whole < serial);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct workload *work = workload_of(*state, &cases[i].asked);
		const struct data_parallel data = data_parallel_of(profile, work);
		work->own_file = cases[i].own_file;
		assert_true(data_serial(&data) == cases[i].slowdown);
		assert_true((call_reduce(work, DENSE, 1).op == &collective_reduce_scatter) ==
			    cases[i].scatters);
	}
}

/* Fewer bytes are gathered sooner: in fp8 half of bf16's, which are half of fp32's. */
static void test_formats(void **state)
{
	static const char *const trainings[] = { "float8: {enabled: true, fsdp_all_gather: true}",
						 "float8: {enabled: true, recipe: rowwise}",
						 "param_dtype: float32" };
	int64_t gathers[3] = { 0 };
	size_t i, k;

	for (i = 0; i < 3; i++) {
		const struct workload *work = WORK(.framework = TITAN, .training = trainings[i]);
		const struct run run = step_run(*state, h100(*state), work);
		for (k = 0; k < run.program.tasks.count; k++)
			if (run.program.tasks.items[k].kind == TASK_GATHER)
				gathers[i] += run.program.tasks.items[k].work;
	}
	assert_true((double)gathers[0] < 0.7 * (double)gathers[1]);
	assert_true((double)gathers[1] < 0.6 * (double)gathers[2]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_parts, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_further, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_accumulated, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_bubbles, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_straggler, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_slow_waits, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_lost_adapter, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_lost_position, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_gathers, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_pieces, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_formats, open_arena, close_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
