#ifndef WINGS_TORCHTUNE_SHIPPED_H
#define WINGS_TORCHTUNE_SHIPPED_H

#include "input/launch/launch.h"
#include "input/node.h"

/* tensor_parallel_dim of a config that torchtune ships and a launch names; 1 for most of them. */
int64_t torchtune_shipped_tensor(const struct launch *launch);

#endif
