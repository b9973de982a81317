#include "draw/canvas.h"

#include "subject.h"

static struct canvas of_columns(struct arena *arena, int columns)
{
	struct canvas canvas;

	canvas_init(&canvas, arena, metrics_characters(columns));
	return canvas;
}

static void paragraphs_break_at_spaces(void **state)
{
	const struct {
		const char *text;
		double width;
		int lines;
		const char *first;
	} cases[] = {
		{ "one two three", 80, 1, "one two three" },
		{ "one two three", 9, 2, "one two" },
		{ "one two three", 7, 2, "one two" },
		{ "unbreakable", 4, 3, "unbr" },
		{ "żółć gęś", 4, 2, "żółć" },
		{ "", 10, 0, NULL },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct canvas canvas = of_columns(*state, 80);
		double end =
			canvas_paragraph(&canvas, PART_TEXT, 0, 0, cases[i].width, cases[i].text);
		assert_int_equal((int)end, cases[i].lines);
		assert_int_equal((int)canvas_paragraph_height(&canvas, PART_TEXT, cases[i].width,
							      cases[i].text),
				 cases[i].lines);
		if (cases[i].first)
			assert_string_equal(canvas.shapes.items[0].text, cases[i].first);
	}
}

static void clipping_marks_what_is_missing(void **state)
{
	struct canvas canvas = of_columns(*state, 80);

	assert_string_equal(canvas_clip(&canvas, PART_TEXT, 5, "short"), "short");
	assert_string_equal(canvas_clip(&canvas, PART_TEXT, 5, "longer"), "long…");
	assert_string_equal(canvas_clip(&canvas, PART_TEXT, 3, "żółć"), "żó…");
}

static void the_canvas_grows_with_its_shapes(void **state)
{
	struct canvas canvas;

	canvas_init(&canvas, *state, metrics_pixels);
	canvas_rectangle(&canvas, PART_CELL, 0, 10, 20, 30, 40, NULL);
	assert_int_equal((int)canvas.width, 40 + 28);
	assert_int_equal((int)canvas.height, 60 + 28);
	canvas_arc(&canvas, PART_THIN_LINK, -1, 0, 60, 100, 60, 16);
	assert_int_equal((int)canvas.width, 100 + 28);
	assert_int_equal((int)canvas.height, 76 + 28);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paragraphs_break_at_spaces),
		cmocka_unit_test(clipping_marks_what_is_missing),
		cmocka_unit_test(the_canvas_grows_with_its_shapes),
	};

	return cmocka_run_group_tests(tests, open_arena, close_arena);
}
