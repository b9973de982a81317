#include "report/plan/fold.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void layers_alike_are_one_row(void **state)
{
	static const struct {
		int numbers[6], count;
		const char *name;
	} cases[] = {
		{ { 0, 1, 2, 3 }, 4, "layers.0-3.w" }, { { 5 }, 1, "layers.5.w" },
		{ { 5, 9 }, 2, "layers.5,9.w" },       { { 1, 3, 5, 7 }, 4, "layers.1,3,..,7.w" },
		{ { 0, 1, 5 }, 3, "layers.0-1,5.w" },  { { 1, 3, 5 }, 3, "layers.1,3,5.w" },
		{ { 0, 2, 5, 9 }, 4, "layers.*.w" },
	};
	struct arena arena;
	size_t i;
	int j;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fold fold;
		fold_init(&fold, &arena);
		for (j = 0; j < cases[i].count; j++)
			fold_add(&fold, arena_printf(&arena, "layers.%d.w", cases[i].numbers[j]),
				 "", (size_t)j);
		assert_int_equal(fold.rows.count, 1);
		assert_int_equal(fold.rows.items[0].numbers.count, cases[i].count);
		assert_string_equal(fold_name(&arena, &fold.rows.items[0]), cases[i].name);
	}
	arena_release(&arena);
}

static void unlike_names_and_facts_stay_apart(void **state)
{
	struct arena arena;
	struct fold fold;

	(void)state;
	arena_init(&arena);
	fold_init(&fold, &arena);
	fold_add(&fold, "tok_embeddings", "1", 0);
	fold_add(&fold, "layers.0", "9", 1);
	fold_add(&fold, "layers.1", "12", 2);
	fold_add(&fold, "layers.2", "9", 3);
	fold_add(&fold, "layers.3", "12", 4);
	assert_int_equal(fold.rows.count, 3);
	assert_string_equal(fold_name(&arena, &fold.rows.items[0]), "tok_embeddings");
	assert_string_equal(fold_name(&arena, &fold.rows.items[1]), "layers.0,2");
	assert_string_equal(fold_name(&arena, &fold.rows.items[2]), "layers.1,3");
	assert_int_equal(fold.rows.items[2].at, 2);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layers_alike_are_one_row),
		cmocka_unit_test(unlike_names_and_facts_stay_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
