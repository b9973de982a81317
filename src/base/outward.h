#ifndef BASE_OUTWARD_H
#define BASE_OUTWARD_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * All that leaves the program goes through here. Configs, logs and names of files may be anybody's,
 * and whoever reads what is said of them may be a terminal, or a runner that takes lines for
 * commands. What a format has quoted by its own rules stays as it is; the rest is made harmless:
 *
 * - control characters, and those that turn the direction of a text, become \u001b, \u202e: which
 *   JSON, too, reads as what they were. Colours stay where they are wanted, and nothing else does.
 * - "::" at the start of a line, "##[" and "##vso[" anywhere are commands to GitHub and Azure:
 *   the first character becomes an escape.
 * - secrets by their usual forms (tokens of GitHub, GitLab, Hugging Face, Slack, AWS, Google, JWT,
 *   what stands behind "password=", in "https://name:HERE@") are written as '*', letter by letter.
 */
enum outward {
	OUTWARD_TEXT,	  /* to a screen or a log */
	OUTWARD_COMMANDS, /* the same, where lines are meant to be a runner's commands */
	OUTWARD_OWN,	  /* the user's own file with values put in, which stays what it is */
	OUTWARD_BINARY	  /* no text at all */
};

/* Writes to stdout or a file as io_write does; `color`: those of style.h are wanted. Returns NULL,
 * or why not. */
const char *outward_write(struct arena *arena, const char *path, const struct buf *text,
			  enum outward kind, bool color);

/*
 * Writes a message of JSON to stdout behind the header that language servers put before it. NULL,
 * or why not.
 */
const char *outward_message(const struct buf *json);

/* Appends to a file as io_append does. */
const char *outward_append(struct arena *arena, const char *path, const struct buf *text);

/* A line on stderr behind "parplan: ", and lines indented below it; any other line break becomes
 * "\n", two characters. */
void outward_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void outward_vsay(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/* A text on stderr as it is. */
void outward_complain(const struct buf *text);

/* What moves the cursor of a terminal, of our own making, to `fd`. */
void outward_screen(int fd, const char *codes);

#endif
