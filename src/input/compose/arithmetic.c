#include "input/compose/arithmetic.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct number number_whole(int64_t value)
{
	return (struct number) { .whole = true, .integer = value, .real = (double)value };
}

struct number number_real(double value)
{
	return (struct number) { .real = value };
}

static bool settle(struct number *left, double value)
{
	*left = number_real(value);
	return isfinite(value);
}

static int64_t floor_of(int64_t a, int64_t b)
{
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* A division of integers by anything but 0 and -1, which cannot overflow. */
static bool divide_whole(struct number *left, enum number_step step, int64_t b)
{
	int64_t a = left->integer, floor = floor_of(a, b);

	switch (step) {
	case NUMBER_FLOOR:
		*left = number_whole(floor);
		return true;
	case NUMBER_CEILING:
		*left = number_whole(floor + (a % b != 0));
		return true;
	case NUMBER_MODULO:
		*left = number_whole(a - floor * b);
		return true;
	default:
		*left = a % b ? number_real((double)a / (double)b) : number_whole(a / b);
		return true;
	}
}

static bool raise_whole(struct number *left, int64_t exponent)
{
	int64_t value = 1, i;

	if (exponent < 0)
		return settle(left, pow(left->real, (double)exponent));
	if (exponent > 64)
		return false;
	for (i = 0; i < exponent; i++)
		if (__builtin_mul_overflow(value, left->integer, &value))
			return false;
	*left = number_whole(value);
	return true;
}

static bool apply_whole(struct number *left, enum number_step step, int64_t b)
{
	int64_t a = left->integer, value = 0;
	bool fits = true;

	switch (step) {
	case NUMBER_ADD:
		fits = !__builtin_add_overflow(a, b, &value);
		break;
	case NUMBER_SUBTRACT:
		fits = !__builtin_sub_overflow(a, b, &value);
		break;
	case NUMBER_MULTIPLY:
		fits = !__builtin_mul_overflow(a, b, &value);
		break;
	case NUMBER_LARGER:
		value = a > b ? a : b;
		break;
	case NUMBER_SMALLER:
		value = a < b ? a : b;
		break;
	case NUMBER_POWER:
		return raise_whole(left, b);
	default:
		return b != 0 && b != -1 && divide_whole(left, step, b);
	}
	*left = number_whole(value);
	return fits;
}

static bool apply_real(struct number *left, enum number_step step, double b)
{
	double a = left->real;

	switch (step) {
	case NUMBER_ADD:
		return settle(left, a + b);
	case NUMBER_SUBTRACT:
		return settle(left, a - b);
	case NUMBER_MULTIPLY:
		return settle(left, a * b);
	case NUMBER_DIVIDE:
		return settle(left, a / b);
	case NUMBER_FLOOR:
		return settle(left, floor(a / b));
	case NUMBER_CEILING:
		return settle(left, ceil(a / b));
	case NUMBER_MODULO:
		return settle(left, a - b * floor(a / b));
	case NUMBER_POWER:
		return settle(left, pow(a, b));
	case NUMBER_LARGER:
		return settle(left, a > b ? a : b);
	case NUMBER_SMALLER:
		return settle(left, a < b ? a : b);
	}
	return false;
}

bool number_apply(struct number *left, enum number_step step, struct number right)
{
	if (left->whole && right.whole)
		return apply_whole(left, step, right.integer);
	return apply_real(left, step, right.real);
}

/* How deep parentheses may lie. */
enum { DEPTH = 32 };

struct expression {
	const char *at;
	int depth;
};

static bool read_sum(struct expression *expression, struct number *value);

static void skip_blanks(struct expression *expression)
{
	expression->at += strspn(expression->at, " \t\r\n");
}

static bool take(struct expression *expression, const char *token)
{
	size_t length = strlen(token);

	skip_blanks(expression);
	if (strncmp(expression->at, token, length) != 0)
		return false;
	expression->at += length;
	return true;
}

static bool read_literal(struct expression *expression, struct number *value)
{
	const char *start = expression->at;
	char *end;

	if (!isdigit((unsigned char)*start) && *start != '.')
		return false;
	value->integer = strtoll(start, &end, 10);
	*value = number_whole(value->integer);
	if (*end == '.' || *end == 'e' || *end == 'E')
		*value = number_real(strtod(start, &end));
	expression->at = end;
	return end > start && end - start < 19 && !isalnum((unsigned char)*end) && *end != '_';
}

/* What stands between the parentheses of max, min or int, whose opening one is read. */
static bool read_arguments(struct expression *expression, enum number_step step, bool truncates,
			   struct number *value)
{
	struct number other;

	if (!read_sum(expression, value))
		return false;
	while (!truncates && take(expression, ","))
		if (!read_sum(expression, &other) || !number_apply(value, step, other))
			return false;
	if (truncates && !value->whole) {
		if (fabs(value->real) > 1e15)
			return false;
		*value = number_whole((int64_t)value->real);
	}
	return take(expression, ")");
}

static bool read_primary(struct expression *expression, struct number *value)
{
	if (take(expression, "("))
		return read_sum(expression, value) && take(expression, ")");
	if (take(expression, "int("))
		return read_arguments(expression, NUMBER_ADD, true, value);
	if (take(expression, "max("))
		return read_arguments(expression, NUMBER_LARGER, false, value);
	if (take(expression, "min("))
		return read_arguments(expression, NUMBER_SMALLER, false, value);
	return read_literal(expression, value);
}

/* A sign binds less than ** to its right: -2 ** 2 is -4. */
static bool read_power(struct expression *expression, struct number *value)
{
	struct number other = number_whole(0);
	bool fits;

	if (++expression->depth > DEPTH)
		return false;
	if (take(expression, "-")) {
		fits = read_power(expression, &other);
		*value = number_whole(0);
		fits = fits && number_apply(value, NUMBER_SUBTRACT, other);
	} else {
		fits = read_primary(expression, value);
		if (fits && take(expression, "**"))
			fits = read_power(expression, &other) &&
			       number_apply(value, NUMBER_POWER, other);
	}
	expression->depth--;
	return fits;
}

static bool read_product(struct expression *expression, struct number *value)
{
	struct number other = number_whole(0);
	enum number_step step;

	if (!read_power(expression, value))
		return false;
	for (;;) {
		if (take(expression, "//"))
			step = NUMBER_FLOOR;
		else if (take(expression, "/"))
			step = NUMBER_DIVIDE;
		else if (take(expression, "%"))
			step = NUMBER_MODULO;
		else if (take(expression, "*"))
			step = NUMBER_MULTIPLY;
		else
			return true;
		if (!read_power(expression, &other) || !number_apply(value, step, other))
			return false;
	}
}

static bool read_sum(struct expression *expression, struct number *value)
{
	struct number other = number_whole(0);
	enum number_step step;

	if (!read_product(expression, value))
		return false;
	for (;;) {
		if (take(expression, "+"))
			step = NUMBER_ADD;
		else if (take(expression, "-"))
			step = NUMBER_SUBTRACT;
		else
			return true;
		if (!read_product(expression, &other) || !number_apply(value, step, other))
			return false;
	}
}

bool arithmetic_value(const char *text, struct number *value)
{
	struct expression expression = { .at = text };

	if (!read_sum(&expression, value))
		return false;
	skip_blanks(&expression);
	return !*expression.at;
}
