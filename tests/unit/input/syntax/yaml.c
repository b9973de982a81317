#include "unit/input/reading.h"

static void trees(void **state)
{
	static const struct tree_case cases[] = {
		{ "", "null", "" },
		{ "# nothing\n", "null", "" },
		{ "tp: 8\npp: [1, 'a', \"8\"]\n", "{tp: 8, pp: [1, 'a', '8']}", "" },
		{ "a:\n  b:\n    - x\n    - {c: no}\n", "{a: {b: ['x', {c: false}]}}", "" },
		{ "a:\n- 1\n-\n", "{a: [1, null]}", "" },
		{ "a: |\n  x\n   y\nb: >-\n  x\n  y\n", "{a: 'x\n y\n', b: 'x y'}", "" },
		{ "a: !!str 8\nb: !!int '8'\nc: ! 8\n", "{a: '8', b: 8, c: 8}", "" },
		{ "#\t\na: 1 # \t\nb: 'x\ty'\nc: |\n  x\ty\nd: \"#\t\"\n",
		  "{a: 1, b: 'x\ty', c: 'x\ty\n', d: '#\t'}", "" },
		{ "apiVersion: v1\nkind: Job\t\n", "{apiVersion: 'v1', kind: 'Job'}", "" },
		{ "1: x\nyes: y\n", "{1: 'x', yes: 'y'}", "" },
		{ "\xEF\xBB\xBFtp: 8\n", "{tp: 8}", "" },
		{ "tp: 8\r\npp: 2\r\n", "{tp: 8, pp: 2}", "" },
		{ "%YAML 1.1\n---\ntp: 8\n...\n", "{tp: 8}", "" },
		{ "a: &x 8\nb: *x\nc: &x 9\nd: *x\n", "{a: 8, b: 8, c: 9, d: 9}", "" },
		{ "a: &x {b: [1]}\nc: *x\n", "{a: {b: [1]}, c: {b: [1]}}", "" },
		{ "&k tp: 8\n*k : 4\n", "{tp: 4}", "2:1 warning duplicate-key <- 1:4" },
		/* merged members first, own ones win, the first map of a list wins */
		{ "d: &d {tp: 8, pp: 2}\np: {pp: 4, <<: *d, cp: 1}\n",
		  "{d: {tp: 8, pp: 2}, p: {tp: 8, pp: 4, cp: 1}}", "" },
		{ "p: {<<: [{a: 1, b: 1}, {b: 2, c: 2}, {c: 3, d: 3}]}\n",
		  "{p: {c: 2, d: 3, b: 1, a: 1}}", "" },
		{ "p: {<<: {a: 1}, <<: {a: 2, b: 2}}\n", "{p: {a: 2, b: 2}}", "" },
		{ "p: {\"<<\": 1}\n", "{p: {<<: 1}}", "" },
		/* repeated keys keep the first one's place and the last one's value */
		{ "tp: 4\ntp: 4\n", "{tp: 4}", "2:1 note duplicate-key <- 1:1" },
		{ "tp: 8\npp: 2\ntp: 4\n", "{tp: 4, pp: 2}", "3:1 warning duplicate-key <- 1:1" },
		{ "a: {b: 1, 'b': 2, b: 3}\n", "{a: {b: 3}}",
		  "1:11 warning duplicate-key <- 1:5; 1:19 warning duplicate-key <- 1:11" },
		{ "tp: 8\n---\ntp: 4\n", "{tp: 8}", "2:1 error several-documents <- 1:1" },
		{ "tp: 8\n---\n", "{tp: 8}", "2:1 error several-documents <- 1:1" },
		{ "apiVersion: v1\nkind: Job\n---\nkind: Pod\n", "{apiVersion: 'v1', kind: 'Job'}",
		  "" },
	};

	(void)state;
	check_trees(yaml_read, cases, COUNT(cases));
}

