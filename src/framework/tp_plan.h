#ifndef FRAMEWORK_TP_PLAN_H
#define FRAMEWORK_TP_PLAN_H

#include "plan/model.h"
#include "plan/placement.h"

/*
 * What tensor parallel does to a parameter, routed experts excepted: Shard(0)
 * where ColwiseParallel or an embedding's RowwiseParallel cuts it, Shard(1) where RowwiseParallel
 * does, else Replicate (SequenceParallel, NoParallel). The plan is the same in all versions and
 * families apart from the names of the modules; see the table for its sources.
 */
struct placement tp_plan_placement(const char *fqn);

/* The same for a routed expert's weight; `transposed`: it is stored [E, dim, ffn]. */
struct placement tp_plan_expert(const struct parameter *parameter, bool transposed);

#endif
