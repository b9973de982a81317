#include "cli/opt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct request {
	bool expand;
	const char *format;
	int64_t world;
	struct texts sets;
};

static const struct opt options[] = {
	{ OPT_FLAG, 0, "expand", NULL, NULL, "", offsetof(struct request, expand) },
	{ OPT_TEXT, 'f', "format", "FORMAT", "text|json", "", offsetof(struct request, format) },
	{ OPT_COUNT, 0, "world", "N", NULL, "", offsetof(struct request, world) },
	{ OPT_TEXTS, 0, "set", "KEY=VALUE", NULL, "", offsetof(struct request, sets) },
	{ OPT_END, 0, NULL, NULL, NULL, NULL, 0 },
};

/* Splits a line at blanks and parses it; the words live as long as the arena. */
static const char *parse(struct arena *arena, const char *line, struct request *request,
			 struct operands *operands)
{
	char *words[16], *at = arena_strdup(arena, line);
	int count = 0;

	memset(request, 0, sizeof(*request));
	while (*at) {
		words[count++] = at;
		at += strcspn(at, " ");
		if (*at)
			*at++ = '\0';
	}
	return opt_parse(arena, options, count, words, request, operands);
}

static void sorts_words(void **state)
{
	struct operands operands;
	struct request request;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_null(parse(
		&arena, "a.yaml --set x=1 --format=json - --set y=2 --world 16 --expand -- --tp 2",
		&request, &operands));
	assert_int_equal(operands.count, 2);
	assert_string_equal(operands.items[0], "a.yaml");
	assert_string_equal(operands.items[1], "-");
	assert_true(operands.has_rest);
	assert_int_equal(operands.rest_count, 2);
	assert_string_equal(operands.rest[1], "2");
	assert_string_equal(request.format, "json");
	assert_int_equal(request.world, 16);
	assert_true(request.expand);
	assert_int_equal(request.sets.count, 2);
	assert_string_equal(request.sets.items[1], "y=2");
	arena_release(&arena);
}

/* Names of files that look like options, stdin and the end of options. */
static void takes_names(void **state)
{
	struct operands operands;
	struct request request;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_null(parse(&arena, "--world 8 --end-of-options a.yaml --world=16 - -- --help",
			  &request, &operands));
	assert_int_equal(request.world, 8);
	assert_int_equal(operands.count, 5);
	assert_string_equal(operands.items[0], "a.yaml");
	assert_string_equal(operands.items[1], "./--world=16");
	assert_string_equal(operands.items[2], "./-");
	assert_string_equal(operands.items[3], "./--");
	assert_false(operands.has_rest);
	arena_release(&arena);
}

static void refuses(void **state)
{
	static const struct {
		const char *line, *part;
	} cases[] = {
		{ "--fromat json", "did you mean --format" },
		{ "--zzzzzz", "unknown option --zzzzzz" },
		{ "--format xml", "takes text|json, not 'xml'" },
		{ "--format tex", "takes text|json" },
		{ "--format", "needs FORMAT" },
		{ "--world 0", "takes a number from 1 on" },
		{ "--world x", "takes a number from 1 on" },
		{ "--expand=yes", "takes no value" },
		{ "-q", "unknown option -q" },
	};
	struct operands operands;
	struct request request;
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *error = parse(&arena, cases[i].line, &request, &operands);
		if (!error || !strstr(error, cases[i].part))
			fail_msg("%s: %s", cases[i].line, error ? error : "accepted");
	}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts_words),
		cmocka_unit_test(takes_names),
		cmocka_unit_test(refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
