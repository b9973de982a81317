#include "input/syntax/python.h"

#include <ctype.h>
#include <string.h>

struct scanner {
	struct arena *arena;
	const struct source *source;
	struct python_words *words;
	struct cursor cursor;
	size_t at;
	size_t line_first; /* the first token of the logical line */
	uint32_t indent;
	int depth;  /* open brackets */
	bool fresh; /* nothing of the line was read */
};

static char here(const struct scanner *scanner, size_t ahead)
{
	const size_t at = scanner->at + ahead;

	return at < scanner->source->length ? scanner->source->text[at] : '\0';
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static void end_line(struct scanner *scanner)
{
	struct python_line line = { scanner->line_first, scanner->words->tokens.count,
				    scanner->indent };

	if (line.end > line.first)
		vec_push(scanner->arena, &scanner->words->lines, line);
	scanner->line_first = line.end;
}

static void add(struct scanner *scanner, enum python_kind kind, size_t length)
{
	struct python_token token = { .kind = kind,
				      .start = (uint32_t)scanner->at,
				      .end = (uint32_t)(scanner->at + length) };

	cursor_to_offset(&scanner->cursor, token.start);
	token.from.line = scanner->cursor.line;
	token.from.column = scanner->cursor.column;
	cursor_to_offset(&scanner->cursor, token.end);
	token.to.line = scanner->cursor.line;
	token.to.column = scanner->cursor.column;
	vec_push(scanner->arena, &scanner->words->tokens, token);
	scanner->at += length;
	scanner->fresh = false;
}

/* The length of a string that begins here behind `prefix` letters; 0: it never ends. */
static size_t string_length(const struct scanner *scanner, size_t prefix)
{
	const char quote = here(scanner, prefix);
	const bool triple =
		here(scanner, prefix + 1) == quote && here(scanner, prefix + 2) == quote;
	const size_t open = triple ? 3 : 1;
	size_t i = prefix + open;

	for (; scanner->at + i < scanner->source->length; i++) {
		const char c = here(scanner, i);
		if (c == '\\')
			i++;
		else if (c == '\n' && !triple)
			return 0;
		else if (c == quote && (!triple || (here(scanner, i + 1) == quote &&
						    here(scanner, i + 2) == quote)))
			return i + open;
	}
	return 0;
}

static size_t name_length(const struct scanner *scanner)
{
	size_t i = 0;

	while (is_name(here(scanner, i)))
		i++;
	return i;
}

static size_t number_length(const struct scanner *scanner)
{
	size_t i = 0;

	while (is_name(here(scanner, i)) || here(scanner, i) == '.' ||
	       (i && strchr("+-", here(scanner, i)) && here(scanner, i) &&
		strchr("eE", here(scanner, i - 1))))
		i++;
	return i;
}

static size_t operator_length(const struct scanner *scanner)
{
	static const char *const longer[] = { "**=", "//=", ">>=", "<<=", "...", "==", "!=", "<=",
					      ">=",  "->",  "+=",  "-=",  "*=",	 "/=", "%=", "&=",
					      "|=",  "^=",  "@=",  ":=",  "**",	 "//", "<<", ">>" };
	const char *text = scanner->source->text + scanner->at;
	size_t i;

	for (i = 0; i < sizeof(longer) / sizeof(longer[0]); i++)
		if (!strncmp(text, longer[i], strlen(longer[i])))
			return strlen(longer[i]);
	return 1;
}

/* A word that begins with letters: a string behind its prefix, or a name. False: no end. */
static bool scan_word(struct scanner *scanner)
{
	const size_t length = name_length(scanner);
	const char next = here(scanner, length);
	size_t string;

	if (length > 2 || (next != '"' && next != '\'')) {
		add(scanner, PYTHON_NAME, length);
		return true;
	}
	string = string_length(scanner, length);
	if (string)
		add(scanner, PYTHON_STRING, string);
	return string > 0;
}

static void scan_operator(struct scanner *scanner)
{
	const char c = here(scanner, 0);

	if (strchr("([{", c))
		scanner->depth++;
	else if (strchr(")]}", c) && scanner->depth)
		scanner->depth--;
	add(scanner, PYTHON_OPERATOR, operator_length(scanner));
}

/* Blanks, comments, and ends of lines; the indentation is that of the line's first token. */
static void skip(struct scanner *scanner)
{
	const char c = here(scanner, 0);

	if (c == '#') {
		while (scanner->at < scanner->source->length && here(scanner, 0) != '\n')
			scanner->at++;
		return;
	}
	if (c == '\\' && here(scanner, 1) == '\n')
		scanner->at++;
	else if ((c == '\n' || c == ';') && !scanner->depth)
		end_line(scanner);
	if (c == '\n' && !scanner->depth) {
		scanner->fresh = true;
		scanner->indent = 0;
	} else if (c != '\n' && scanner->fresh) {
		scanner->indent += c == '\t' ? 8 : 1;
	}
	scanner->at++;
}

static bool is_skipped(const struct scanner *scanner)
{
	const char c = here(scanner, 0);

	return strchr(" \t\r\n\f#", c) || (c == ';' && !scanner->depth) ||
	       (c == '\\' && here(scanner, 1) == '\n');
}

void python_scan(struct arena *arena, const struct source *source, struct python_words *words)
{
	struct scanner scanner = {
		.arena = arena, .source = source, .words = words, .fresh = true
	};

	words->source = source;
	if (source->length > PYTHON_BYTES)
		return;
	cursor_init(&scanner.cursor, source);
	scanner.at = source->lines[0];
	while (scanner.at < source->length) {
		const char c = here(&scanner, 0);
		if (!c)
			break;
		if (is_skipped(&scanner)) {
			skip(&scanner);
		} else if (isdigit((unsigned char)c)) {
			add(&scanner, PYTHON_NUMBER, number_length(&scanner));
		} else if (is_name(c) || c == '"' || c == '\'') {
			if (!scan_word(&scanner))
				break;
		} else {
			scan_operator(&scanner);
		}
	}
	end_line(&scanner);
}

bool python_is(const struct python_words *words, size_t token, const char *text)
{
	const struct python_token *word = &words->tokens.items[token];
	const size_t length = strlen(text);

	return (word->kind == PYTHON_NAME || word->kind == PYTHON_OPERATOR) &&
	       word->end - word->start == length &&
	       !memcmp(words->source->text + word->start, text, length);
}

struct span python_span(const struct python_words *words, size_t first, size_t end)
{
	const struct python_token *from = &words->tokens.items[first];
	const struct python_token *to = &words->tokens.items[end > first ? end - 1 : first];

	return (struct span) { words->source, from->from.line, from->from.column, to->to.line,
			       to->to.column };
}

char *python_text(struct arena *arena, const struct python_words *words, size_t token)
{
	const struct python_token *word = &words->tokens.items[token];

	return arena_strndup(arena, words->source->text + word->start, word->end - word->start);
}
