#include "base/pickle.h"

#include "base/io.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const shapes[] = { "shapes.*", NULL };
static const struct pickle_rules rules = { .allowed = shapes };

/* testdata/pickle is written by tests/dcp/hostile.py. */
static const char *read_file(struct pickle_value *root, struct arena *arena, const char *name)
{
	struct io_text file =
		io_read(arena, arena_printf(arena, "testdata/pickle/%s", name), 1 << 20);

	if (!file.text)
		fail_msg("%s: %s", name, file.error);
	return pickle_read(root, arena, &rules, file.text, file.length);
}

static void reads_all_protocols(void **state)
{
	static const char format[] =
		"{'none': None, 'flags': [True, False], 'ints': (0, 255, 256, -1, 65536, "
		"-2147483648, 1099511627776, 9223372036854775807, -9223372036854775808), "
		"'big': [%s], 'floats': [0.5, -1.0000000000000001e+300, inf], "
		"'text': 'caf\\xc3\\xa9 \\xe4\\xb8\\x96 \\\\ \\' \\x0a \\xf0\\x9f\\x98\\x80', "
		"'empty': ([], (), {}, ''), 'one': (1,), 'shared': [['twice'], ['twice']], "
		"'loop': [[[[...]]]], 'point': shapes.Point(%s) with {'x': 1, 'y': 'two'}, "
		"'bag': shapes.Bag(%s with {'note': 'outside'}, 'long text': '%s', "
		"7: 'number as key'%s%s}";
	char name[] = "values.p0", length[301];

	(void)state;
	memset(length, 'x', 300);
	length[300] = '\0';
	for (; name[8] < '6'; name[8]++) {
		bool lines = name[8] < '2';
		struct pickle_value root;
		struct arena arena;
		const char *error;
		struct buf out;

		arena_init(&arena);
		buf_init(&out);
		error = read_file(&root, &arena, name);
		if (error)
			fail_msg("%s: %s", name, error);
		pickle_print(&out, &root, 4, 4000);
		assert_string_equal(
			out.data,
			arena_printf(&arena, format,
				     lines ? "9223372036854775808, -1180591620717411303424"
					   : "0x8000000000000000, -0x400000000000000000",
				     lines ? "__builtin__.object, None" : "",
				     lines ? "__builtin__.dict, {'inside': 1})" : "){'inside': 1}",
				     length, name[8] < '3' ? "" : ", 'bytes': b'\\x00\\xff\\''",
				     name[8] < '4' ? "" : ", 'sets': [{5}, {6}]"));
		buf_release(&out);
		arena_release(&arena);
	}
}

