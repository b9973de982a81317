#include "sim/step.h"

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

static struct workload piped(const struct model *model, const char *schedule, int64_t per_rank,
			     int64_t microbatches)
{
	struct workload work = eight_ranks(model);

	work.pp = 4;
	work.dp = work.shard = 2;
	work.virtual_stages = per_rank;
	work.microbatches = microbatches;
	work.schedule = schedule_find(schedule);
	return work;
}

static double bubble(const struct profile *profile, const struct workload *work)
{
	struct run run = step_run(profile->arena, profile, work);

	assert_true(fabs(sum(&run.step) - run.step.total) < 1e-9 * run.step.total);
	return run.step.bubble / run.step.total;
}

/* What the parts say adds up, whatever the parallelism. */
static void test_parts(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	struct step step;

	(void)state;
	work.zero = ZERO_PARAMETERS;
	work.reshard = true;
	work.microbatches = 3;
	step = step_run(&arena, &profile, &work).step;
	assert_true(fabs(sum(&step) - step.total) < 1e-9 * step.total);
	assert_true(step.data > 0 && step.bubble == 0);
	work.tp = work.cp = 2;
	work.dp = 2;
	work.shard = 4;
	step = step_run(&arena, &profile, &work).step;
	assert_true(fabs(sum(&step) - step.total) < 1e-9 * step.total);
	assert_true(step.tensor > 0 && step.context > 0);
	arena_release(&arena);
}

/* Steps with more microbatches than are simulated cost as much more as each of them. */
static void test_further(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	double some, more, most;

	(void)state;
	work.zero = ZERO_PARAMETERS;
	work.microbatches = 6;
	some = step_run(&arena, &profile, &work).step.total;
	work.microbatches = 7;
	more = step_run(&arena, &profile, &work).step.total;
	work.microbatches = 106;
	most = step_run(&arena, &profile, &work).step.total;
	assert_true(fabs(most - some - 100 * (more - some)) < 1e-9 * most);
	arena_release(&arena);
}

/* Fewer bubbles with more microbatches, with interleaving, and with gradients computed apart. */
static void test_bubbles(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload plain = piped(&model, "1F1B", 1, 8), longer = piped(&model, "1F1B", 1, 64);
	struct workload interleaved = piped(&model, "Interleaved1F1B", 2, 8);
	struct workload zero = piped(&model, "ZBVZeroBubble", 2, 8);

	(void)state;
	assert_true(bubble(&profile, &plain) > 0.15);
	assert_true(bubble(&profile, &plain) < 3.0 / 11 + 0.05);
	assert_true(bubble(&profile, &longer) < bubble(&profile, &plain) / 3);
	assert_true(bubble(&profile, &interleaved) < 0.8 * bubble(&profile, &plain));
	assert_true(bubble(&profile, &zero) < bubble(&profile, &interleaved));
	arena_release(&arena);
}

/* A slow rank slows the whole pipeline, by no more than its own factor. */
static void test_straggler(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = piped(&model, "1F1B", 1, 16);
	double even = step_run(&arena, &profile, &work).step.total, slow;
	struct hurt hurt[4] = { { .slow = 1 }, { .slow = 1 }, { .slow = 1 }, { .slow = 1 } };

	(void)state;
	hurt[3].slow = 1.5; /* the last, which has the output to compute, too */
	work.hurt = hurt;
	slow = step_run(&arena, &profile, &work).step.total;
	assert_true(slow > 1.2 * even && slow <= 1.5 * even);
	arena_release(&arena);
}

/* What a slow rank waits for with others takes no longer; only its own computing does. */
static void test_slow_waits(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	struct hurt hurt = { .slow = 2 };
	struct step even, slow;

	(void)state;
	work.tp = 8;
	work.dp = work.shard = 1;
	work.zero = ZERO_NONE;
	even = step_run(&arena, &profile, &work).step;
	work.hurt = &hurt;
	slow = step_run(&arena, &profile, &work).step;
	assert_true(even.tensor > 0.05 * even.total);
	assert_true(fabs(slow.tensor - even.tensor) < 1e-6 * even.tensor);
	assert_true(fabs(slow.compute - 2 * even.compute) < 1e-6 * slow.compute);
	arena_release(&arena);
}

/* A lost adapter costs what crosses its node its share, and what stays inside nothing. */
static void test_lost_adapter(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model), node;
	struct hurt hurt = { 1, 1 };
	double whole, one;

	(void)state;
	node = work;
	whole = step_run(&arena, &profile, &node).step.total;
	node.hurt = &hurt;
	assert_true(step_run(&arena, &profile, &node).step.total == whole);
	work.world = 16;
	work.nodes = 2;
	work.dp = work.shard = 16;
	profile.numbers[FIGURE_NIC_COUNT].value = 8;
	profile.numbers[FIGURE_NIC_BANDWIDTH].value = 5;
	whole = step_run(&arena, &profile, &work).step.data;
	work.hurt = &hurt;
	one = step_run(&arena, &profile, &work).step.data;
	assert_true(one > 1.08 * whole && one < 1.2 * whole); /* 8 / 7 of what crosses */
	arena_release(&arena);
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

/* Only the position of the pipeline that has the node is bound by it. */
static void test_lost_position(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = piped(&model, "1F1B", 1, 16);
	struct hurt hurt[4] = { { 1, 0 }, { 1, 2 }, { 1, 0 }, { 1, 0 } };
	struct run whole, lost;

	(void)state;
	work.world = 64;
	work.nodes = 8;
	work.dp = work.shard = 16;
	whole = step_run(&arena, &profile, &work);
	work.hurt = hurt;
	lost = step_run(&arena, &profile, &work);
	assert_true(reductions(&whole, 0) > 0);
	assert_true(reductions(&lost, 0) == reductions(&whole, 0));
	assert_true(reductions(&lost, 1) > 1.1 * (double)reductions(&whole, 1));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),	      cmocka_unit_test(test_further),
		cmocka_unit_test(test_bubbles),	      cmocka_unit_test(test_straggler),
		cmocka_unit_test(test_slow_waits),    cmocka_unit_test(test_lost_adapter),
		cmocka_unit_test(test_lost_position),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
