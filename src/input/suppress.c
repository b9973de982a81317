#include "input/suppress.h"

#include "base/text.h"

#include <ctype.h>
#include <string.h>

const struct rule_id rule_bad_suppression = {
	.name = "bad-suppression",
	.code = "S006",
	.severity = SEVERITY_WARNING,
	.evidence = EVIDENCE_RUN,
	.summary = "a '# parplan:' comment says nothing that parplan understands",
	.explanation =
		"A comment that is meant to silence a finding but is not understood silences "
		"nothing, and nobody would notice.",
	.remedy = "Write '# parplan: ignore=RULE[,RULE] -- reason', ignore-file=RULE, or expect "
		  "KEY=VALUE.",
	.source = "parplan's own comment syntax",
};

static const char marker[] = "# parplan:";

/* The first marker in a line that starts a comment: at its start or after a blank. */
static const char *find_marker(const char *line, size_t length)
{
	const char *at = line, *end = line + length;

	while ((at = memchr(at, '#', (size_t)(end - at)))) {
		if ((size_t)(end - at) >= strlen(marker) && !memcmp(at, marker, strlen(marker)) &&
		    (at == line || at[-1] == ' ' || at[-1] == '\t'))
			return at;
		at++;
	}
	return NULL;
}

/* True for a line with nothing but blanks and perhaps a comment. */
static bool line_is_empty(const struct source *source, uint32_t line)
{
	size_t length, i = 0;
	const char *text = source_line(source, line, &length);

	while (i < length && (text[i] == ' ' || text[i] == '\t'))
		i++;
	return i == length || text[i] == '#';
}

/* The line that a suppression on `line` covers: that one, or the next with something in it.
 * `last` is what one above it covers: all lines before that are empty. */
static uint32_t covered_line(const struct source *source, uint32_t line, uint32_t last)
{
	uint32_t at = line < last ? last : line;

	while (at < source->line_count && line_is_empty(source, at))
		at++;
	return at;
}

static bool is_rule_char(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_';
}

static void report(const struct document *document, size_t start, size_t end,
		   struct findings *findings)
{
	finding_add(findings, &rule_bad_suppression, source_span(document->source, start, end),
		    "this comment silences nothing: 'ignore=RULE', 'ignore-file=RULE' or 'expect "
		    "KEY=VALUE' was expected after 'parplan:'");
}

/* Adds "RULE[,RULE]" from `at`; returns how many there were. */
static size_t add_rules(struct document *document, const char *at, const char *end, uint32_t line)
{
	size_t count = 0;

	for (;;) {
		const char *start = at;
		struct suppression suppression = { .line = line };
		while (at < end && is_rule_char(*at))
			at++;
		if (at == start)
			return count;
		suppression.rule = arena_strndup(document->arena, start, (size_t)(at - start));
		suppression.span =
			source_span(document->source, (size_t)(start - document->source->text),
				    (size_t)(at - document->source->text));
		vec_push(document->arena, &document->suppressions, suppression);
		count++;
		while (at < end && *at == ' ')
			at++;
		if (at == end || *at != ',')
			return count;
		at++;
		while (at < end && *at == ' ')
			at++;
	}
}

/* Adds "KEY=VALUE", which runs to the end of the line; false when there is none. */
static bool add_expectation(struct document *document, const char *at, const char *end)
{
	struct expectation_comment comment = { 0 };

	while (end > at && strchr(" \t\r", end[-1]))
		end--;
	if (at == end)
		return false;
	comment.text = arena_strndup(document->arena, at, (size_t)(end - at));
	comment.span = source_span(document->source, (size_t)(at - document->source->text),
				   (size_t)(end - document->source->text));
	vec_push(document->arena, &document->expectations, comment);
	return true;
}

/* What may follow the marker, up to its operand. */
static const char *const words[] = { "ignore=", "ignore-file=", "expect " };

enum { WORD_LINE, WORD_FILE, WORD_EXPECT, WORD_COUNT };

/* Reads one comment, from its '#' to the line's end. */
static void read_comment(struct document *document, const char *comment, const char *end,
			 uint32_t covered, struct findings *findings)
{
	const char *at = comment + strlen(marker);
	bool read = false;
	int i;

	while (at < end && *at == ' ')
		at++;
	for (i = 0; i < WORD_COUNT && !read; i++) {
		size_t length = strlen(words[i]);
		if ((size_t)(end - at) < length || memcmp(at, words[i], length) != 0)
			continue;
		if (i == WORD_EXPECT)
			read = add_expectation(document, at + length + strspn(at + length, " "),
					       end);
		else
			read = add_rules(document, at + length, end, i == WORD_FILE ? 0 : covered) >
			       0;
	}
	if (!read)
		report(document, (size_t)(comment - document->source->text),
		       (size_t)(end - document->source->text), findings);
}

/* So many comments count: each is held against each finding. */
enum { COMMENTS = 1000 };

static void refuse_more(const struct document *document, const char *comment, const char *end,
			struct findings *findings)
{
	const char *text = document->source->text;

	finding_add(findings, &rule_bad_suppression,
		    source_span(document->source, (size_t)(comment - text), (size_t)(end - text)),
		    "this comment and those behind it do not count: there are more than %d "
		    "(use ignore-file=RULE)",
		    COMMENTS);
}

void suppress_read(struct document *document, struct findings *findings)
{
	const struct source *source = document->source;
	uint32_t line, covered = 0;
	size_t count = 0;

	for (line = 1; line <= source->line_count && count <= COMMENTS; line++) {
		size_t length;
		const char *text = source_line(source, line, &length);
		const char *comment = find_marker(text, length);
		if (!comment)
			continue;
		covered = covered_line(source, line, covered);
		if (count++ < COMMENTS)
			read_comment(document, comment, text + length, covered, findings);
		else
			refuse_more(document, comment, text + length, findings);
	}
}
