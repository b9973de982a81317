#ifndef WINGS_VERL_SAYS_H
#define WINGS_VERL_SAYS_H

#include "plan/exception.h"

extern const struct exceptions exceptions_verl;

/* Of a part without any size of micro-batches: 0 the actor, 1 the reference, 2 the rollout, 3 the
 * critic. */
#define VERL_NO_MICRO(part) (&exceptions_verl.rows[part])

#endif
