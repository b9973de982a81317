#ifndef EVIDENCE_LOG_TRACEBACK_H
#define EVIDENCE_LOG_TRACEBACK_H

#include "evidence/log/line.h"
#include "evidence/observed/rank_set.h"

#include <stdbool.h>

/* The last lines of Python's tracebacks, rank by rank as they come. */
enum { TRACEBACKS_OPEN = 64, TRACEBACK_LINES = 1000 };

/* An exception; equal ones of other ranks are counted, whatever numbers are in them. */
struct log_exception {
	const char *text; /* NULL: there was none */
	const char *path;
	size_t line; /* of its first one */
	int64_t count;
	struct rank_set ranks;
};

struct tracebacks {
	struct arena *arena;
	struct {
		int64_t rank;
		int lines; /* read so far */
	} open[TRACEBACKS_OPEN];
	int count;
	struct log_exception last;
	bool whole;	  /* `last` stood below a traceback's frames; one that did not is a guess */
	const char *head; /* its first line */
	int more;	  /* lines that may belong to `last`, from here on */
	int64_t rank;	  /* whose it is */
};

/* A line "Traceback (most recent call last):" of a rank was read. */
void traceback_begin(struct tracebacks *tracebacks, int64_t rank);

/* Offers any line while some are open; true when it is the exception that ends one. */
bool traceback_ends(struct tracebacks *tracebacks, const struct log_line *line);

/* Any line: what an exception prints below its first line belongs to it; and one whose traceback's
 * head was not pasted counts where no whole one is known. */
void traceback_offer(struct tracebacks *tracebacks, const struct log_line *line, const char *path,
		     size_t number);

/* Remembers that exception. */
void traceback_note(struct tracebacks *tracebacks, const struct log_line *line, const char *path,
		    size_t number);

#endif
