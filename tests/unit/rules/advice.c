#include "rules/advice.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void divisors_and_multiples_in_common(void **state)
{
	(void)state;
	assert_int_equal(common_divisor(32, 8), 8);
	assert_int_equal(common_divisor(25, 10), 5);
	assert_int_equal(common_divisor(7, 1), 1);
	assert_int_equal(common_multiple(4, 6), 12);
	assert_true(common_multiple(INT64_MAX, INT64_MAX - 1) == INT64_MAX);
}

static void the_nearest_multiple(void **state)
{
	(void)state;
	assert_int_equal(nearest_multiple(8190, 4), 8188);
	assert_int_equal(nearest_multiple(8191, 4), 8192);
	assert_int_equal(nearest_multiple(8192, 4), 8192);
	assert_int_equal(nearest_multiple(3, 16), 16);
	assert_int_equal(nearest_multiple(1, 1), 1);
}

static void texts(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_string_equal(multiples_around(&arena, 8190, 4), "8188 below or 8192 above");
	assert_string_equal(multiples_around(&arena, 3, 16), "16, the smallest there is");
	assert_string_equal(divisors_text(&arena, 1), "1");
	assert_string_equal(divisors_text(&arena, 7), "1 or 7");
	assert_string_equal(divisors_text(&arena, 12), "1, 2, 3, 4, 6 or 12");
	assert_string_equal(divisors_text(&arena, 60),
			    "1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30 or 60");
	assert_string_equal(divisors_text(&arena, 96),
			    "1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48 or 96");
	assert_string_equal(divisors_text(&arena, 4096),
			    "1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048 or 4096");
	assert_string_equal(divisors_text(&arena, 720720),
			    "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, ...");
	arena_release(&arena);
}

/* Against the definition, over all small numbers. */
static void the_largest_divisor(void **state)
{
	int64_t value, most, divisor, best;

	(void)state;
	for (value = 1; value <= 60; value++)
		for (most = 1; most <= 70; most++) {
			for (best = 1, divisor = 2; divisor <= value; divisor++)
				if (divisor <= most && value % divisor == 0)
					best = divisor;
			assert_int_equal(divisor_up_to(value, most), best);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(divisors_and_multiples_in_common),
		cmocka_unit_test(the_nearest_multiple),
		cmocka_unit_test(texts),
		cmocka_unit_test(the_largest_divisor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
