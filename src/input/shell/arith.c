#include "input/shell/word.h"

#include "base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* $((...)): 64-bit integers, as bash computes them; what is open or overflows stays open. */

struct number {
	bool known;
	int64_t value;
};

struct sums {
	struct shell_state *sh;
	const char *text;
	size_t at;
	uint32_t place;
	int depth;
};

static const struct number unknown = { false, 0 };

static struct number known(int64_t value)
{
	return (struct number) { true, value };
}

static struct number expression(struct sums *s);

static void blanks(struct sums *s)
{
	while (isspace((unsigned char)s->text[s->at]))
		s->at++;
}

static bool takes(struct sums *s, const char *operator)
{
	blanks(s);
	if (!text_starts(s->text + s->at, operator))
		return false;
	s->at += strlen(operator);
	return true;
}

/* What a variable holds: a number, or an expression itself. */
static struct number variable(struct sums *s, const char *name)
{
	const struct shell_value *value = shell_get(s->sh, name, s->place);
	struct sums inner = { s->sh, NULL, 0, s->place, s->depth + 1 };

	if (!value || !value->count || s->depth > 20)
		return unknown;
	inner.text = shell_string(&value->items[0]);
	inner.text += strspn(inner.text, " ");
	if (!*inner.text || !shell_spend(s->sh, strlen(inner.text)))
		return known(0);
	return expression(&inner);
}

static void set(struct sums *s, const char *name, struct number number)
{
	struct shell_text text = { 0 };

	if (!number.known) {
		shell_forget(s->sh, name, s->place);
		return;
	}
	shell_say(s->sh->arena, &text, arena_printf(s->sh->arena, "%" PRId64, number.value),
		  s->place);
	shell_set(s->sh, name, shell_scalar(s->sh, &text));
}

static struct number compute(char operator, struct number a, struct number b)
{
	int64_t value = 0;

	if (!a.known || !b.known)
		return unknown;
	switch (operator) {
	case '+':
		return __builtin_add_overflow(a.value, b.value, &value) ? unknown : known(value);
	case '-':
		return __builtin_sub_overflow(a.value, b.value, &value) ? unknown : known(value);
	case '*':
		return __builtin_mul_overflow(a.value, b.value, &value) ? unknown : known(value);
	default:
		if (!b.value || (b.value == -1 && a.value == INT64_MIN))
			return unknown;
		return known(operator== '/' ? a.value / b.value : a.value % b.value);
	}
}

/* NAME, NAME = x, NAME += x, NAME++. */
static struct number name(struct sums *s)
{
	size_t start = s->at;
	const char *text;
	struct number old;
	char *of;

	while (isalnum((unsigned char)s->text[s->at]) || s->text[s->at] == '_')
		s->at++;
	of = arena_strndup(s->sh->arena, s->text + start, s->at - start);
	old = variable(s, of);
	blanks(s);
	text = s->text + s->at;
	if (text[0] == '=' && text[1] != '=') {
		s->at++;
		old = expression(s);
		set(s, of, old);
	} else if (strchr("+-*/%", text[0]) && text[0] && text[1] == '=') {
		s->at += 2;
		old = compute(text[0], old, expression(s));
		set(s, of, old);
	} else if (text_starts(text, "++") || text_starts(text, "--")) {
		s->at += 2;
		set(s, of, compute(text[0], old, known(1)));
	}
	return old;
}

static struct number digits(struct sums *s)
{
	const char *start = s->text + s->at;
	char *end;
	long long value = strtoll(start, &end, 0);

	s->at += (size_t)(end - start);
	if (*end == '#' || isalnum((unsigned char)*end) || *end == '.' || value == INT64_MAX) {
		s->at += strspn(s->text + s->at, "#.0123456789abcdefghijklmnopqrstuvwxyz");
		return unknown;
	}
	return known(value);
}

static struct number primary(struct sums *s)
{
	struct number number;
	char c;

	blanks(s);
	c = s->text[s->at];
	if (c == SHELL_OPEN) {
		s->at += strcspn(s->text + s->at, "\002");
		s->at += s->text[s->at] != 0;
		/* ${A}00 is one number of which a part is open */
		s->at += strspn(s->text + s->at, "0123456789");
		return unknown;
	}
	if (c == '(') {
		s->at++;
		number = expression(s);
		takes(s, ")");
		return number;
	}
	if (isdigit((unsigned char)c))
		return digits(s);
	if (isalpha((unsigned char)c) || c == '_')
		return name(s);
	s->at += c != 0 && c != ')';
	return unknown;
}

static struct number unary(struct sums *s)
{
	struct number number = unknown;

	if (++s->depth < 100) {
		if (takes(s, "!"))
			number = unary(s), number.value = !number.value;
		else if (takes(s, "-"))
			number = compute('-', known(0), unary(s));
		else if (takes(s, "+"))
			number = unary(s);
		else
			number = primary(s);
	}
	s->depth--;
	return number;
}

