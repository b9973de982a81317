#ifndef WINGS_OUMI_SAYS_H
#define WINGS_OUMI_SAYS_H

#include "plan/exception.h"

extern const struct exceptions exceptions_oumi;

/* Of fsdp.enable_fsdp beside deepspeed.enable_deepspeed. */
#define OUMI_BOTH (&exceptions_oumi.rows[0])

#endif
