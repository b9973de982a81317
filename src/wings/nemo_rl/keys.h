#ifndef WINGS_NEMO_RL_KEYS_H
#define WINGS_NEMO_RL_KEYS_H

#include "input/field.h"
#include "input/node.h"

/* Reports slips in the keys of the policy and the cluster, and flags that are neither true nor
 * false. */
void nemo_rl_keys(struct decoder *decoder, const struct node *root);

#endif
