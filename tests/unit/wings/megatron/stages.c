#include "framework/stage_layout.h"
#include "wings/megatron/megatron.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

/*
 * As parse_str_to_list reads them (NVIDIA/Megatron-LM@d98e8a64), which was run on all but the last
 * two; 0 stages where it refuses a letter.
 */
static void layouts_are_counted(void **state)
{
	static const struct {
		const char *text;
		int64_t stages, layers, first, last;
	} cases[] = {
		{ "Et*3|(tt|)*29,m|L", 32, 61, 3, 0 },
		{ "Et|t|t|tL", 4, 4, 1, 1 },
		{ "E,tt|tt|L", 3, 4, 2, 0 },
		{ "t*4", 1, 4, 4, 4 },
		{ "E|*3tL", 4, 1, 0, 1 },
		{ "E(t|)*12", 13, 12, 1, 0 },
		{ "Et*0tL", 1, 1, 1, 1 },
		{ "((t|)*2t|)*2L", 0, 0, 0, 0 },
		{ "(t)(t)*2", 0, 0, 0, 0 },
		{ "()*3t", 0, 0, 0, 0 },
		{ "t**2", 0, 0, 0, 0 },
		{ "|*2*3t", 0, 0, 0, 0 },
		{ "E tL", 0, 0, 0, 0 },
		{ "Et*3|x", 0, 0, 0, 0 },
		{ "(tt|", 0, 0, 0, 0 },
		{ "t*)", 0, 0, 0, 0 },
		{ "t*99999999999999999999", 0, 0, 0, 0 },
		{ "((((t*9999)*9999)*9999)*9999)*9999", 0, 0, 0, 0 },
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

static void strangers_are_found(void **state)
{
	char words[STAGE_LAYOUT_MOST];

	(void)state;
	assert_true(stage_layout_write_out("Et|(t)(t)*2,L", words));
	assert_string_equal(words, "Et|(t)ttL");
	assert_ptr_equal(stage_layout_stranger(words), words + 3);
	assert_true(stage_layout_write_out("Et|tL", words));
	assert_null(stage_layout_stranger(words));
	assert_false(stage_layout_write_out("t*16384", words));
	assert_true(stage_layout_write_out("t*16383", words));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(layouts_are_counted),
					    cmocka_unit_test(strangers_are_found) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
