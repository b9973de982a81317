#ifndef REPORT_FINDINGS_SPOT_H
#define REPORT_FINDINGS_SPOT_H

#include "report/report.h"

/*
 * Where a program is to show something: a file that it can open and a span in it. What stands in
 * an option, on the command line or in a built-in preset is shown at the checked file as a whole.
 */
struct spot {
	const char *path;      /* as spot_path gives it */
	bool file;	       /* false: stdin, or a command line without a file */
	struct span span;      /* in that file; unknown: the file as a whole */
	const char *elsewhere; /* "--set parallelism.tp=3": where it really stands, or NULL */
};

/*
 * A path as the repository knows it in whose root parplan runs: relative to the current folder.
 * An absolute one that leads elsewhere stays absolute.
 */
const char *spot_path(struct arena *arena, const char *path);

/* The place of a span found while `file` was checked, in that file's arena. */
struct spot spot_of(const struct checked *file, struct span span);

/* A finding's message for readers who see no option: "... (--set parallelism.tp=3)". */
const char *spot_message(struct arena *arena, const struct spot *place,
			 const struct finding *finding);

/* The column of a 1-based line and code-point column in bytes of UTF-8, counted from 1. */
size_t spot_byte_column(const struct source *source, uint32_t line, uint32_t column);

#endif
