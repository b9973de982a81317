#ifndef RULES_AXES_H
#define RULES_AXES_H

#include "input/axis.h"
#include "rules/rule.h"

/* Which axes play a part in the product that must be the number of ranks, and what to call them. */

/* The factors of the number of ranks. */
enum { FACTORS = AXIS_EP + 1 };
enum field_id factor(int i);

/* What the config says of an axis: -1 stays -1; 1 when nothing is said. */
int64_t axis_degree(const struct job *job, enum field_id field);

/* True when the axis is a factor of the product: total data parallel stands for the other two. */
bool axis_plays(const struct job *job, enum field_id field);

/* The axis that -1 or the surplus goes to. */
enum field_id axis_free(const struct job *job);

/* What the config calls its degree, "tensor_parallel_dim"; the axis's name where it says nothing,
 * and under TorchTitan, whose exceptions have the names. */
const char *axis_key(const struct job *job, enum field_id field);

#endif
