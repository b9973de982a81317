#include "sim/logits.h"
#include "sim/layer.h"
#include "sim/activations.h"
#include "sim/stage.h"
#include "workloads.h"

#include "unit/arena.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* 4096 x 128 x (32 + 8 + 8) + 4096 x 4096 in attention, 3 x 4096 x 14336 in the MLP. */
#define BLOCK_ELEMENTS 218103808.0

/* Two operations per element and token, twice as many backward: no less time than at the peak. */
static void test_bound(void **state)
{
	struct layer layer = layer_cost(h100(*state), WORK(0), false);
	double floor = 2 * BLOCK_ELEMENTS * 8192 / 989e12;

	assert_true(layer.products.forward > floor);
	assert_true(layer.products.backward > 2 * floor);
	assert_true(layer_backward(&layer) > layer_forward(&layer));
}

/*
 * Of fp32 Transformer Engine makes linear layers in tf32 (at most 495 TFLOP/s), and all else is at
 * fp32's own rate (67), as linear layers are in PyTorch; only that has a kernel that writes no
 * scores.
 */
static void test_fp32(void **state)
{
	const struct workload *engine = WORK(.training = "param_dtype: float32");
	const struct workload *plain =
		WORK(.framework = "torch: 2.9.0", .training = "param_dtype: float32");
	const double products = 2 * BLOCK_ELEMENTS * 8192, head = 2.0 * 128256 * 4096 * 8192;
	struct layer layer = layer_cost(h100(*state), engine, false);

	assert_true(layer.products.forward > products / 495e12);
	assert_true(layer.products.forward < products / 67e12);
	assert_true(logits_time(h100(*state), engine).forward > head / 67e12);
	assert_false(engine->flash);
	layer = layer_cost(h100(*state), plain, false);
	assert_true(layer.products.forward > products / 67e12);
	assert_true(plain->flash);
	/* four operations of each pair and element, of half the pairs, by three products in tf32 */
	assert_true(layer.attention.forward > 2.0 * 8192 * 8192 * 4096 * 3 / 495e12);
}

/* Full recomputation adds a forward pass, none adds nothing, and tensor parallelism exchanges. */
static void test_recomputation(void **state)
{
	struct layer layer = layer_cost(h100(*state), WORK(0), false);

	assert_true(layer.again == 0);
	assert_true(layer.tensor.forward == 0);
	layer = layer_cost(h100(*state), WORK(.training = "activation_checkpoint: {mode: full}"),
			   false);
	assert_true(layer.again == layer_forward(&layer));
	layer = layer_cost(h100(*state),
			   WORK(.framework = "torchtitan: v0.2.0, torch: 2.9.0",
				.training = "activation_checkpoint: {mode: full}"),
			   false);
	assert_true(layer.again < 0.95 * layer_forward(&layer));
	layer = layer_cost(h100(*state), WORK(.parallelism = "tp: 2"), false);
	assert_true(layer.tensor.forward > 0);
}

/*
 * Megatron adds gradients to those of microbatches before, whose number of tokens does not matter;
 * what FSDP reduces at once is not added to anything.
 */
static void test_accumulation(void **state)
{
	const char *megatron = "megatron: core@2023-03";
	struct layer one = layer_cost(h100(*state), WORK(.framework = megatron), false);
	struct layer two =
		layer_cost(h100(*state),
			   WORK(.framework = megatron,
				.training = "micro_batch_size: 2, global_batch_size: 16"),
			   false);
	struct layer cut =
		layer_cost(h100(*state),
			   WORK(.framework = "torch: 2.9.0", .parallelism = "dp_shard: 8"), false);

	assert_true(two.products.backward < 1.99 * one.products.backward);
	assert_true(cut.products.backward < one.products.backward);
	assert_true(one.weight > cut.weight);
}

/*
 * Megatron's softmax is one kernel where heads and tokens are multiples of four, else a chain that
 * takes longer.
 */
static void test_chain(void **state)
{
	const char *megatron = "megatron: core@2023-03";
	struct layer four = layer_cost(h100(*state),
				       WORK(.framework = megatron, .parallelism = "tp: 8",
					    .training = "flash_attention: false, seq_len: 2048"),
				       false);
	struct layer odd = layer_cost(h100(*state),
				      WORK(.framework = megatron, .parallelism = "tp: 8",
					   .training = "flash_attention: false, seq_len: 2047"),
				      false);

	assert_true(odd.attention.forward > 2 * four.attention.forward);
}

