#ifndef WINGS_TORCHTITAN_TITAN_H
#define WINGS_TORCHTITAN_TITAN_H

#include "framework/job.h"
#include "framework/torch/device_mesh.h"
#include "wings/torchtitan/timeline.h"

#include <stdbool.h>

/*
 * One execution of a config by one TorchTitan version: Trainer.__init__ as far as it
 * decides meshes, parallelism and wrapping. The steps run in the order of the real
 * code; the first that raises ends the plan.
 */
struct titan {
	moment_t when;
	int traits[TRAIT_COUNT];
	const char *family; /* llama3, llama4, deepseek_v3, qwen3, gpt_oss; "" without a model */
	bool moe;	    /* the model has routed experts */
	bool spmd_types;    /* parallelism.spmd_backend, resolved */
	bool named_dims;    /* it has a storage mesh, dp_shard beside cp and tp, instead of fsdp */
	bool ft_mesh;	    /* torchft's ManagedDeviceMesh: dp_replicate is virtual */
	struct degrees degrees;	  /* after inference */
	struct torch_world torch; /* the DeviceMesh model this version runs on */
	struct device_mesh *root; /* the world mesh; NULL without axes */
	struct device_mesh *loader, *model, *experts; /* its views, where it has any */
};

/* ParallelDims validation: fills degrees or raises. */
void titan_validate_dims(struct job *job, struct plan *plan, struct titan *titan);

/* ParallelDims.build_mesh: root, views, named meshes, the log line; or what DeviceMesh raises. */
void titan_build_mesh(struct job *job, struct plan *plan, struct titan *titan);

/* The lines parallelize_fn logs before and after the data-parallel one. */
void titan_log_before(struct job *job, struct plan *plan, const struct titan *titan);
void titan_log_after(struct job *job, struct plan *plan, const struct titan *titan);

/* What parallelize_fn does with the data-parallel mesh: fully_shard, DDP, nothing, or an exception.
 */
void titan_data_parallel(struct job *job, struct plan *plan, struct titan *titan);

/*
 * Whether fully_shard cuts what is no expert in a block with experts over the replicas, too, and
 * repeats it nowhere: torchtitan#3205, with ep under HSDP.
 */
bool titan_loses_replicas(const struct plan *plan, const struct titan *titan,
			  const struct model *model, int64_t layer);

/* Whether the model's parallelize function takes the storage mesh, its dims told by name. */
bool titan_names_dims(const struct titan *titan);

#endif
