#ifndef EVIDENCE_OBSERVED_GAPS_H
#define EVIDENCE_OBSERVED_GAPS_H

#include "evidence/observed/verdict.h"

/* Adds the reasons why evidence proves less than it could: what files say, what is not there. */
void gaps_find(const struct comparison_of_run *run, struct verdict *verdict);

/* The cheapest evidence that would settle what is open. */
const char *gaps_next(const struct comparison_of_run *run);

#endif
