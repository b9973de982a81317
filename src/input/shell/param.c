#include "input/shell/word.h"

#include "base/text.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

/* Variables: $NAME and ${NAME...}. */

static bool name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The script's own argument, or that of the function being run; NULL when it is open. */
static const struct shell_text *argument(struct shell_state *sh, size_t number)
{
	static const struct shell_text none;

	if (!sh->arguments)
		return NULL;
	return number && number <= sh->arguments->count ? &sh->arguments->items[number - 1] : &none;
}

static void emit_open(struct shell_expansion *ex, const char *what, uint32_t at, bool quoted)
{
	struct shell_text text = { 0 };

	shell_leave_open(ex->sh->arena, &text, what, at);
	shell_emit(ex, &text, quoted);
}

/* All words of a list: "${A[@]}" keeps them apart, others are split as text is. */
static void emit_list(struct shell_expansion *ex, const struct shell_text *items, size_t count,
		      bool quoted)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (i)
			shell_emit_break(ex);
		shell_emit(ex, &items[i], quoted);
		if (!ex->sh->budget)
			return;
	}
}

static void emit_arguments(struct shell_expansion *ex, bool quoted)
{
	const struct shell_texts *arguments = ex->sh->arguments;

	if (arguments)
		emit_list(ex, arguments->items, arguments->count, quoted);
}

static void emit_count(struct shell_expansion *ex, size_t count, uint32_t at)
{
	struct shell_text text = { 0 };

	shell_say(ex->sh->arena, &text, arena_printf(ex->sh->arena, "%zu", count), at);
	shell_emit(ex, &text, true);
}

static void emit_value(struct shell_expansion *ex, const char *name, uint32_t at, bool quoted)
{
	const struct shell_value *value = shell_get(ex->sh, name, at);

	if (value && value->count)
		shell_emit(ex, &value->items[0], quoted);
	else if (!value)
		emit_open(ex, arena_join(ex->sh->arena, "$", name, ""), at, quoted);
}

static size_t special(struct shell_expansion *ex, struct shell_raw raw, size_t at, bool quoted)
{
	char c = raw.in->text[at + 1];
	uint32_t place = raw.in->at[at];

	if (c == '@' || c == '*') {
		emit_arguments(ex, quoted);
	} else if (c == '#') {
		emit_count(ex, ex->sh->arguments ? ex->sh->arguments->count : 0, place);
	} else if (isdigit((unsigned char)c)) {
		const struct shell_text *text = argument(ex->sh, (size_t)(c - '0'));
		if (text && c != '0')
			shell_emit(ex, text, quoted);
		else
			emit_open(ex, (char[]) { '$', c, 0 }, place, quoted);
	} else if (strchr("?$!-", c)) {
		emit_open(ex, (char[]) { '$', c, 0 }, place, quoted);
	} else if (c == '\'' || c == '"') { /* $'...' and $"..." */
		return at + 1;
	} else {
		struct shell_text text = { 0 };
		shell_put(ex->sh->arena, &text, '$', place);
		shell_emit(ex, &text, true);
		return at + 1;
	}
	return at + 2;
}

size_t shell_variable(struct shell_expansion *ex, struct shell_raw raw, size_t at, bool quoted)
{
	const char *text = raw.in->text;
	size_t end = at + 1;
	struct shell_text alone = { 0 };

	if (end >= raw.end) {
		shell_put(ex->sh->arena, &alone, '$', raw.in->at[at]);
		shell_emit(ex, &alone, true);
		return end;
	}
	if (!name_char(text[end]) || isdigit((unsigned char)text[end]))
		return special(ex, raw, at, quoted);
	while (end < raw.end && name_char(text[end]))
		end++;
	emit_value(ex, arena_strndup(ex->sh->arena, text + at + 1, end - at - 1), raw.in->at[at],
		   quoted);
	return end;
}

/* ${NAME...} taken apart. */
struct parameter {
	const char *name;
	size_t start;
	bool all;		/* NAME[@] or NAME[*], or @ and * themselves */
	struct shell_raw index; /* NAME[index]; empty when there is none */
	struct shell_raw rest;	/* the operator and what follows it */
	const struct shell_value *value;
	uint32_t at;
};

