/* Texts read a piece at a time: lines, and the pieces of a JSON object. */
#include "base/stream.h"

#include "base/json_pieces.h"
#include "unit/file_arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* All lines, each in brackets. */
static const char *lines_of(struct text_stream *stream)
{
	const char *text, *all = "";
	size_t length;

	while (stream_line(stream, &text, &length))
		all = arena_printf(&arena, "%s[%s]", all, arena_strndup(&arena, text, length));
	return all;
}

/* Lines in parts of three bytes: those that end a line in brackets, others in braces. */
static void parts(void **state)
{
	static const struct {
		const char *text, *parts;
		size_t lines;
	} cases[] = {
		{ "", "", 0 },
		{ "\n", "[]", 1 },
		{ "ab\n", "[ab]", 1 },
		{ "abc\n", "[abc]", 1 },
		{ "abcd\n", "{abc}[d]", 1 },
		{ "abcdef\nx", "{abc}[def][x]", 2 },
	};
	struct text_stream stream;
	const char *text, *all;
	size_t i, length;
	bool ends;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		stream_of(&stream, &arena, cases[i].text, strlen(cases[i].text));
		for (all = ""; stream_part(&stream, 3, &text, &length, &ends);)
			all = arena_printf(&arena, ends ? "%s[%.*s]" : "%s{%.*s}", all, (int)length,
					   text);
		assert_string_equal(all, cases[i].parts);
		assert_int_equal(stream.line, cases[i].lines);
	}
}

static void lines(void **state)
{
	static const struct {
		const char *text, *lines;
	} cases[] = {
		{ "", "" },
		{ "\n", "[]" },
		{ "a", "[a]" },
		{ "a\n", "[a]" },
		{ "a\r\nb\n\nc", "[a][b][][c]" },
	};
	struct text_stream stream;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		stream_of(&stream, &arena, cases[i].text, strlen(cases[i].text));
		assert_string_equal(lines_of(&stream), cases[i].lines);
	}
}

/* A file of many windows: what is read is what was written, a line that is too long is cut. */
static void files(void **state)
{
	char path[] = "/tmp/parplan-stream-XXXXXX";
	const size_t long_line = (size_t)STREAM_PIECE + 1000;
	FILE *file = fdopen(mkstemp(path), "w");
	struct text_stream stream;
	const char *text;
	size_t length, i;
	char want[64];

	(void)state;
	assert_non_null(file);
	for (i = 0; i < 20000; i++)
		fprintf(file, "line %zu of the file\n", i);
	for (i = 0; i < long_line; i++)
		fputc('x', file);
	fprintf(file, "\nthe last");
	fclose(file);
	assert_null(stream_open(&stream, &arena, path));
	assert_true(strstr(stream_head(&stream), "line 0 of the file\nline 1 ") != NULL);
	for (i = 0; i < 20000; i++) {
		snprintf(want, sizeof(want), "line %zu of the file", i);
		assert_true(stream_line(&stream, &text, &length));
		assert_int_equal(length, strlen(want));
		assert_memory_equal(text, want, length);
	}
	assert_true(stream_line(&stream, &text, &length));
	assert_int_equal(length, STREAM_PIECE);
	assert_true(stream_line(&stream, &text, &length));
	assert_int_equal(length, 8);
	assert_memory_equal(text, "the last", 8);
	assert_false(stream_line(&stream, &text, &length));
	stream_close(&stream);
	assert_string_equal(stream_open(&stream, &arena, "/tmp"), "Is a directory");
	unlink(path);
	assert_non_null(stream_open(&stream, &arena, path));
}

static void rests(void **state)
{
	struct text_stream stream;
	size_t length;

	(void)state;
	stream_of(&stream, &arena, "a\nbcd", 5);
	assert_null(stream_rest(&stream, 4, &length));
	assert_string_equal(stream_rest(&stream, 5, &length), "a\nbcd");
	assert_int_equal(length, 5);
}

static const char *pieces_of(const char *text)
{
	struct json_pieces pieces;
	struct json_piece piece;
	struct text_stream stream;
	const char *all = "";

	stream_of(&stream, &arena, text, strlen(text));
	json_pieces_open(&pieces, &stream);
	while (json_pieces_next(&pieces, &piece))
		all = arena_printf(&arena, "%s%s%s<%s>", all, piece.key, piece.item ? "[]" : "",
				   arena_strndup(&arena, piece.text, piece.length));
	return pieces.broken ? arena_printf(&arena, "%s broken", all) : all;
}

static void pieces(void **state)
{
	static const struct {
		const char *text, *pieces;
	} cases[] = {
		{ "{}", "" },
		{ " { \"a\" : 1 , \"b\": \"x,}\" }", "a<1>b<\"x,}\">" },
		{ "{\"l\":[1, {\"a\":[2]},[],\"]\"],\"m\":{\"x\":[1]}}",
		  "l[]<1>l[]<{\"a\":[2]}>l[]<[]>l[]<\"]\">m<{\"x\":[1]}>" },
		{ "{\"l\":[]}", "" },
		{ "{\"a\":\"\\\"}\",\"b\":null}", "a<\"\\\"}\">b<null>" },
		/* What is wrong inside a piece stays there. */
		{ "{\"l\":[{\"a\": ,},{\"b\":1}]}", "l[]<{\"a\": ,}>l[]<{\"b\":1}>" },
		{ "{\"l\":[{\"a\":\"b\"c\"\n},\n{\"b\":1}]}",
		  "l[]<{\"a\":\"b\"c\"\n}>l[]<{\"b\":1}>" },
		{ "", " broken" },
		{ "[1]", " broken" },
		{ "{\"a\":1", " broken" },
		{ "{\"l\":[{\"a\":1},{\"b\"", "l[]<{\"a\":1}> broken" },
		{ "{\"a\" 1}", " broken" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(pieces_of(cases[i].text), cases[i].pieces);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lines, begin, end),
		cmocka_unit_test_setup_teardown(parts, begin, end),
		cmocka_unit_test_setup_teardown(files, begin, end),
		cmocka_unit_test_setup_teardown(rests, begin, end),
		cmocka_unit_test_setup_teardown(pieces, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
