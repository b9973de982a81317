#include "sim/memory.h"
#include "sim/states.h"

#include "unit/arena.h"
#include "workloads.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Of llama3-8b's elements, those of its embeddings. */
#define EMBEDDINGS (128256.0 * 4096 / 8030261248.0)
#define PLAIN	   "torch: 2.9.0"

static bool near(double got, double want)
{
	return fabs(got - want) < 1e-3 * fmax(want, 1);
}

/*
 * Bytes per element that the optimizers kept of a matrix of 1024 x 2048 after two steps, divided
 * by the type of its parameter: torch 2.13.0, bitsandbytes 0.50.2, torchao 0.18.0.
 */
static void test_names(void **state)
{
	static const struct {
		const char *training;
		double fp32, bf16;
	} rows[] = {
		{ "optimizer: {name: AdamW}", 8, 4 },
		{ "optimizer: {name: Lion}", 4, 2 },
		{ "optimizer: {name: SGD}", 0, 0 },
		{ "optimizer: {name: adagrad}", 4, 2 },
		{ "optimizer: {name: schedule_free_adamw}", 8, 4 },
		{ "optimizer: {name: AdamW8bit}", 2.0312, 2.0312 },
		{ "optimizer: {name: AdamW4bit}", 1.0626, 1.0626 },
		{ "optimizer: {name: ademamix}", 12, 12 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct workload *work =
			WORK(.framework = PLAIN, .training = rows[i].training);
		const struct workload *half =
			WORK(.framework = PLAIN,
			     .training =
				     arena_printf(*state, "dtype: bfloat16, %s", rows[i].training));
		assert_true(near(states_of(work).held[HELD_OPTIMIZER], rows[i].fp32));
		assert_true(near(states_of(half).held[HELD_OPTIMIZER], rows[i].bf16));
	}
}

/* The Trainer leaves embeddings in 32 bits; pages of its paged optimizers go to the host. */
static void test_trainer(void **state)
{
	const struct workload *work =
		WORK(.framework = PLAIN, .training = "optimizer: {name: adamw_bnb_8bit}");
	double each = 2.03125 * (1 - EMBEDDINGS) + 8 * EMBEDDINGS;

	assert_true(near(states_of(work).held[HELD_OPTIMIZER], each));
	work = WORK(.framework = PLAIN, .training = "optimizer: {name: paged_adamw_8bit}");
	assert_true(states_of(work).held[HELD_OPTIMIZER] == 0);
	assert_true(near(states_of(work).host[HELD_OPTIMIZER], each));
}

/* Copies of one kind of parameters' states, of which Adam wants fp32: dense ones, then experts'. */
static void test_widened(void **state)
{
	static const struct {
		const char *framework, *optimizer;
		double each;
	} rows[] = {
		{ "megatron: core@2026-01", "exp_avg_dtype: bfloat16, exp_avg_sq_dtype: bfloat16",
		  8 },
		{ "megatron: core@2026-03", "exp_avg_dtype: bfloat16, exp_avg_sq_dtype: bfloat16",
		  0 },
		{ "megatron: core@2026-03", "exp_avg_dtype: float8, exp_avg_sq_dtype: float16", 8 },
		{ "megatron: core@2026-03", "exp_avg_dtype: float16", 4 },
		{ "megatron: core@2026-03", "exp_avg_dtype: float32, master_dtype: float16", 4 },
		{ "megatron: core@2026-03", "master_dtype: remainder", 0 },
		{ PLAIN, "exp_avg_dtype: float8", 0 },
	};
	struct unit_cost unit = { 0 };
	size_t i;

	unit.holding.shares[DENSE].kept[HELD_OPTIMIZER] = 3;
	unit.holding.shares[EXPERTS].kept[HELD_OPTIMIZER] = 5;
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct states states = states_of(
			WORK(.framework = rows[i].framework,
			     .training = arena_printf(*state, "optimizer: {name: adamw, %s}",
						      rows[i].optimizer)));
		assert_true(
			near(states_update(&states, &unit) - 8 * states.update, 5 * rows[i].each));
	}
}

/* A second copy of what is gathered, which FSDP1 makes none of. */
static void test_gathered(void **state)
{
	const struct states first = states_of(
		WORK(.framework = PLAIN, .parallelism = "dp_shard: 8, fsdp_version: '1'"));
	const struct states second =
		states_of(WORK(.framework = PLAIN, .parallelism = "dp_shard: 8"));

	(void)state;
	assert_true(first.gathered == 2 && first.flat == 0);
	assert_true(second.gathered == 2 && second.flat == 2);
}

/* What is not known is open, between nothing and Adam's two tensors. */
static void test_unknown(void **state)
{
	const struct workload *work =
		WORK(.framework = PLAIN, .training = "optimizer: {name: galore_adamw}");
	struct memory memory = memory_forecast(*state, h100(*state), work);

	assert_int_equal(memory.open_count, 1);
	assert_non_null(strstr(memory.open[0], "training.optimizer.name"));
	assert_true(memory.way[1] < memory.way[0]);
}