static void refuses(void **state)
{
	static const struct tree_case cases[] = {
		{ "a:\n\tb: 1\n", "-", "2:1 error syntax-error" },
		{ "a: 1\t\n", "-", "1:5 error syntax-error" },
		{ "a: b\tc\n", "-", "1:5 error syntax-error" },
		{ "- \ta # \t\n", "-", "1:3 error syntax-error" },
		{ "\xC3\xA9: 'x'\t# c\n", "-", "1:7 error syntax-error" },
		{ "a: [1, 2\nb: 3\n", "-", "2:2 error syntax-error <- 1:4" },
		{ "a: \"x\nb: 3\n", "-", "1:4 error syntax-error" },
		{ "abc\ndef: 1\n", "-", "2:4 error syntax-error" },
		{ "a: 1\n  b: 2\n", "-", "2:4 error syntax-error" },
		{ "\xC3\xA9: \"\xC3\xA9\" x\n", "-", "1:8 error syntax-error <- 1:1" },
		{ "a: *b\n", "-", "1:4 error syntax-error" },
		{ "a: &b [*b]\n", "-", "1:8 error syntax-error <- 1:4" },
		{ "a: &b\n  <<: *b\n", "-", "2:7 error syntax-error <- 1:4" },
		{ "a: {<<: 8}\n", "-", "1:9 error syntax-error" },
		{ "a: {<<: [{}, 8]}\n", "-", "1:14 error syntax-error" },
		{ "? [a]\n: 1\n", "-", "1:3 error syntax-error" },
		{ "a: {{ tp }}\n", "-", "1:5 error syntax-error" },
		{ "a: !!python/object:os.x {}\n", "-", "1:4 error syntax-error" },
		{ "a: !x 1\n", "-", "1:4 error syntax-error" },
		{ "a: !!int x\n", "-", "1:4 error syntax-error" },
		{ "a: \"\\0\"\n", "-", "1:4 error syntax-error" },
		{ "a: \xE9\n", "-", "1:4 error syntax-error" },
		{ "a: \x01\n", "-", "1:4 error syntax-error" },
		{ "a: \xC2\x81\n", "-", "1:4 error syntax-error" },
		{ "a: 1\n<<<<<<< HEAD\nb: 2\n", "-", "2:1 error syntax-error" },
	};

	(void)state;
	check_trees(yaml_read, cases, COUNT(cases));
}

static void places(void **state)
{
	static const char text[] = "tp: 8\n"
				   "'quoted':   \"x y\"  # c\n"
				   "map:\n"
				   "  a: &n 1\n"
				   "  b: *n\n"
				   "  c: {d: [1, 22]}\n"
				   "\xC3\xA9: [\xC3\xA9, {z: w}]\n"
				   "empty:\n"
				   "tag: !!str 8\n"
				   "merged: {<<: {m: 1}}\n";
	static const struct place_case cases[] = {
		{ "tp", "key 1:1-1:3, value 1:5-1:6" },
		{ "quoted", "key 2:1-2:9, value 2:13-2:18" },
		{ "map", "key 3:1-3:4, value 4:3-6:18" },
		{ "map.a", "key 4:3-4:4, value 4:9-4:10" },
		{ "map.b", "key 5:3-5:4, value 5:6-5:8" },
		{ "map.c", "key 6:3-6:4, value 6:6-6:18" },
		{ "map.c.d", "key 6:7-6:8, value 6:10-6:17" },
		{ "\xC3\xA9", "key 7:1-7:2, value 7:4-7:15" },
		{ "empty", "key 8:1-8:6, value 8:7-8:7" },
		{ "tag", "key 9:1-9:4, value 9:12-9:13" },
		{ "merged.m", "key 10:15-10:16, value 10:18-10:19" },
	};

	(void)state;
	check_places(yaml_read, text, cases, COUNT(cases));
}

