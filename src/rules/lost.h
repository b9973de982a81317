#ifndef RULES_LOST_H
#define RULES_LOST_H

#include "base/finding.h"

/* What `parplan convert` cannot say in the words of its target; no check finds it. */
extern const struct rule_id rule_lost_in_conversion;

#endif
