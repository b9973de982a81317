#include "input/shell/word.h"

#include <ctype.h>
#include <string.h>

/* How a word becomes words: quotes, variables, arithmetic, what is split and what is not. */

void shell_emit_break(struct shell_expansion *ex)
{
	if (ex->maybe && ex->began)
		shell_put(ex->sh->arena, &ex->now, SHELL_SURELY, SHELL_NOWHERE);
	if (ex->began)
		vec_push(ex->sh->arena, ex->fields, ex->now);
	memset(&ex->now, 0, sizeof(ex->now));
	ex->began = false;
	if (ex->maybe)
		shell_put(ex->sh->arena, &ex->now, SHELL_MAYBE, SHELL_NOWHERE);
}

static void emit_char(struct shell_expansion *ex, char c, uint32_t at)
{
	shell_put(ex->sh->arena, &ex->now, c, at);
	ex->began = true;
}

/* A mark that splitting has to know of: open parts are never split, maybe-parts are. */
static void emit_mark(struct shell_expansion *ex, char c, uint32_t at)
{
	if (c == SHELL_MAYBE || c == SHELL_SURELY)
		ex->maybe = c == SHELL_MAYBE;
	shell_put(ex->sh->arena, &ex->now, c, at);
	ex->began = ex->began || c == SHELL_OPEN;
}

void shell_emit(struct shell_expansion *ex, const struct shell_text *text, bool quoted)
{
	bool open = false;
	size_t i;

	if (!shell_spend(ex->sh, text->length + 1))
		return;
	for (i = 0; i < text->length; i++) {
		char c = text->text[i];
		if (c >= SHELL_OPEN && c <= SHELL_SURELY) {
			open = c == SHELL_OPEN || (open && c != SHELL_CLOSE);
			emit_mark(ex, c, text->at[i]);
		} else if (!quoted && !open && ex->split && isspace((unsigned char)c)) {
			shell_emit_break(ex);
		} else {
			emit_char(ex, c, text->at[i]);
		}
	}
	ex->began = ex->began || quoted;
}

/* What begins with '$' at `at`; returns behind it. */
static size_t dollar(struct shell_expansion *ex, struct shell_raw raw, size_t at, bool quoted)
{
	const char *text = raw.in->text;
	char next = at + 1 < raw.end ? text[at + 1] : 0;
	size_t close;

	if (next != '(' && next != '{')
		return shell_variable(ex, raw, at, quoted);
	close = shell_closing(raw.in, at + 1, raw.end);
	if (next == '{')
		shell_parameter(ex, (struct shell_raw) { raw.in, at + 2, close - 1 }, quoted);
	else if (at + 2 < raw.end && text[at + 2] == '(' && close > at + 4 &&
		 text[close - 2] == ')')
		shell_arithmetic(ex, (struct shell_raw) { raw.in, at + 3, close - 2 }, quoted);
	else
		shell_substitute(
			ex,
			(struct shell_raw) { raw.in, at + 2, close > at + 2 ? close - 1 : close },
			raw.in->at[at], quoted);
	return close;
}

static size_t backtick(struct shell_expansion *ex, struct shell_raw raw, size_t at, bool quoted)
{
	size_t close = at + 1;

	while (close < raw.end && raw.in->text[close] != '`')
		close += raw.in->text[close] == '\\' ? 2 : 1;
	if (close > raw.end)
		close = raw.end;
	shell_substitute(ex, (struct shell_raw) { raw.in, at + 1, close }, raw.in->at[at], quoted);
	return close < raw.end ? close + 1 : raw.end;
}

static size_t backslash(struct shell_expansion *ex, struct shell_raw raw, size_t at, bool quoted)
{
	const char *text = raw.in->text;

	if (at + 1 >= raw.end)
		return raw.end;
	if (text[at + 1] == '\n')
		return at + 2;
	if (text[at + 1] == '\r' && at + 2 < raw.end && text[at + 2] == '\n')
		return at + 3;
	if (quoted && !strchr("$`\"\\", text[at + 1]))
		emit_char(ex, text[at], raw.in->at[at]);
	emit_char(ex, text[at + 1], raw.in->at[at + 1]);
	return at + 2;
}

/* '...': as it stands. */
static size_t single(struct shell_expansion *ex, struct shell_raw raw, size_t at)
{
	ex->began = true;
	for (at++; at < raw.end && raw.in->text[at] != '\''; at++)
		emit_char(ex, raw.in->text[at], raw.in->at[at]);
	return at < raw.end ? at + 1 : raw.end;
}

/* "...": expanded, never split; no word at all when all it holds is an empty list. */
static size_t double_quoted(struct shell_expansion *ex, struct shell_raw raw, size_t at)
{
	size_t start = at + 1;
	struct shell_raw inside;

	for (at = start; at < raw.end && raw.in->text[at] != '"';) {
		char next = at + 1 < raw.end ? raw.in->text[at + 1] : 0;
		if (raw.in->text[at] == '\\')
			at += 2;
		else if (raw.in->text[at] == '$' && (next == '(' || next == '{'))
			at = shell_closing(raw.in, at + 1, raw.end);
		else
			at++;
	}
	if (at > raw.end)
		at = raw.end;
	inside = (struct shell_raw) { raw.in, start, at };
	if (start == at)
		ex->began = true;
	shell_walk(ex, inside, true);
	return at < raw.end ? at + 1 : raw.end;
}

