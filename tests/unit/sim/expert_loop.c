/* Experts that transformers computes one by one, and how ZeRO-3 brings their weights, by hand. */
#include "sim/data_parallel.h"
#include "sim/expert_loop.h"
#include "sim/traffic.h"
#include "sim/workload/experts.h"
#include "workloads.h"

#include "unit/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

#define QWEN3 "qwen3-30b-a3b" /* 48 blocks, 8 of 128 experts, 2048 by 768 */
#define ZERO3 "zero_stage: 3, dp_shard: -1, dp_replicate: 1"

#define assert_near(a, b) assert_true(fabs((a) / (b)-1) < 1e-9)

/* All of 128, or 16 on each of 8 ranks, get some of 8192 tokens; of 16 tokens that choose 4 of 60
 * some 40 do. */
static void test_hits(void **state)
{
	assert_near(workload_hits(WORK(.framework = "transformers: 4.57.1", .model = QWEN3)),
		    128.0);
	assert_near(workload_hits(WORK(.framework = "transformers: 4.57.1",
				       .model = "qwen1.5-moe-a2.7b", .training = "seq_len: 16")),
		    60 * (1 - pow(56.0 / 60, 16)));
	assert_near(workload_hits(WORK(.framework = "deepspeed: 0.17.1", .model = QWEN3,
				       .parallelism = "ep: 8")),
		    16.0);
}

/*
 * A launch is a fiftieth of half a millisecond. An expert has 12 and 20 of them and the device
 * waits twice; where all are one parameter 15, 24 and 5, and GPT-OSS has 1.7 times as many.
 */
static void test_launches(void **state)
{
	const struct profile *profile = h100(*state);
	const struct workload *work = WORK(.framework = "transformers: 4.57.1", .model = QWEN3);
	struct expert_loop loop = expert_loop_of(profile, work);

	assert_near(loop.host.forward, 128 * 12 * 10e-6);
	assert_near(loop.host.backward, 128 * 20 * 10e-6);
	assert_near(loop.waits, 128 * 2 * 26e-6);
	assert_near(loop.swept, 4 * 2 * 128 * 8192.0 * 2048);
	work = WORK(.framework = "transformers: 5.0.0", .model = QWEN3,
		    .training = "experts: loop");
	loop = expert_loop_of(profile, work);
	assert_near(loop.host.forward, 128 * 15 * 10e-6);
	assert_near(loop.waits, 128 * 5 * 26e-6);
	assert_near(loop.swept, 4 * 2 * 128 * (8192.0 * 2048 + 3 * 128 * 768 * 2048.0));
	work = WORK(.framework = "transformers: 4.57.1", .model = "gpt_oss-20b");
	loop = expert_loop_of(profile, work);
	assert_near(loop.host.backward, 32 * 1.7 * 24 * 10e-6);
}

/* Nothing of it in transformers 5, and in frameworks with blocks of their own. */
static void test_none(void **state)
{
	static const char *const others[] = { "transformers: 5.0.0",
					      "ms-swift: 2026-06-01",
					      "llama-factory: 2026-06",
					      "axolotl: 0.14.0",
					      "trl: 1.16.0",
					      "deepspeed: 0.19.0",
					      "deepspeed: 0.18.2, transformers: 5.0.0",
					      "torchtitan: v0.2.0",
					      "megatron: core@2025-06",
					      "torch: 2.9.0" };
	static const char *const loops[] = { "transformers: 4.57.1",
					     "axolotl: 0.13.0",
					     "trl: 0.24.0",
					     "deepspeed: 0.18.2",
					     "ms-swift: 2026-06-01, transformers: 4.57.1",
					     "ms-swift: 2025-06-01",
					     "llama-factory: 2025-06" };
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_false(WORK(.framework = others[i], .model = QWEN3)->loops_experts);
	for (i = 0; i < sizeof(loops) / sizeof(*loops); i++)
		assert_true(WORK(.framework = loops[i], .model = QWEN3)->loops_experts);
	assert_false(WORK(.framework = loops[0], .model = QWEN3, .training = "experts: grouped")
			     ->loops_experts);
	assert_false(WORK(.framework = loops[0])->loops_experts);
	assert_false(WORK(.framework = loops[0], .model = "llama4-17bx16e")->loops_experts);
}

