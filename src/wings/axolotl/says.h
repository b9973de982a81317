#ifndef WINGS_AXOLOTL_SAYS_H
#define WINGS_AXOLOTL_SAYS_H

#include "plan/exception.h"

extern const struct exceptions exceptions_axolotl;

/* Of `fsdp` without fsdp_config. */
#define AXOLOTL_NO_MAP (&exceptions_axolotl.rows[0])

/* Of `fsdp` beside deepspeed. */
#define AXOLOTL_BOTH (&exceptions_axolotl.rows[1])

#endif
