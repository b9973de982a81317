#ifndef RULES_TRAFFIC_H
#define RULES_TRAFFIC_H

#include "framework/job.h"

/*
 * What the difference between the intended and the applied sharding costs, in words: bytes
 * that each rank receives per step (when the model is known) and whether the groups cross
 * nodes (when the cluster is).
 */
char *traffic_compare(const struct job *job);

/* Bytes of one element of a dtype setting; `otherwise` when it is not set. */
int64_t dtype_bytes(const struct settings *settings, enum field_id field, int64_t otherwise);

#endif