static void take_apart(struct shell_state *sh, struct parameter *p, struct shell_raw raw)
{
	const char *text = raw.in->text;
	size_t at = raw.start, close;

	if (at < raw.end && strchr("@*#?$!-", text[at]))
		at++;
	else
		while (at < raw.end && name_char(text[at]))
			at++;
	p->name = arena_strndup(sh->arena, text + raw.start, at - raw.start);
	p->start = raw.start;
	p->all = !strcmp(p->name, "@") || !strcmp(p->name, "*");
	p->at = raw.in->at[raw.start > 2 ? raw.start - 2 : raw.start];
	if (at < raw.end && text[at] == '[') {
		close = at + 1;
		while (close < raw.end && text[close] != ']')
			close++;
		p->index = (struct shell_raw) { raw.in, at + 1, close };
		p->all = close == at + 2 && (text[at + 1] == '@' || text[at + 1] == '*');
		at = close < raw.end ? close + 1 : raw.end;
	}
	p->rest = (struct shell_raw) { raw.in, at, raw.end };
}

static const struct shell_value *of_argument(struct shell_state *sh, const char *name)
{
	int64_t number = 0;
	const struct shell_text *text;

	if (!text_to_int(name, &number) || number < 1)
		return NULL;
	text = sh->arguments ? argument(sh, (size_t)number) : NULL;
	return text && text->length ? shell_scalar(sh, text) : NULL;
}

/* NAME[index] as a value of its own; NULL when it is not there or not known. */
static const struct shell_value *element(struct shell_state *sh, const struct parameter *p)
{
	struct shell_text text = shell_expand_text(sh, p->index);
	int64_t number;

	if (!p->value || !text_to_int(shell_string(&text), &number))
		return NULL;
	if (number < 0)
		number += (int64_t)p->value->count;
	if (number < 0 || (size_t)number >= p->value->count)
		return NULL;
	return shell_scalar(sh, &p->value->items[number]);
}

/* An argument of the script, which is not given when nobody says so. */
static bool is_argument(const struct shell_text *text)
{
	return text->length == 4 && text->text[0] == SHELL_OPEN && text->text[1] == '$' &&
	       isdigit((unsigned char)text->text[2]);
}

static bool is_empty(const struct parameter *p)
{
	if (p->value && !p->value->array && p->value->count && is_argument(&p->value->items[0]))
		return true;
	return !p->value || !p->value->count || (!p->value->array && !p->value->items[0].length);
}

static void emit_parameter(struct shell_expansion *ex, const struct parameter *p, bool quoted)
{
	struct shell_raw raw;
	char *what;

	if (p->value && (p->all || !p->value->array)) {
		emit_list(ex, p->value->items, p->value->count, quoted);
	} else if (p->value && p->value->count) {
		shell_emit(ex, &p->value->items[0], quoted);
	} else if (!p->value && p->all && (*p->name == '@' || *p->name == '*')) {
		emit_arguments(ex, quoted);
	} else if (!p->value) {
		raw = (struct shell_raw) { p->rest.in, p->start, p->rest.start };
		what = arena_join(ex->sh->arena, "$", p->name, "");
		if (p->index.end > p->index.start || isdigit((unsigned char)*p->name))
			what = arena_join(ex->sh->arena, "${", shell_raw_string(ex->sh, raw), "}");
		emit_open(ex, what, p->at, quoted);
	}
}

/* ${NAME:-d}, ${NAME:=d}, ${NAME:+d}, ${NAME:?d}: true when `rest` is one of them. */
static bool otherwise(struct shell_expansion *ex, struct parameter *p, bool quoted)
{
	size_t at = p->rest.start;
	const char *text = p->rest.in->text;
	bool colon = text[at] == ':', empty = colon ? is_empty(p) : !p->value;
	struct shell_raw word;
	struct shell_text value;

	at += colon;
	if (at >= p->rest.end || !strchr("-=+?", text[at]))
		return false;
	word = (struct shell_raw) { p->rest.in, at + 1, p->rest.end };
	if (text[at] == '?' || (text[at] != '+' && !empty)) {
		emit_parameter(ex, p, quoted);
	} else if (text[at] == '=') {
		value = shell_expand_whole(ex->sh, word);
		shell_set(ex->sh, p->name, shell_scalar(ex->sh, &value));
		shell_emit(ex, &value, quoted);
	} else if ((text[at] == '+') != empty) {
		if (quoted || !ex->split) {
			value = shell_expand_whole(ex->sh, word);
			shell_emit(ex, &value, true);
		} else {
			shell_walk(ex, word, false);
		}
	}
	return true;
}