/* Megatron: 6 bytes with moments of 16 bits and the 16 that bf16 parameters lack (f2ece182). */
static void test_precision_aware(void **state)
{
	const struct workload *work =
		WORK(.training = "reduce_dtype: bfloat16, param_dtype: bfloat16, optimizer: "
				 "{distributed: true, master_dtype: remainder, exp_avg_dtype: "
				 "bfloat16, exp_avg_sq_dtype: bfloat16}");
	struct states states = states_of(work);

	assert_true(states.held[HELD_GRADIENT] == 2);
	assert_true(states.held[HELD_OPTIMIZER] == 6);
}

/* ZeRO-2 sends its share of the gradients to the host with the state; parameters stay. */
static void test_offload(void **state)
{
	const struct workload *work =
		WORK(.framework = "deepspeed: 0.18.9", .parallelism = "zero_stage: 2",
		     .training = "param_dtype: bfloat16, optimizer: {offload: 1}");
	struct states states = states_of(work);

	assert_true(states.held[HELD_PARAMETER] == 2);
	assert_true(states.held[HELD_GRADIENT] == 0 && states.held[HELD_OPTIMIZER] == 0);
	assert_true(states.host[HELD_GRADIENT] == 2 && states.host[HELD_OPTIMIZER] == 12);
	work = WORK(.training =
			    "param_dtype: bfloat16, optimizer: {distributed: true, offload: 0.25}");
	states = states_of(work);
	assert_true(states.held[HELD_OPTIMIZER] == 9 && states.host[HELD_OPTIMIZER] == 3);
	assert_true(states.host[HELD_GRADIENT] == 0);
}

/*
 * fp32 throughout: 4 + 4 + 8 bytes and no copy, but of ZeRO's shares (deepspeed@v0.18.2
 * runtime/zero/stage_1_and_2.py, single_partition_of_fp32_groups), which stage 3 cloned before.
 */
static void test_fp32(void **state)
{
	static const struct {
		const char *framework, *parallelism, *more;
		double gradient, optimizer;
	} rows[] = {
		{ NULL, "", "", 4, 8 },
		{ NULL, "", ", optimizer: {distributed: true}", 4, 8 },
		{ PLAIN, "", "", 4, 8 },
		{ "deepspeed: 0.18.9", "zero_stage: 0", "", 4, 8 },
		{ "deepspeed: 0.18.9", "zero_stage: 1", "", 4, 4 + 4 + 8 },
		{ "deepspeed: 0.18.9", "zero_stage: 2", "", 4, 4 + 8 },
		{ "deepspeed: 0.18.9", "zero_stage: 3", "", 4, 8 },
		{ "deepspeed: 0.17.6", "zero_stage: 3", "", 4, 4 + 8 },
		{ "megatron: deepspeed@2024-05", "dp_replicate: 8, zero_stage: 1", "", 4,
		  4 + 4 + 8 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct states states = states_of(
			WORK(.framework = rows[i].framework, .parallelism = rows[i].parallelism,
			     .training =
				     arena_join(*state, "param_dtype: float32", rows[i].more, "")));
		assert_true(states.held[HELD_PARAMETER] == 4);
		assert_true(states.held[HELD_GRADIENT] == rows[i].gradient);
		assert_true(states.held[HELD_OPTIMIZER] == rows[i].optimizer);
	}
}

/* Gradients in fp32, and one tensor of them, where an optimizer of fp16 has all. */
static void test_step(void **state)
{
	static const struct {
		const char *framework, *parallelism, *training;
		double update;
	} rows[] = {
		{ "deepspeed: 0.18.9", "zero_stage: 0", "param_dtype: float16", 8 },
		{ "megatron: deepspeed@2022-02", "dp_replicate: 8, zero_stage: 0",
		  "param_dtype: float16", 8 },
		{ "deepspeed: 0.18.9", "dp_replicate: 8", "param_dtype: float16", 8 },
		{ "deepspeed: 0.18.9", "zero_stage: 1", "param_dtype: float16", 0 },
		{ "megatron: deepspeed@2022-02", "dp_replicate: 8", "param_dtype: float16", 0 },
		{ "deepspeed: 0.18.9", "zero_stage: 0", "param_dtype: bfloat16", 0 },
		{ "deepspeed: 0.18.9", "zero_stage: 0", "param_dtype: float32", 0 },
		{ "deepspeed: 0.18.9", "zero_stage: 0",
		  "param_dtype: float16, optimizer: {name: sgd}", 4 },
		{ "megatron: core@2024-06", "dp_replicate: 8, zero_stage: 0",
		  "param_dtype: float16", 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_true(states_of(WORK(.framework = rows[i].framework,
					   .parallelism = rows[i].parallelism,
					   .training = rows[i].training))
				    .update == rows[i].update);
}

/* A clone in host memory beside what is offloaded, though ZeRO-3 would need none. */
static void test_fp32_offload(void **state)
{
	const struct states states =
		states_of(WORK(.framework = "deepspeed: 0.18.9", .parallelism = "zero_stage: 3",
			       .training = "param_dtype: float32, optimizer: {offload: 1}"));

	assert_true(states.held[HELD_PARAMETER] == 4 && states.held[HELD_OPTIMIZER] == 0);
	assert_true(states.host[HELD_OPTIMIZER] == 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_names, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_trainer, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_widened, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_gathered, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_unknown, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_precision_aware, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_offload, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_step, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_fp32, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_fp32_offload, open_arena, close_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
