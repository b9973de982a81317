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

/*
 * Of 8192 tokens what all seven products take, 6 x 4096 + 14336, and the block's weights, in 16
 * bits, as pull request 820 took them off TorchTitan's list; not where kernels make no such tensor,
 * nor those of weights that are gathered in float8.
 */
static void test_magnitudes(void **state)
{
	static const struct {
		const char *since, *how;
		double inputs, weights;
	} rows[] = {
		{ "2024-11-01", "enabled: true}", 0, 0 },
		{ "2025-01-31", "enabled: true}", 1, 1 },
		{ "2025-01-31", "enabled: true, fsdp_all_gather: true}", 1, 0 },
		{ "2025-01-31", "enabled: true}, compile: true", 0, 0 },
		{ "2025-01-31", "enabled: false}", 0, 0 },
		{ "2025-02-28", "enabled: true}", 0, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct workload *work =
			WORK(.framework = arena_printf(*state, "torchtitan: %s", rows[i].since),
			     .parallelism = "dp_shard: 8",
			     .training = arena_printf(*state,
						      "activation_checkpoint: {mode: selective, "
						      "option: op}, float8: {%s",
						      rows[i].how));
		const double kept = activations_of(work).kept[0];
		work->since = 2026010100;
		workload_put_habits(work);
		assert_true(near(kept - activations_of(work).kept[0],
				 rows[i].inputs * 2 * 8192.0 * (6 * 4096 + 14336) +
					 rows[i].weights * 2 * (218103808.0 + 2 * 4096)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_stage_buffers, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_magnitudes, open_arena, close_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
