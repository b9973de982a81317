#ifndef PLAN_LOST_RANKS_H
#define PLAN_LOST_RANKS_H

#include "base/vec.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What goes with ranks that are lost, a dead node's for example: groups that miss a member,
 * replicas that are no longer whole, parts of parameters that nobody holds any more.
 */
struct loss {
	struct arena *arena;
	const struct plan *plan;
	const int64_t *ranks; /* ascending, each once */
	int64_t count;
};

/* Sorts the ranks and drops repetitions; they must outlive the loss. */
struct loss loss_of(struct arena *arena, const struct plan *plan, int64_t *ranks, int64_t count);

struct group_loss {
	int64_t groups;
	int64_t broken; /* groups with a lost member */
	int64_t gone;	/* groups without any other member */
	int64_t first;	/* first rank of the first broken group */
};

struct group_loss loss_groups(const struct loss *loss, const struct layout *layout);

/* Full copies of the model, by dp_replicate coordinate; one when nothing is replicated. */
struct replica_loss {
	int64_t replicas;
	VEC(int64_t) broken; /* ascending: replicas with a lost rank */
};

struct replica_loss loss_replicas(const struct loss *loss);

/* First to last, both included. */
struct loss_range {
	int64_t first, last;
};

struct parameter_loss {
	VEC(size_t) gone;		/* of plan->parameters: some of it is held by nobody */
	VEC(struct loss_range) experts; /* of which a part is gone, ascending */
};

struct parameter_loss loss_parameters(const struct loss *loss);

/*
 * Parts of the parameters on a pipeline rank that nobody holds any more, of how many; for plans
 * without a list of parameters: as the sharding of dense (or expert) matrices cuts them.
 */
struct part_loss {
	int64_t parts, gone;
};

struct part_loss loss_parts(const struct loss *loss, int64_t pp_rank, bool expert);

#endif
