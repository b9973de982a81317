#include "sim/logits.h"

#include "sim/activations.h"
#include "sim/memory.h"

#include "unit/arena.h"
#include "workloads.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define TABLE	  (128256.0 * 4096)
#define LOGITS	  (8192.0 * 128256)
#define INPUTS	  (8192.0 * 4096)
#define TORCH	  "torch: 2.9.0"
#define SHARED	  .framework = TORCH, .parallelism = "dp_shard: 8"
#define LOSS(how) "loss: {" how "}"

static void assert_logits(const struct workload *work, double kept, double peak, double gradient)
{
	const struct logits logits = logits_of(work);

	assert_true(logits.kept == kept);
	assert_true(logits.peak == peak);
	assert_true(logits.gradient == gradient);
}

/* Bytes per logit, as loss functions of PyTorch and of Liger leave them. */
static void test_all_logits(void **state)
{
	assert_logits(WORK(SHARED), 4 * LOGITS, 12 * LOGITS, 2 * LOGITS);
	assert_logits(WORK(SHARED, .training = LOSS("kind: whole")), 4 * LOGITS, 12 * LOGITS,
		      2 * LOGITS);
	assert_logits(WORK(SHARED, .training = LOSS("kind: in_place")), 4 * LOGITS, 6 * LOGITS,
		      2 * LOGITS);
}

/* Megatron Core's, in place since core 0.8. */
static void test_copied(void **state)
{
	struct workload *work = WORK(.world = 8);

	assert_logits(work, 4 * LOGITS, 6 * LOGITS, 2 * LOGITS);
	work->since = 2024061200;
	workload_put_habits(work);
	assert_logits(work, 4 * LOGITS, 10 * LOGITS, 2 * LOGITS);
	work->since = 2024061300;
	workload_put_habits(work);
	assert_logits(work, 4 * LOGITS, 6 * LOGITS, 2 * LOGITS);
}

/* litgpt's: logits and their log-softmax, and chunks of gradients that are joined, in 16 bits; two
 * bytes more where they are capped. Nothing of it is known of fp32 that Lightning makes of them. */
static void test_split(void **state)
{
	const double capped = 256000 * 8192.0;

	assert_logits(WORK(.framework = "litgpt: 0.5.13",
			   .training = "dtype: bfloat16, param_dtype: bfloat16"),
		      4 * LOGITS, 6 * LOGITS, 4 * LOGITS);
	assert_logits(WORK(.framework = "litgpt: 0.5.13", .model = "gemma2-9b",
			   .training = "dtype: bfloat16, param_dtype: bfloat16"),
		      6 * capped, 8 * capped, 4 * capped);
	assert_logits(WORK(.framework = "litgpt: 0.5.13",
			   .training = "dtype: float32, param_dtype: bfloat16"),
		      4 * LOGITS, 12 * LOGITS, 2 * LOGITS);
}

/* What one part of eight, or of as many as are asked for, has beside all log-softmaxes. */
static void test_chunks(void **state)
{
	assert_logits(WORK(SHARED, .training = LOSS("kind: chunked")), 4 * LOGITS, 5.25 * LOGITS,
		      0.25 * LOGITS);
	assert_logits(WORK(SHARED, .training = LOSS("kind: chunked, chunks: 16")), 4 * LOGITS,
		      4.625 * LOGITS, 0.125 * LOGITS);
}

/*
 * 128256 / 4096 is 31.3: 32 chunks, of 256 tokens. The weight's gradient in bf16, the input's, and
 * the logits of a chunk; of 6000 tokens 188 would do, and 256 are the next power of two.
 */
static void test_fused(void **state)
{
	struct workload *work = WORK(SHARED, .training = LOSS("kind: fused"));

	assert_true(logits_tokens(work) == 256);
	assert_logits(work, 2 * TABLE, 2 * TABLE + 2 * INPUTS + 2 * 256 * 128256.0, 0);
	work = WORK(SHARED, .training = LOSS("kind: fused") ", seq_len: 6000");
	assert_true(logits_tokens(work) == 256);
	work = WORK(SHARED, .training = LOSS("kind: fused") ", seq_len: 100");
	assert_true(logits_tokens(work) == 4);
}

/* Copies that are stored in fp32 have gradients in fp32, whatever autocast computes in. */
static void test_fused_copies(void **state)
{
	const struct workload *work =
		WORK(.framework = TORCH, .parallelism = "dp_replicate: 8, dp_shard: 1",
		     .training = LOSS("kind: fused"));

	assert_logits(work, 4 * TABLE, 4 * TABLE + 2 * INPUTS + 2 * 256 * 128256.0, 0);
}

