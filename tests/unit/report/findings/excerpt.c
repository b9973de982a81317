#include "report/findings/excerpt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct rule_id rule = { .name = "test-rule", .severity = SEVERITY_ERROR };

/* One excerpt of `text` with the bytes [start, end) marked and, when `also` is set, [first, last).
 */
static const struct excerpt_case {
	const char *text;
	size_t start, end;
	const char *also;
	size_t first, last;
	int columns;
	const char *want;
} excerpts[] = {
	{ "a = 1\nshard = 2\n", 14, 15, NULL, 0, 0, 80,
	  "  |\n"
	  "2 | shard = 2\n"
	  "  |         ^\n" },
	/* an empty span still has one caret */
	{ "tp:", 3, 3, NULL, 0, 0, 80,
	  "  |\n"
	  "1 | tp:\n"
	  "  |    ^\n" },
	/* related in the next line, and far away */
	{ "dp: 2\ntp: 4\n", 10, 11, "dp=2", 4, 5, 80,
	  "  |\n"
	  "1 | dp: 2\n"
	  "  |     - dp=2\n"
	  "2 | tp: 4\n"
	  "  |     ^\n" },
	{ "dp: 2\n\n\ntp: 4\n", 12, 13, "dp=2", 4, 5, 80,
	  "  |\n"
	  "1 | dp: 2\n"
	  "  |     - dp=2\n"
	  "...\n"
	  "4 | tp: 4\n"
	  "  |     ^\n" },
	/* tabs stand at stops of eight, in both lines */
	{ "\ttp\t= 8\n", 6, 7, NULL, 0, 0, 80,
	  "  |\n"
	  "1 |         tp      = 8\n"
	  "  |                   ^\n" },
	/* wide characters take two columns, combining ones none */
	{ "k = \"\xE6\x97\xA5\xE6\x9C\xAC\" # x\n", 15, 16, NULL, 0, 0, 80,
	  "  |\n"
	  "1 | k = \"\xE6\x97\xA5\xE6\x9C\xAC\" # x\n"
	  "  |              ^\n" },
	{ "e\xCC\x81=1\n", 4, 5, NULL, 0, 0, 80,
	  "  |\n"
	  "1 | e\xCC\x81=1\n"
	  "  |   ^\n" },
	/* control characters and broken UTF-8 never reach the terminal */
	{ "a\x1B[31m\xFF b\n", 7, 9, NULL, 0, 0, 80,
	  "  |\n"
	  "1 | a?[31m\xEF\xBF\xBD b\n"
	  "  |        ^^\n" },
	/* a long line is cut around the mark */
	{ "0123456789012345678901234567890123456789x = 1; 0123456789012345678901234567890", 40, 41,
	  NULL, 0, 0, 40,
	  "  |\n"
	  "1 | ...567890123456789x = 1; 01234567...\n"
	  "  |                   ^\n" },
	/* a span over several lines is marked to the end of its first */
	{ "a: [1,\n  2]\n", 3, 11, NULL, 0, 0, 80,
	  "  |\n"
	  "1 | a: [1,\n"
	  "  |    ^^^\n" },
};

static void excerpts_mark_what_they_should(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(excerpts) / sizeof(*excerpts); i++) {
		const struct excerpt_case *c = &excerpts[i];
		struct style style = { false, c->columns };
		struct findings findings;
		struct finding *finding;
		struct source *source;
		struct arena arena;
		struct buf out;

		arena_init(&arena);
		buf_init(&out);
		findings_init(&findings, &arena);
		source = source_new(&arena, "x", c->text, strlen(c->text));
		finding = finding_add(&findings, &rule, source_span(source, c->start, c->end), "m");
		if (c->also)
			finding_relate(&findings, finding, source_span(source, c->first, c->last),
				       "%s", c->also);
		excerpt_write(&arena, finding, &style, &out);
		assert_string_equal(out.data, c->want);
		buf_release(&out);
		arena_release(&arena);
	}
}

static void edits_are_shown_as_a_diff(void **state)
{
	static const char text[] = "a: 1\nb: [x]\nc: 3\n";
	const struct style style = { false, 80 };
	struct findings findings;
	struct finding *finding;
	struct source *source;
	struct arena arena;
	struct buf out;

	(void)state;
	arena_init(&arena);
	buf_init(&out);
	findings_init(&findings, &arena);
	source = source_new(&arena, "x", text, strlen(text));
	finding = finding_add(&findings, &rule, source_span(source, 3, 4), "m");
	finding_edit(&findings, finding, source_span(source, 3, 4), "16");
	finding_edit(&findings, finding, source_span(source, 10, 10), ", y");
	excerpt_edits(&arena, finding, &style, &out);
	assert_string_equal(out.data, "1 - a: 1\n1 + a: 16\n2 - b: [x]\n2 + b: [x, y]\n");
	buf_release(&out);
	arena_release(&arena);
}

static void nowhere_has_no_excerpt(void **state)
{
	const struct style style = { false, 80 };
	struct span nowhere = { 0 };
	struct findings findings;
	struct arena arena;
	struct buf out;

	(void)state;
	arena_init(&arena);
	buf_init(&out);
	findings_init(&findings, &arena);
	excerpt_write(&arena, finding_add(&findings, &rule, nowhere, "m"), &style, &out);
	assert_string_equal(out.data, "");
	buf_release(&out);
	arena_release(&arena);
}

static const struct {
	const char *text;
	int used, indent, columns;
	const char *want;
} wraps[] = {
	{ "one two three", 0, 2, 80, "one two three" },
	{ "one two three", 0, 2, 8, "one two\n  three" },
	{ "one two three", 4, 2, 8, "one\n  two\n  three" },
	{ "averyverylongword x", 0, 0, 8, "averyverylongword\nx" },
	{ "a\n\nb", 0, 2, 80, "a\n\n  b" },
	{ "trailing   ", 0, 0, 80, "trailing" },
	{ "\xE6\x97\xA5\xE6\x97\xA5 \xE6\x97\xA5", 0, 0, 6,
	  "\xE6\x97\xA5\xE6\x97\xA5\n\xE6\x97\xA5" },
};

static void text_wraps_between_words(void **state)
{
	struct buf out;
	size_t i;

	(void)state;
	buf_init(&out);
	for (i = 0; i < sizeof(wraps) / sizeof(*wraps); i++) {
		buf_clear(&out);
		wrap_text(&out, wraps[i].text, wraps[i].used, wraps[i].indent, wraps[i].columns);
		assert_string_equal(out.data, wraps[i].want);
	}
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(excerpts_mark_what_they_should),
		cmocka_unit_test(edits_are_shown_as_a_diff),
		cmocka_unit_test(nowhere_has_no_excerpt),
		cmocka_unit_test(text_wraps_between_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
