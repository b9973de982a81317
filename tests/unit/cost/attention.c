#include "cost/attention.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above first */
#include <cmocka.h>

/* Of the pairs of a query and what is before it those that a window leaves, counted one by one. */
static double counted(int seq, int window, bool pieces)
{
	int64_t seen = 0, all = 0;
	int query, key;

	for (query = 0; query < seq; query++) {
		for (key = 0; key <= query; key++) {
			all++;
			seen += pieces ? query / window == key / window : query - key < window;
		}
	}
	return (double)seen / (double)all;
}

static void windows_leave_what_is_counted(void **state)
{
	static const int seq = 2048;
	int window;

	(void)state;
	for (window = 64; window <= 4 * seq; window *= 2) {
		assert_float_equal(attention_seen(seq, window, false), counted(seq, window, false),
				   0.001);
		assert_float_equal(attention_seen(seq, window, true), counted(seq, window, true),
				   0.001);
	}
	assert_float_equal(attention_seen(seq, 0, false), 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_leave_what_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
