#ifndef WINGS_LIGHTNING_TRAINER_H
#define WINGS_LIGHTNING_TRAINER_H

#include "input/kinds.h"

/* What Lightning's Trainer takes for max_steps. */
extern const struct key_kind lightning_steps;

#endif
