#include "framework/stage_layout.h"
#include "wings/megatron/megatron.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

static void layouts_are_counted(void **state)
{
	static const struct {
		const char *text;
		int64_t stages, layers, first, last;
	} cases[] = {
		{ "Et*3|(tt|)*29,m|L", 32, 61, 3, 0 },
		{ "Et|t|t|tL", 4, 4, 1, 1 },
		{ "E,tt|tt|L", 3, 4, 2, 0 },
		{ "((t|)*2t|)*2L", 7, 6, 1, 0 },
		{ "t*4", 1, 4, 4, 4 },
		{ "Et*3|x", 0, 0, 0, 0 },
		{ "(tt|", 0, 0, 0, 0 },
		{ "t*)", 0, 0, 0, 0 },
	};
	int64_t layers[64], total;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const int64_t stages = stage_layout_read(cases[i].text, layers, 64);
		assert_int_equal(stages, cases[i].stages);
		assert_int_equal(stage_layout_read(cases[i].text, NULL, 0), stages);
		if (!stages)
			continue;
		total = 0;
		for (int64_t k = 0; k < stages; k++)
			total += layers[k];
		assert_int_equal(total, cases[i].layers);
		assert_int_equal(layers[0], cases[i].first);
		assert_int_equal(layers[stages - 1], cases[i].last);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(layouts_are_counted) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
