#include "input/syntax/scalar.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_sign(const char *at)
{
	return at + (*at == '-' || *at == '+');
}

/* `text` without its underscores. */
static char *without_underscores(struct arena *arena, const char *text)
{
	char *copy = arena_strdup(arena, text), *to = copy;

	for (; *text; text++)
		if (*text != '_')
			*to++ = *text;
	*to = '\0';
	return copy;
}

/* Words are known in three spellings: no, No, NO. */
static bool resolve_word(struct node *node)
{
	static const struct {
		const char *spellings[3];
		enum scalar_type type;
		bool value;
	} words[] = {
		{ { "true", "True", "TRUE" }, SCALAR_BOOL, true },
		{ { "false", "False", "FALSE" }, SCALAR_BOOL, false },
		{ { "yes", "Yes", "YES" }, SCALAR_BOOL, true },
		{ { "no", "No", "NO" }, SCALAR_BOOL, false },
		{ { "on", "On", "ON" }, SCALAR_BOOL, true },
		{ { "off", "Off", "OFF" }, SCALAR_BOOL, false },
		{ { "null", "Null", "NULL" }, SCALAR_NULL, false },
		{ { "~", "~", "" }, SCALAR_NULL, false },
	};
	size_t i, j;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (j = 0; j < 3; j++)
			if (!strcmp(node->text, words[i].spellings[j])) {
				node->type = words[i].type;
				node->boolean = words[i].value;
				return true;
			}
	return false;
}

/* Skips "(:[0-5]?[0-9])+"; NULL when there is not even one such part. */
static const char *skip_sixties(const char *at)
{
	const char *start = at;

	while (*at == ':' && is_digit(at[1])) {
		if (is_digit(at[2])) {
			if (at[1] > '5')
				return NULL;
			at += 3;
		} else {
			at += 2;
		}
	}
	return at == start ? NULL : at;
}

/* The base an integer is written in, 60 for sexagesimal; 0 when it is none. */
static int integer_base(const char *text)
{
	const char *at = skip_sign(text), *rest;

	if (*at == '0' && at[1] == 'b')
		return strspn(at + 2, "01_") == strlen(at + 2) && strpbrk(at + 2, "01") ? 2 : 0;
	if (*at == '0' && at[1] == 'x')
		return strspn(at + 2, "0123456789abcdefABCDEF_") == strlen(at + 2) &&
				       strspn(at + 2, "_") != strlen(at + 2)
			       ? 16
			       : 0;
	if (*at == '0')
		return strspn(at, "01234567_") == strlen(at) ? 8 : 0;
	if (!is_digit(*at))
		return 0;
	at += strspn(at, DIGITS "_");
	if (!*at)
		return 10;
	rest = skip_sixties(at);
	return rest && !*rest ? 60 : 0;
}

/* Adds one more digit or sexagesimal part; false when 64 bits do not hold it. */
static bool accumulate(int64_t *value, int base, int64_t part)
{
	return !__builtin_mul_overflow(*value, (int64_t)base, value) &&
	       !__builtin_add_overflow(*value, part, value);
}

static int digit_value(char c)
{
	if (is_digit(c))
		return c - '0';
	return (c >= 'a' ? c - 'a' : c - 'A') + 10;
}

static bool integer_value(const char *at, int base, int64_t *value)
{
	*value = 0;
	if (base == 2 || base == 16)
		at += 2;
	for (; *at; at++)
		if (*at != '_' && !accumulate(value, base, digit_value(*at)))
			return false;
	return true;
}

static bool sixties_value(const char *at, int64_t *value)
{
	int64_t part = 0;

	*value = 0;
	for (;; at++) {
		if (*at == ':' || !*at) {
			if (!accumulate(value, 60, part))
				return false;
			part = 0;
			if (!*at)
				return true;
		} else if (*at != '_' && !accumulate(&part, 10, *at - '0')) {
			return false;
		}
	}
}

