#include "base/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void finds_anywhere(void **state)
{
	struct arena arena;
	const char *error = NULL;
	struct pattern *pattern;

	(void)state;
	arena_init(&arena);
	pattern = pattern_new(&arena, "attention\\.w[qk]|^norm", &error);
	assert_non_null(pattern);
	assert_null(error);
	assert_true(pattern_finds(pattern, "layers.0.attention.wq.weight"));
	assert_true(pattern_finds(pattern, "norm.weight"));
	assert_false(pattern_finds(pattern, "layers.0.attention.wv.weight"));
	assert_false(pattern_finds(pattern, "layers.0.attention_norm.weight"));
	assert_null(pattern_trouble(pattern));
	arena_release(&arena);
}

static void errors_have_a_caret(void **state)
{
	static const struct {
		const char *expression, *error;
	} cases[] = {
		{ "layers.(", "missing closing parenthesis\n    layers.(\n            ^" },
		{ "w[q", "missing terminating ] for character class\n    w[q\n       ^" },
		/* The offset is in bytes, the caret under the code point. */
		{ "\xC3\xA4*+*",
		  "quantifier does not follow a repeatable item\n    \xC3\xA4*+*\n       ^" },
	};
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *error = NULL;
		assert_null(pattern_new(&arena, cases[i].expression, &error));
		assert_string_equal(error, cases[i].error);
	}
	arena_release(&arena);
}

/* Once more for what points into the expression: the offset is in bytes. */
static void errors_have_an_offset(void **state)
{
	struct pattern_error error = { 0 };
	struct pattern *pattern;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_null(pattern_compile(&arena, "\xC3\xA4*+*", &error));
	assert_string_equal(error.message, "quantifier does not follow a repeatable item");
	assert_int_equal(error.offset, 4);
	pattern = pattern_compile(&arena, "w[qk]", &error);
	assert_true(pattern_finds(pattern, "wq"));
	pattern_release(pattern);
	arena_release(&arena);
}

static void backtracking_is_bounded(void **state)
{
	struct arena arena;
	const char *error = NULL;
	struct pattern *pattern;

	(void)state;
	arena_init(&arena);
	pattern = pattern_new(&arena, "^(a+)+\\1$", &error);
	assert_non_null(pattern);
	assert_false(pattern_finds(pattern, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"));
	assert_string_equal(pattern_trouble(pattern), "the expression backtracks too much");
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_anywhere),
		cmocka_unit_test(errors_have_a_caret),
		cmocka_unit_test(errors_have_an_offset),
		cmocka_unit_test(backtracking_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
