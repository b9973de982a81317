#ifndef FRAMEWORK_TORCH_SAVE_PLAN_H
#define FRAMEWORK_TORCH_SAVE_PLAN_H

#include "framework/state_dict.h"
#include "plan/saved.h"

/*
 * What DCP's save planner makes of a job: the chunks, and for those that several ranks hold the one
 * that writes it (torch/distributed/checkpoint/_dedup_save_plans.py): the plan with the fewest
 * bytes so far, the lowest rank of equals; up to PyTorch 2.2 always the lowest. Plans are gone
 * through rank by rank, each in the order of its state dict.
 *
 * Returns NULL, or a clause why the layout is not known.
 */
const char *save_plan(struct saved *saved, const struct job *job, const struct state_dict *dict);

/* The spreads of a plan's parameters: index[i] is parameter i's. */
void spreads_of_plan(struct arena *arena, const struct plan *plan, struct spread ***spreads,
		     size_t *count, int *index);

/* Why a job's parameters cannot be laid out over its ranks, as a clause; NULL when they can. */
const char *spread_trouble(const struct job *job);

/* The pipeline coordinate of every rank, and how many there are; NULL without a pipeline. */
const int32_t *pp_of_ranks(struct arena *arena, const struct plan *plan, int64_t *count);

/* The pipeline coordinate a parameter is on; -1 without a pipeline. */
int64_t pp_of_parameter(const struct plan *plan, const struct sharded *sharded);

#endif
