#include "base/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* One job, asked at growing times. */
static void lines(void **state)
{
	static const struct {
		double seconds;
		size_t done;
		const char *line; /* "" when it is not time */
	} cases[] = {
		{ 0.0, 0, "" },
		{ 0.49, 40, "" },
		{ 0.5, 41, "\r\033[Kparplan: 41 of 100 files\r" },
		{ 0.55, 45, "" },
		{ 0.61, 51, "\r\033[Kparplan: 51 of 100 files\r" },
		{ 9.0, 99, "\r\033[Kparplan: 99 of 100 files\r" },
	};
	struct progress progress = { .total = 100 };
	struct buf out;
	size_t i;

	(void)state;
	buf_init(&out);
	for (i = 0; i < COUNT(cases); i++) {
		buf_clear(&out);
		progress.done = cases[i].done;
		assert_int_equal(progress_line(&progress, cases[i].seconds, &out),
				 *cases[i].line != '\0');
		assert_string_equal(out.data, cases[i].line);
	}
	buf_release(&out);
}

static void erased_only_when_shown(void **state)
{
	struct progress progress = { .total = 2 };
	struct buf out;

	(void)state;
	buf_init(&out);
	progress_erase(&progress, 0.3, &out);
	assert_string_equal(out.data, "");
	progress_erase(&progress, 0.7, &out);
	assert_string_equal(out.data, "\r\033[K");
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(erased_only_when_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
