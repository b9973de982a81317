#ifndef RULES_TRAFFIC_H
#define RULES_TRAFFIC_H

#include "framework/job.h"

/*
 * What the difference between the intended and the applied sharding costs, in words: bytes that
 * each rank receives per step, and where the device is known too, time and memory of a step.
 */
char *traffic_compare(struct job *job);

/* The last of it alone: "a step takes 0.32 s and 57.3 GiB as asked, ..."; "" where not known. */
char *traffic_forecasts(struct job *job);

/* How many rows of the largest matrix of the first block a rank holds, in words; or NULL. */
const char *traffic_rows(const struct job *job);

#endif
