#ifndef EVIDENCE_LOG_KNOWN_END_H
#define EVIDENCE_LOG_KNOWN_END_H

#include "base/finding.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Ends of jobs that everybody meets and no look at a config can tell: a device out of memory, a
 * port that is taken, what the other ranks print when one has died. As a rule has it, `explanation`
 * is the cause and `remedy` what to look at next.
 */
struct known_end {
	struct rule_id id;
	bool follows; /* comes after the cause, in other ranks or from the launcher */
};

extern const struct known_end known_ends[];
extern const size_t known_end_count;

#endif
