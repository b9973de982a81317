#ifndef RULES_FINGERPRINT_H
#define RULES_FINGERPRINT_H

#include "base/finding.h"
#include "framework/job.h"

#include <stdint.h>

/*
 * What makes a finding the same finding after the file around it was edited: the rule, the file,
 * the key it points at with its value, and the facts in its message, which are its numbers and
 * what stands in quotes. Lines, columns and other words of the message play no part.
 */
struct fingerprint {
	const char *rule;
	const char *path;    /* as given to fingerprint_of */
	const char *key;     /* "parallelism.tp"; "" where no key is pointed at */
	const char *message; /* of the finding, for people to read */
	uint64_t hash;
};

/* The fingerprint of a finding of a job; texts are copied into `arena`. */
struct fingerprint fingerprint_of(struct arena *arena, const struct job *job,
				  const struct finding *finding, const char *path);

/* Sixteen hexadecimal digits. */
const char *fingerprint_text(struct arena *arena, const struct fingerprint *fingerprint);

#endif
