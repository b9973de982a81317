#ifndef RULES_NEW_FINDINGS_H
#define RULES_NEW_FINDINGS_H

#include "framework/job.h"

/*
 * Fills `fresh` with the findings of a judged job that an earlier one did not have, or had with a
 * lower severity; both are of the file `path`. A NULL `before` had none. Returns how many findings
 * both have. Equal findings are told by their fingerprints (rules/fingerprint.h).
 */
size_t findings_fresh(struct findings *fresh, const struct job *before, const struct job *after,
		      const char *path);

#endif
