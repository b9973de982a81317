#ifndef RULES_TRAFFIC_H
#define RULES_TRAFFIC_H

#include "framework/job.h"

/*
 * What the difference between the intended and the applied sharding costs, in words: bytes that
 * each rank receives per step, and where the device is known too, time and memory of a step.
 */
char *traffic_compare(struct job *job);

#endif
