#include "report/findings/line_hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Names that hash() of github/codeql-action gives to the lines of these texts. */
static const struct {
	const char *text;
	uint32_t line;
	const char *name; /* NULL: there is none */
} cases[] = {
	{ "", 1, "c129715d7a2bc9a3:1" },
	{ "a", 1, "53b5d4aabe50d64:1" },
	{ "a\nb\n", 1, "81b8d8db678b2bbe:1" },
	{ "a\nb\n", 2, "ade70578248be16f:1" },
	{ "a\nb\n", 3, "c129715d7a2bc9a3:1" },
	{ "a\nb\n", 4, NULL },
	{ "a\nb\n", 0, NULL },
	{ "a\r\nb\r\n", 2, "ade70578248be16f:1" },
	{ "  a\t\nb", 1, "c74339777b6a2c60:1" },
	{ "  a\t\nb", 2, "8ee5a81e681643c1:1" },
	{ "\xC3\xA9\xF0\x9F\x99\x82\n\xEF\xBB\xBF\n", 1, "2cdb47ffc8b6bce6:1" },
	{ "\xC3\xA9\xF0\x9F\x99\x82\n\xEF\xBB\xBF\n", 2, "1194fe0b62aa7e78:1" },
	{ "a\rb\n", 1, NULL },
};

static void lines_have_githubs_names(void **state)
{
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct line_hashes hashes = { .arena = &arena };
		const char *text = cases[i].text;
		const struct source *source = source_new(&arena, "a.yaml", text, strlen(text));
		const char *name = line_hash(&hashes, source, cases[i].line);
		if (!cases[i].name != !name || (name && strcmp(name, cases[i].name) != 0))
			fail_msg("case %zu: %s, not %s", i, name ? name : "none",
				 cases[i].name ? cases[i].name : "none");
	}
	arena_release(&arena);
}

/* 150 lines of "x": each has its own rest of the file in view but those with 100 units ahead. */
static void lines_alike_are_counted(void **state)
{
	struct line_hashes hashes = { 0 };
	const struct source *source;
	struct arena arena;
	char text[300];
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(text); i += 2)
		memcpy(text + i, "x\n", 2);
	hashes.arena = &arena;
	source = source_new(&arena, "a.yaml", text, sizeof(text));
	assert_string_not_equal(line_hash(&hashes, source, 1), line_hash(&hashes, source, 2));
	assert_memory_equal(line_hash(&hashes, source, 1), line_hash(&hashes, source, 101), 8);
	assert_non_null(strstr(line_hash(&hashes, source, 101), ":101"));
	assert_non_null(strstr(line_hash(&hashes, source, 102), ":1"));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_have_githubs_names),
		cmocka_unit_test(lines_alike_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