static struct shell_text part(struct shell_state *sh, const struct shell_text *text, size_t start,
			      size_t end)
{
	struct shell_text some = { 0 };

	shell_append(sh->arena, &some, text, start, end);
	return some;
}

/* How much of the text a pattern takes: from the front, or from the back. */
static size_t trimmed(struct shell_state *sh, const char *pattern, const struct shell_text *text,
		      bool back, bool longest)
{
	size_t i, length = text->length, found = 0;
	const char *string = shell_string(text);

	if (length > 4096 || !shell_spend(sh, length))
		return 0;
	for (i = 0; i <= length; i++) {
		const char *some = back ? string + length - i : arena_strndup(sh->arena, string, i);
		if (fnmatch(pattern, some, 0))
			continue;
		found = i;
		if (!longest)
			break;
	}
	return found;
}

/* ${NAME%pattern}, ${NAME##pattern}, ... of a known value; others are open. */
static bool cut(struct shell_expansion *ex, const struct parameter *p, bool quoted)
{
	size_t at = p->rest.start, length;
	const char *text = p->rest.in->text;
	char operator= text[at];
	const struct shell_text *whole = &p->value->items[0];
	struct shell_text pattern, left;
	bool twice = at + 1 < p->rest.end && text[at + 1] == operator;

	if (operator!= '%' && operator!= '#')
		return false;
	pattern = shell_expand_whole(
		ex->sh, (struct shell_raw) { p->rest.in, at + 1 + twice, p->rest.end });
	if (!shell_known(&pattern) || !shell_known(whole))
		return false;
	length = trimmed(ex->sh, shell_string(&pattern), whole, operator== '%', twice);
	left = operator== '%' ? part(ex->sh, whole, 0, whole->length - length)
			      : part(ex->sh, whole, length, whole->length);
	shell_emit(ex, &left, quoted);
	return true;
}

/* ${#NAME} and ${#NAME[@]}. */
static void length_of(struct shell_expansion *ex, struct shell_raw raw, uint32_t at)
{
	struct parameter p = { 0 };

	raw.start++;
	take_apart(ex->sh, &p, raw);
	p.value = shell_get(ex->sh, p.name, at);
	if (p.all && !p.value && (*p.name == '@' || *p.name == '*'))
		emit_count(ex, ex->sh->arguments ? ex->sh->arguments->count : 0, at);
	else if (p.value && p.all && (!p.value->count || shell_known(&p.value->items[0])))
		emit_count(ex, p.value->count, at);
	else if (p.value && !p.all && p.value->count && shell_known(&p.value->items[0]))
		emit_count(ex, p.value->items[0].length, at);
	else
		emit_open(ex,
			  arena_join(ex->sh->arena, "${",
				     shell_raw_string(
					     ex->sh,
					     (struct shell_raw) { raw.in, raw.start - 1, raw.end }),
				     "}"),
			  at, true);
}

/* What the name in the braces stands for: a variable, an argument, an element; NULL: nothing. */
static void look_up(struct shell_expansion *ex, struct parameter *p, uint32_t at)
{
	p->value = shell_get(ex->sh, p->name, at);
	if (isdigit((unsigned char)*p->name))
		p->value = of_argument(ex->sh, p->name);
	else if (!*p->name)
		p->value = NULL;
	if (p->index.end > p->index.start && !p->all)
		p->value = element(ex->sh, p);
}

void shell_parameter(struct shell_expansion *ex, struct shell_raw raw, bool quoted)
{
	struct parameter p = { 0 };
	const char *text = raw.in->text;
	uint32_t at = raw.in->at[raw.start > 2 ? raw.start - 2 : 0];

	if (raw.start >= raw.end)
		return;
	if (text[raw.start] == '#' && raw.end > raw.start + 1) {
		length_of(ex, raw, at);
		return;
	}
	take_apart(ex->sh, &p, raw);
	look_up(ex, &p, at);
	if (p.rest.start >= p.rest.end || *p.name == '@' ||
	    *p.name == '*') /* ${@:2} is part of $@ */
		emit_parameter(ex, &p, quoted);
	else if (!otherwise(ex, &p, quoted) && !(p.value && p.value->count && cut(ex, &p, quoted)))
		emit_open(ex, arena_join(ex->sh->arena, "${", shell_raw_string(ex->sh, raw), "}"),
			  at, quoted);
}
