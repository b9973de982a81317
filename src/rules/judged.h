#ifndef RULES_JUDGED_H
#define RULES_JUDGED_H

#include "rules/rule.h"

/*
 * How much of a job was judged. A rule is undecided that could be an error or a warning and lacks
 * the world, a model, the strategy or a degree; optional are those that can only give notes or that
 * need what nobody has to give. A rule that does not concern the job is not counted.
 */
enum judged_status { JUDGED, JUDGED_PARTLY, JUDGED_NOT };

/* Something that is missing, and how many rules it keeps from being decided. */
struct judged_gap {
	const char *needs; /* "the world size (--world N)" */
	size_t rules;
};

/* A rule that could not be decided; an optional one does not count. */
struct judged_open {
	const struct rule *rule;
	const char *needs;
	bool optional;
};

struct judged {
	enum judged_status status;
	const char *why;	   /* JUDGED_NOT: the reason */
	VEC(const char *) unknown; /* "world", "strategy", "tp", ..., "model" */
	size_t decided, undecided, optional;
	VEC(struct judged_gap) gaps;
	VEC(struct judged_open) open; /* all undecided ones, and what optional ones need */
};

/* Of a job whose rules have run. */
struct judged judged_of(struct job *job);

/* What somebody would have to give for `its` and not for `judged`; NULL: nothing. */
const struct judged_gap *judged_lacks_more(const struct judged *judged, const struct judged *its);

/* "judged", "partly", "not". */
const char *judged_name(enum judged_status status);

#endif