/* A blank without quotes is that of a default, ${NAME:-a b}, which is split as a value is. */
static void plain(struct shell_expansion *ex, struct shell_raw raw, size_t at, bool quoted)
{
	char c = raw.in->text[at];

	if (!quoted && ex->split && isspace((unsigned char)c))
		shell_emit_break(ex);
	else if (c >= SHELL_OPEN && c <= SHELL_SURELY)
		emit_mark(ex, c, raw.in->at[at]);
	else
		emit_char(ex, c, raw.in->at[at]);
}

/* What is open already is not looked into again. */
static size_t open_part(struct shell_expansion *ex, struct shell_raw raw, size_t at)
{
	while (at < raw.end && raw.in->text[at] != SHELL_CLOSE) {
		emit_mark(ex, raw.in->text[at], raw.in->at[at]);
		at++;
	}
	emit_mark(ex, SHELL_CLOSE, raw.in->at[at < raw.end ? at : raw.end - 1]);
	return at + 1;
}

void shell_walk(struct shell_expansion *ex, struct shell_raw raw, bool quoted)
{
	size_t at = raw.start;

	if (++ex->sh->depth > 100 || !shell_spend(ex->sh, raw.end - raw.start))
		at = raw.end;
	while (at < raw.end) {
		char c = raw.in->text[at];
		if (c == '\\')
			at = backslash(ex, raw, at, quoted);
		else if (c == '\'' && !quoted)
			at = single(ex, raw, at);
		else if (c == '"' && !quoted)
			at = double_quoted(ex, raw, at);
		else if (c == '$')
			at = dollar(ex, raw, at, quoted);
		else if (c == '`')
			at = backtick(ex, raw, at, quoted);
		else if (c == SHELL_OPEN)
			at = open_part(ex, raw, at);
		else
			plain(ex, raw, at++, quoted);
	}
	ex->sh->depth--;
}

void shell_expand(struct shell_state *sh, struct shell_raw raw, struct shell_texts *fields)
{
	struct shell_expansion ex = { .sh = sh, .fields = fields, .split = true };

	shell_walk(&ex, raw, false);
	if (ex.began)
		vec_push(sh->arena, fields, ex.now);
}

static struct shell_text whole(struct shell_state *sh, struct shell_raw raw, bool quoted)
{
	struct shell_texts fields = { 0 };
	struct shell_expansion ex = { .sh = sh, .fields = &fields };
	struct shell_text text = { 0 };
	size_t i;

	shell_walk(&ex, raw, quoted);
	if (ex.now.length)
		vec_push(sh->arena, &fields, ex.now);
	if (fields.count == 1)
		return fields.items[0];
	for (i = 0; i < fields.count; i++) { /* "${A[@]}" where no list can be */
		if (i)
			shell_put(sh->arena, &text, ' ', SHELL_NOWHERE);
		shell_append(sh->arena, &text, &fields.items[i], 0, fields.items[i].length);
	}
	return text;
}

struct shell_text shell_expand_whole(struct shell_state *sh, struct shell_raw raw)
{
	return whole(sh, raw, false);
}

struct shell_text shell_expand_text(struct shell_state *sh, struct shell_raw raw)
{
	return whole(sh, raw, true);
}

/* The words between the brackets of A=( ... ). */
static struct shell_texts array_items(struct shell_state *sh, struct shell_raw raw)
{
	struct shell_stream s = { .in = raw.in, .at = raw.start, .end = raw.end };
	struct shell_texts items = { 0 };

	while (s.at < s.end) {
		struct shell_raw word;
		shell_blanks(&s);
		word = shell_scan(&s);
		if (word.start < word.end)
			shell_expand(sh, word, &items);
		else
			s.at++; /* a line break */
	}
	return items;
}

static bool has_keys(const struct shell_texts *items)
{
	return items->count && *shell_string(&items->items[0]) == '[' &&
	       strstr(shell_string(&items->items[0]), "]=");
}

static void assign_array(struct shell_state *sh, const char *name, struct shell_raw raw, bool adds)
{
	struct shell_texts items = array_items(sh, raw), all = { 0 };
	const struct shell_value *old =
		adds ? shell_get(sh, name, raw.in->at[raw.start ? raw.start - 1 : 0]) : NULL;
	size_t i;

	if (has_keys(&items)) {
		shell_forget(sh, name, SHELL_NOWHERE);
		return;
	}
	for (i = 0; old && i < old->count; i++)
		vec_push(sh->arena, &all, old->items[i]);
	for (i = 0; i < items.count; i++)
		vec_push(sh->arena, &all, items.items[i]);
	if (shell_spend(sh, all.count))
		shell_set(sh, name, shell_array(sh, &all));
}

void shell_assign(struct shell_state *sh, struct shell_raw raw)
{
	size_t length = shell_assigns(raw), at = raw.start + length;
	const char *text = raw.in->text;
	char *name = arena_strndup(sh->arena, text + raw.start, length);
	const struct shell_value *old;
	struct shell_text value = { 0 }, added;
	bool adds, element = text[at] == '[';

	while (text[at] != '=')
		at++;
	adds = text[at - 1] == '+';
	at++;
	if (element) {
		shell_forget(sh, name, raw.in->at[raw.start]);
		return;
	}
	if (at < raw.end && text[at] == '(') {
		assign_array(sh, name, (struct shell_raw) { raw.in, at + 1, raw.end - 1 }, adds);
		return;
	}
	added = shell_expand_whole(sh, (struct shell_raw) { raw.in, at, raw.end });
	old = adds ? shell_get(sh, name, raw.in->at[raw.start]) : NULL;
	if (old && old->count && shell_spend(sh, old->items[0].length))
		shell_append(sh->arena, &value, &old->items[0], 0, old->items[0].length);
	shell_append(sh->arena, &value, &added, 0, added.length);
	shell_set(sh, name, shell_scalar(sh, &value));
}
