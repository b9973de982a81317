#ifndef WINGS_TORCHTITAN_EXPERTS_H
#define WINGS_TORCHTITAN_EXPERTS_H

#include "wings/torchtitan/titan.h"

/*
 * Routed experts: which mesh cuts them before fully_shard does, and along which dim
 * fully_shard then cuts what is left.
 */

enum { EXPERT_DIMS = 2 };

/*
 * The mesh dims that cut experts' weights (ep; ep and etp; or tp alone). A plan as asked has ep and
 * etp of its own, whatever the version makes of them.
 */
struct experts_cut {
	int count;
	struct mesh_dim dims[EXPERT_DIMS];
	int inside; /* the one that cuts each expert, as its weight has it; -1: none does */
};

struct experts_cut experts_cut_of(const struct plan *plan, const struct titan *titan);

/* Fills those of one weight, and returns how many there are. */
int experts_cut(const struct experts_cut *cut, const struct parameter *parameter, bool transposed,
		struct mesh_dim dims[EXPERT_DIMS]);

/*
 * Raises where parallelize_module does not take the mesh of the experts: up to PyTorch 2.8 it must
 * be one axis of the world mesh, which neither the flattened "ep" nor ("ep", "tp") is.
 */
void experts_check_mesh(struct job *job, struct plan *plan, const struct titan *titan);

/* The tensor dim that fully_shard cuts: 0, or 1 where there are more ranks than experts. */
int experts_fsdp_dim(const struct plan *plan, const struct titan *titan, int64_t experts);

#endif