static struct number power(struct sums *s)
{
	struct number base = unary(s), exponent, value = known(1);
	int64_t i;

	if (!takes(s, "**"))
		return base;
	exponent = unary(s);
	if (!exponent.known || exponent.value < 0 || exponent.value > 63)
		return unknown;
	for (i = 0; i < exponent.value; i++)
		value = compute('*', value, base);
	return value;
}

static struct number product(struct sums *s)
{
	struct number number = power(s);
	char c;

	for (;;) {
		blanks(s);
		c = s->text[s->at];
		if (!c || !strchr("*/%", c) || s->text[s->at + 1] == '=')
			return number;
		s->at++;
		number = compute(c, number, power(s));
	}
}

static struct number sum(struct sums *s)
{
	struct number number = product(s);
	char c;

	for (;;) {
		blanks(s);
		c = s->text[s->at];
		if ((c != '+' && c != '-') || s->text[s->at + 1] == '=')
			return number;
		s->at++;
		number = compute(c, number, product(s));
	}
}

static struct number shift(struct sums *s)
{
	struct number number = sum(s), by;

	for (;;) {
		bool left = takes(s, "<<");
		if (!left && !takes(s, ">>"))
			return number;
		by = sum(s);
		if (!number.known || !by.known || by.value < 0 || by.value > 62 ||
		    number.value < 0 || number.value > INT64_MAX >> by.value)
			number = unknown;
		else
			number.value = left ? number.value << by.value : number.value >> by.value;
	}
}

static struct number comparison(struct sums *s)
{
	static const char *const operators[] = { "<=", ">=", "==", "!=", "<", ">" };
	struct number a = shift(s), b;
	int64_t results[6];
	size_t i;

	for (i = 0; i < 6; i++)
		if (takes(s, operators[i]))
			break;
	if (i == 6)
		return a;
	b = shift(s);
	if (!a.known || !b.known)
		return unknown;
	results[0] = a.value <= b.value;
	results[1] = a.value >= b.value;
	results[2] = a.value == b.value;
	results[3] = a.value != b.value;
	results[4] = a.value < b.value;
	results[5] = a.value > b.value;
	return known(results[i]);
}

static struct number conjunction(struct sums *s)
{
	struct number a = comparison(s), b;

	while (takes(s, "&&")) {
		b = comparison(s);
		if ((a.known && !a.value) || (b.known && !b.value))
			a = known(0);
		else
			a = a.known && b.known ? known(1) : unknown;
	}
	return a;
}

static struct number disjunction(struct sums *s)
{
	struct number a = conjunction(s), b;

	while (takes(s, "||")) {
		b = conjunction(s);
		if ((a.known && a.value) || (b.known && b.value))
			a = known(1);
		else
			a = a.known && b.known ? known(0) : unknown;
	}
	return a;
}

static struct number expression(struct sums *s)
{
	struct number condition, yes, no;

	if (++s->depth > 100) {
		s->depth--;
		return unknown;
	}
	condition = disjunction(s);
	if (takes(s, "?")) {
		yes = expression(s);
		takes(s, ":");
		no = expression(s);
		if (condition.known)
			condition = condition.value ? yes : no;
		else if (!yes.known || !no.known || yes.value != no.value)
			condition = unknown;
		else
			condition = yes;
	}
	s->depth--;
	return condition;
}

static struct number evaluate(struct shell_state *sh, struct shell_raw raw,
			      struct shell_text *expanded)
{
	uint32_t place = raw.start < raw.in->length ? raw.in->at[raw.start] : SHELL_NOWHERE;
	struct sums s = { sh, NULL, 0, place, 0 };
	struct number number;

	*expanded = shell_expand_text(sh, raw);
	s.text = shell_string(expanded);
	number = expression(&s);
	while (takes(&s, ","))
		number = expression(&s);
	blanks(&s);
	return s.text[s.at] ? unknown : number;
}

void shell_arithmetic(struct shell_expansion *ex, struct shell_raw raw, bool quoted)
{
	struct shell_text expanded, text = { 0 };
	struct number number = evaluate(ex->sh, raw, &expanded);
	uint32_t at = raw.in->at[raw.start];
	const char *open;

	if (number.known) {
		shell_say(ex->sh->arena, &text,
			  arena_printf(ex->sh->arena, "%" PRId64, number.value), at);
	} else {
		open = shell_open_part(ex->sh->arena, &expanded, 0);
		shell_leave_open(ex->sh->arena, &text,
				 open ? open
				      : arena_join(ex->sh->arena, "$((",
						   shell_raw_string(ex->sh, raw), "))"),
				 at);
	}
	shell_emit(ex, &text, quoted);
}

enum shell_truth shell_arithmetic_truth(struct shell_state *sh, struct shell_raw raw)
{
	struct shell_text expanded;
	struct number number = evaluate(sh, raw, &expanded);

	if (!number.known)
		return SHELL_PERHAPS;
	return number.value ? SHELL_YES : SHELL_NO;
}
