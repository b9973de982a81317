#ifndef EVIDENCE_OBSERVED_ROLES_H
#define EVIDENCE_OBSERVED_ROLES_H

#include "evidence/observed/families.h"

/*
 * Finds what every flow is for, rank by rank, from equalities of sizes and from shapes: all-gathers
 * whose outputs are the inputs of reduce-scatters are sharding, all-reduces of as many elements as
 * reduce-scatters leave are replicas. Descriptions of groups only decide between equals.
 */
void roles_find(struct families *families);

/* "shard", "replicate", "ddp", "zero", "tp", "tp without sequence parallelism", ... */
const char *seen_role_name(enum seen_role role);

#endif
