#include "unit/input/reading.h"

static void trees(void **state)
{
	static const struct tree_case cases[] = {
		{ "", "{}", "" },
		{ "# nothing\n", "{}", "" },
		{ "a = 8\nb = 'x'\nc = \"y\\tz\"\nd = true\ne = 1e-5\n",
		  "{a: 8, b: 'x', c: 'y\tz', d: true, e: 1e-05f}", "" },
		{ "a = 1_000\nb = 0xFF\nc = 0o17\nd = 0b11\ne = -5\nf = inf\n",
		  "{a: 1000, b: 255, c: 15, d: 3, e: -5, f: inff}", "" },
		{ "a = 2025-02-01\nb = 2025-02-01T10:00:00Z\nc = 10:00:00\n",
		  "{a: '2025-02-01', b: '2025-02-01T10:00:00Z', c: '10:00:00'}", "" },
		/* in the order of the file, not of the alphabet */
		{ "z = 1\na = 2\n[y]\nq = 3\nb = 4\n[x]\n", "{z: 1, a: 2, y: {q: 3, b: 4}, x: {}}",
		  "" },
		{ "[a]\nx.y = 1\nx.z = 2\n[a.b]\nc = 3\n", "{a: {x: {y: 1, z: 2}, b: {c: 3}}}",
		  "" },
		{ "[[s]]\nn = 1\n[[s]]\nn = 2\n", "{s: [{n: 1}, {n: 2}]}", "" },
		{ "a = [1, [2, {b = 3}], ]\n", "{a: [1, [2, {b: 3}]]}", "" },
		{ "\"a b\".'c.d' = 1\n", "{a b: {c.d: 1}}", "" },
		{ "a = \"\"\"\nx\ny\"\"\"\n", "{a: 'x\ny'}", "" },
		{ "\xEF\xBB\xBF"
		  "a = 8\r\nb = 2\r\n",
		  "{a: 8, b: 2}", "1:1 error syntax-error" },
		{ "a = \"\"\"x \\\n  \xC3\xB6\"\"\"\n", "{a: 'x \xC3\xB6'}", "" },
	};

	(void)state;
	check_trees(toml_read, cases, COUNT(cases));
}

static void refuses(void **state)
{
	static const struct tree_case cases[] = {
		{ "a = \n", "-", "1:5 error syntax-error" },
		{ "a = 1\na = 2\n", "-", "2:5 error syntax-error" },
		{ "[a]\n[a]\n", "-", "2:1 error syntax-error" },
		{ "a = \"x\n", "-", "1:7 error syntax-error" },
		{ "a = [1,\n", "-", "2:1 error syntax-error" },
		{ "a = True\n", "-", "1:5 error syntax-error" },
		{ "\xC3\xB6 = 1\n", "-", "1:1 error syntax-error" },
		{ "[[[a]]]\n", "-", "1:3 error syntax-error" },
		{ "a = 9223372036854775808\n", "-", "1:24 error syntax-error" },
		{ "a = \"\\u0000\"\n", "-", "1:5 error syntax-error" },
		{ "\"a\\u0000b\" = 1\n", "-", "1:1 error syntax-error" },
		{ "a = \"\xE9\"\n", "-", "1:6 error syntax-error" },
		{ "a = \"\x01\"\n", "-", "1:6 error syntax-error" },
		{ ">>>>>>> x\n<<<<<<< HEAD\n", "-", "2:1 error syntax-error" },
	};

	(void)state;
	check_trees(toml_read, cases, COUNT(cases));
}

static void places(void **state)
{
	static const char text[] = "top = \"\xC3\xA9\xC3\xA9\"  # c\n"
				   "[a]\n"
				   "'q k' = 8\n"
				   "x.y = [1, \"\xC3\xA9\", {z = 0xFF}]\n"
				   "[a.b]\n"
				   "t = 2025-02-01\n"
				   "s = \"\"\"\n"
				   "m\"\"\"\n";
	static const struct place_case cases[] = {
		{ "top", "key 1:1-1:4, value 1:7-1:11" },
		{ "a", "key 2:2-2:3, value 2:1-8:5" },
		{ "a.q k", "key 3:1-3:6, value 3:9-3:10" },
		{ "a.x.y", "key 4:3-4:4, value 4:7-4:27" },
		{ "a.b.t", "key 6:1-6:2, value 6:5-6:15" },
		{ "a.b.s", "key 7:1-7:2, value 7:5-8:5" },
	};

	(void)state;
	check_places(toml_read, text, cases, COUNT(cases));
}

static void keeps_what_was_written(void **state)
{
	static const char text[] = "e = \"\xC3\xA9\"\na = 1_000\nb = 1e-5\nc = '8'\nd = true\n";
	struct reading reading;

	(void)state;
	reading_begin(&reading, toml_read, text, strlen(text));
	assert_string_equal(node_find(reading.root, "a")->text, "1_000");
	assert_true(node_find(reading.root, "a")->number == 1000.0);
	assert_string_equal(node_find(reading.root, "b")->text, "1e-5");
	assert_string_equal(node_find(reading.root, "c")->text, "8");
	assert_true(node_find(reading.root, "c")->quoted);
	assert_string_equal(node_find(reading.root, "d")->text, "true");
	reading_end(&reading);
}

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
	reading_begin(&reading, toml_read, text.data, text.length);
	assert_string_equal(reading_findings(&reading), findings);
	reading_end(&reading);
	buf_release(&text);
}

/* Deep nesting ends before toml++ could run out of stack; dots in strings and comments do not
 * count. */
static void limits(void **state)
{
	(void)state;
	check_repeated("a = ", "[", 200000, "", "1:261 error too-large");
	check_repeated("a = ", "{a = ", 200000, "", "1:1285 error too-large");
	check_repeated("", "a.", 200000, "a = 1\n", "1:202 error too-large");
	check_repeated("[", "a.", 200000, "a]\n", "1:203 error too-large");
	check_repeated("x = {", "a . ", 200000, "a = 1}\n", "1:408 error too-large");
	check_repeated("[", "'a'.", 200000, "a]\n", "1:405 error too-large");
	check_repeated("", "a.", 98, "a = 1\n", "");
	check_repeated("a = '", ".", 1000, "'\n", "");
	check_repeated("a = \"\\\"", ".", 1000, "\"\n", "");
	check_repeated("a = '''", ".\n", 1000, "'''\n", "");
	check_repeated("# ", ".", 1000, "\n", "");
	check_repeated("a = [", "1.5, ", 1000, "]\n", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trees),  cmocka_unit_test(refuses),
		cmocka_unit_test(places), cmocka_unit_test(keeps_what_was_written),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
