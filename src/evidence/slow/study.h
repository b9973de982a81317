#ifndef EVIDENCE_SLOW_STUDY_H
#define EVIDENCE_SLOW_STUDY_H

#include "evidence/slow/slow.h"

/* Causes are judged one after the other, each on top of those that were shown before it. */
struct study {
	struct arena *arena;
	const struct job *job;
	const struct observed *observed;
	const struct yardstick *yardstick;
	const struct measured *measured;
	struct forecast base; /* with what was shown so far */
	double added;	      /* seconds of a step that were shown and are no part of it */
	double half;	      /* half-width of the forecast's interval, as a share */
	double seconds;	      /* measured of a step */
};

/*
 * A row of the causes: `judge` sets basis, says and witness, of what is shown and simulated the
 * change or its seconds, too; false: the cause is none for this job. `need` says an amount of it
 * that would explain all (NULL: it has none), to be looked for up to `most`. `traced`: a trace
 * tells.
 */
struct slow_row {
	const char *name, *title, *next;
	bool (*judge)(const struct study *study, struct slow_cause *cause);
	const char *(*need)(struct arena *arena, double amount);
	double most;
	bool traced;
};

extern const struct slow_row slow_row_layout, slow_row_batch, slow_row_recomputation,
	slow_row_device, slow_row_launch, slow_row_network, slow_row_links, slow_row_straggler,
	slow_row_overlap, slow_row_loading, slow_row_memory;

/* Seconds of a step of the base with a change. */
double study_step(const struct study *study, const struct slow_change *change);

/* The same, whole. */
void study_forecast(const struct study *study, const struct slow_change *change,
		    struct forecast *then);

/* The amount between 1 and `most` at which a step takes that long; NaN: none. */
double study_solve(const struct study *study, struct slow_change change, double most,
		   double seconds);

/* The first of a quantity's values (NULL: none was measured), and the value at a share of all in
 * their order: 0 the least, 0.5 the median, 1 the most. */
const struct seen_measure *study_value(const struct study *study, enum seen_quantity quantity,
				       double share, double *value);

/* Seconds of a step that the base computes, were kernels launched in no time. */
double study_computing(const struct study *study);

/* Changes: hosts launch so many times as slowly; what the device computes takes so long. */
void change_hosts(struct arena *arena, struct forecast *then, const struct slow_change *change);

#endif
