#include "lsp/position.h"
#include "lsp/uri.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* "e" with an accent is one unit of two bytes, a face two units of four. */
static const char text[] = "a\xC3\xA9\xF0\x9F\x98\x80z\r\nb";

static const struct {
	size_t offset;
	uint32_t line, unit;
} places[] = { { 0, 0, 0 }, { 1, 0, 1 },  { 3, 0, 2 }, { 7, 0, 4 },
	       { 8, 0, 5 }, { 10, 1, 0 }, { 11, 1, 1 } };

static void units(void **state)
{
	const struct position outside = { 7, 0 }, behind = { 0, 99 };
	const struct source *source;
	struct position position;
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	source = source_new(&arena, "a.yaml", text, strlen(text));
	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		position = position_of(source, places[i].offset);
		assert_int_equal(position.line, places[i].line);
		assert_int_equal(position.unit, places[i].unit);
		assert_int_equal(position_offset(source, position), places[i].offset);
	}
	assert_int_equal(position_offset(source, outside), strlen(text));
	assert_int_equal(position_offset(source, behind), 8);
	arena_release(&arena);
}

static void uris(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_string_equal(uri_path(&arena, "file:///a%20b/%C3%A9.yaml"), "/a b/\xC3\xA9.yaml");
	assert_string_equal(uri_path(&arena, "file://localhost/a/../b"), "/b");
	assert_string_equal(uri_path(&arena, "file:///100%"), "/100%");
	assert_null(uri_path(&arena, "untitled:Untitled-1"));
	assert_null(uri_path(&arena, "file://host/a"));
	assert_string_equal(uri_of(&arena, "/a b/\xC3\xA9.yaml"), "file:///a%20b/%C3%A9.yaml");
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(units), cmocka_unit_test(uris) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
