#ifndef EVIDENCE_OBSERVED_MEASURED_H
#define EVIDENCE_OBSERVED_MEASURED_H

#include "evidence/table.h"
#include "evidence/observed/verdict.h"
#include "sim/forecast.h"

/*
 * What was measured of a run beside what the model expects. A deviation is never a mismatch: models
 * err, machines differ, and a run can be as planned and slow.
 */

/* What measurements are held against. */
struct yardstick {
	const struct profile *profile;	 /* of the device; NULL: it is not known */
	int64_t gpus_per_node;		 /* 0: not known */
	const struct forecast *forecast; /* of the config; NULL: there is none */
	const char *missing;		 /* then: why, in a sentence */
	const struct verdict *verdict;	 /* on the run; NULL: nothing was planned */
};

/* A quantity of the whole step. */
struct step_deviation {
	enum seen_quantity quantity;
	const char *source;	   /* kind of the files that tell: "TorchTitan log" */
	double measured, expected; /* median of all, of memory the most; 0: not forecast */
	double low, high;	   /* four measurements of five are to be expected between */
	size_t samples;
	struct witness witness; /* the first of them */
	const char *why;	/* where it lies outside of that; or NULL */
};

/* Calls of one operation on the groups of one family, by one rank. */
struct call_deviation {
	int32_t family;
	const struct group_flow *first;
	bool per_step;	      /* else all that the evidence has */
	double calls, bytes;  /* per step; bytes of the larger sides; -1: not known */
	double time;	      /* us in all; 0: not timed */
	double quickest;      /* us, were all calls as quick as the quickest of their size */
	double expected;      /* us that the model takes for these very calls; 0: not known */
	double planned_calls; /* of the forecast per step; -1: there is none */
	double planned_bytes; /* likewise */
	double planned_time;  /* us, likewise */
	const char *why;      /* what its deviation comes from; or NULL */
};

struct measured {
	VEC(struct step_deviation) steps;
	VEC(struct call_deviation) calls; /* those that deviate by the most time first */
	const char *advice;		  /* what would bring the model nearer; or NULL */
};

struct measured measured_of(struct arena *arena, const struct observed *observed,
			    const struct yardstick *yardstick);

/* Microseconds of one call of a row as the model has it; 0: it cannot tell. */
double model_of_call(const struct yardstick *yardstick, const struct group_family *family,
		     const struct seen_traffic *row);

/* How far off, as a share of what was expected: 0.25 for a quarter more. NaN without either. */
double deviation_of(double measured, double expected);

#endif
