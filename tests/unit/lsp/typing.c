#include "lsp/typing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

/* A text with "|" where somebody writes; the map and the key (NULL: it is one) that are found. */
static const struct {
	const char *path, *text, *map, *key;
	bool header;
} cases[] = {
	{ "a.yaml", "|", "", NULL, false },
	{ "a.yaml", "wor|", "", NULL, false },
	{ "a.yaml", "model: ll|", "", "model", false },
	{ "a.yaml", "parallelism:\n  t|", "parallelism", NULL, false },
	{ "a.yaml", "parallelism:\n  tp: 2\n  # no\n\n  |", "parallelism", NULL, false },
	{ "a.yaml", "parallelism: # degrees\n  pipeline:\n    schedule: |", "parallelism.pipeline",
	  "schedule", false },
	{ "a.yaml", "a:\n  b: 1\nc:\n  |", "c", NULL, false },
	{ "a.yaml", "a:\n  - b: |", "a", "b", false },
	{ "a.yaml", "checkpoint: {format: |", "checkpoint", "format", false },
	{ "a.yaml", "checkpoint: {format: x, |", "checkpoint", NULL, false },
	{ "a.toml", "[model]\nname = \"|", "model", "name", false },
	{ "a.toml", "[model]\nname = 1\n\n[par|", "", NULL, true },
	{ "a.toml", "[a.b]\nc = 1\nd|", "a.b", NULL, false },
	{ "a.toml", "x|", "", NULL, false },
	{ "a.json", "{\"a\": {\"b|", "a", NULL, false },
	{ "a.json", "{\"a\": {\"b\": |", "a", "b", false },
	{ "a.json", "{\"a\": {\"b\": [1, 2]}, \"c\": |", "", "c", false },
	{ "a.json", "{\"a\": {\"b\": \"}\\\"{\", \"|", "a", NULL, false },
};

static void written(void **state)
{
	struct typing typing;
	struct arena arena;
	size_t i;
	char *text;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		text = arena_strdup(&arena, cases[i].text);
		*strchr(text, '|') = '\0';
		typing_at(&typing, &arena, cases[i].path, text, strlen(text));
		assert_string_equal(typing.map, cases[i].map);
		assert_int_equal(typing.header, cases[i].header);
		if (cases[i].key)
			assert_string_equal(typing.key, cases[i].key);
		else
			assert_null(typing.key);
	}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(written) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
