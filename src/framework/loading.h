#ifndef FRAMEWORK_LOADING_H
#define FRAMEWORK_LOADING_H

#include "framework/resume.h"
#include "framework/state_dict.h"
#include "plan/reshard.h"

/* What a job reads of the checkpoint it resumes from, and from where. */
struct loading {
	const struct resume *resume;
	struct state_dict dict; /* of the job */
	struct saved saved;
	struct loader loader;
	struct reshard reshard;
	const char *trouble; /* why the reads are not known, a clause; else NULL */
	bool optimizer;	     /* its states are among the reads */
};

/* Needs resume_of(job) to have an answer. Always fills `loading`; see `trouble`. */
void loading_of(struct loading *loading, struct job *job);

/* Ranks of one node, taken as blocks; 0 when it is not known. */
int64_t ranks_per_node(const struct job *job);

/* The node that reads most bytes, the first of equals, and how many: *node, *bytes. */
void loading_node(const struct loading *loading, int64_t per_node, int64_t *node, int64_t *bytes);

#endif
