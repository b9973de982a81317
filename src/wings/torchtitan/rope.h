#ifndef WINGS_TORCHTITAN_ROPE_H
#define WINGS_TORCHTITAN_ROPE_H

#include "wings/torchtitan/titan.h"
#include "plan/model.h"

/* Tokens that a flavour's rotary embedding reaches at a version; 0: not known. */
int64_t rope_reach(const struct model *model, const struct titan *titan);

#endif
