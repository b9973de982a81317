#ifndef INPUT_SYNTAX_PYTHON_H
#define INPUT_SYNTAX_PYTHON_H

#include "base/arena.h"
#include "base/source.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The words of a Python program and its lines, as far as its plainest statements need them
 * (python.c reads those). Nothing is executed.
 */
enum python_kind { PYTHON_NAME, PYTHON_NUMBER, PYTHON_STRING, PYTHON_OPERATOR };

struct python_token {
	enum python_kind kind;
	uint32_t start, end;
	struct {
		uint32_t line, column;
	} from, to;
};

/* A logical line: brackets and backslashes join several, a semicolon ends one. */
struct python_line {
	size_t first, end; /* its tokens */
	uint32_t indent;
};

struct python_words {
	const struct source *source;
	VEC(struct python_token) tokens;
	VEC(struct python_line) lines;
};

enum { PYTHON_BYTES = 1024 * 1024 }; /* of larger programs nothing is read */

/* Takes a text apart; what is no Python ends it, and the rest is not read. */
void python_scan(struct arena *arena, const struct source *source, struct python_words *words);

/* True when the token is this operator or name. */
bool python_is(const struct python_words *words, size_t token, const char *text);

struct span python_span(const struct python_words *words, size_t first, size_t end);

/* The text of a token. */
char *python_text(struct arena *arena, const struct python_words *words, size_t token);

#endif
