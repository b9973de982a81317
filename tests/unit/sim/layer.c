#include "sim/layer.h"
#include "workloads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* 4096 x 128 x (32 + 8 + 8) + 4096 x 4096 in attention, 3 x 4096 x 14336 in the MLP. */
#define BLOCK_ELEMENTS 218103808.0

static void test_elements(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);

	(void)state;
	assert_true(layer_cost(&profile, &work, false).parameters == BLOCK_ELEMENTS);
	work.tp = 2;
	work.dp = 4;
	assert_true(layer_cost(&profile, &work, false).parameters == BLOCK_ELEMENTS / 2);
	arena_release(&arena);
}

/* Two operations per element and token, twice as many backward: no less time than at the peak. */
static void test_bound(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	struct layer layer = layer_cost(&profile, &work, false);
	double floor = 2 * BLOCK_ELEMENTS * 8192 / 989e12;

	(void)state;
	assert_true(layer.products.forward > floor);
	assert_true(layer.products.backward == 2 * layer.products.forward);
	assert_true(layer_backward(&layer) > layer_forward(&layer));
	arena_release(&arena);
}

/* Full recomputation adds a forward pass, none adds nothing, and tensor parallelism exchanges. */
static void test_recomputation(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	struct layer layer = layer_cost(&profile, &work, false);

	(void)state;
	assert_true(layer.again == 0);
	assert_true(layer.tensor.forward == 0);
	work.recompute = RECOMPUTE_FULL;
	layer = layer_cost(&profile, &work, false);
	assert_true(layer.again == layer_forward(&layer));
	work.tp = 2;
	assert_true(layer_cost(&profile, &work, false).tensor.forward > 0);
	arena_release(&arena);
}

/* A block so small that the host sets its pace takes no longer with half the tokens. */
static void test_launching(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	struct layer layer;
	double before;

	(void)state;
	work.seq = 64;
	before = layer_cost(&profile, &work, false).compute.forward;
	work.seq = 32;
	layer = layer_cost(&profile, &work, false);
	assert_true(layer.compute.forward == before);
	assert_true(layer.compute.forward > layer.products.forward);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elements),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_recomputation),
		cmocka_unit_test(test_launching),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
