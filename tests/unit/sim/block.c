#include "sim/block.h"
#include "sim/activations.h"

#include "unit/arena.h"
#include "workloads.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Elements of a block of Llama 3 8B with its two norms. */
#define BLOCK (218103808.0 + 2 * 4096)
#define TITAN "torchtitan: v0.2.0, torch: 2.9.0"
/* What a block keeps of a token; see test_block. */
#define KEPT 139392.0

/*
 * Per token: two norms and their outputs 4 x 2 x 4096, queries 8192, keys and values 2 x 2048,
 * the core's output 8192 and statistics 4 x 32, the MLP's two branches and product 6 x 14336.
 */
static void test_block(void **state)
{
	const struct workload *work = WORK(.training = "optimizer: {distributed: true}");

	assert_true(activations_block(work, false) == 32768 + 8192 + 4096 + 8192 + 128 + 86016);
	work = WORK(.parallelism = "tp: 2, sequence_parallel: true");
	assert_true(activations_block(work, false) == KEPT / 2);
}

/* DTensor keeps both gathered inputs of a block, 2 x 8192, where Megatron keeps its part of them.
 */
static void test_gathered_inputs(void **state)
{
	const struct workload *work =
		WORK(.framework = TITAN, .parallelism = "tp: 2", .training = "compile: true");

	assert_true(activations_block(work, false) == KEPT / 2 + 8192);
}

/*
 * Of transformers' Llama each norm keeps its input in fp32 and what it weights, in bf16; under
 * autocast, where the stream is in fp32, both are in fp32, each of five products casts its input,
 * and its weights in bf16 are kept. The MLP keeps both branches, one of them after its activation,
 * and their product: 8 x 14336.
 */
static void test_transformers_block(void **state)
{
	const double rest = 4 * 4096 + 4 * 1024 + 4 * 32 + 8 * 14336;
	const struct workload *work =
		WORK(.framework = "transformers: 4.57.6", .parallelism = "dp_shard: 8",
		     .training = "param_dtype: bfloat16");

	assert_true(activations_block(work, false) == 2 * (4 + 2 + 2) * 4096 + rest);
	assert_true(block_casts(work, false) == 0);
	work = WORK(.framework = "transformers: 4.57.6", .parallelism = "dp_replicate: 8",
		    .training = "param_dtype: bfloat16");
	assert_true(activations_block(work, false) == (2 * (4 + 4) + 5 * 2) * 4096 + rest);
	assert_true(block_casts(work, false) == 2 * BLOCK);
	assert_true(work->grad_bytes == 4);
}

#define SELECTIVE(modules) "activation_checkpoint: {mode: selective, modules: [" modules "]}, "

/*
 * Megatron's modules of Llama 3 8B's MLP: its two branches and product, and the norm's output,
 * which is inside its first product. Of DeepSeek V3's blocks 128 heads of queries and keys of 192
 * and values of 128; norms alone before latents, and before experts; gates of 8 x 2048; the shared
 * expert; and routed ones with their inputs.
 */
