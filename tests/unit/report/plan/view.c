#include "report/plan/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void lists_are_sorted_and_joined(void **state)
{
	static const struct {
		const char *text;
		size_t ranges;
		int64_t first, last, count;
	} cases[] = {
		{ "0", 1, 0, 0, 1 },	 { "0,5-7", 2, 0, 7, 4 },      { "7,5-6,0", 2, 0, 7, 4 },
		{ "3,3,3", 1, 3, 3, 1 }, { "0-7,4-11", 1, 0, 11, 12 }, { "4-5,0-9", 1, 0, 9, 10 },
	};
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rank_list list = { 0 };
		assert_null(rank_list_read(&arena, cases[i].text, &list));
		assert_int_equal(list.ranges.count, cases[i].ranges);
		assert_int_equal(list.ranges.items[0].first, cases[i].first);
		assert_int_equal(list.ranges.items[list.ranges.count - 1].last, cases[i].last);
		assert_int_equal(rank_list_count(&list), cases[i].count);
	}
	arena_release(&arena);
}

static void other_words_are_refused(void **state)
{
	static const char *const words[] = {
		"",
		",",
		"1,",
		"-1",
		"1-",
		"7-5",
		"a",
		"1 2",
		"0x3",
		"+3",
		"1--2",
		"1-2-3",
		"9223372036854775807",
		"99999999999999999999",
	};
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		struct rank_list list = { 0 };
		const char *error = rank_list_read(&arena, words[i], &list);
		if (!error)
			fail_msg("'%s' is read as ranks", words[i]);
	}
	arena_release(&arena);
}

static void views_are_held_against_the_plan(void **state)
{
	struct arena arena;
	struct plan *plan;
	struct plan_view view = { 0 };
	struct mesh mesh = { .name = "dp_shard", .layout = layout_axis(2048, 1) };

	(void)state;
	arena_init(&arena);
	plan = plan_new(&arena, PLAN_APPLIED);
	plan->world = 2048;
	vec_push(&arena, &plan->meshes, mesh);
	assert_null(plan_view_check(&arena, &view, plan));
	assert_false(plan_view_lists(&view, plan));
	view.mesh = "dp_shrad";
	assert_string_equal(plan_view_check(&arena, &view, plan),
			    "there is no mesh 'dp_shrad'; did you mean 'dp_shard'?");
	view.mesh = "fsdp";
	assert_string_equal(plan_view_check(&arena, &view, plan),
			    "there is no mesh 'fsdp'; there are dp_shard");
	view.mesh = NULL;
	assert_null(rank_list_read(&arena, "0,2048", &view.ranks));
	assert_string_equal(plan_view_check(&arena, &view, plan),
			    "there is no rank 2048: the world has ranks 0-2047");
	view.ranks.ranges.count = 0;
	assert_null(rank_list_read(&arena, "0-2047", &view.ranks));
	assert_string_equal(plan_view_check(&arena, &view, plan),
			    "2048 ranks are more than 1024; add --expand to list them all");
	view.expand = true;
	assert_null(plan_view_check(&arena, &view, plan));
	assert_true(plan_view_lists(&view, plan));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_sorted_and_joined),
		cmocka_unit_test(other_words_are_refused),
		cmocka_unit_test(views_are_held_against_the_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
