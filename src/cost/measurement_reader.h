#ifndef COST_MEASUREMENT_READER_H
#define COST_MEASUREMENT_READER_H

#include "cost/measurement.h"
#include "input/member.h"

/* One file on its way into measurements. */
struct intake {
	struct arena *arena;
	const char *path;
	const struct measurement_hints *hints;
	struct measurements *into;
	struct findings *findings;
	struct measured_source *source; /* what the reader at work counts into */
	int64_t at;			/* the line or event that is being read, from 1 */
};

/*
 * A kind of source, one file each. To add one: such a row, and its name in measurement_reader.c.
 * Most kinds take a whole file, which they know by its head; those that are lines of text may be
 * mixed in one file, and each is offered every line.
 */
struct measurement_reader {
	const char *kind; /* "nccl-tests text", for reports */
	/* Whether a file that begins so (at most STREAM_HEAD bytes) is of this kind; NULL: lines.
	 */
	bool (*claims)(const char *head);
	void (*read)(struct intake *intake, struct text_stream *stream);
	/* Kinds of lines: a state, a line (true: it was of this kind), and the end of the file. */
	void *(*open)(struct intake *intake);
	bool (*line)(struct intake *intake, void *state, const char *text, size_t length);
	void (*close)(struct intake *intake, void *state);
};

extern const struct measurement_reader measurement_trace, measurement_bench, measurement_json,
	measurement_inspector, measurement_nccl_log, measurement_text;

/* Counts the line or event that is being read as one that cannot be, or that is of no use. */
void intake_unreadable(struct intake *intake);
void intake_left_out(struct intake *intake, const char *why);

void intake_complain(struct intake *intake, const char *what);

/* The root of a JSON file, or NULL after a finding. */
const struct node *intake_tree(struct intake *intake, struct text_stream *stream);

/* What the command line says of a table's system, laid over what its file said. */
void measurement_hint(struct measurement *table, const struct measurement_hints *hints);

/* One run of an nccl-tests program as its JSON has it, or ours within a larger file. */
void measurement_of_run(struct intake *intake, const struct node *root);

#endif
