#include "input/suppress.h"

#include "reading.h"

/* Suppressions as "rule@line", 0 for the whole file. */
static const struct {
	const char *text, *suppressions, *findings;
} cases[] = {
	{ "tp: 8\n", "", "" },
	{ "tp: 8 # parplan: ignore=a-rule\n", "a-rule@1", "" },
	{ "tp: 8 # parplan: ignore=a,b , c -- because\n", "a@1 b@1 c@1", "" },
	{ "tp: 8 # parplan:ignore=a\n", "a@1", "" },
	{ "# parplan: ignore=a\ntp: 8\n", "a@2", "" },
	{ "x:\n  # parplan: ignore=a\n\n  # more\n  tp: 8\n", "a@5", "" },
	{ "# parplan: ignore=a\n# parplan: ignore=b\ntp: 8\n", "a@3 b@3", "" },
	{ "tp: 8\n# parplan: ignore=a", "a@2", "" },
	{ "# parplan: ignore-file=a,b\ntp: 8\n", "a@0 b@0", "" },
	{ "tp: 8 # why # parplan: ignore=a\r\n", "a@1", "" },
	{ "tp: 8 # parplan: ignore\n", "", "1:7 warning bad-suppression" },
	{ "tp: 8 # parplan: ignore=\n", "", "1:7 warning bad-suppression" },
	{ "tp: 8 # parplan: disable=a\n", "", "1:7 warning bad-suppression" },
	{ "tp: 8 # parplan: ignore=a,\n", "a@1", "" },
	{ "tp: '#parplan: ignore=a'\n", "", "" },
	{ "tp: 8 # parplan: expect a=1\n", "", "" },
	{ "tp: 8 # parplan: expect \n", "", "1:7 warning bad-suppression" },
	{ "tp: 8 # parplan: expected a=1\n", "", "1:7 warning bad-suppression" },
	{ "tp: 'x# parplan: ignore=a'\n", "", "" },
};

static const char *show(struct reading *reading, const struct document *document)
{
	size_t i;

	buf_clear(&reading->out);
	for (i = 0; i < document->suppressions.count; i++)
		buf_printf(&reading->out, "%s%s@%u", i ? " " : "",
			   document->suppressions.items[i].rule,
			   document->suppressions.items[i].line);
	return reading->out.data;
}

static void reads_comments(void **state)
{
	struct reading reading;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		struct document document = { 0 };
		reading_begin(&reading, yaml_read, cases[i].text, strlen(cases[i].text));
		document.arena = &reading.arena;
		document.source =
			source_new(&reading.arena, "x", cases[i].text, strlen(cases[i].text));
		suppress_read(&document, &reading.findings);
		assert_string_equal(show(&reading, &document), cases[i].suppressions);
		assert_string_equal(reading_findings(&reading), cases[i].findings);
		reading_end(&reading);
	}
}

static void points_at_the_rule(void **state)
{
	static const char text[] = "\xC3\xA9: 8 # parplan: ignore=a, bc\n";
	struct document document = { 0 };
	struct reading reading;

	(void)state;
	reading_begin(&reading, yaml_read, text, strlen(text));
	document.arena = &reading.arena;
	document.source = source_new(&reading.arena, "x", text, strlen(text));
	suppress_read(&document, &reading.findings);
	assert_int_equal(document.suppressions.count, 2);
	assert_int_equal(document.suppressions.items[1].span.column, 27);
	assert_int_equal(document.suppressions.items[1].span.end_column, 29);
	assert_false(document.suppressions.items[1].used);
	reading_end(&reading);
}

static void reads_expectations(void **state)
{
	static const char text[] =
		"\xC3\xA9: 8 # parplan: expect  a.b= c d \r\n# parplan: expect x=1";
	struct document document = { 0 };
	struct reading reading;

	(void)state;
	reading_begin(&reading, yaml_read, text, strlen(text));
	document.arena = &reading.arena;
	document.source = source_new(&reading.arena, "x", text, strlen(text));
	suppress_read(&document, &reading.findings);
	assert_int_equal(reading.findings.list.count, 0);
	assert_int_equal(document.expectations.count, 2);
	assert_string_equal(document.expectations.items[0].text, "a.b= c d");
	assert_int_equal(document.expectations.items[0].span.line, 1);
	assert_int_equal(document.expectations.items[0].span.column, 25);
	assert_int_equal(document.expectations.items[0].span.end_column, 33);
	assert_string_equal(document.expectations.items[1].text, "x=1");
	reading_end(&reading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_comments),
		cmocka_unit_test(points_at_the_rule),
		cmocka_unit_test(reads_expectations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