/*
 * Megatron-DeepSpeed and GPT-NeoX write scores; transformers' models that DeepSpeed drives do not,
 * unless their attention is eager.
 */
static void test_scores(void **state)
{
	assert_false(WORK(.framework = "megatron: deepspeed")->flash);
	assert_false(
		WORK(.framework = "gpt-neox: 2.0.0", .parallelism = "engine: deepspeed")->flash);
	assert_true(WORK(.framework = "deepspeed: 0.17.0")->flash);
	assert_false(WORK(.framework = "deepspeed: 0.17.0", .training = "kernels: eager")->flash);
	assert_true(WORK(.framework = "megatron: core")->flash);
}

/*
 * Ranks that exchange heads for tokens share all of a block between them, and eight of them each
 * have an eighth of the attention of one.
 */
static void test_ulysses(void **state)
{
	const char *deepspeed = "deepspeed: 0.17.0";
	struct layer whole = layer_cost(
		h100(*state), WORK(.framework = deepspeed, .training = "seq_len: 65536"), false);
	struct layer part = layer_cost(
		h100(*state),
		WORK(.framework = deepspeed, .parallelism = "sp: 8", .training = "seq_len: 65536"),
		false);

	assert_true(part.attention.forward < 0.126 * whole.attention.forward);
	assert_true(part.compute.backward < 0.13 * whole.compute.backward);
	assert_true(part.context.forward > 0 && whole.context.forward == 0);
}

/* Asynchronous tensor parallelism hides a part of what Megatron's overlap does. */
static void test_async(void **state)
{
	const char *titan = "torchtitan: v0.2.0, torch: 2.9.0";
	struct layer plain =
		layer_cost(h100(*state), WORK(.framework = titan, .parallelism = "tp: 8"), false);
	struct layer async =
		layer_cost(h100(*state),
			   WORK(.framework = titan, .parallelism = "tp: 8, async_tp: true",
				.training = "compile: true"),
			   false);
	struct layer overlapped = layer_cost(
		h100(*state), WORK(.framework = titan, .parallelism = "tp: 8, overlap: {tp: true}"),
		false);

	assert_true(async.tensor.forward < 0.9 * plain.tensor.forward);
	assert_true(async.tensor.forward > 1.1 * overlapped.tensor.forward);
}

/* A block so small that the host sets its pace takes no longer with half the tokens. */
static void test_launching(void **state)
{
	struct layer before = layer_cost(h100(*state), WORK(.training = "seq_len: 64"), false);
	struct layer layer = layer_cost(h100(*state), WORK(.training = "seq_len: 32"), false);

	assert_true(layer.compute.forward == before.compute.forward);
	assert_true(layer.compute.forward > layer.products.forward);
}

/*
 * Products in fp8 are quicker than in bf16. A scale for each row makes products slower, and weights
 * that were gathered in fp8 are not cast again.
 */
static void test_float8(void **state)
{
	const char *titan = "torchtitan: v0.2.0, torch: 2.9.0";
	struct layer plain = layer_cost(h100(*state), WORK(.framework = titan), false);
	struct layer tensorwise =
		layer_cost(h100(*state),
			   WORK(.framework = titan, .training = "float8: {enabled: true}"), false);
	struct layer rowwise = layer_cost(
		h100(*state),
		WORK(.framework = titan, .training = "float8: {enabled: true, recipe: rowwise}"),
		false);
	struct layer gathered =
		layer_cost(h100(*state),
			   WORK(.framework = titan,
				.training = "float8: {enabled: true, fsdp_all_gather: true}"),
			   false);

	assert_true(tensorwise.products.forward < 0.9 * plain.products.forward);
	assert_true(rowwise.products.forward > 1.05 * tensorwise.products.forward);
	assert_true(gathered.products.forward < tensorwise.products.forward);
}

/*
 * The last unit of a model that predicts one token more: two output projections with their losses,
 * a block, and a projection of twice the hidden numbers, which is at least as long as at the peak.
 * Its two norms, what they make and the block are kept beside, and logits twice.
 */
