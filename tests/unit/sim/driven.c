#include "unit/arena.h"
#include "workloads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Whose step it is: a framework's own, or that of Megatron Core below it. */
static void test_engines(void **state)
{
	static const struct {
		const char *framework, *parallelism;
		bool megatron;
	} rows[] = {
		{ "megatron: core", "tp: 2", true },
		{ "verl: main", "tp: 2, engine: megatron", true },
		{ "nemo-rl: main", "tp: 2, engine: megatron", true },
		{ "verl: main", "dp_shard: 8, engine: fsdp", false },
		{ "torchtitan: v0.2.2", "dp_shard: 8", false },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_true(WORK(.framework = rows[i].framework, .parallelism = rows[i].parallelism)
				    ->megatron == rows[i].megatron);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(
		test_engines, open_arena, close_arena) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
