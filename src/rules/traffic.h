#ifndef RULES_TRAFFIC_H
#define RULES_TRAFFIC_H

#include "framework/job.h"

/*
 * What the difference between the intended and the applied sharding costs, in words: bytes
 * that each rank receives per step (when the model is known) and whether the groups cross
 * nodes (when the cluster is).
 */
char *traffic_compare(const struct job *job);

#endif
