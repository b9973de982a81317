#include "sim/memory.h"
#include "sim/activations.h"
#include "workloads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* 32 blocks of 218,103,808 and two tables of 128256 x 4096, without the vectors of norms. */
#define ELEMENTS (32 * 218103808.0 + 2 * 128256.0 * 4096)

/*
 * Per token: two norms and their outputs 4 x 2 x 4096, queries 8192, keys and values 2 x 2048,
 * the core's output 8192 and statistics 4 x 32, the MLP's two branches and product 6 x 14336.
 */
static void test_block(void **state)
{
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);

	(void)state;
	assert_true(activations_block(&work, false) == 32768 + 8192 + 4096 + 8192 + 128 + 86016);
	work.tp = 2;
	work.sequence_parallel = true;
	assert_true(activations_block(&work, false) == 139392 / 2);
}

static void test_megatron_states(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	struct memory memory = memory_cost(&profile, &work);

	(void)state;
	assert_true(memory.parameters == 2 * ELEMENTS);
	assert_true(memory.gradients == 4 * ELEMENTS);
	assert_true(memory.optimizer == 12 * ELEMENTS / 8);
	assert_true(memory.activations == 32 * 8192 * 139392.0);
	assert_true(memory.allocated < memory.reserved && memory.reserved < memory.device);
	arena_release(&arena);
}

/* What FSDP cuts over ranks adds up to the whole on them all. */
static void test_sharded_states(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	struct memory memory;

	(void)state;
	work.framework = "torchtitan";
	work.software = SOFTWARE_COMPILED;
	work.zero = ZERO_PARAMETERS;
	memory = memory_cost(&profile, &work);
	assert_true(8 * memory.parameters == 4 * ELEMENTS);
	assert_true(8 * memory.optimizer == 8 * ELEMENTS);
	assert_true(memory.unsharded > 2 * ELEMENTS / 32);
	arena_release(&arena);
}

/* Recomputing everything keeps a block's input, and what is left open can only take less. */
static void test_recomputation(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	struct memory memory;

	(void)state;
	work.recompute = RECOMPUTE_FULL;
	memory = memory_cost(&profile, &work);
	assert_true(memory.activations == 32 * 8192 * 8192.0);
	assert_true(memory.low < memory.high);
	work.gradients_said = true;
	memory = memory_cost(&profile, &work);
	assert_true(memory.low == memory.high);
	arena_release(&arena);
}

/* The first stage of a pipeline holds as many microbatches as there are stages. */
static void test_pipeline(void **state)
{
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	struct activations activations;

	(void)state;
	work.pp = 4;
	work.dp = 2;
	work.microbatches = 16;
	activations = activations_cost(&work);
	assert_true(activations.kept == 4 * 8 * 8192 * 139392.0);
	work.microbatches = 2;
	assert_true(activations_cost(&work).kept == 2 * 8 * 8192 * 139392.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_block),	       cmocka_unit_test(test_megatron_states),
		cmocka_unit_test(test_sharded_states), cmocka_unit_test(test_recomputation),
		cmocka_unit_test(test_pipeline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
