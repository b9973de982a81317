#ifndef EVIDENCE_SLOW_SLOW_H
#define EVIDENCE_SLOW_SLOW_H

#include "evidence/observed/measured.h"
#include "framework/job.h"

/*
 * Why a run is slower than its forecast. Each cause that is known to slow jobs down is held against
 * the evidence and simulated: what a step would take with it. What the evidence cannot tell is said
 * to be not known, with the amount that would explain the rest.
 */
enum slow_basis {
	SLOW_SHOWN,    /* the evidence shows it, and how much of it */
	SLOW_FITS,     /* something else that was measured fits it */
	SLOW_UNKNOWN,  /* the evidence cannot tell */
	SLOW_EXCLUDED, /* the evidence speaks against it */
	SLOW_BASES
};

/* What of a forecast is otherwise, and by how much. */
struct slow_change {
	void (*apply)(struct arena *arena, struct forecast *then, const struct slow_change *change);
	double amount;
	int64_t at; /* a position of the pipeline */
};

struct slow_cause {
	const char *name;  /* "network-rate" */
	const char *title; /* "the network between nodes is below its rate" */
	enum slow_basis basis;
	const char *says; /* what the evidence has of it, or lacks */
	const char *need; /* what of it would explain all that is left; or NULL */
	const char *next; /* what to look at */
	double seconds;	  /* of a step that it explains, or would: NaN: not known */
	struct slow_change change;
	const struct forecast *other; /* of another job, where that is the cause; or NULL */
	struct witness witness;	      /* file -1: none */
};

enum slow_kind { SLOW_WITHIN, SLOW_SLOWER, SLOW_INSUFFICIENT };

struct slow {
	enum slow_kind kind;
	const char *missing; /* why it is insufficient; or NULL */
	double measured;     /* seconds of a step; 0: not known */
	const char *source;  /* "Megatron-LM log" */
	size_t samples;
	struct witness witness;
	double expected, low, high;    /* of the config's forecast; 0: there is none */
	double explained;	       /* seconds of a step with all that is shown, as simulated */
	const char *next;	       /* what would settle most of what is not known; or NULL */
	VEC(struct slow_cause) causes; /* most plausible first, then those ruled out */
};

/* `yardstick->verdict` must be there. */
struct slow slow_of(struct arena *arena, const struct job *job, const struct observed *observed,
		    const struct yardstick *yardstick, const struct measured *measured);

/* "within", "slower", "insufficient"; "shown", "fits", "unknown", "excluded". */
const char *slow_kind_name(enum slow_kind kind);
const char *slow_basis_name(enum slow_basis basis);

#endif
