#ifndef WINGS_TORCHTITAN_RAISE_H
#define WINGS_TORCHTITAN_RAISE_H

#include "wings/torchtitan/titan.h"

/* Ends the plan with what the DeviceMesh model raised; true when it did raise. */
bool titan_raised(struct plan *plan, const struct titan *titan, const char *rule,
		  const char *where);

/* Adds a setting to those responsible for the exception. */
void titan_blame(struct job *job, struct plan *plan, enum field_id field);

/* True when the version knows expert_tensor_parallel_degree. */
bool titan_has_etp(const struct titan *titan);

/* True when dp_replicate counts as enabled: above 1, or torchft's virtual axis. */
bool titan_replicates(const struct titan *titan);

#endif
