#include "sim/activations.h"

#include "sim/memory_timeline.h"

#include "unit/arena.h"
#include "workloads.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static bool near(double value, double expected)
{
	return fabs(value - expected) <= 1e-9 * fabs(expected) + 1;
}

/*
 * PyTorch's stages: eight microbatches of 8192 tokens, each with a buffer for a stage's input and
 * one for its output's gradient, and in the middle no more for the outputs that wait, since inputs
 * are among the buffers; of the first stage those four, of the last all logits, until they are no
 * longer returned.
 */
static void test_stage_buffers(void **state)
{
	static const struct {
		const char *framework;
		int32_t rank;
		double streams, logits;
	} rows[] = {
		{ "torchtitan: 2025-09-01", 0, 8 + 4, 0 },
		{ "torchtitan: 2025-09-01", 1, 8 + 8, 0 },
		{ "torchtitan: 2025-09-01", 3, 8 - 1, 8 },
		{ "torchtitan: 2025-11-01", 3, 8 - 1, 1 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct workload *work =
			WORK(.framework = rows[i].framework, .parallelism = "pp: 4",
			     .training =
				     "local_batch_size: 8, activation_checkpoint: {mode: full}");
		const double stream = 2 * 8192.0 * 4096, logits = 2 * 8192.0 * 128256;
		struct memory_sizes sizes = { work, states_of(work), activations_of(work), 0 };
		const struct run run = step_run(*state, h100(*state), work);
		struct memory_timeline with, without;
		with = memory_timeline_of(*state, &sizes, &run, rows[i].rank, 0);
		sizes.activations.received = sizes.activations.returned = 0;
		without = memory_timeline_of(*state, &sizes, &run, rows[i].rank, 0);
		assert_true(near(with.peak.total - without.peak.total,
				 rows[i].streams * stream + rows[i].logits * logits));
		assert_true(near(with.left, 0));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_stage_buffers, open_arena, close_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
