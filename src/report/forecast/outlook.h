#ifndef REPORT_FORECAST_OUTLOOK_H
#define REPORT_FORECAST_OUTLOOK_H

#include "framework/job.h"
#include "framework/resume.h"

#include <stdbool.h>

/*
 * What a reviewer asks of a config: who works together, how much is trained in one step, and what
 * that takes. Everything that is not known is 0 or NULL, and `missing` says why.
 */
enum outlook_axis {
	OUTLOOK_SHARD,	   /* ranks that together hold one copy of the parameters */
	OUTLOOK_REPLICATE, /* ranks that hold the same part */
	OUTLOOK_CP,
	OUTLOOK_TP,
	OUTLOOK_PP,
	OUTLOOK_EP,
	OUTLOOK_AXES
};

struct outlook_group {
	int64_t size, groups; /* ranks of a group; groups in the world. 0: there are none */
	const char *text;     /* "{0-7} {8-15}" */
	double received; /* bytes that one rank receives over it per step; 0: nothing, or not known
			  */
};

struct outlook {
	const char *error;    /* what is raised before the first step has ended; then nothing is
				 forecast */
	int64_t world;	      /* ranks */
	const char *strategy; /* of data parallelism, as applied; NULL: not modelled */
	struct outlook_group groups[OUTLOOK_AXES];
	int64_t batch;	     /* samples per step, over all ranks */
	const char *samples; /* the same where they are no sequences: "16 pairs of sequences" */
	int64_t tokens;	     /* per step, over all ranks */
	bool forecast;	     /* what follows is known */
	const char *missing; /* without a forecast: what it lacks */
	double memory, memory_low, memory_high, capacity; /* bytes, of the rank that holds most */
	const char *fits;				  /* "yes", "tight", "no" */
	double step, step_low, step_high; /* seconds; four of five measurements lie between */
};

/* Of a judged job. */
struct outlook outlook_of(struct job *job);

/* "shard groups", "tp groups": what an axis is called. */
const char *outlook_axis_name(enum outlook_axis axis);

/* Lines of the table of before and after. */
enum outlook_row {
	OUTLOOK_ROW_START, /* what is raised, if anything is */
	OUTLOOK_ROW_RANKS,
	OUTLOOK_ROW_STRATEGY,
	OUTLOOK_ROW_GROUPS, /* and one for each axis more */
	OUTLOOK_ROW_BATCH = OUTLOOK_ROW_GROUPS + OUTLOOK_AXES,
	OUTLOOK_ROW_TOKENS,
	OUTLOOK_ROW_MEMORY,
	OUTLOOK_ROW_STEP,
	OUTLOOK_ROWS
};

const char *outlook_row_name(int row);

/* The cell of a row; NULL when there is nothing to say. */
const char *outlook_cell(struct arena *arena, const struct outlook *outlook, int row);

/* What stands for a cell with nothing in it: "none", "nothing", "unknown". */
const char *outlook_nothing(const struct outlook *outlook, int row);

/* Whether a checkpoint of the config before can be loaded after. */
struct handover {
	const struct resume *resume; /* NULL: not judged */
	const char *why_not;	     /* then: why */
};

/* "loads", "loses", "fails", "unknown": the worst of its components. */
const char *handover_verdict(const struct handover *handover);

/* "model reshards, optimizer fails: ...": one clause for each component. */
char *handover_text(struct arena *arena, const struct handover *handover);

#endif
