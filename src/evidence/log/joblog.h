#ifndef EVIDENCE_LOG_JOBLOG_H
#define EVIDENCE_LOG_JOBLOG_H

#include "base/stream.h"
#include "evidence/evidence.h"
#include "evidence/log/phrase.h"
#include "evidence/observed/rank_set.h"
#include "evidence/log/traceback.h"

/*
 * What the logs of a job that died say in words that are known. Logs are read once and may be of
 * any size: what is kept grows with what was found, not with them.
 */

/* A variable part of a text: "tried" was "2.00 GiB". */
struct log_value {
	const char *name, *text;
};

/* A known text, wherever and however often it was printed. */
struct log_hit {
	const struct phrase *phrase;
	const char *path; /* of the first time, as all that follows */
	size_t file;	  /* index in joblog.files */
	size_t line;
	double time; /* as log_line has it; -1: no line so far had one */
	const char *printed;
	VEC(struct log_value) values;
	int64_t count;
	struct rank_set ranks;
	VEC(const char *) hosts;     /* whose lines they were, or that they name; each once */
	size_t last_file, last_line; /* where it was seen last, and by whom */
	int64_t last_rank;
};

struct log_file {
	const char *path;
	size_t lines;
};

struct joblog {
	struct arena *arena;
	struct phrases phrases;
	struct tracebacks tracebacks;
	VEC(struct log_file) files;
	VEC(struct log_hit *) hits; /* likeliest cause first, once joblog_close was called */
	struct capture *capture;    /* dumps among the logs, and where ranks stood */
	struct log_reader *reader;  /* private */
};

/* `expected` (may be NULL) is what check finds in the job's config. */
void joblog_init(struct joblog *log, struct arena *arena, const struct findings *expected);

/* Reads one file to its end: a log, or a dump of where a rank stood. */
void joblog_read(struct joblog *log, struct text_stream *stream, const char *path);

/*
 * Puts the hits in order: what is a cause before what follows from one; within, by time where
 * there are several files and all have times, else as they stand in the files.
 */
void joblog_close(struct joblog *log);

#endif