static void test_more_tokens(void **state)
{
	const struct workload *plain = WORK(.model = "{preset: llama3-8b}");
	const struct workload *more = WORK(.model = "{preset: llama3-8b, mtp: 1}");
	const struct stages one = stages_cost(*state, h100(*state), plain);
	const struct stages two = stages_cost(*state, h100(*state), more);
	const struct unit_cost *units = one.items[0].units;
	const int32_t head = one.items[0].count - 1;
	const struct unit_cost *last = &two.items[0].units[head];
	const double rest = last->all.forward - 2 * units[head].all.forward - units[1].all.forward;
	const struct activations less = activations_of(plain), kept = activations_of(more);
	const double floor = 2 * 8192.0 * 2 * 4096 * 4096 / 989e12;

	assert_int_equal(two.items[0].count, head + 1);
	assert_true(rest > floor && rest < 3 * floor);
	assert_true(kept.logits == 2 * less.logits);
	assert_true(kept.head - less.head ==
		    less.head + less.kept[0] + 8192 * (2 * 2 + 4) * 4096.0);
}

/* Megatron's `block` computes those of the trunk again, and not the block that predicts more. */
static void test_more_tokens_kept(void **state)
{
	const char *model = "{preset: llama3-8b, mtp: 1}";
	const struct workload *none = WORK(.model = model);
	const struct workload *all =
		WORK(.model = model,
		     .training = "activation_checkpoint: {mode: full, method: block, layers: 32}");
	const struct stages one = stages_cost(*state, h100(*state), none);
	const struct stages two = stages_cost(*state, h100(*state), all);
	const int32_t head = one.items[0].count - 1;

	assert_true(two.items[0].units[1].all.backward > one.items[0].units[1].all.backward);
	assert_true(two.items[0].units[head].all.backward == one.items[0].units[head].all.backward);
	assert_true(activations_of(all).head == activations_of(none).head);
}

static double operations(struct arena *arena, const struct workload *work)
{
	struct forecast forecast = { .profile = *h100(arena), .work = *work };

	forecast_step(&forecast, arena);
	return forecast.flops / forecast.tokens;
}

/* A model's work has those of the block with its five norms, the projection of twice the hidden
 * numbers, and the output projection once more. */
static void test_more_operations(void **state)
{
	const double elements = BLOCK_ELEMENTS + 5 * 4096 + 2 * 4096.0 * 4096 + 128256 * 4096.0;
	const double more = operations(*state, WORK(.model = "{preset: llama3-8b, mtp: 1}")) -
			    operations(*state, WORK(0));

	assert_true(fabs(more / (6 * elements + 3 * 32 * 256.0 * 8192) - 1) < 1e-9);
}

/* Later releases have faster kernels, and the same links. */
static void test_modules_exchange(void **state)
{
	struct workload *work =
		WORK(.model = "mixtral-8x7b", .parallelism = "ep: 8",
		     .training = "activation_checkpoint: {mode: selective, modules: [moe]}");
	const double faster = exp(-profile_get(h100(*state), FIGURE_PROGRESS));
	struct layer before, after;

	work->when = 2026010100;
	before = layer_cost(h100(*state), work, true);
	work->when = 2027010100;
	after = layer_cost(h100(*state), work, true);
	assert_true(before.expert.forward > 0 && after.expert.forward == before.expert.forward);
	assert_true(fabs(after.again - after.expert.forward -
			 faster * (before.again - before.expert.forward)) < 1e-12);
}

/* The MLP is two products of three, and less than all of the block; norms alone cost little. */
static void test_modules_again(void **state)
{
	const struct layer full = layer_cost(
		h100(*state), WORK(.training = "activation_checkpoint: {mode: full}"), false);
	const struct layer mlp = layer_cost(
		h100(*state),
		WORK(.training = "activation_checkpoint: {mode: selective, modules: [mlp]}"),
		false);
	const struct layer core = layer_cost(
		h100(*state), WORK(.training = "activation_checkpoint: {mode: selective}"), false);
	const double floor = 2 * 3 * 4096.0 * 14336 * 8192 / 989e12;

	assert_true(mlp.again > floor && mlp.again < 2 * floor);
	assert_true(core.again == core.attention.forward);
	assert_true(mlp.again + core.again < full.again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_bound, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_fp32, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_recomputation, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_accumulation, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_chain, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_scores, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_ulysses, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_async, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_launching, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_float8, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_more_tokens, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_more_tokens_kept, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_more_operations, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_modules_exchange, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_modules_again, open_arena, close_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