static bool resolve_integer(struct node *node)
{
	const char *magnitude = skip_sign(node->text);
	int base = integer_base(node->text);
	int64_t value;

	if (!base)
		return false;
	if (!(base == 60 ? sixties_value(magnitude, &value)
			 : integer_value(magnitude, base, &value)))
		return false;
	node->type = SCALAR_INT;
	node->integer = *node->text == '-' ? -value : value;
	node->number = (double)node->integer;
	return true;
}

static bool set_number(struct node *node, double value)
{
	node->type = SCALAR_FLOAT;
	node->number = value;
	return true;
}

static bool resolve_infinity(struct node *node)
{
	static const char *const infinities[] = { ".inf", ".Inf", ".INF" };
	static const char *const nans[] = { ".nan", ".NaN", ".NAN" };
	const char *unsigned_text = skip_sign(node->text);
	size_t i;

	for (i = 0; i < 3; i++) {
		if (!strcmp(unsigned_text, infinities[i]))
			return set_number(node, *node->text == '-' ? -HUGE_VAL : HUGE_VAL);
		if (!strcmp(node->text, nans[i]))
			return set_number(node, (double)NAN);
	}
	return false;
}

/* An exponent, if there is one, has a sign. */
static const char *skip_exponent(const char *at)
{
	if ((*at == 'e' || *at == 'E') && (at[1] == '-' || at[1] == '+') && is_digit(at[2]))
		return at + 2 + strspn(at + 2, DIGITS);
	return at;
}

/* A sexagesimal number with a point: 1:30.5 is 90.5. */
static double sixties_number(const char *at)
{
	double value = 0, part = 0;
	char *end;

	for (; at; at = *end == ':' ? end + 1 : NULL) {
		part = strtod(at, &end);
		value = value * 60 + part;
	}
	return value;
}

static bool resolve_number(struct arena *arena, struct node *node)
{
	const char *start = skip_sign(node->text), *at = start, *rest;
	bool sixties = false;
	char *digits;
	double value;

	if (*at == '.') { /* ".5", and never "-.5" */
		if (at != node->text || !is_digit(at[1]))
			return false;
		at += 1 + strspn(at + 1, DIGITS "_");
	} else {
		if (!is_digit(*at))
			return false;
		at += strspn(at, DIGITS "_");
		rest = skip_sixties(at);
		sixties = rest != NULL;
		at = sixties ? rest : at;
		if (*at != '.')
			return false;
		at += 1 + strspn(at + 1, DIGITS "_");
	}
	if (!sixties)
		at = skip_exponent(at);
	if (*at)
		return false;
	digits = without_underscores(arena, start);
	value = sixties ? sixties_number(digits) : strtod(digits, NULL);
	return set_number(node, *node->text == '-' ? -value : value);
}

void scalar_resolve(struct arena *arena, struct node *node)
{
	char c = *node->text;

	node->type = SCALAR_STRING;
	if (c && !strchr("+-." DIGITS "yYnNtTfFoO~", c))
		return;
	if (resolve_word(node) || resolve_integer(node) || resolve_infinity(node))
		return;
	resolve_number(arena, node);
}

bool scalar_resolve_as(struct arena *arena, struct node *node, const char *tag)
{
	static const struct {
		const char *name;
		enum scalar_type type;
	} types[] = {
		{ "str", SCALAR_STRING },  { "timestamp", SCALAR_STRING }, { "int", SCALAR_INT },
		{ "float", SCALAR_FLOAT }, { "bool", SCALAR_BOOL },	   { "null", SCALAR_NULL },
	};
	static const char prefix[] = "tag:yaml.org,2002:";
	size_t i;

	if (!text_starts(tag, prefix))
		return false;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(tag + strlen(prefix), types[i].name))
			break;
	if (i == sizeof(types) / sizeof(types[0]))
		return false;
	node->type = SCALAR_STRING;
	if (types[i].type == SCALAR_STRING)
		return true;
	scalar_resolve(arena, node);
	if (types[i].type == SCALAR_FLOAT && node->type == SCALAR_INT)
		node->type = SCALAR_FLOAT;
	else if (types[i].type == SCALAR_FLOAT && node->type == SCALAR_STRING &&
		 text_to_double(node->text, &node->number))
		node->type = SCALAR_FLOAT;
	return node->type == types[i].type;
}
