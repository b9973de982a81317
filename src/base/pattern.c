#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/pattern.h"

#include "base/die.h"
#include "base/text.h"

#include <pcre2.h>

/* Enough for any name; a thousandth of PCRE2's own limit, so that trouble shows at once. */
enum { MATCH_LIMIT = 100000, HEAP_LIMIT_KIB = 4096 };

struct pattern {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
	const char *trouble;
};

static void *take(size_t size, void *arena)
{
	return arena_alloc(arena, size);
}

static void keep(void *block, void *arena)
{
	(void)block; /* the arena's owner frees it */
	(void)arena;
}

static char *complaint(struct arena *arena, int code)
{
	PCRE2_UCHAR message[256];

	if (pcre2_get_error_message(code, message, sizeof(message)) < 0)
		bug("PCRE2 has no text for its error %d", code);
	return arena_strdup(arena, (const char *)message);
}

/* To machine code, where the system allows that; matching is only slower without. */
static void translate(struct pattern *pattern)
{
	(void)pcre2_jit_compile(pattern->code, PCRE2_JIT_COMPLETE);
}

struct pattern *pattern_compile(struct arena *arena, const char *expression,
				struct pattern_error *error)
{
	pcre2_general_context *general = pcre2_general_context_create(take, keep, arena);
	pcre2_compile_context *compile = pcre2_compile_context_create(general);
	struct pattern *pattern = arena_new(arena, struct pattern);
	PCRE2_SIZE offset;
	int code;

	pattern->code = pcre2_compile((PCRE2_SPTR)expression, PCRE2_ZERO_TERMINATED, PCRE2_UTF,
				      &code, &offset, compile);
	if (!pattern->code) {
		error->message = complaint(arena, code);
		error->offset = offset;
		return NULL;
	}
	translate(pattern);
	pattern->data = pcre2_match_data_create_from_pattern(pattern->code, general);
	pattern->context = pcre2_match_context_create(general);
	pcre2_set_match_limit(pattern->context, MATCH_LIMIT);
	pcre2_set_heap_limit(pattern->context, HEAP_LIMIT_KIB);
	return pattern;
}

struct pattern *pattern_new(struct arena *arena, const char *expression, const char **error)
{
	struct pattern_error wrong = { 0 };
	struct pattern *pattern = pattern_compile(arena, expression, &wrong);

	if (!pattern)
		*error = arena_printf(arena, "%s\n    %s\n    %*s^", wrong.message, expression,
				      (int)text_width(expression, wrong.offset), "");
	return pattern;
}

void pattern_release(struct pattern *pattern)
{
	pcre2_code_free(pattern->code);
	pattern->code = NULL;
}

static bool matches(struct pattern *pattern, const char *text, size_t length)
{
	int code = pcre2_match(pattern->code, (PCRE2_SPTR)text, length, 0, 0, pattern->data,
			       pattern->context);

	if (code == PCRE2_ERROR_MATCHLIMIT || code == PCRE2_ERROR_HEAPLIMIT ||
	    code == PCRE2_ERROR_JIT_STACKLIMIT)
		pattern->trouble = "the expression backtracks too much";
	else if (code < 0 && code != PCRE2_ERROR_NOMATCH)
		pattern->trouble = "the text is not valid UTF-8";
	return code >= 0;
}

bool pattern_finds(struct pattern *pattern, const char *text)
{
	return matches(pattern, text, PCRE2_ZERO_TERMINATED);
}

bool pattern_take(struct pattern *pattern, const char *text, size_t length,
		  struct pattern_part *parts, size_t count)
{
	const PCRE2_SIZE *range = pcre2_get_ovector_pointer(pattern->data);
	const size_t ranges = pcre2_get_ovector_count(pattern->data);
	size_t i;

	if (!matches(pattern, text, length))
		return false;
	for (i = 0; i < count; i++) {
		const bool took = i < ranges && range[2 * i] != PCRE2_UNSET;
		parts[i].text = took ? text + range[2 * i] : NULL;
		parts[i].length = took ? range[2 * i + 1] - range[2 * i] : 0;
	}
	return true;
}

const char *pattern_trouble(const struct pattern *pattern)
{
	return pattern->trouble;
}

const char *pattern_library(struct arena *arena)
{
	char *version = arena_alloc(arena, (size_t)pcre2_config(PCRE2_CONFIG_VERSION, NULL));

	pcre2_config(PCRE2_CONFIG_VERSION, version);
	return version;
}