/* The loop is all that a block waits for, in host time, and recomputation makes it again. */
static void test_block(void **state)
{
	const struct profile *profile = h100(*state);
	const struct workload *loop = WORK(.framework = "transformers: 4.57.1", .model = QWEN3);
	const struct workload *grouped = WORK(.framework = "transformers: 5.0.0", .model = QWEN3);
	const struct workload *dense = WORK(.framework = "transformers: 4.57.1");
	const struct layer slow = layer_cost(profile, loop, true);
	const struct layer fast = layer_cost(profile, grouped, true);

	/* 50 launches of the rest; a product of 512 rows is no faster by itself */
	assert_true(slow.compute.forward >= 128 * (12 * 10e-6 + 2 * 26e-6) + 50 * 10e-6);
	assert_true(slow.compute.backward >= 128 * 20 * 10e-6);
	assert_true(slow.products.forward > fast.products.forward);
	assert_true(fast.compute.forward < slow.compute.forward / 3);
	assert_true(expert_loop_of(profile, dense).waits == 0);
}

/*
 * Three weights of each of 128 experts: nine tenths of 2048 squared elements are as many as two and
 * a half of them, so three come at once; and each takes the host as long as 27 launches.
 */
static void test_fetches(void **state)
{
	static const struct {
		const char *framework, *leaves;
		enum expert_fetch fetch;
	} cases[] = {
		{ "deepspeed: 0.17.1", "", FETCH_WEIGHT },
		{ "deepspeed: 0.18.2", "", FETCH_LEAF },
		{ "deepspeed: 0.18.2", ", leaf_modules: []", FETCH_WEIGHT },
		{ "deepspeed: 0.17.1", ", leaf_modules: [Qwen3MoeSparseMoeBlock]", FETCH_LEAF },
		{ "ms-swift: 2025-06-19", ", engine: deepspeed", FETCH_WEIGHT },
		{ "ms-swift: 2025-10-11", ", engine: deepspeed", FETCH_LEAF },
		{ "llama-factory: 2025-06-19", ", engine: deepspeed", FETCH_LEAF },
		{ "axolotl: 0.12.0", ", engine: deepspeed", FETCH_LEAF },
		{ "ms-swift: 2025-06-19", "", FETCH_BLOCK }, /* FSDP gathers blocks */
		{ "ms-swift: 2026-06-19", ", engine: deepspeed", FETCH_BLOCK },
	};
	const struct workload *work, *leaf = NULL;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		work = WORK(.framework = cases[i].framework, .model = QWEN3,
			    .parallelism = arena_join(*state, ZERO3, cases[i].leaves, ""));
		assert_int_equal(work->fetch, cases[i].fetch);
		assert_true(workload_apart(work, 1e9).calls ==
			    (cases[i].fetch == FETCH_WEIGHT ? 128 : 0));
		leaf = work->fetch == FETCH_LEAF ? work : leaf;
	}
	work = WORK(.framework = "deepspeed: 0.17.1", .model = QWEN3, .parallelism = ZERO3);
	assert_near(expert_loop_of(h100(*state), work).host.forward, 128 * (12 + 3 * 27) * 10e-6);
	assert_near(expert_loop_of(h100(*state), work).host.backward, 128 * (20 + 3 * 57) * 10e-6);
	assert_near(expert_loop_of(h100(*state), leaf).host.forward, 128 * (12 + 3 * 3.5) * 10e-6);
}

/* Of all-gathers the calls and their bytes; those of parts of a block's experts. */
static double gathered(struct arena *arena, const struct workload *work, double *bytes)
{
	struct traffics traffics = { 0 };
	double calls = 0;
	size_t i;

	traffic_of(arena, h100(arena), work, &traffics);
	for (i = 0, *bytes = 0; i < traffics.list.count; i++) {
		const struct traffic *row = &traffics.list.items[i];
		if (strcmp(row->call.op->name, "all_gather") != 0)
			continue;
		*bytes += row->count * row->call.bytes;
		calls += strstr(row->what, "some experts") ? row->count : 0;
	}
	return calls;
}

/* The bytes are the same, in 128 calls for each of 48 blocks twice, each of which starts anew. */
static void test_gathers(void **state)
{
	const struct profile *profile = h100(*state);
	const struct workload *apart =
		WORK(.framework = "deepspeed: 0.17.1", .model = QWEN3, .parallelism = ZERO3);
	const struct workload *whole =
		WORK(.framework = "deepspeed: 0.18.2", .model = QWEN3, .parallelism = ZERO3);
	const double block[KINDS] = { 3 * 128 * 768 * 2048.0 + 2e7, 0 };
	const struct data_parallel slow = data_parallel_of(profile, apart);
	const struct data_parallel fast = data_parallel_of(profile, whole);
	double bytes[2];

	assert_true(data_gather(&slow, block, true) > data_gather(&fast, block, true));
	assert_near(gathered(*state, apart, &bytes[0]), 128 * 2 * 48.0);
	assert_true(gathered(*state, whole, &bytes[1]) == 0);
	assert_near(bytes[0], bytes[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_hits, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_launches, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_none, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_block, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_fetches, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_gathers, open_arena, close_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
