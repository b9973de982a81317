#include "cost/kernel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct profile device(struct arena *arena, const char *name)
{
	struct profile profile;

	arena_init(arena);
	profile_init(&profile, arena);
	assert_true(profile_gpu(&profile, name));
	return profile;
}

/* A large product takes its operations over the rate, and never less than over the peak. */
static void test_large_product(void **state)
{
	struct arena arena;
	struct profile profile = device(&arena, "a100-80g");
	double operations = 2.0 * 8192 * 8192 * 8192;
	double time = kernel_gemm(&profile, FORMAT_BF16, 8192, 8192, 8192);

	(void)state;
	assert_true(time > operations / 312e12);
	assert_true(time < 1.15 * operations / kernel_rate(&profile, FORMAT_BF16));
	arena_release(&arena);
}

/* Half of an output tile costs as much as the whole of it; one more wave costs a wave. */
static void test_tiles_and_waves(void **state)
{
	struct arena arena;
	struct profile profile = device(&arena, "a100-80g");
	double wave = 108 * 256, one, two;

	(void)state;
	one = kernel_gemm(&profile, FORMAT_BF16, wave, 128, 8192);
	two = kernel_gemm(&profile, FORMAT_BF16, wave + 256, 128, 8192);
	assert_true(two > 1.05 * one);
	assert_true(kernel_gemm(&profile, FORMAT_BF16, 32, 32, 8192) ==
		    kernel_gemm(&profile, FORMAT_BF16, 64, 64, 8192));
	arena_release(&arena);
}

/* A thin product reads its weights: bytes over bandwidth, and the kernel's own shortest time. */
static void test_thin_product(void **state)
{
	struct arena arena;
	struct profile profile = device(&arena, "h100-sxm");
	double weights = 2.0 * 16384 * 53248;
	double time = kernel_gemm(&profile, FORMAT_BF16, 1, 53248, 16384);

	(void)state;
	assert_true(time > kernel_memory(&profile, weights));
	assert_true(time < kernel_memory(&profile, 1.01 * weights) + 20e-6);
	arena_release(&arena);
}

/* Less power never makes products faster, and little power makes them as slow as it. */
static void test_power(void **state)
{
	struct arena arena;
	struct profile profile = device(&arena, "h100-sxm");
	double rate = kernel_rate(&profile, FORMAT_BF16), limited;

	(void)state;
	profile.numbers[FIGURE_POWER].value = 200;
	limited = kernel_rate(&profile, FORMAT_BF16);
	assert_true(limited < rate);
	assert_true(limited * 1e-12 * profile_get(&profile, FIGURE_ENERGY16) > 199.9);
	assert_true(limited * 1e-12 * profile_get(&profile, FIGURE_ENERGY16) < 200.1);
	assert_true(kernel_rate(&profile, FORMAT_FP8) > limited);
	arena_release(&arena);
}

/* No experts, no rows: no time. */
static void test_nothing(void **state)
{
	struct arena arena;
	struct profile profile = device(&arena, "h100-sxm");

	(void)state;
	assert_true(kernel_gemm(&profile, FORMAT_BF16, 0, 128, 128) == 0);
	assert_true(kernel_grouped_gemm(&profile, FORMAT_FP8, 0, 128, 128, 128) == 0);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_large_product), cmocka_unit_test(test_tiles_and_waves),
		cmocka_unit_test(test_thin_product),  cmocka_unit_test(test_power),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
