#include "base/json.h"

#include "base/die.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- out ---- */

void json_begin(struct json_writer *json, struct buf *out)
{
	json->out = out;
	json->depth = 0;
	json->comma = false;
}

void json_quote(struct buf *out, const char *text)
{
	size_t i, length = strlen(text), bad = length;
	bool valid = text_is_utf8(text, length, &bad);

	buf_char(out, '"');
	for (i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];
		if (!valid && i == bad) {
			buf_text(out, "\xEF\xBF\xBD");
			valid = text_is_utf8(text + i + 1, length - i - 1, &bad);
			bad += i + 1;
		} else if (c == '"' || c == '\\') {
			buf_char(out, '\\');
			buf_char(out, (char)c);
		} else if (c == '\n') {
			buf_text(out, "\\n");
		} else if (c == '\t') {
			buf_text(out, "\\t");
		} else if (c < 0x20) {
			buf_printf(out, "\\u%04x", c);
		} else {
			buf_char(out, (char)c);
		}
	}
	buf_char(out, '"');
}

static void lead(struct json_writer *json, const char *key)
{
	if (json->comma)
		buf_char(json->out, ',');
	json->comma = true;
	if (key) {
		json_quote(json->out, key);
		buf_char(json->out, ':');
	}
}

static void open_bracket(struct json_writer *json, const char *key, char bracket)
{
	lead(json, key);
	buf_char(json->out, bracket);
	json->depth++;
	json->comma = false;
}

static void close_bracket(struct json_writer *json, char bracket)
{
	if (!json->depth)
		bug("unbalanced JSON");
	buf_char(json->out, bracket);
	json->depth--;
	json->comma = true;
}

void json_object(struct json_writer *json, const char *key)
{
	open_bracket(json, key, '{');
}

void json_object_end(struct json_writer *json)
{
	close_bracket(json, '}');
}

void json_array(struct json_writer *json, const char *key)
{
	open_bracket(json, key, '[');
}

void json_array_end(struct json_writer *json)
{
	close_bracket(json, ']');
}

void json_string(struct json_writer *json, const char *key, const char *value)
{
	if (!value) {
		json_null(json, key);
		return;
	}
	lead(json, key);
	json_quote(json->out, value);
}

void json_int(struct json_writer *json, const char *key, int64_t value)
{
	lead(json, key);
	buf_printf(json->out, "%" PRId64, value);
}

void json_ints(struct json_writer *json, const char *key, const int64_t *items, int count)
{
	int i;

	json_array(json, key);
	for (i = 0; i < count; i++)
		json_int(json, NULL, items[i]);
	json_array_end(json);
}

void json_double(struct json_writer *json, const char *key, double value)
{
	if (!isfinite(value)) {
		json_null(json, key);
		return;
	}
	lead(json, key);
	buf_printf(json->out, "%.9g", value);
}

void json_bool(struct json_writer *json, const char *key, bool value)
{
	lead(json, key);
	buf_text(json->out, value ? "true" : "false");
}

void json_null(struct json_writer *json, const char *key)
{
	lead(json, key);
	buf_text(json->out, "null");
}

void json_raw(struct json_writer *json, const char *key, const char *text)
{
	lead(json, key);
	buf_text(json->out, text);
}

/* ---- in ---- */

/* What may come next. */
enum state {
	WANT_VALUE,	   /* a value must follow */
	WANT_VALUE_OR_END, /* just after '[' */
	WANT_KEY,	   /* after ',' in an object */
	WANT_KEY_OR_END,   /* just after '{' */
	WANT_COMMA_OR_END,
	DONE,
	FAILED
};

void json_open(struct json_reader *json, struct arena *arena, const char *text, size_t length)
{
	memset(json, 0, sizeof(*json));
	json->text = text;
	json->length = length;
	json->arena = arena;
	json->state = WANT_VALUE;
}

static enum json_token fail(struct json_reader *json, size_t start, const char *error)
{
	json->start = start < json->length ? start : json->length;
	json->end = json->start < json->length ? json->start + 1 : json->length;
	json->error = error;
	json->state = FAILED;
	return JSON_ERROR;
}

static char peek(const struct json_reader *json)
{
	return json->at < json->length ? json->text[json->at] : '\0';
}

static void skip_space(struct json_reader *json)
{
	while (json->at < json->length && memchr(" \t\r\n", json->text[json->at], 4))
		json->at++;
}

static int hex4(const struct json_reader *json, size_t at)
{
	int value = 0, i;

	if (at + 4 > json->length)
		return -1;
	for (i = 0; i < 4; i++) {
		static const char digits[] = "0123456789abcdef";
		char c = json->text[at + (size_t)i];
		const char *d;
		if (c >= 'A' && c <= 'F')
			c = (char)(c - 'A' + 'a');
		d = c ? strchr(digits, c) : NULL;
		if (!d)
			return -1;
		value = value * 16 + (int)(d - digits);
	}
	return value;
}

