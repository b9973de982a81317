#include "report/markdown.h"
#include "report/plain.h"
#include "report/findings/spot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define BAD "\xEF\xBF\xBD"

/* A text, and what becomes of it in lines, on one line, in an element and in an attribute. */
static const struct {
	const char *text, *lines, *line, *element, *attribute;
} cases[] = {
	{ "tp=3", "tp=3", "tp=3", "tp=3", "tp=3" },
	{ "a\r\nb\tc", "a\nb\tc", "a b c", "a&#13;\nb\tc", "a&#13;&#10;b&#9;c" },
	{ " \n\n a ", " \n\n a ", " a ", " \n\n a ", " &#10;&#10; a " },
	{ "<a b=\"&\">]]>", "<a b=\"&\">]]>", "<a b=\"&\">]]>",
	  "&lt;a b=&quot;&amp;&quot;&gt;]]&gt;", "&lt;a b=&quot;&amp;&quot;&gt;]]&gt;" },
	{ "\x1b[31m\x7f", BAD "[31m" BAD, BAD "[31m" BAD, BAD "[31m" BAD, BAD "[31m" BAD },
	{ "\xff\xc3(\xe2\x82", BAD BAD "(" BAD BAD, BAD BAD "(" BAD BAD, BAD BAD "(" BAD BAD,
	  BAD BAD "(" BAD BAD },
	{ "\xc2\x85\xef\xbf\xbf", BAD BAD BAD BAD BAD, BAD BAD BAD BAD BAD, BAD BAD BAD BAD BAD,
	  BAD BAD BAD BAD BAD },
	{ "\xc3\xa9\xf0\x9f\x99\x82", "\xc3\xa9\xf0\x9f\x99\x82", "\xc3\xa9\xf0\x9f\x99\x82",
	  "\xc3\xa9\xf0\x9f\x99\x82", "\xc3\xa9\xf0\x9f\x99\x82" },
};

static void texts_become_plain(void **state)
{
	struct arena arena;
	struct buf out;
	size_t i;

	(void)state;
	arena_init(&arena);
	buf_init(&out);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_string_equal(plain_text(&arena, cases[i].text), cases[i].lines);
		assert_string_equal(plain_line(&arena, cases[i].text), cases[i].line);
		buf_clear(&out);
		plain_xml(&out, cases[i].text, false);
		assert_string_equal(out.data, cases[i].element);
		buf_clear(&out);
		plain_xml(&out, cases[i].text, true);
		assert_string_equal(out.data, cases[i].attribute);
	}
	buf_release(&out);
	arena_release(&arena);
}

static void fences_are_longer_than_what_they_hold(void **state)
{
	static const struct {
		const char *text, *code;
	} codes[] = {
		{ "a", "`a`" },
		{ "a|b\n", "`a\\|b `" },
		{ "a`b", "`` a`b ``" },
		{ "``a`", "``` ``a` ```" },
	};
	struct buf out;
	size_t i;

	(void)state;
	buf_init(&out);
	for (i = 0; i < sizeof(codes) / sizeof(*codes); i++) {
		buf_clear(&out);
		markdown_code(&out, codes[i].text);
		assert_string_equal(out.data, codes[i].code);
	}
	buf_release(&out);
}

static void paths_are_those_of_the_repository(void **state)
{
	char here[4096], below[4200];
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_non_null(getcwd(here, sizeof(here)));
	strcpy(below, here);
	strcat(below, "/plans//a.yaml");
	assert_string_equal(spot_path(&arena, "./plans/a.yaml"), "plans/a.yaml");
	assert_string_equal(spot_path(&arena, "plans/../b/./a.yaml"), "b/a.yaml");
	assert_string_equal(spot_path(&arena, below), "plans/a.yaml");
	assert_string_equal(spot_path(&arena, "/elsewhere/./a.yaml"), "/elsewhere/a.yaml");
	assert_string_equal(spot_path(&arena, "../a.yaml"), "../a.yaml");
	arena_release(&arena);
}

static void columns_count_bytes(void **state)
{
	static const char text[] = "\xEF\xBB\xBFtp: 1\nk\xC3\xA9y: 2\n";
	const struct source *source;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	source = source_new(&arena, "a.yaml", text, strlen(text));
	assert_int_equal(spot_byte_column(source, 1, 1), 4); /* behind the byte order mark */
	assert_int_equal(spot_byte_column(source, 2, 1), 1);
	assert_int_equal(spot_byte_column(source, 2, 3), 4);
	assert_int_equal(spot_byte_column(source, 2, 6), 7);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_become_plain),
		cmocka_unit_test(fences_are_longer_than_what_they_hold),
		cmocka_unit_test(paths_are_those_of_the_repository),
		cmocka_unit_test(columns_count_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
