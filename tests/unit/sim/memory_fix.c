#include "sim/memory_fix.h"

#include "unit/arena.h"
#include "workloads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct remedies find(const struct asked *asked, struct arena *arena,
			    struct forecast *forecast)
{
	struct job *job = job_of(arena, asked);
	struct remedies remedies = { 0 };

	assert_null(forecast_read(forecast, job, job->applied, NULL));
	remedies_find(job, forecast, &remedies);
	return remedies;
}

/* Everything recomputed takes longer; half a microbatch leaves the batch as it was. */
static void test_found(void **state)
{
	const struct asked asked = {
		.training = "micro_batch_size: 2, optimizer: {distributed: true}",
	};
	struct forecast forecast;
	struct remedies remedies = find(&asked, *state, &forecast);
	double device = forecast.memory.device;
	size_t i;

	assert_int_equal(remedies.list.count, 4);
	for (i = 0; i < remedies.list.count; i++)
		assert_true(remedies.list.items[i].device < device);
	assert_true(remedies.list.items[0].step_ratio > 1.1);
	/* 32 blocks of one sequence, and half of the loss */
	assert_true(device - remedies.list.items[1].device >
		    8192 * (32 * 139392.0 + 2 * 8192) + 6 * 8192.0 * 128256);
	/* 12 bytes of state of an element, of 8 ranks: none of them, or of 16 ranks */
	assert_true(device - remedies.list.items[2].device > 12 * 8e9 / 8);
	assert_true(remedies.list.items[2].step_ratio > 1);
	assert_true(device - remedies.list.items[3].device > 12 * 8e9 / 16);
}

/* What is done already, or would not help, is not said; what all ranks repeat can be cut. */
static void test_left_out(void **state)
{
	const struct asked asked = { .training = "activation_checkpoint: {mode: full}" };
	struct forecast forecast;
	struct remedies remedies = find(&asked, *state, &forecast);

	assert_int_equal(remedies.list.count, 1);
	assert_true(forecast.memory.device - remedies.list.items[0].device > 12 * 8e9 * 7 / 8);
}

/* HSDP over 2 x 4 ranks: over all eight an element's 4 + 8 bytes, and its gradient's 4. */
static void test_copies(void **state)
{
	const struct asked asked = { .framework = "torchtitan: v0.2.0, torch: 2.9.0",
				     .parallelism = "dp_replicate: 2, dp_shard: 4",
				     .training = "activation_checkpoint: {mode: full}" };
	struct forecast forecast;
	struct remedies remedies = find(&asked, *state, &forecast);

	assert_true(remedies.list.count > 0);
	assert_string_equal(remedies.list.items[0].what, "cut the state over the copies, too");
	assert_true(forecast.memory.device - remedies.list.items[0].device > 12 * 8e9 / 8);
	assert_true(forecast.memory.device - remedies.list.items[0].device < 1.2 * 16 * 8.1e9 / 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_found, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_left_out, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_copies, open_arena, close_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
