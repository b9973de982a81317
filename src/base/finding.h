#ifndef BASE_FINDING_H
#define BASE_FINDING_H

#include "base/arena.h"
#include "base/source.h"
#include "base/vec.h"

#include <stdbool.h>

/*
 * Everything there is to say about the user's input is a finding: syntax
 * errors, unknown keys, and what the rules derive. Findings are collected,
 * sorted, capped and only then printed; nothing is printed where it is found.
 */

enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR };

/* How well the claim behind a rule is known; caps its severity (DERIVED: note, REPORTED: warning).
 */
enum evidence {
	EVIDENCE_DERIVED,  /* computed by reading code, never run */
	EVIDENCE_REPORTED, /* a thread says so */
	EVIDENCE_READ,	   /* the code was read */
	EVIDENCE_RUN	   /* we or upstream ran it */
};

/* A text people see on the day it goes wrong, and who prints it. */
struct saying {
	const char *speaker; /* "torch >= 2.7", "torchtitan", "Megatron-LM", "NCCL" */
	const char *text;    /* word for word, what varies in braces: "dp({n}) * tp({n}) != {n}" */
};

/*
 * What can be found, apart from who looks for it. The name is eternal: it is
 * what people write in `# parplan: ignore=NAME` and never means another thing.
 */
struct rule_id {
	const char *name;	/* kebab-case */
	const char *code;	/* letter and three digits, by topic */
	enum severity severity; /* the highest it can have under pinned versions */
	enum evidence evidence;
	const char *summary;	   /* one line, at most 80 columns */
	const char *explanation;   /* why it matters and when it holds, a paragraph */
	const char *remedy;	   /* how to get out of it, one or two sentences */
	const char *source;	   /* where it is known from: repo@commit, PR, issue, document */
	const struct saying *says; /* the texts it is known by, ended by a NULL text; or NULL */
	bool stops; /* its errors end the job, also where nobody knows the text of what is raised */
};

/* A second place that belongs to a finding: "heads set here". */
struct related {
	struct span span;
	const char *message;
};

/* What keeps a finding from being reported. */
enum silence { NOT_SILENCED, SILENCED_BY_COMMENT, SILENCED_BY_OPTION };

/* One replacement of the text at `span`; an empty span inserts. */
struct edit {
	struct span span;
	const char *text;
};

struct finding {
	const struct rule_id *rule;
	enum severity severity;
	struct span span;
	const char *message;	 /* one sentence, with the numbers, no final full stop */
	const char *requested;	 /* what the config asks for, or NULL */
	const char *actual;	 /* what will happen, or NULL */
	const char *consequence; /* in bytes, links, time; may hold line breaks; or NULL */
	const char *quote;	 /* the exact text the framework prints, or NULL */
	const char *speaker;	 /* who prints it: "torchtitan v0.2.0", or NULL */
	const char *only; /* of which versions that fit it holds, as its message has it; NULL: of
			     all */
	const char *fix;  /* what to do, or NULL (then the rule's remedy is shown) */
	VEC(struct edit) edits; /* the fix as text, when it can be computed */
	VEC(struct related) related;
	enum silence silence;
	uint32_t order; /* when it was added; the last tie-break */
};

/* The only sink. Holds pointers: a finding stays valid until the arena goes. */
struct findings {
	struct arena *arena;
	VEC(struct finding *) list;
	VEC(struct finding *) silenced; /* dropped by a comment or an option */
};

void findings_init(struct findings *findings, struct arena *arena);

/* Adds a finding at the rule's own severity; fill in the rest through the setters below. */
struct finding *finding_add(struct findings *findings, const struct rule_id *rule, struct span span,
			    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Lowers (never raises) the severity. */
void finding_cap(struct finding *finding, enum severity severity);

void finding_relate(struct findings *findings, struct finding *finding, struct span span,
		    const char *format, ...) __attribute__((format(printf, 4, 5)));
void finding_requested(struct findings *findings, struct finding *finding, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void finding_actual(struct findings *findings, struct finding *finding, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void finding_consequence(struct findings *findings, struct finding *finding, const char *format,
			 ...) __attribute__((format(printf, 3, 4)));
void finding_quote(struct findings *findings, struct finding *finding, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void finding_fix(struct findings *findings, struct finding *finding, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void finding_edit(struct findings *findings, struct finding *finding, struct span span,
		  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Sorts both lists by place, then rule, then order of arrival, and drops exact repetitions. */
void findings_sort(struct findings *findings);

/* Whether one of these rules (NULL: any) has spoken of just that place. */
bool findings_have(const struct findings *findings, struct span span, const struct rule_id *one,
		   const struct rule_id *other);

/* How many findings have exactly this severity. */
size_t findings_count(const struct findings *findings, enum severity severity);

/* "note", "warning", "error". */
const char *severity_name(enum severity severity);

#endif