static void keeps_what_was_written(void **state)
{
	struct reading reading;
	static const char text[] = "a: 1_000\nb: '8'\nc: |\n  x\nd: yes\n";

	(void)state;
	reading_begin(&reading, yaml_read, text, strlen(text));
	assert_string_equal(node_find(reading.root, "a")->text, "1_000");
	assert_false(node_find(reading.root, "a")->quoted);
	assert_true(node_find(reading.root, "b")->quoted);
	assert_true(node_find(reading.root, "c")->quoted);
	assert_string_equal(node_find(reading.root, "d")->text, "yes");
	reading_end(&reading);
}

/* Reads `count` times `part`, with `head` before and `tail` behind; shows the findings. */
static void check_repeated(const char *head, const char *part, size_t count, const char *tail,
			   const char *findings)
{
	struct reading reading;
	struct buf text;

	buf_init(&text);
	buf_text(&text, head);
	while (count--)
		buf_text(&text, part);
	buf_text(&text, tail);
	reading_begin(&reading, yaml_read, text.data, text.length);
	assert_string_equal(reading_findings(&reading), findings);
	reading_end(&reading);
	buf_release(&text);
}

static void limits(void **state)
{
	(void)state;
	check_repeated("", "[", 100, "", "1:101 error syntax-error");
	check_repeated("", "[", 200000, "", "1:101 error too-large");
	check_repeated("", "- ", 200000, "", "1:201 error too-large");
	check_repeated("", "{a: ", 200000, "", "1:401 error too-large");
	check_repeated("", "%TAG !a! b\n", 101, "", "101:1 error too-large");
	check_repeated("a: &a [1]\nb: [", "*a, ", 49999, "]\n", "");
	check_repeated("a: &a [1]\nb: [", "*a, ", 50001, "]\n", "2:200005 error too-large");
	check_repeated("", "a", 1025, ": 1\n", "1:1026 error syntax-error");
	check_repeated("a: &a ", "[", 60, "", "1:67 error syntax-error");
}

/* Each alias is shallow where it is defined, and all of them in each other are not. */
static void counts_depth_through_aliases(void **state)
{
	struct reading reading;
	struct buf text;
	int i;

	(void)state;
	buf_init(&text);
	buf_text(&text, "a0: &a0 [1]\n");
	for (i = 1; i < 200; i++)
		buf_printf(&text, "a%d: &a%d [*a%d]\n", i, i, i - 1);
	reading_begin(&reading, yaml_read, text.data, text.length);
	assert_string_equal(reading_findings(&reading), "100:12 error too-large");
	reading_end(&reading);
	buf_release(&text);
}

static void reports_some_hundred_duplicates(void **state)
{
	struct reading reading;
	struct buf text;
	int i;

	(void)state;
	buf_init(&text);
	for (i = 0; i < 10000; i++)
		buf_text(&text, "a: 1\n");
	reading_begin(&reading, yaml_read, text.data, text.length);
	assert_int_equal(reading.findings.list.count, 200);
	assert_string_equal(reading_tree(&reading), "{a: 1}");
	reading_end(&reading);
	buf_release(&text);
}

static void reads_a_value_in_a_longer_text(void **state)
{
	static const char text[] = "\xC3\xA9.b={c: [1, no]}";
	struct reading reading;

	(void)state;
	reading_begin(&reading, yaml_read, "", 0);
	reading.source = source_new(&reading.arena, "<--set>", text, strlen(text));
	reading.root = yaml_value(&reading.arena, reading.source, 5, &reading.findings);
	assert_string_equal(reading_tree(&reading), "{c: [1, false]}");
	assert_string_equal(reading_place(&reading, "c"), "key 1:6-1:7, value 1:9-1:16");
	reading_end(&reading);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trees),
		cmocka_unit_test(refuses),
		cmocka_unit_test(places),
		cmocka_unit_test(keeps_what_was_written),
		cmocka_unit_test(limits),
		cmocka_unit_test(counts_depth_through_aliases),
		cmocka_unit_test(reports_some_hundred_duplicates),
		cmocka_unit_test(reads_a_value_in_a_longer_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
