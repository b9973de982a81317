#include "draw/marking.h"

#include "subject.h"

#include "base/text.h"

#include <string.h>

static void letters_count_in_base_26_without_zero(void **state)
{
	const struct {
		int64_t index;
		const char *letter;
	} cases[] = { { 0, "A" },   { 25, "Z" },   { 26, "AA" },   { 51, "AZ" },
		      { 52, "BA" }, { 701, "ZZ" }, { 702, "AAA" }, { 18277, "ZZZ" } };
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(group_letter(*state, cases[i].index), cases[i].letter);
}

/* Marks of all ranks, joined by spaces. */
static const char *marks(struct arena *arena, int64_t world, const struct layout *letter,
			 const struct layout *number, const struct layout *asked)
{
	struct marking marking;
	const char *all = "";
	int64_t rank;

	marking_init(&marking, arena, world, letter, number, asked);
	for (rank = 0; rank < world; rank++) {
		struct mark mark = marking_of(&marking, rank);
		all = arena_printf(arena, "%s%s%s", all, rank ? " " : "", mark.text);
		assert_int_equal(mark.changed, strstr(mark.text, "→") != NULL);
	}
	return all;
}

static void groups_are_letters_and_numbers(void **state)
{
	struct layout shard = layout_axis(4, 1), replicate = layout_axis(2, 4);
	struct layout strided = layout_axis(4, 2);

	assert_string_equal(marks(*state, 8, &shard, NULL, NULL), "A A A A B B B B");
	assert_string_equal(marks(*state, 8, &shard, &replicate, NULL), "A0 A1 A2 A3 B0 B1 B2 B3");
	assert_string_equal(marks(*state, 8, &strided, NULL, NULL), "A B A B A B A B");
}

static void groups_are_called_after_what_was_asked(void **state)
{
	struct layout four = layout_axis(4, 1), eight = layout_axis(8, 1), two = layout_axis(2, 4);

	assert_string_equal(marks(*state, 8, &eight, NULL, &four), "A A A A B→A B→A B→A B→A");
	assert_string_equal(marks(*state, 8, &four, NULL, &eight), "A A A A A→B A→B A→B A→B");
	assert_string_equal(marks(*state, 8, &four, NULL, &four), "A A A A B B B B");
	/* other groups of other sizes: each is called after where its first rank was to be */
	assert_string_equal(marks(*state, 8, &two, NULL, &four), "A A→C A→D A→E B→A B→C B→D B→E");
}

static void nobody_is_a_group_each(void **state)
{
	struct layout nobody = { 0 };

	assert_string_equal(marks(*state, 3, &nobody, NULL, NULL), "A B C");
}

static void a_layout_that_does_not_tile_is_left_out(void **state)
{
	struct layout five = layout_axis(5, 1);

	assert_string_equal(marks(*state, 3, &five, NULL, NULL), "  ");
}

static void the_width_holds_every_mark(void **state)
{
	const int64_t worlds[] = { 16, 64, 1024 };
	size_t i;
	int64_t a, b, rank;

	for (i = 0; i < 3; i++)
		for (a = 1; a <= worlds[i]; a *= 2)
			for (b = 1; b <= worlds[i]; b *= 2) {
				struct layout letter = layout_axis(a, worlds[i] / a);
				struct layout asked = layout_axis(b, 1);
				struct marking marking;
				marking_init(&marking, *state, worlds[i], &letter, NULL, &asked);
				for (rank = 0; rank < worlds[i]; rank++) {
					const char *text = marking_of(&marking, rank).text;
					assert_true((int)text_width(text, strlen(text)) <=
						    marking_width(&marking));
				}
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(letters_count_in_base_26_without_zero),
		cmocka_unit_test(groups_are_letters_and_numbers),
		cmocka_unit_test(groups_are_called_after_what_was_asked),
		cmocka_unit_test(nobody_is_a_group_each),
		cmocka_unit_test(a_layout_that_does_not_tile_is_left_out),
		cmocka_unit_test(the_width_holds_every_mark),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