static void refuses(void **state)
{
#define CUT  ": the pickle is cut short or damaged"
#define CODE ": parplan never runs code of a pickle; refused"
	static const struct {
		const char *name, *error;
	} cases[] = {
		{ "append-to-number", "byte 6: APPEND adds to what takes no such items" },
		{ "bad-escape", "byte 0: the line of STRING cannot be read" },
		{ "bad-float", "byte 0: the line of FLOAT cannot be read" },
		{ "bad-int", "byte 0: the line of INT cannot be read" },
		{ "bad-string", "byte 0: the line of STRING cannot be read" },
		{ "bad-unicode", "byte 0: the line of UNICODE cannot be read" },
		{ "below-mark", "byte 5: REDUCE needs 2 on its stack and finds 0" },
		{ "call-of-number", "byte 5: REDUCE calls what is no class or function" },
		{ "call-with-list", "byte 19: REDUCE calls shapes.Point with what is no tuple of "
				    "arguments" },
		{ "empty", "it is empty" },
		{ "eval", "byte 18: names builtins.eval" CODE },
		{ "extension", "byte 2: EXT1 takes a value from outside of the pickle; refused" },
		{ "frame-long", "byte 2: FRAME wants 1099511627776 bytes and finds 2" CUT },
		{ "global-call", "byte 2: names os.system" CODE },
		{ "inst-call", "byte 9: names os.system" CODE },
		{ "length-4", "byte 2: BINUNICODE wants 4294967295 bytes and finds 4" CUT },
		{ "length-8",
		  "byte 2: BINUNICODE8 wants 9223372036854775808 bytes and finds 4" CUT },
		{ "length-long", "byte 2: LONG4 wants 4294967295 bytes and finds 1" CUT },
		{ "memo-far", "byte 3: LONG_BINPUT stores value 4294967295 of the memo, which has "
			      "seen 0" },
		{ "memo-hole",
		  "byte 5: BINGET asks for value 3 of the memo, which was never stored" },
		{ "memo-line", "byte 1: the line of PUT cannot be read" },
		{ "memo-unset",
		  "byte 2: BINGET asks for value 7 of the memo, which was never stored" },
		{ "name-of-no-text", "byte 6: STACK_GLOBAL names a class by what is no text" },
		{ "name-with-escape", "byte 16: STACK_GLOBAL names no class that Python could "
				      "have" },
		{ "newobj-call", "byte 2: names os.system" CODE },
		{ "no-mark", "byte 3: APPENDS ends a group that was never begun" },
		{ "no-pickle",
		  "byte 0: 0x7b is no opcode of a pickle: this is another kind of file" },
		{ "nothing-to-stop", "byte 2: STOP needs 1 on its stack and finds 0" },
		{ "obj-call", "byte 1: names os.system" CODE },
		{ "odd-dict", "byte 9: SETITEMS has a key without a value" },
		{ "odd-group", "byte 2: DICT has a key without a value" },
		{ "out-of-band",
		  "byte 2: NEXT_BUFFER takes a value from outside of the pickle; refused" },
		{ "pairs-in-list", "byte 8: SETITEMS adds to what takes no such items" },
		{ "persistent", "byte 0: PERSID points outside of the pickle; refused" },
		{ "persistent-binary", "byte 6: BINPERSID points outside of the pickle; refused" },
		{ "protocol-9", "byte 0: protocol 9 is newer than 5, the last one known" },
		{ "stack-global-call", "byte 17: names posix.system" CODE },
		{ "state-of-list", "byte 4: BUILD gives a state to what is no object" },
		{ "torch-look-alike", "byte 20: names shapesque.Point" CODE },
		{ "truncated", "byte 9: the pickle ends without STOP: it is cut short or "
			       "damaged" },
		{ "truncated-line", "byte 0: the line of INT has no end" CUT },
		{ "truncated-text", "byte 2: SHORT_BINUNICODE wants 5 bytes and finds 2" CUT },
		{ "unknown-opcode", "byte 3: 0xff is no opcode of a pickle: it is damaged" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		struct pickle_value root;
		struct arena arena;
		const char *error;

		arena_init(&arena);
		error = read_file(&root, &arena, arena_printf(&arena, "%s.pickle", cases[i].name));
		if (!error || strcmp(error, cases[i].error) != 0)
			fail_msg("%s: %s", cases[i].name, error ? error : "was read");
		arena_release(&arena);
	}
}

/* What stands for more values than memory could hold is printed up to a limit. */
static void bounds_printing(void **state)
{
	static const struct {
		const char *name, *text;
	} cases[] = {
		{ "deep", "[[[...]]]" },
		{ "loop", "[[[...]]]" },
		{ "list-bomb", "[[[...], [...]], [[...], [...]]]" },
		{ "dict-bomb", "{'a': {'a': {...}, 'b': {...}}, 'b': {'a': ...}}" },
		{ "dup-bomb", "[None, None, None, None, None, None, None, ...]" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		struct pickle_value root;
		struct arena arena;
		const char *error;
		struct buf out;

		arena_init(&arena);
		buf_init(&out);
		error = read_file(&root, &arena, arena_printf(&arena, "%s.pickle", cases[i].name));
		if (error)
			fail_msg("%s: %s", cases[i].name, error);
		pickle_print(&out, &root, 2, 40);
		assert_string_equal(out.data, cases[i].text);
		buf_release(&out);
		arena_release(&arena);
	}
}

/* Dicts, objects and strings as the readers of formats use them. */
static void finds_members(void **state)
{
	static const char twice[] = "\x80\x04}(\x8c\1aK\1\x8c\1aK\2u.",
			  nul[] = "\x80\x04\x8c\3a\0b.", id[] = "Pabc\n.";
	static const struct pickle_rules open = { .persistent_ids = true };
	const struct pickle_value *point, *items;
	struct pickle_value root;
	struct arena arena;
	size_t count;

	(void)state;
	arena_init(&arena);
	assert_null(read_file(&root, &arena, "values.p4"));
	point = pickle_member(&root, "point");
	assert_true(pickle_is(point, "shapes.Point"));
	assert_false(pickle_is(point, "shapes.Poin"));
	assert_int_equal(pickle_member(point, "x")->as.integer, 1);
	assert_string_equal(pickle_string(&arena, pickle_member(point, "y")), "two");
	assert_null(pickle_member(point, "z"));
	assert_null(pickle_string(&arena, pickle_member(point, "x")));
	assert_int_equal(pickle_member(pickle_member(&root, "bag"), "note")->kind, PICKLE_STRING);
	items = pickle_items(pickle_member(&root, "ints"), &count);
	assert_int_equal(count, 9);
	assert_int_equal(items[8].as.integer, INT64_MIN);
	pickle_items(pickle_member(&root, "none"), &count);
	assert_int_equal(count, 0);

	assert_null(pickle_read(&root, &arena, &rules, twice, sizeof(twice) - 1));
	assert_int_equal(pickle_member(&root, "a")->as.integer, 2);
	assert_null(pickle_read(&root, &arena, &rules, nul, sizeof(nul) - 1));
	assert_null(pickle_string(&arena, &root));
	assert_null(pickle_read(&root, &arena, &open, id, sizeof(id) - 1));
	assert_true(pickle_is(&root, "persistent id"));
	arena_release(&arena);
}

/* Opcodes that pickle.dumps writes of no value of testdata/pickle, by hand after
 * Lib/pickletools.py. */
static void reads_rare_opcodes(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
		const char *printed;
	} cases[] = {
#define BYTES(text) text, sizeof(text) - 1
		{ BYTES("\x80\5\x96\3\0\0\0\0\0\0\0abc."), "b'abc'" },
		{ BYTES("\x80\4\x8E\2\0\0\0\0\0\0\0xy."), "b'xy'" },
		{ BYTES("\x80\4\x8D\2\0\0\0\0\0\0\0xy."), "'xy'" },
		{ BYTES("\x80\4\x95\2\0\0\0\0\0\0\0K\7."), "7" },
		{ BYTES("(I1\nI2\nl."), "[1, 2]" },
		{ BYTES("(I1\nI2\nt."), "(1, 2)" },
		{ BYTES("(I1\nI2\nd."), "{1: 2}" },
		{ BYTES("]I1\na."), "[1]" },
		{ BYTES("}I1\nI2\ns."), "{1: 2}" },
		{ BYTES("}(I1\nI2\nu."), "{1: 2}" },
		{ BYTES("K\1K\2\x86."), "(1, 2)" },
		{ BYTES("K\1K\2K\3\x87."), "(1, 2, 3)" },
		{ BYTES("K\1K\0020."), "1" },
		{ BYTES("K\0012\x86."), "(1, 1)" },
		{ BYTES("M\1\2."), "513" },
		{ BYTES("J\376\377\377\377."), "-2" },
		{ BYTES("\x8A\1\377."), "-1" },
		{ BYTES("\x8B\2\0\0\0\0\1."), "256" },
		{ BYTES("G?\340\0\0\0\0\0\0."), "0.5" },
		{ BYTES("F0.5\n."), "0.5" },
		{ BYTES("L12L\n."), "12" },
		{ BYTES("\x88."), "True" },
		{ BYTES("\x89."), "False" },
		{ BYTES("N."), "None" },
#undef BYTES
	};
	struct pickle_value root;
	struct arena arena;
	struct buf out;
	const char *error;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		arena_init(&arena);
		buf_init(&out);
		error = pickle_read(&root, &arena, &rules, cases[i].bytes, cases[i].length);
		if (error)
			fail_msg("%s, not %s", error, cases[i].printed);
		pickle_print(&out, &root, 4, 100);
		assert_string_equal(out.data, cases[i].printed);
		buf_release(&out);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_all_protocols), cmocka_unit_test(refuses),
		cmocka_unit_test(bounds_printing),     cmocka_unit_test(finds_members),
		cmocka_unit_test(reads_rare_opcodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
