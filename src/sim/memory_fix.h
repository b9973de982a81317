#ifndef SIM_MEMORY_FIX_H
#define SIM_MEMORY_FIX_H

#include "sim/forecast.h"

/* A change that takes memory from the fullest rank, and what the job needs with it. */
struct remedy {
	const char *what;
	double device; /* bytes on the fullest rank, as nvidia-smi would show them */
	enum fits fits;
	double step_ratio; /* seconds per token over those of today */
};

struct remedies {
	VEC(struct remedy) list;
};

/*
 * Forecasts the job again with one change at a time: recomputation of everything, half the
 * microbatch, state cut over the ranks that are there or over twice as many. Those that save
 * nothing are left out; the list is in the job's arena, in the order of that sentence.
 */
void remedies_find(const struct job *job, const struct forecast *forecast,
		   struct remedies *remedies);

#endif
