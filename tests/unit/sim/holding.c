/* What ranks hold and gather, by stage, from the plan. */
#include "sim/holding.h"
#include "workloads.h"

#include "unit/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Llama 3 8B: a block is 218,103,808 elements and two norms; see layer.c. */
#define BLOCK (218103808.0 + 2 * 4096)
#define TABLE (128256.0 * 4096)
#define TITAN "torchtitan: v0.2.0, torch: 2.9.0"

static const struct holding *at(const struct holdings *stage, size_t index)
{
	assert_in_range(index, 0, stage->list.count - 1);
	return &stage->list.items[index];
}

/* The embedding, 32 blocks, and the output with its norm. */
static void blocks_and_tables(void **state)
{
	const struct holdings *all = WORK(.world = 8)->holdings;

	assert_int_equal(all->list.count, 34);
	assert_int_equal(at(all, 0)->layer, HOLDING_EMBEDDING);
	assert_true(at(all, 0)->shares[DENSE].whole == TABLE);
	assert_int_equal(at(all, 1)->layer, 0);
	assert_true(at(all, 1)->shares[DENSE].whole == BLOCK);
	assert_int_equal(at(all, 33)->layer, HOLDING_HEAD);
	assert_true(at(all, 33)->shares[DENSE].whole == TABLE + 4096);
}

/* Tensor parallelism cuts matrices in two and repeats norms; FSDP over four what is left. */
static void tensor_parallel(void **state)
{
	const struct workload *work = WORK(.framework = TITAN, .parallelism = "tp: 2");
	const struct share *block = &at(work->holdings, 1)->shares[DENSE];

	assert_true(block->whole == 218103808.0 / 2 + 2 * 4096);
	assert_true(block->kept[HELD_PARAMETER] == block->whole / 4);
	assert_true(block->kept[HELD_OPTIMIZER] == block->whole / 4);
}

/* 128256 rows over five ranks are 25652 on the first, which others are padded to. */
static void padding(void **state)
{
	const struct workload *work = WORK(.framework = TITAN, .world = 5);
	const struct share *table = &at(work->holdings, 0)->shares[DENSE];

	assert_true(table->kept[HELD_PARAMETER] == 25652.0 * 4096);
	assert_true(table->whole == 5 * 25652.0 * 4096);
}

/* The stage of the output has a copy of the table that it is tied to. */
static void tied_tables(void **state)
{
	const struct workload *work =
		WORK(.framework = "megatron: core_v0.12", .parallelism = "pp: 2",
		     .model = "{layers: 4, tied_embeddings: true, " LIKE_LLAMA3_8B "}",
		     .training = "micro_batch_size: 1, global_batch_size: 16");
	const struct holdings *stages = work->holdings;

	assert_int_equal(holding_stages(work), 2);
	assert_true(at(&stages[0], 0)->shares[DENSE].whole == TABLE);
	assert_true(at(&stages[1], 2)->shares[DENSE].whole == TABLE + 4096);
}

/* A root unit is gathered with the embedding forward and with the output backward. */
static void root_unit(void **state)
{
	const struct holdings *all = WORK(.framework = "torch: 2.9.0")->holdings;

	assert_true(at(all, 0)->first[DENSE] == 2 * TABLE + 4096);
	assert_true(at(all, 0)->last[DENSE] == 0 && at(all, 33)->first[DENSE] == 0);
	assert_true(at(all, 33)->last[DENSE] == 2 * TABLE + 4096);
	assert_false(at(all, 0)->lets_go || at(all, 33)->lets_go);
	assert_true(at(all, 1)->first[DENSE] == BLOCK && at(all, 1)->last[DENSE] == BLOCK);
	assert_true(at(all, 1)->lets_go);
}

/* Experts with ranks of their own are held apart: one of eight, over the two ranks that have it. */
static void experts(void **state)
{
	const struct workload *work =
		WORK(.framework = TITAN, .world = 16, .parallelism = "ep: 8",
		     .model = "{layers: 2, " LIKE_LLAMA3_8B
			      ", moe: {experts: 8, topk: 2, expert_ffn: 1024}}");
	const struct share *block = at(work->holdings, 1)->shares;

	assert_true(block[EXPERTS].whole == 3.0 * 4096 * 1024);
	assert_true(block[EXPERTS].kept[HELD_PARAMETER] == 3.0 * 4096 * 1024 / 2);
	assert_true(block[DENSE].whole == 41943040.0 + 2 * 4096 + 16 * 4096);
}

/* A run is cut as one vector: of FSDP1's root the first of eight ranks has the table's first part.
 */
static void runs(void **state)
{
	const struct workload *work =
		WORK(.framework = "torch: 2.5.0", .parallelism = "fsdp_version: '1'");
	const struct holdings *all = work->holdings;

	assert_true(at(all, 1)->first[DENSE] == BLOCK);
	assert_true(at(all, 1)->shares[DENSE].kept[HELD_PARAMETER] == BLOCK / 8);
	assert_true(at(all, 0)->shares[DENSE].kept[HELD_PARAMETER] +
			    at(all, 33)->shares[DENSE].kept[HELD_PARAMETER] ==
		    (2 * TABLE + 4096) / 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(blocks_and_tables, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(tensor_parallel, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(padding, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(tied_tables, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(root_unit, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(experts, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(runs, open_arena, close_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
