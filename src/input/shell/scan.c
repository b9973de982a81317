#include "input/shell/word.h"

#include <ctype.h>
#include <string.h>

enum { NESTING = 60 };

static size_t closing(const struct shell_text *in, size_t at, size_t end, int depth);

/* Behind the quote that closes the one at `at`; behind `end` where none does. */
static size_t quoted_end(const struct shell_text *in, size_t at, size_t end, int depth)
{
	char quote = in->text[at++];

	while (at < end && in->text[at] != quote) {
		char c = in->text[at];
		if (c == '\\' && quote != '\'') {
			at += 2;
		} else if (c == '$' && quote == '"' && at + 1 < end &&
			   (in->text[at + 1] == '(' || in->text[at + 1] == '{')) {
			at = closing(in, at + 1, end, depth + 1);
		} else {
			at++;
		}
	}
	return at + 1;
}

/* Behind the line of a comment. */
static size_t comment_end(const struct shell_text *in, size_t at, size_t end)
{
	while (at < end && in->text[at] != '\n')
		at++;
	return at;
}

static bool begins_comment(const struct shell_text *in, size_t at, char open)
{
	return in->text[at] == '#' && open == '(' && isspace((unsigned char)in->text[at - 1]);
}

/* Behind the bracket that closes the one at `at`; behind `end` where none does. */
static size_t closing(const struct shell_text *in, size_t at, size_t end, int depth)
{
	char open = in->text[at], close = open == '(' ? ')' : '}';
	int level = 0;

	if (depth > NESTING)
		return end;
	while (at < end) {
		char c = in->text[at];
		if (c == '\\') {
			at += 2;
			continue;
		}
		if (c == '"' || c == '`' || (c == '\'' && open == '(')) {
			at = quoted_end(in, at, end, depth);
			continue;
		}
		if (begins_comment(in, at, open)) {
			at = comment_end(in, at, end);
			continue;
		}
		level += (c == open) - (c == close);
		at++;
		if (!level)
			return at;
	}
	return end + 1;
}

size_t shell_closing(const struct shell_text *in, size_t at, size_t end)
{
	size_t close = closing(in, at, end, 0);

	return close < end ? close : end;
}

void shell_breaks(struct shell_stream *s, size_t at, const char *trouble)
{
	if (s->trouble)
		return;
	s->broken = at;
	s->trouble = trouble;
}

static void over_quotes(struct shell_stream *s)
{
	const size_t behind = quoted_end(s->in, s->at, s->end, 0);

	if (behind > s->end)
		shell_breaks(s, s->at, "the quote is never closed");
	s->at = behind;
}

/* `open` bytes behind the stream is the bracket. */
static void over_brackets(struct shell_stream *s, size_t open)
{
	const size_t behind = closing(s->in, s->at + open, s->end, 0);

	if (behind > s->end)
		shell_breaks(s, s->at + open, "the bracket is never closed");
	s->at = behind;
}

static void join_line(struct shell_stream *s)
{
	s->at += s->at + 1 < s->end && s->in->text[s->at + 1] == '\r' ? 3 : 2;
	if (s->at > s->end)
		s->at = s->end;
}

static bool joins_line(const struct shell_stream *s)
{
	const char *text = s->in->text + s->at;

	return *text == '\\' && s->at + 1 < s->end &&
	       (text[1] == '\n' || (text[1] == '\r' && s->at + 2 < s->end && text[2] == '\n'));
}

void shell_blanks(struct shell_stream *s)
{
	while (s->at < s->end) {
		char c = s->in->text[s->at];
		if (joins_line(s))
			join_line(s);
		else if (c == ' ' || c == '\t' || c == '\r')
			s->at++;
		else if (c == '#')
			s->at = comment_end(s->in, s->at, s->end);
		else
			return;
	}
}

/* Behind [...] when it begins at `at`. */
static size_t index_end(struct shell_raw raw, size_t at)
{
	const char *text = raw.in->text;

	if (at >= raw.end || text[at] != '[')
		return at;
	while (at < raw.end && text[at] != ']')
		at++;
	return at < raw.end ? at + 1 : at;
}

size_t shell_assigns(struct shell_raw raw)
{
	const char *text = raw.in->text;
	size_t at = raw.start, length;

	while (at < raw.end && (isalnum((unsigned char)text[at]) || text[at] == '_'))
		at++;
	length = at - raw.start;
	if (!length || isdigit((unsigned char)text[raw.start]))
		return 0;
	at = index_end(raw, at);
	if (at < raw.end && text[at] == '+')
		at++;
	return at < raw.end && text[at] == '=' ? length : 0;
}

static bool opens_array(struct shell_stream *s, size_t start)
{
	struct shell_raw before = { s->in, start, s->at };

	return s->at > start && s->in->text[s->at - 1] == '=' && shell_assigns(before);
}

/* Over one piece of a word; false at its end. */
static bool scan_piece(struct shell_stream *s, size_t start)
{
	char c = s->in->text[s->at];
	char next = s->at + 1 < s->end ? s->in->text[s->at + 1] : 0;

	if (joins_line(s))
		join_line(s);
	else if (c == SHELL_OPEN)
		s->at += strcspn(s->in->text + s->at, "\002") + 1;
	else if (c == '\\')
		s->at += 2;
	else if (c == '"' || c == '\'' || c == '`')
		over_quotes(s);
	else if (c == '$' && (next == '(' || next == '{'))
		over_brackets(s, 1);
	else if (c == '(' && opens_array(s, start))
		over_brackets(s, 0);
	else if (strchr(" \t\r\n;&|<>()", c))
		return false;
	else
		s->at++;
	return true;
}

struct shell_raw shell_scan(struct shell_stream *s)
{
	struct shell_raw raw = { s->in, s->at, s->at };

	while (s->at < s->end && scan_piece(s, raw.start))
		;
	if (s->at > s->end)
		s->at = s->end;
	raw.end = s->at;
	return raw;
}

char *shell_raw_string(struct shell_state *sh, struct shell_raw raw)
{
	return arena_strndup(sh->arena, raw.end > raw.start ? raw.in->text + raw.start : "",
			     raw.end - raw.start);
}
