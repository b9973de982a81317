#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* One letter per token, so that a case is one line; '!' is an error. */
static void tokens(const char *text, size_t length, char *out, size_t room, const char **error)
{
	static const char letters[] = "$!{}[]ksntfz";
	struct json_reader json;
	struct arena arena;
	enum json_token token;
	size_t n = 0;

	arena_init(&arena);
	json_open(&json, &arena, text, length);
	do {
		token = json_next(&json);
		if (n + 1 < room)
			out[n++] = letters[token];
	} while (token != JSON_END && token != JSON_ERROR);
	out[n] = '\0';
	*error = json.error;
	arena_release(&arena);
}

static void reads(void **state)
{
	static const struct {
		const char *text, *tokens;
	} cases[] = {
		{ "null", "z$" },
		{ " [1, -2.5e+3, true , false] ", "[nntf]$" },
		{ "{}", "{}$" },
		{ "{\"a\": {\"b\": []}, \"c\": \"x\"}", "{k{k[]}ks}$" },
		{ "\"\\u00e9\\ud83d\\ude00\\n\"", "s$" },
		{ "", "!" },
		{ "[1,]", "[n!" },
		{ "[1 2]", "[n!" },
		{ "{\"a\":1,}", "{kn!" },
		{ "{a: 1}", "{!" },
		{ "{\"a\" 1}", "{!" },
		{ "01", "!" },
		{ "1.", "!" },
		{ ".5", "!" },
		{ "+1", "!" },
		{ "1e", "!" },
		{ "NaN", "!" },
		{ "\"\\x\"", "!" },
		{ "\"\\ud800\"", "!" },
		{ "\"\\udc00\"", "!" },
		{ "\"\\ud800\\u0041\"", "!" },
		{ "\"\\u00g0\"", "!" },
		{ "\"\\u0000\"", "!" },
		{ "\"a", "!" },
		{ "\"\x01\"", "!" },
		{ "\"\xff\"", "!" },
		{ "[}", "[!" },
		{ "1 2", "n!" },
		{ "tru", "!" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		const char *error;
		char got[64];
		tokens(cases[i].text, strlen(cases[i].text), got, sizeof(got), &error);
		if (strcmp(got, cases[i].tokens) != 0)
			fail_msg("%s: %s instead of %s", cases[i].text, got, cases[i].tokens);
		assert_int_equal(strchr(got, '!') != NULL, error != NULL);
	}
}

static void decodes(void **state)
{
	static const char text[] = "{\"k\\u00e9y\": \"a\\tb \\ud83d\\ude00\"}";
	struct json_reader json;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	json_open(&json, &arena, text, strlen(text));
	assert_int_equal(json_next(&json), JSON_OBJECT);
	assert_int_equal(json_next(&json), JSON_KEY);
	assert_string_equal(json.value, "k\xc3\xa9y");
	assert_int_equal(json.start, 1);
	assert_int_equal(json.end, 11);
	assert_int_equal(json_next(&json), JSON_STRING);
	assert_string_equal(json.value, "a\tb \xf0\x9f\x98\x80");
	arena_release(&arena);
}

static void refuses_depth(void **state)
{
	char deep[JSON_DEPTH + 2];
	const char *error;
	char got[JSON_DEPTH + 8];

	(void)state;
	memset(deep, '[', sizeof(deep));
	tokens(deep, sizeof(deep), got, sizeof(got), &error);
	assert_int_equal(got[strlen(got) - 1], '!');
	assert_int_equal(strlen(got), JSON_DEPTH + 1);
}

static void writes(void **state)
{
	struct json_writer json;
	struct buf out;

	(void)state;
	buf_init(&out);
	json_begin(&json, &out);
	json_object(&json, NULL);
	json_string(&json, "name", "a \"b\"\n\\\x01");
	json_string(&json, "bad", "\xff!");
	json_null(&json, "none");
	json_array(&json, "list");
	json_int(&json, NULL, -3);
	json_bool(&json, NULL, true);
	json_double(&json, NULL, 0.5);
	json_array(&json, NULL);
	json_array_end(&json);
	json_array_end(&json);
	json_object_end(&json);
	assert_string_equal(out.data,
			    "{\"name\":\"a \\\"b\\\"\\n\\\\\\u0001\",\"bad\":\"\xef\xbf\xbd!\","
			    "\"none\":null,\"list\":[-3,true,0.5,[]]}");
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads),
		cmocka_unit_test(decodes),
		cmocka_unit_test(refuses_depth),
		cmocka_unit_test(writes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
