#ifndef RULES_AXES_H
#define RULES_AXES_H

#include "rules/rule.h"

/* The axes whose degrees must multiply to the number of ranks, and which of them play a part. */

struct axis {
	enum field_id field;
	const char *name; /* as exceptions spell it */
};

enum { AXES = 7 };

extern const struct axis axes[AXES];

/* What the config says of an axis: -1 stays -1; 1 when nothing is said. */
int64_t axis_degree(const struct job *job, enum field_id field);

/* False for an axis that the job's TorchTitan has no degree for. */
bool axis_in_version(const struct job *job, enum field_id field);

/* True when the axis is a factor of the product: total data parallel stands for the other two. */
bool axis_plays(const struct job *job, enum field_id field);

/* The axis that -1 or the surplus goes to. */
enum field_id axis_free(const struct job *job);

/* The name of an axis in `axes`. */
const char *axis_name(enum field_id field);

/* What the config calls its degree, "tensor_parallel_dim"; the axis's name where it says nothing,
 * and under TorchTitan, whose exceptions have the names. */
const char *axis_key(const struct job *job, enum field_id field);

#endif
