#include "wings/torchtitan/experts.h"

#include "framework/tp_plan.h"
#include "framework/torch/python.h"
#include "framework/torch/exceptions.h"
#include "wings/torchtitan/raise.h"

#include <string.h>

/*
 * torchtitan@73a0e6979d models/llama4/infra/parallelize.py, apply_moe_ep_tp and apply_fsdp;
 * distributed/expert_parallel.py; b5bcd76c66 distributed/fsdp.py.
 */

static struct mesh_dim dim_of(const struct plan *plan, const char *name, struct placement placement)
{
	static const struct layout alone = { 0 };
	const struct mesh *mesh = plan_mesh(plan, name);

	return (struct mesh_dim) { name, mesh ? &mesh->layout : &alone, placement };
}

/* True when experts are cut by tensor parallel beside expert parallel. */
static bool tensor_too(const struct titan *titan)
{
	if (titan->degrees.tp <= 1)
		return false;
	if (titan->traits[TRAIT_EP] == EP_BORROWED)
		return true;
	return (titan->traits[TRAIT_EP] == EP_ETP || titan->traits[TRAIT_EP] == EP_SPARSE_ETP) &&
	       titan->degrees.etp > 1;
}

/* The nightly of TorchTitan's own date, which nobody named, is never too old for it. */
static bool torch_is_named(const struct job *job)
{
	const struct version *torch = versions_find(&job->versions, "torch");

	return torch && torch->origin != VERSION_COMPANION;
}

/* _validate_tp_mesh_dim: torch@v2.8.0 distributed/tensor/parallel/_utils.py. */
void experts_check_mesh(struct job *job, struct plan *plan, const struct titan *titan)
{
	const enum titan_ep kind = titan->traits[TRAIT_EP];
	struct arena *arena = plan->arena;
	const char *args[2];

	if (!titan->moe || titan->degrees.ep <= 1 || (kind != EP_BORROWED && kind != EP_ETP) ||
	    torch_has(&titan->torch.torch, TORCH_TP_ANY_AXIS) || !torch_is_named(job))
		return;
	args[0] = "Mesh dimension 'ep' does not exist.";
	args[1] = arena_printf(arena, "Available mesh dimensions are: mesh_dim_names=%s",
			       python_tuple(arena, plan->root.names, plan->root.axes));
	if (tensor_too(titan))
		exception_raise(plan, PYTORCH(TP_MESH), VALUE(2));
	else
		exception_raise_told(plan,
				     (struct told) { "KeyError",
						     python_exception(arena, "KeyError", args, 2),
						     "parallelize_module", "torch-too-old" });
	titan_blame(job, plan, FIELD_EP);
}

struct experts_cut experts_cut_of(const struct plan *plan, const struct titan *titan)
{
	const struct placement rows = { .kind = PLACE_SHARD }, inside = { 0 };
	struct experts_cut cut = { .inside = -1 };

	if (plan->origin == PLAN_INTENDED && plan->has_expert) {
		cut.dims[cut.count++] = dim_of(plan, "ep", rows);
		if (titan->degrees.etp > 1)
			cut.dims[cut.inside = cut.count++] = dim_of(plan, "etp", inside);
	} else if (titan->degrees.ep > 1 && titan->traits[TRAIT_EP] != EP_NONE) {
		cut.dims[cut.count++] = dim_of(plan, "ep", rows);
		if (tensor_too(titan))
			cut.dims[cut.inside = cut.count++] = dim_of(
				plan, titan->traits[TRAIT_EP] == EP_SPARSE_ETP ? "etp" : "tp",
				inside);
	} else if (titan->degrees.tp > 1) {
		cut.dims[cut.inside = cut.count++] = dim_of(plan, "tp", inside);
	}
	return cut;
}

int experts_cut(const struct experts_cut *cut, const struct parameter *parameter, bool transposed,
		struct mesh_dim dims[EXPERT_DIMS])
{
	memcpy(dims, cut->dims, sizeof(cut->dims));
	if (cut->inside >= 0)
		dims[cut->inside].placement = tp_plan_expert(parameter, transposed);
	return cut->count;
}

/* Ranks of the mesh given to fully_shard as the version counts them. */
static int64_t mesh_size(const struct sharding *sharding, bool with_replicas)
{
	return layout_size(&sharding->shard) *
	       (with_replicas ? layout_size(&sharding->replicate) : 1);
}

int experts_fsdp_dim(const struct plan *plan, const struct titan *titan, int64_t experts)
{
	const struct degrees *d = &titan->degrees;
	const struct mesh *efsdp;
	int64_t ranks;

	if (!experts || titan->traits[TRAIT_EXPERTS_DIM] == EXPERTS_ROWS)
		return 0;
	if (titan->degrees.ep > 1 && !plan->has_expert)
		return 0; /* deepseek_v3 is not told of ep */
	if (titan->degrees.ep > 1) {
		/* v0.2.0 takes the size of the whole HSDP mesh, later ones that of an axis,
		 * whatever it is that shares the experts. */
		efsdp = plan_mesh(plan, "efsdp");
		ranks = d->ep *
			(efsdp ? layout_size(&efsdp->layout)
			       : mesh_size(&plan->expert, titan->traits[TRAIT_EP] <= EP_ETP));
	} else if (titan->traits[TRAIT_EXPERTS_DIM] == EXPERTS_COLUMNS) {
		ranks = mesh_size(&plan->dense, true);
		if (titan_names_dims(titan)) /* the mesh is all of storage */
			ranks *= d->tp;
	} else {
		return 0;
	}
	return ranks > experts ? 1 : 0;
}