static void put_utf8(struct buf *out, unsigned int c)
{
	if (c < 0x80) {
		buf_char(out, (char)c);
	} else if (c < 0x800) {
		buf_char(out, (char)(0xC0 | c >> 6));
		buf_char(out, (char)(0x80 | (c & 0x3F)));
	} else if (c < 0x10000) {
		buf_char(out, (char)(0xE0 | c >> 12));
		buf_char(out, (char)(0x80 | (c >> 6 & 0x3F)));
		buf_char(out, (char)(0x80 | (c & 0x3F)));
	} else {
		buf_char(out, (char)(0xF0 | c >> 18));
		buf_char(out, (char)(0x80 | (c >> 12 & 0x3F)));
		buf_char(out, (char)(0x80 | (c >> 6 & 0x3F)));
		buf_char(out, (char)(0x80 | (c & 0x3F)));
	}
}

static char char_at(const struct json_reader *json, size_t at)
{
	return at < json->length ? json->text[at] : '\0';
}

/* Reads the four digits of a \u escape, and of the second one that a high surrogate needs. */
static const char *read_unicode(struct json_reader *json, struct buf *out)
{
	static const char unpaired[] = "unpaired surrogate in string";
	int value = hex4(json, json->at + 2), low = -1;

	if (value < 0)
		return "\\u needs four hexadecimal digits";
	json->at += 6;
	if (value >= 0xDC00 && value <= 0xDFFF)
		return unpaired;
	if (value >= 0xD800 && value <= 0xDBFF) {
		if (char_at(json, json->at) == '\\' && char_at(json, json->at + 1) == 'u')
			low = hex4(json, json->at + 2);
		if (low < 0xDC00 || low > 0xDFFF)
			return unpaired;
		json->at += 6;
		value = 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00);
	}
	if (!value)
		return "NUL in string";
	put_utf8(out, (unsigned int)value);
	return NULL;
}

/* Reads the escape at `at` (on the backslash); returns NULL or what is wrong. */
static const char *read_escape(struct json_reader *json, struct buf *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	char c = char_at(json, json->at + 1);
	const char *plain = c ? strchr(from, c) : NULL;

	if (c == 'u')
		return read_unicode(json, out);
	if (!plain)
		return "unknown escape in string";
	buf_char(out, to[plain - from]);
	json->at += 2;
	return NULL;
}

/* Reads a string into `value`; returns NULL or what is wrong at the current offset. */
static const char *read_string(struct json_reader *json)
{
	const char *error = NULL;
	struct buf out;
	size_t bad;

	buf_init(&out);
	json->at++;
	while (!error) {
		char c = peek(json);
		size_t run = json->at;
		if (json->at >= json->length) {
			error = "string is not closed";
		} else if (c == '"') {
			break;
		} else if (c == '\\') {
			error = read_escape(json, &out);
		} else if ((unsigned char)c < 0x20) {
			error = "control character in string";
		} else {
			while (run < json->length && (unsigned char)json->text[run] >= 0x20 &&
			       json->text[run] != '"' && json->text[run] != '\\')
				run++;
			if (!text_is_utf8(json->text + json->at, run - json->at, &bad)) {
				json->at += bad;
				error = "invalid UTF-8 in string";
			} else {
				buf_bytes(&out, json->text + json->at, run - json->at);
				json->at = run;
			}
		}
	}
	if (!error) {
		json->at++;
		json->value = arena_strndup(json->arena, out.data, out.length);
	}
	buf_release(&out);
	return error;
}

static size_t digits(const struct json_reader *json, size_t at)
{
	while (at < json->length && json->text[at] >= '0' && json->text[at] <= '9')
		at++;
	return at;
}

static bool read_number(struct json_reader *json)
{
	size_t at = json->at, run;

	if (json->text[at] == '-')
		at++;
	run = digits(json, at);
	if (run == at || (run - at > 1 && json->text[at] == '0'))
		return false;
	at = run;
	if (at < json->length && json->text[at] == '.') {
		run = digits(json, at + 1);
		if (run == at + 1)
			return false;
		at = run;
	}
	if (at < json->length && (json->text[at] == 'e' || json->text[at] == 'E')) {
		at++;
		if (at < json->length && (json->text[at] == '+' || json->text[at] == '-'))
			at++;
		run = digits(json, at);
		if (run == at)
			return false;
		at = run;
	}
	json->value = arena_strndup(json->arena, json->text + json->at, at - json->at);
	json->at = at;
	return true;
}

