#include "sim/memory.h"
#include "sim/step.h"

#include "tally.h"
#include "unit/arena.h"
#include "workloads.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Of Llama 3 8B, whose 8,030,261,248 elements eight ranks share. */
#define ELEMENTS 8030261248.0
/* Both tables and the last norm, which stay gathered from their forward to their backward pass. */
#define ROOT	  ((2 * 128256.0 + 1) * 4096)
#define PARTS	  (ELEMENTS - ROOT)  /* what is gathered for each pass */
#define CUT	  (2 * ELEMENTS / 8) /* in 2 bytes */
#define REFERENCE "param_dtype: bfloat16, loss: {kind: whole}, reference: {dtype: bfloat16, held: "

static const struct objective_case {
	const char *training;
	int sequences, passes;
	double gathered;  /* elements, by passes apart */
	double reference; /* bytes on a rank */
	bool never;	  /* parameters are let go after a forward pass */
} cases[] = {
	{ "objective: sft", 1, 0, 0, 0, false },
	{ REFERENCE "blocks}, objective: dpo", 2, 1, PARTS, CUT + 2 * ROOT, false },
	{ REFERENCE "model}, objective: dpo", 2, 1, ELEMENTS, CUT, false },
	{ REFERENCE "whole}, objective: dpo", 2, 1, 0, 2 * ELEMENTS, false },
	{ REFERENCE "host}, objective: dpo", 2, 1, PARTS, 0, false },
	{ REFERENCE "blocks, precomputed: true}, objective: dpo", 2, 0, 0, CUT, false },
	{ REFERENCE "none, precomputed: true}, objective: ipo", 2, 0, 0, 0, false },
	{ REFERENCE "model}, objective: kto", 1, 3, 2 * ELEMENTS + PARTS, CUT, false },
	{ REFERENCE "whole}, objective: kto", 1, 3, PARTS, 2 * ELEMENTS, false },
	{ REFERENCE "blocks}, objective: dpo", 2, 1, 0, CUT + 2 * ELEMENTS, true },
	{ REFERENCE "model}, objective: dpo", 2, 1, 0, CUT + 2 * ELEMENTS, true },
	{ "objective: orpo", 2, 0, 0, 0, false },
	{ "objective: rm", 2, 0, 0, 0, false },
};

enum { CASES = sizeof(cases) / sizeof(*cases) };

static const struct workload *workload_for(struct arena *arena, const char *training, bool never)
{
	const char *parallelism =
		never ? "dp_shard: 8, reshard_after_forward: never" : "dp_shard: 8";
	const struct asked asked = { .framework = "torch: 2.9.0",
				     .parallelism = parallelism,
				     .training = training };

	return workload_of(arena, &asked);
}

static bool near(double value, double expected)
{
	return fabs(value - expected) <= 1e-6 * fabs(expected) + 1;
}

/* Sequences, passes, the reference's bytes, and gathers that are accounted as they are simulated.
 */
static void test_objectives(void **state)
{
	const struct profile *profile = h100(*state);
	int i;

	for (i = 0; i < CASES; i++) {
		const struct workload *work =
			workload_for(*state, cases[i].training, cases[i].never);
		const bool never = cases[i].never;
		const struct run run = step_run(*state, profile, work);
		const struct memory memory = memory_cost(profile, work, &run);
		struct tally account[TASK_KINDS] = { 0 }, step[TASK_KINDS] = { 0 };
		struct traffics rows = { 0 };
		size_t k;

		print_message("%s\n", cases[i].training);
		traffic_of(*state, profile, work, &rows);
		for (k = 0; k < rows.list.count; k++)
			tally_row(work, &rows.list.items[k], account);
		tally_tasks(work, &run, 0, step);
		assert_int_equal(work->sequences, cases[i].sequences);
		assert_int_equal(work->passes, cases[i].passes);
		assert_true(near(memory_fullest(&memory)->peak.parts[MEMORY_REFERENCE],
				 cases[i].reference));
		assert_true(near(step[TASK_GATHER].bytes, account[TASK_GATHER].bytes));
		assert_true(near(
			step[TASK_GATHER].bytes,
			2 * ((never ? 1 : 2) * ELEMENTS - (never ? 0 : ROOT) + cases[i].gathered)));
	}
}

/* Twice the sequences take more than twice the tokens' time where a reference goes over them. */
static void test_time(void **state)
{
	static const char both[] = "reference: {held: whole, dtype: bfloat16}, ";
	const struct profile *profile = h100(*state);
	const char *const words[] = { "sft", "orpo", "dpo" };
	double compute[3];
	size_t i;

	for (i = 0; i < 3; i++)
		compute[i] = step_run(*state, profile,
				      workload_for(*state,
						   arena_printf(*state, "%sobjective: %s", both,
								words[i]),
						   false))
				     .step.compute;
	/* a forward pass is a third of both where nothing is computed again */
	assert_true(compute[1] > 1.9 * compute[0] && compute[1] < 2.1 * compute[0]);
	assert_true(compute[2] > 1.3 * compute[1] && compute[2] < 1.4 * compute[1]);
}

/* Transient bytes go again, and a pass apart has its logits beside those that wait: 8 and 8. */
static void test_apart(void **state)
{
	const struct workload *work = workload_for(*state,
						   REFERENCE "model}, objective: dpo, "
							     "activation_checkpoint: {mode: full}",
						   false);
	const struct run run = step_run(*state, h100(*state), work);
	const struct memory_sizes sizes = { work, states_of(work), activations_of(work), 0 };
	const struct memory_timeline timeline = memory_timeline_of(*state, &sizes, &run, 0, 64);
	const double *parts = timeline.peak.parts;

	assert_true(fabs(timeline.left) < 16);
	assert_true(near(parts[MEMORY_LOSS], 16.0 * 2 * 8192 * 128256));
	assert_true(near(parts[MEMORY_UNSHARDED], 2 * (2 * ELEMENTS + ROOT)));
	assert_int_equal(run.program.tasks.items[timeline.peak.task].kind, TASK_APART);
}

/* What is not said, or not modelled, has no forecast. */
static void test_lacks(void **state)
{
	static const struct {
		const char *training, *says;
	} lacking[] = {
		{ "objective: dpo", "where the reference model is" },
		{ "objective: dpo, reference: {held: whole}", "the type of the reference" },
		{ "objective: grpo", "what training for grpo takes is not modelled" },
	};
	size_t i;

	for (i = 0; i < sizeof(lacking) / sizeof(*lacking); i++) {
		const struct asked asked = { .framework = "torch: 2.9.0",
					     .parallelism = "dp_shard: 8",
					     .training = lacking[i].training };
		const char *why = workload_lacks(job_of(*state, &asked));

		assert_non_null(why);
		assert_ptr_equal(strstr(why, lacking[i].says), why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_objectives, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_time, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_apart, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_lacks, open_arena, close_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
