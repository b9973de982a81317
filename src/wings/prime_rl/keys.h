#ifndef WINGS_PRIME_RL_KEYS_H
#define WINGS_PRIME_RL_KEYS_H

#include "input/field.h"
#include "input/node.h"
#include "input/vocabulary.h"

/* Reports keys that no class of prime-rl's has there: of `rl`, or of the others. */
void prime_rl_refuse(struct decoder *decoder, const struct node *root, bool rl);

/* The keys of all of them. */
void prime_rl_offer(struct vocabulary *vocabulary, bool rl);

#endif
