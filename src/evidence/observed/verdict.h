#ifndef EVIDENCE_OBSERVED_VERDICT_H
#define EVIDENCE_OBSERVED_VERDICT_H

#include "evidence/observed/mismatch.h"

/*
 * Whether a run did what its config asks for: the observed plan against the intended one. What is
 * not seen is never held against a run; it makes the verdict insufficient, with a reason.
 */
enum verdict_kind { VERDICT_MATCH, VERDICT_MISMATCH, VERDICT_INSUFFICIENT };

enum axis_status {
	AXIS_PROVEN,	 /* sizes or shapes of calls show it */
	AXIS_CONSISTENT, /* nothing is against it: groups of that size, a checkpoint, a product */
	AXIS_ASSUMED	 /* as planned, for want of anything else */
};

struct axis_verdict {
	enum role axis;
	int64_t planned, seen; /* degrees; seen 0: not known */
	enum axis_status status;
	VEC(struct evidence_item) evidence;
};

/* Why it is no more, or no less, certain. */
struct verdict_reason {
	const char *code; /* "ONE_RANK_ONLY" */
	const char *text;
};

struct verdict {
	enum verdict_kind kind;
	const char *code;  /* "MATCH", "HSDP_COLLAPSED_TO_FSDP", ..., "INSUFFICIENT" */
	const char *text;  /* one sentence */
	double confidence; /* of what the evidence shows, 0 to 1 */
	const char *built; /* where the framework itself builds another plan, and whether the run
			      has that; or NULL */
	VEC(struct axis_verdict) axes;
	VEC(struct evidence_item) evidence; /* behind the code */
	VEC(struct verdict_reason) reasons;
	const char *next; /* the cheapest evidence that would settle what is open; or NULL */
};

/* The job has an intended plan with a world (verdict_refuses is NULL). */
struct verdict verdict_of(struct arena *arena, const struct job *job,
			  const struct observed *observed);

/* Why no verdict can be had of a config, in a sentence; NULL: one can. */
const char *verdict_refuses(const struct job *job);

/* "match", "mismatch", "insufficient"; "proven", "consistent", "assumed". */
const char *verdict_name(enum verdict_kind kind);
const char *axis_status_name(enum axis_status status);

/* How far what a capture shows can be relied on, 0 to 1. */
double confidence_of(const struct observed *observed);

#endif