/* The sum of each row stays; 256 tokens at a time in 16 bytes, and their part of the gradient. */
static void test_recomputed(void **state)
{
	const double sums = 4 * 8192.0, some = 16 * 256 * 128256.0;

	assert_logits(WORK(SHARED, .training = LOSS("kind: recomputed")), sums, sums,
		      sums + 2 * INPUTS);
	assert_logits(WORK(SHARED, .training = LOSS("kind: recomputed, tokens: 256")), sums,
		      sums + some, sums + some + 2 * INPUTS + 2 * TABLE);
	assert_logits(WORK(SHARED, .training = LOSS("kind: tiled")), 2 * sums,
		      2 * sums + 2 * 4096 * 32768.0,
		      2 * sums + 2 * 4096 * 32768.0 + 4 * INPUTS + 4 * TABLE);
}

/* Three products whatever the loss, but a fourth where logits are made again. */
static void test_times(void **state)
{
	const struct profile *profile = h100(*state);
	const struct workload *work = WORK(SHARED);
	const struct pass usual = logits_time(profile, work);
	const double traffic = kernel_memory(profile, 8 * LOGITS);
	const double product = usual.forward - traffic;
	struct pass pass;

	assert_true(fabs(usual.backward - traffic - 2 * product) < 1e-9);
	pass = logits_time(profile, WORK(SHARED, .training = LOSS("kind: recomputed")));
	assert_true(fabs(pass.forward - usual.forward) < 1e-9);
	assert_true(fabs(pass.backward - usual.backward - product) < 1e-9);
	pass = logits_time(profile, WORK(SHARED, .training = LOSS("kind: fused")));
	/* both gradients once read and written: 4 bytes of each element */
	assert_true(fabs(pass.backward - kernel_memory(profile, 4 * (TABLE + INPUTS))) < 1e-9);
	/* 32 sums of the weight's gradient are read and written */
	assert_true(pass.forward >= 3 * product + traffic);
	assert_true(pass.forward < 3 * product + traffic + 32 * kernel_memory(profile, 4 * TABLE));
}

/* Of 32 blocks 8192 x 4096 numbers each wait on the host; three are on their way at the loss. */
static void test_offload(void **state)
{
	const char *full = "activation_checkpoint: {mode: full, offload: true}";
	struct workload *work = WORK(SHARED, .training = full);
	struct activations sizes = activations_of(work);

	assert_true(activations_host(work, false) == 2 * INPUTS);
	assert_true(sizes.kept[0] == 0);
	/* the last norm keeps an fp32 copy and what it weights in fp32, the projection its input */
	assert_true(sizes.head == (4 + 1 + 3) * 2 * INPUTS);
	/* a block's 139392 bytes per token and, unfused, 12 x 4096 of norms and 2 x 14336 of the
	 * gate */
	work = WORK(SHARED, .training = "activation_checkpoint: {mode: none, offload: true}");
	assert_true(activations_host(work, false) == 8192 * (139392.0 + 12 * 4096 + 2 * 14336));
	assert_true(activations_of(work).kept[0] == 0);
	assert_true(activations_of(work).again[0] == activations_host(work, false));
	/* of which Megatron sends some */
	work = WORK(.training = "activation_checkpoint: {mode: none, offload: true}");
	assert_true(activations_host(work, false) == 0);
	assert_true(activations_of(work).kept[0] > 0);
}

/* What of it is kept elsewhere is open where blocks are not computed again. */
static void test_open(void **state)
{
	const struct profile *profile = h100(*state);
	struct workload *work =
		WORK(.training = "activation_checkpoint: {mode: none, offload: true}, "
				 "reduce_dtype: float32");
	const struct memory memory = memory_forecast(*state, profile, work);

	assert_int_equal(memory.ways, 2);
	assert_string_equal(memory.open[0], "how much of what blocks keep waits in host memory");
	assert_true(memory.way[1] < memory.way[0]);
	work = WORK(SHARED, .training = "activation_checkpoint: {mode: full, offload: true}");
	assert_true(memory_forecast(*state, profile, work).classes[0].host == 32 * 2 * INPUTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_all_logits, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_copied, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_split, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_chunks, open_arena, close_arena),

		cmocka_unit_test_setup_teardown(test_fused, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_fused_copies, open_arena, close_arena),

		cmocka_unit_test_setup_teardown(test_recomputed, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_times, open_arena, close_arena),

		cmocka_unit_test_setup_teardown(test_offload, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(test_open, open_arena, close_arena),

	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