static enum json_token finish(struct json_reader *json, enum json_token token)
{
	json->end = json->at;
	json->state = json->depth ? WANT_COMMA_OR_END : DONE;
	return token;
}

static enum json_token open_container(struct json_reader *json, char kind)
{
	if (json->depth == JSON_DEPTH)
		return fail(json, json->at, "nested too deeply");
	json->stack[json->depth++] = kind;
	json->at++;
	json->end = json->at;
	json->state = kind == '{' ? WANT_KEY_OR_END : WANT_VALUE_OR_END;
	return kind == '{' ? JSON_OBJECT : JSON_ARRAY;
}

static enum json_token close_container(struct json_reader *json)
{
	char kind = json->stack[--json->depth];

	json->at++;
	return finish(json, kind == '{' ? JSON_OBJECT_END : JSON_ARRAY_END);
}

/* What to say of a character that starts no value: the usual mistakes by name. */
static const char *no_value(char c)
{
	static const struct {
		const char *first;
		const char *error;
	} mistakes[] = {
		{ "]}", "a comma is not followed by a value" },
		{ "'", "strings are written in double quotes" },
		{ "/#", "comments are not part of JSON" },
		{ "TFN", "true, false and null are written in lower case, NaN is no JSON" },
		{ "+.", "a number starts with a digit or '-'" },
	};
	size_t i;

	for (i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++)
		if (c && strchr(mistakes[i].first, c))
			return mistakes[i].error;
	return "a value was expected";
}

static enum json_token read_value(struct json_reader *json)
{
	static const struct {
		const char *word;
		enum json_token token;
	} words[] = { { "true", JSON_TRUE }, { "false", JSON_FALSE }, { "null", JSON_NULL } };
	char c = peek(json);
	const char *error;
	size_t i, length;

	json->start = json->at;
	if (json->at >= json->length)
		return fail(json, json->at, "a value is missing");
	if (c == '{' || c == '[')
		return open_container(json, c);
	if (c == '"') {
		error = read_string(json);
		return error ? fail(json, json->at, error) : finish(json, JSON_STRING);
	}
	if (c == '-' || (c >= '0' && c <= '9'))
		return read_number(json) ? finish(json, JSON_NUMBER)
					 : fail(json, json->start, "malformed number");
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		length = strlen(words[i].word);
		if (json->length - json->at >= length &&
		    !memcmp(json->text + json->at, words[i].word, length)) {
			json->at += length;
			return finish(json, words[i].token);
		}
	}
	return fail(json, json->at, no_value(c));
}

static enum json_token read_key(struct json_reader *json)
{
	const char *error;

	json->start = json->at;
	if (peek(json) == '}')
		return fail(json, json->at, "a comma stands before '}'");
	if (peek(json) == '/' || peek(json) == '#')
		return fail(json, json->at, "comments are not part of JSON");
	if (peek(json) != '"')
		return fail(json, json->at, "a key in double quotes was expected");
	error = read_string(json);
	if (error)
		return fail(json, json->at, error);
	json->end = json->at;
	skip_space(json);
	if (peek(json) != ':')
		return fail(json, json->at, "':' was expected after the key");
	json->at++;
	json->state = WANT_VALUE;
	return JSON_KEY;
}

/* After a value inside a container: true past a comma, else `token` ends the container or is an
 * error. */
static bool next_member(struct json_reader *json, enum json_token *token)
{
	bool object = json->stack[json->depth - 1] == '{';

	json->start = json->at;
	if (peek(json) == (object ? '}' : ']')) {
		*token = close_container(json);
		return false;
	}
	if (peek(json) != ',') {
		*token = fail(json, json->at,
			      object ? "',' or '}' was expected" : "',' or ']' was expected");
		return false;
	}
	json->at++;
	skip_space(json);
	json->state = object ? WANT_KEY : WANT_VALUE;
	return true;
}

static bool at_empty_end(const struct json_reader *json)
{
	return (json->state == WANT_KEY_OR_END && peek(json) == '}') ||
	       (json->state == WANT_VALUE_OR_END && peek(json) == ']');
}

enum json_token json_next(struct json_reader *json)
{
	enum json_token token;

	if (json->state == FAILED)
		return JSON_ERROR;
	skip_space(json);
	if (json->state == DONE)
		return json->at < json->length ? fail(json, json->at, "text after the value")
					       : JSON_END;
	if (json->state == WANT_COMMA_OR_END && !next_member(json, &token))
		return token;
	if (at_empty_end(json)) {
		json->start = json->at;
		return close_container(json);
	}
	if (json->state == WANT_KEY || json->state == WANT_KEY_OR_END)
		return read_key(json);
	return read_value(json);
}
