#ifndef FRAMEWORK_STAGE_NAMES_H
#define FRAMEWORK_STAGE_NAMES_H

#include "input/node.h"
#include "plan/plan.h"

/* Pipeline stages by the names of the modules that they hold. */

/* Adds an empty stage; good until the next is added. */
struct stage *stages_add(struct arena *arena, struct stage_list *stages);

/* Puts blocks `from` to before `to` on a stage. */
void stage_hold_layers(struct arena *arena, struct stage *stage, int64_t from, int64_t to);

/* A list of lists of names: one stage each. */
void stages_of_names(struct arena *arena, struct stage_list *stages, const struct node *parts);

/*
 * A list of names, or NULL: each stage starts at its point and ends before the next. A point that
 * names no layer is never met, so its stage is empty and the one before runs to the end
 * (pytorch/torchtitan@f7084fc78 distributed/pipeline.py). `output`: the name of the output layer.
 */
void stages_at_points(struct arena *arena, struct stage_list *stages, const struct node *points,
		      int64_t layers, const char *output);

/* Which rank holds which stage: round robin, r, r + pp, ...; `v`: r and 2 * pp - 1 - r. */
void stages_to_ranks(struct stage_list *stages, int64_t pp, bool v);

#endif
