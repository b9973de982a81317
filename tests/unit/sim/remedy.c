#include "sim/remedy.h"

#include "workloads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct remedies find(const struct profile *profile, const struct workload *work,
			    struct memory *memory)
{
	struct run run = step_run(profile->arena, profile, work);
	struct remedies remedies = { 0 };

	*memory = memory_cost(profile->arena, profile, work, &run);
	remedies_find(profile->arena, profile, work, &run, memory, &remedies);
	return remedies;
}

/* Everything recomputed takes longer; half a microbatch leaves the batch as it was. */
static void test_found(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	struct memory memory;
	struct remedies remedies;
	size_t i;

	(void)state;
	work.micro = 2;
	remedies = find(&profile, &work, &memory);
	assert_int_equal(remedies.list.count, 3);
	for (i = 0; i < remedies.list.count; i++)
		assert_true(remedies.list.items[i].device < memory.device);
	assert_true(remedies.list.items[0].step_ratio > 1.1);
	/* 32 blocks of one sequence, and half of the loss */
	assert_true(memory.device - remedies.list.items[1].device >
		    8192 * (32 * 139392.0 + 2 * 8192) + 6 * 8192.0 * 128256);
	/* 12 bytes of state of an element over 16 ranks rather than 8 */
	assert_true(memory.device - remedies.list.items[2].device > 12 * 8e9 / 16);
	arena_release(&arena);
}

/* What is done already, or would not help, is not said. */
static void test_left_out(void **state)
{
	struct arena arena;
	struct profile profile = h100(&arena);
	struct model model = llama3_8b();
	struct workload work = eight_ranks(&model);
	struct memory memory;
	struct remedies remedies;

	(void)state;
	work.recompute = RECOMPUTE_FULL;
	work.zero = ZERO_NONE;
	work.replicate = 8;
	work.shard = 1;
	remedies = find(&profile, &work, &memory);
	assert_int_equal(remedies.list.count, 1);
	assert_true(memory.device - remedies.list.items[0].device > 12 * 8e9 * 7 / 8);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
