#ifndef FRAMEWORK_TORCH_FSDP_H
#define FRAMEWORK_TORCH_FSDP_H

#include "framework/torch/release.h"
#include "plan/model.h"
#include "plan/plan.h"

/*
 * What plain PyTorch code does with a model: tensor parallelism by the usual column and row
 * pattern, then fully_shard on every block and on the whole (FSDP2), or DDP.
 */
struct wrapping {
	const struct torch_release *torch;
	const struct mesh_dim *replicate; /* axis that repeats parameters, or NULL */
	const struct mesh_dim *shard;	  /* axis that shares them; NULL: DDP or nothing */
	const struct mesh_dim *tensor;	  /* tensor-parallel axis, or NULL */
	const char *reshard; /* parallelism.reshard_after_forward: default, always, never, 4 */
};

/*
 * Fills plan->units and plan->parameters; raises what fully_shard raises for a parameter. Mesh dims
 * of size 1 are kept, as DTensor keeps them.
 */
void wrap_model(struct plan *plan, const struct model *model, const struct wrapping *wrapping);

/*
 * FullyShardedDataParallel (parallelism.fsdp_version 1): it cuts vectors that hold whole units, so
 * no parameter is placed by it.
 */
bool wrap_is_flat(const struct settings *settings);

/* HSDP over parameters that tensor parallelism has cut: from 2.5 on (pytorch#133335). */
bool wrap_takes_hsdp_with_tensor(const struct torch_release *torch);

/* The AssertionError of older versions. */
extern const char wrap_hsdp_with_tensor_text[];

#endif
