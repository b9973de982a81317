#ifndef INPUT_AXIS_H
#define INPUT_AXIS_H

#include "input/setting.h"

/*
 * The axes of parallelism in the order in which they are listed: total data parallel, what copies
 * and shares, the model's own from AXIS_CP on, and sp.
 */
enum { AXIS_DP, AXIS_DP_REPLICATE, AXIS_CP = 3, AXIS_EP = 6, AXIS_SP = 8, AXES };
extern const enum field_id axes[AXES];

/* "dp_shard". */
const char *axis_name(enum field_id axis);

/* Whether one of the axes from `first` up to `end` is given as something that nobody knows. */
bool axes_are_open(const struct settings *settings, int first, int end);

/* Makes an axis unknown from now on, and says why. */
void axis_leave_open(struct settings *settings, enum field_id axis, const char *why,
		     struct span span);

#endif