static void test_discarded(void **state)
{
	static const struct {
		const char *model, *training;
		bool experts;
		double attention, rest;
	} rows[] = {
		{ "llama3-8b", SELECTIVE("mlp"), false, 0, 6 * 14336 + 2 * 4096 },
		{ "llama3-8b", SELECTIVE("layernorm, moe, mla_up_proj"), false, 0, 0 },
		{ "llama3-8b", SELECTIVE("core_attn"), false, 4 * 32, 0 },
		{ "deepseek_v3-671b", SELECTIVE("mla_up_proj"), true, 128 * (4 * 192 + 2 * 128),
		  0 },
		{ "deepseek_v3-671b", SELECTIVE("layernorm"), true, 2 * 7168, 2 * 7168 },
		{ "deepseek_v3-671b", SELECTIVE("layernorm"), false, 2 * 7168, 0 },
		{ "deepseek_v3-671b", SELECTIVE("moe_act"), true, 0, 2 * 8 * 2048 },
		{ "deepseek_v3-671b", SELECTIVE("shared_experts"), true, 0, 6 * 2048 },
		{ "deepseek_v3-671b", SELECTIVE("moe"), true, 0,
		  6 * 2048 + 8 * (2 * 7168 + 6 * 2048) + 4 * 256 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct workload *work =
			WORK(.model = rows[i].model,
			     .training = arena_printf(*state, "%soptimizer: {distributed: true}",
						      rows[i].training));
		const struct discarded discarded = block_discarded(work, rows[i].experts);
		const double kept =
			activations_block(work, rows[i].experts) - rows[i].attention - rows[i].rest;
		assert_true(discarded.attention == rows[i].attention);
		assert_true(discarded.rest == rows[i].rest);
		assert_true(activations_of(work).kept[rows[i].experts] == 8192 * kept);
	}
}

/*
 * GPT-2 makes GELU of operators, which keep its input, half of it, a hyperbolic tangent and one
 * more than that, and the product, 10 x 6400, and two masks of dropout. Phi-3's values are a view
 * of what one product made, so that its queries and keys are there twice, and attention's output is
 * laid out anew.
 */
static void test_modules(void **state)
{
	const struct workload *work = WORK(.model = "gpt2-xl", .framework = "transformers: 4.57.6",
					   .parallelism = "dp_shard: 8",
					   .training = "seq_len: 1024, param_dtype: bfloat16");

	assert_true(activations_block(work, false) ==
		    8 * 1600 + 8 * 1600 + 4 * 25 + 10 * 6400 + 2 * 1600);
	work = WORK(.model = "phi3-mini", .framework = "transformers: 4.57.6",
		    .parallelism = "dp_shard: 8", .training = "param_dtype: bfloat16");
	assert_true(activations_block(work, false) ==
		    2 * (4 + 2 + 2) * 3072 + (8 + 4 + 2) * 3072 + 4 * 32 + 8 * 8192);
}

/*
 * litgpt's norms keep two fp32 tensors. Its keys and values are copied for all heads; of Phi-2,
 * which has as many, the one product stays beside queries and keys. What attention makes is laid
 * out anew.
 */
static void test_litgpt_block(void **state)
{
	const struct workload *work =
		WORK(.framework = "litgpt: 0.5.13", .training = "param_dtype: bfloat16");

	assert_true(activations_block(work, false) ==
		    2 * (8 + 2) * 4096 + (6 + 2 + 2) * 4096 + 4 * 32 + 8 * 14336);
	work = WORK(.model = "phi-2", .framework = "litgpt: 0.5.13",
		    .training = "seq_len: 2048, param_dtype: bfloat16");
	assert_true(activations_block(work, false) ==
		    (2 + 2) * 2560 + (6 + 4 + 2 + 2) * 2560 + 4 * 32 + 4 * 10240);
}

/* Of 34 blocks of Gemma 3 29 keep a mask of 2 bytes for each pair of tokens of a sequence, and
 * what attention makes once. */
static void test_windows(void **state)
{
	const struct workload *work =
		WORK(.model = "gemma3-4b", .framework = "litgpt: 0.5.13",
		     .training = "seq_len: 2048, param_dtype: bfloat16, local_batch_size: 2");
	const double norms = 4 * 8 * 2560 + 8 * (8 + 4) * 256, inputs = 2 * 2 * 2560;
	const double core = (6 + 2 + 10.0 / 34) * 8 * 256 + 4 * 8 + 29.0 / 34 * 2 * 2048 / 2;

	assert_true(fabs(activations_block(work, false) - (norms + inputs + core + 8 * 10240)) <
		    1e-6);
}

/*
 * In the loop of transformers before 5.0 a routed token of Mixtral has its input, its output and
 * that weighted, 6 x 4096; under autocast both inputs, its output and that weighted in fp32, and
 * the router alone takes what the norm makes. From 5.0 on nothing is added up.
 */
static void test_loop(void **state)
{
	const double rest = 2 * 6 * 4096 + 4 * 4096 + 4 * 1024 + 4 * 32 + 4 * 8;
	const double routed = 2 * 8 * 14336;
	const struct workload *work =
		WORK(.model = "mixtral-8x7b", .framework = "transformers: 4.57.6",
		     .parallelism = "dp_shard: 8", .training = "param_dtype: bfloat16");

	assert_true(activations_block(work, true) == rest + 2 * 2 * 4096 + 2 * 6 * 4096 + routed);
	work = WORK(.model = "mixtral-8x7b", .framework = "transformers: 4.57.6",
		    .parallelism = "dp_replicate: 8", .training = "param_dtype: bfloat16");
	assert_true(activations_block(work, true) ==
		    rest + (2 * 2 + 4 * 2) * 4096 + 2 * 10 * 4096 + routed);
	work = WORK(.model = "mixtral-8x7b", .framework = "transformers: 5.2.0",
		    .parallelism = "dp_shard: 8", .training = "param_dtype: bfloat16");
	assert_true(activations_block(work, true) == rest + 2 * 2 * 4096 + 2 * 4 * 4096 + routed);
}

/* OLMoE's keys were laid out for all heads before 5.0. */
static void test_once_spread(void **state)
{
	const char *model = "{arch: olmoe, layers: 2, hidden: 2048, heads: 16, kv_heads: 4, ffn: "
			    "1024, vocab: 50304, moe: {experts: 8, topk: 2, expert_ffn: 1024}}";
	const double before =
		activations_block(WORK(.model = model, .framework = "transformers: 4.57.6",
				       .training = "param_dtype: bfloat16"),
				  true);
	const double after =
		activations_block(WORK(.model = model, .framework = "transformers: 5.2.0",
				       .training = "param_dtype: bfloat16"),
				  true);

	assert_true(before - after == 4 * (2048 - 512) + 2 * 2 * 2048);
}

/* A norm of queries and one of keys keep as much of their inputs, in the type of a product. */
static void test_query_norms(void **state)
{
	const struct workload *work =
		WORK(.model = "{preset: qwen3-8b}", .framework = "transformers: 4.57.6",
		     .parallelism = "dp_shard: 8", .training = "param_dtype: bfloat16");

	assert_true(activations_block(work, false) ==
		    16 * 4096 + (4 + 6) * (4096 + 1024) + 4 * 32 + 8 * 12288);
}

/* GPT-OSS by transformers writes its scores, 2 bytes each of 64 heads, unless it is told a kernel.
 */
static void test_sinks(void **state)
{
	const struct workload *work =
		WORK(.model = "{preset: gpt_oss-20b}", .framework = "transformers: 4.57.6");

	assert_false(work->flash);
	assert_true(block_scores(work) == 2.0 * 64 * 8192);
	work = WORK(.model = "{preset: gpt_oss-20b}", .framework = "transformers: 4.57.6",
		    .training = "kernels: flash_attention_3");
	assert_true(work->flash);
	work = WORK(.framework = "transformers: 4.57.6", .training = "kernels: eager");
	assert_true(block_scores(work) == 6.0 * 32 * 8192);
}

/* Megatron's softmax and what dropout leaves of it, two elements; its mask, and those of both other
 * dropouts where an MLP has no gate, are bytes whatever the type: half of two in fp32. */
static void test_masks(void **state)
{
	static const char like[] = "{layers: 32, gated_mlp: false, " LIKE_LLAMA3_8B "}";
	const struct workload *half = WORK(.model = like, .training = "kernels: unfused");
	const struct workload *whole =
		WORK(.model = like, .training = "kernels: unfused, param_dtype: float32");

	assert_false(half->flash || whole->flash);
	assert_true(block_scores(half) == 5.0 * 32 * 8192);
	assert_true(block_scores(whole) == 4.5 * 32 * 8192);
	assert_true(activations_block(half, false) - activations_block(whole, false) ==
		    0.5 * 32 * 8192 + 4096);
}

/* Of dropout that drops nothing nothing is kept: the softmax alone, and no mask. Where it is asked
 * for, a gated MLP's block has its two masks, too. */
static void test_no_dropout(void **state)
{
#define LIKE "layers: 32, " LIKE_LLAMA3_8B
	static const char plain[] = "{gated_mlp: false, " LIKE "}";
	static const char none[] =
		"{gated_mlp: false, hidden_dropout: 0, attention_dropout: 0.0, " LIKE "}";
	static const char gated[] = "{gated_mlp: true, " LIKE "}";
	static const char drops[] = "{gated_mlp: true, hidden_dropout: 0.1, " LIKE "}";
	static const char unfused[] = "kernels: unfused";
	const struct workload *as_usual = WORK(.model = plain, .training = unfused);
	const struct workload *without = WORK(.model = none, .training = unfused);

	assert_true(block_scores(without) == 2.0 * 32 * 8192);
	assert_true(activations_block(as_usual, false) - activations_block(without, false) ==
		    3.0 * 32 * 8192 + 2 * 4096);
	assert_true(activations_block(WORK(.model = drops), false) -
			    activations_block(WORK(.model = gated), false) ==
		    2 * 4096);
#undef LIKE
}

/* Without a kernel of SwiGLU the activated branch is kept, 2 x 14336. */
static void test_gates(void **state)
{
	const struct workload *before = WORK(.framework = "megatron: core@2023-12",
					     .training = "kernels: flash_attention2");
	const struct workload *after = WORK(.framework = "megatron: core@2024-02",
					    .training = "kernels: flash_attention2");

	assert_true(activations_block(before, false) ==
		    activations_block(after, false) + 2 * 14336);
}

#define LISTED(version, preset)                                                                    \
	WORK(.framework = "torchtitan: " version, .model = preset,                                 \
	     .parallelism = "dp_shard: 8, ep: 8",                                                  \
	     .training = "activation_checkpoint: {mode: selective, option: op}")

static double kept(const struct workload *work)
{
	return activations_of(work).kept[1] / (double)workload_tokens(work);
}

/*
 * Qwen3's list lacked what its eight experts are sent, 2 x 8 x 2048 each way, until all models had
 * one list; for a fortnight the sum of what these make was a product, 4 x 2048. DeepSeek's has had
 * what is sent since 2025-09-06. Products of GPT-OSS add biases, and are kept since that one list.
 */
static void test_lists(void **state)
{
	const double qwen3 = kept(LISTED("v0.2.2", "qwen3-30b-a3b")), sent = 4 * 8 * 2048;
	const double biased = kept(LISTED("v0.2.2", "gpt_oss-20b"));
	struct workload *work = LISTED("v0.2.2", "deepseek_v3-16b");
	const double deepseek = kept(work);

	assert_true(kept(LISTED("114151ad4", "qwen3-30b-a3b")) == qwen3 + sent + 4 * 2048);
	assert_true(kept(LISTED("00b7f5693", "qwen3-30b-a3b")) == qwen3 + sent);
	assert_true(kept(LISTED("00b7f5693", "gpt_oss-20b")) ==
		    biased + 2 * ((64 + 2 * 8) * 64 + 2880));
	work->when = 2025090500;
	workload_put_habits(work);
	assert_true(kept(work) == deepseek - 4 * 6 * 2048);
}

/* A router in fp32 casts its input, which no shared expert of Qwen3 takes as it was. */
static void test_wide_router(void **state)
{
	const struct workload *before =
		WORK(.model = "qwen3-30b-a3b", .framework = "torchtitan: v0.2.2");
	const struct workload *after =
		WORK(.model = "qwen3-30b-a3b", .framework = "torchtitan: 114151ad4");

	assert_true(activations_block(after, true) == activations_block(before, true) + 2 * 2048);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_block, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_gathered_inputs, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_transformers_block, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_discarded, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_modules, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_litgpt_block, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_windows, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_loop, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_once_spread, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_lists, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_wide_router, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_query_norms, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_sinks, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_masks, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_no_dropout, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_gates, open_arena, close_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
