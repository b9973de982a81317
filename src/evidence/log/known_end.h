#ifndef EVIDENCE_LOG_KNOWN_END_H
#define EVIDENCE_LOG_KNOWN_END_H

#include "base/finding.h"

#include <stddef.h>

/*
 * Ends of jobs that everybody meets and no look at a config can tell: a device out of memory, a
 * port that is taken, what the other ranks print when one has died. As a rule has it, `explanation`
 * is the cause and `remedy` what to look at next; their texts are its sayings. They stand in
 * ends/TOPIC.def, each text with the thread or the file it is known from.
 */
enum end_kind {
	END_CAUSE,
	END_VAGUE,  /* a cause that has several of its own: told behind those that are sure */
	END_FOLLOWS /* comes after the cause, in other ranks or from the launcher */
};

struct known_end {
	struct rule_id id;
	enum end_kind kind;
};

/* An end, or a text of the end above it. */
struct known_row {
	struct known_end end; /* no name: a text */
	struct saying saying;
	const char *source;
};

extern const struct known_row known_rows[];
extern const size_t known_row_count;

#endif
