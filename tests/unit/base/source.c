#include "base/source.h"

#include "unit/file_arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define E_ACUTE "\xC3\xA9"

static struct source *make(const char *text)
{
	return source_new(&arena, "x", text, strlen(text));
}

static void check_span(struct span span, uint32_t line, uint32_t column, uint32_t end_line,
		       uint32_t end_column)
{
	assert_int_equal(span.line, line);
	assert_int_equal(span.column, column);
	assert_int_equal(span.end_line, end_line);
	assert_int_equal(span.end_column, end_column);
}

static void splits_lines(void **state)
{
	static const struct {
		const char *text;
		uint32_t line;
		const char *expected;
	} cases[] = {
		{ "", 1, "" },
		{ "a", 1, "a" },
		{ "a\nb", 2, "b" },
		{ "a\r\nb\n", 1, "a" },
		{ "a\r\nb\n", 3, "" },
		{ "a", 2, "" },
		{ "a", 0, "" },
		{ "\xEF\xBB\xBF"
		  "a\n",
		  1, "a" },
	};
	size_t i, length;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *line = source_line(make(cases[i].text), cases[i].line, &length);
		assert_int_equal(length, strlen(cases[i].expected));
		assert_memory_equal(line, cases[i].expected, length);
	}
}

static void finds_places(void **state)
{
	const struct source *source = make("a" E_ACUTE "b\ncd\n");

	(void)state;
	check_span(source_span(source, 0, 1), 1, 1, 1, 2);
	check_span(source_span(source, 3, 4), 1, 3, 1, 4);
	check_span(source_span(source, 4, 6), 1, 4, 2, 2);
	check_span(source_span(source, 8, 99), 3, 1, 3, 1);
	check_span(source_span(source, 6, 5), 2, 2, 2, 2);
	assert_int_equal(source_offset(source, 1, 3), 3);
	assert_int_equal(source_offset(source, 2, 2), 6);
	assert_int_equal(source_offset(source, 9, 1), 8);
}

/* A byte order mark has no column. */
static void skips_the_mark(void **state)
{
	const struct source *source = make("\xEF\xBB\xBF"
					   "ab");

	(void)state;
	check_span(source_span(source, 4, 5), 1, 2, 1, 3);
	assert_int_equal(source_offset(source, 1, 2), 4);
}

static void cursor_agrees_with_spans(void **state)
{
	const struct source *source = make("\xEF\xBB\xBF"
					   "a" E_ACUTE "b\n\ncd" E_ACUTE "\r\ne");
	static const size_t offsets[] = { 3, 15, 7, 4, 8, 13, 3, 0, 14, 6, 9, 12, 99, 3 };
	struct cursor cursor;
	struct span span;
	size_t i;

	(void)state;
	cursor_init(&cursor, source);
	for (i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		size_t index;
		cursor_to_offset(&cursor, offsets[i]);
		span = source_span(source, cursor.offset, cursor.offset);
		assert_int_equal(cursor.line, span.line);
		assert_int_equal(cursor.column, span.column);
		index = cursor.index;
		cursor_to_index(&cursor, 0);
		assert_int_equal(cursor.offset, 3);
		cursor_to_index(&cursor, index);
		assert_int_equal(cursor.line, span.line);
		assert_int_equal(cursor.column, span.column);
		assert_int_equal(cursor.index, index);
	}
	cursor_to_index(&cursor, 1000);
	assert_int_equal(cursor.offset, source->length);
	check_span(cursor_over(&cursor, 9, 11), 3, 1, 3, 3);
}

static void orders_spans(void **state)
{
	const struct source *source = make("ab\ncd");
	struct span none = { 0 }, first = source_span(source, 0, 1),
		    later = source_span(source, 3, 4);

	(void)state;
	assert_true(span_compare(none, first) < 0);
	assert_true(span_compare(first, later) < 0);
	assert_true(span_compare(later, first) > 0);
	assert_int_equal(span_compare(first, first), 0);
	assert_false(span_known(none));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits_lines),	  cmocka_unit_test(finds_places),
		cmocka_unit_test(skips_the_mark), cmocka_unit_test(cursor_agrees_with_spans),
		cmocka_unit_test(orders_spans),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
