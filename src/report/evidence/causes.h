#ifndef REPORT_EVIDENCE_CAUSES_H
#define REPORT_EVIDENCE_CAUSES_H

#include "base/json.h"
#include "report/evidence/why.h"

/* What a cause is known by, the surest first. */
enum cause_basis {
	CAUSE_CONFIRMED, /* a log prints it, and check finds it in the config */
	CAUSE_PRINTED,	 /* a log prints it */
	CAUSE_HANG,	 /* whom the others wait for */
	CAUSE_PREDICTED, /* check finds in the config that the job cannot run so; no log says it */
	CAUSE_VAGUE,	 /* a log prints what has several causes of its own */
	CAUSE_EXCEPTION	 /* the last exception, which nobody knows */
};

struct why_cause {
	enum cause_basis basis;
	const char *name, *rule;	  /* "cuda-out-of-memory"; a rule's code, or NULL */
	const char *says, *next;	  /* sentences */
	const struct log_hit *hit;	  /* or NULL */
	const struct finding *finding;	  /* of the config; or NULL */
	const struct log_exception *last; /* or NULL */
};

struct why_causes {
	VEC(struct why_cause) list; /* the most plausible first */
};

struct why_causes why_causes_of(const struct why *why);

/* "confirmed", "printed", "hang", "predicted", "vague", "exception". */
const char *cause_basis_name(enum cause_basis basis);

/* The member "causes" of parplan.why/1. */
void why_causes_json(struct json_writer *json, const struct why *why);

/* Names them in their order where there are several, and says what check alone predicts. */
void why_causes_text(const struct why *why, const struct style *style, struct buf *out);

#endif
