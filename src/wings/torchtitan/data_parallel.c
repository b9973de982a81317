#include "framework/torch/python.h"
#include "wings/torchtitan/exceptions.h"
#include "wings/torchtitan/raise.h"
#include "wings/torchtitan/titan.h"

#include <string.h>

/*
 * The data-parallel part of every parallelize function: which mesh expression fully_shard gets,
 * when DDP is used instead, what the log claims. fully_shard reads a 1-D mesh as FSDP and a 2-D
 * mesh as HSDP (dim 0 replicates, dim 1 shards); the log goes by the degrees, so it can be wrong.
 */
static bool is_family(const struct titan *titan, const char *name)
{
	return !strcmp(titan->family, name);
}

static bool has_experts(const struct titan *titan)
{
	return titan->moe && titan->traits[TRAIT_EP] != EP_NONE && titan->degrees.ep > 1;
}

/* Whether fully_shard is called at all. */
static bool shards(const struct titan *titan)
{
	const struct degrees *d = &titan->degrees;
	bool views = titan->traits[TRAIT_AXES] == AXES_VIEWS;

	if (titan->traits[TRAIT_FSDP_MESH] == FSDP_ALWAYS)
		return true;
	if (titan->traits[TRAIT_AXES] == AXES_DP)
		return d->dp > 1;
	if (has_experts(titan) && !(views && is_family(titan, "qwen3")))
		return true;
	if (titan->traits[TRAIT_DDP] == DDP_NOT_CP && d->dp_replicate > 1 && d->dp_shard == 1)
		return false; /* goes on to DDP, which refuses cp */
	return d->dp_shard > 1 || (!titan->traits[TRAIT_FSDP_NEEDS_SHARD] && d->cp > 1);
}

static void name_mesh(struct sharding *to, const char *first, const char *second)
{
	to->mesh_count = 0;
	if (first)
		to->mesh[to->mesh_count++] = first;
	if (second)
		to->mesh[to->mesh_count++] = second;
}

/* The mesh expression given to fully_shard: one name or two. */
static void choose_mesh(const struct titan *titan, struct sharding *to)
{
	const char *replicate = titan_replicates(titan) ? "dp_replicate" : NULL;

	switch ((enum titan_fsdp)titan->traits[TRAIT_FSDP_MESH]) {
	case FSDP_NONE:
	case FSDP_DP:
		name_mesh(to, "dp", NULL);
		break;
	case FSDP_HSDP:
		if (titan->degrees.cp > 1)
			name_mesh(to, "dp_cp", NULL);
		else if (replicate)
			name_mesh(to, "dp_replicate", "dp_shard");
		else
			name_mesh(to, "dp", NULL);
		break;
	case FSDP_COLLAPSED:
		name_mesh(to, titan->degrees.cp > 1 ? "dp_cp" : "dp", NULL);
		break;
	case FSDP_DP_SHARD_CP:
		name_mesh(to, replicate, "dp_shard_cp");
		break;
	case FSDP_VIEW:
	case FSDP_ALWAYS:
		name_mesh(to, replicate, "fsdp");
		break;
	}
}

/* The names of all meshes where there is a storage mesh, as a list of Python. */
static const char *dims_listed(const struct titan *titan)
{
	return titan->spmd_types ? "'pp', 'batch', 'loss', 'dp_replicate', 'cp', 'tp', 'ep', "
				   "'efsdp', 'dp', 'dp_shard'"
				 : "'pp', 'batch', 'loss', 'dp_replicate', 'cp', 'tp', 'ep', "
				   "'efsdp', 'dp_shard'";
}

/* The names as Python shows a list of them. */
static const char *names_listed(const struct plan *plan, const struct sharding *to)
{
	const struct mesh *first = to->mesh_count == 2 ? plan_mesh(plan, to->mesh[0]) : NULL;

	return arena_printf(plan->arena, "[%s%s%s'%s']", first ? "'" : "", first ? first->name : "",
			    first ? "', " : "", to->mesh[to->mesh_count - 1]);
}

/* Looks the names up; a mesh that does not exist raises what ParallelDims.get_mesh raises. */
static bool resolve(struct job *job, struct plan *plan, const struct titan *titan,
		    struct sharding *to)
{
	const struct mesh *last = plan_mesh(plan, to->mesh[to->mesh_count - 1]);
	const struct mesh *first = to->mesh_count == 2 ? plan_mesh(plan, to->mesh[0]) : NULL;

	if (titan->named_dims && !last) {
		exception_raise(plan, TITAN(MESH_DIM), VALUE(to->mesh[to->mesh_count - 1]),
				VALUE(dims_listed(titan)));
		titan_blame(job, plan, FIELD_SPMD_BACKEND);
		return false;
	}
	if (titan->traits[TRAIT_AXES] == AXES_VIEWS && (!last || !last->exists)) {
		exception_raise(plan, TITAN(MESHES), VALUE(names_listed(plan, to)));
		titan_blame(job, plan, FIELD_EP);
		titan_blame(job, plan, FIELD_DP_SHARD);
		return false;
	}
	if (!last)
		return false;
	to->shard = last->layout;
	if (first)
		to->replicate = first->layout;
	return true;
}

/* HEAD's spmd_types: the storage mesh with named dims (DataParallelMeshDims). */
static void shard_by_named_dims(struct plan *plan, const struct titan *titan, struct sharding *to)
{
	const struct mesh *shard = plan_mesh(plan, "dp_shard"), *cp = plan_mesh(plan, "cp");
	const struct mesh *replicate = plan_mesh(plan, "dp_replicate");

	to->named_dims = true;
	to->shard_dims[to->shard_count++] = "dp_shard";
	to->shard = shard->layout;
	if (titan->degrees.cp > 1) {
		to->shard_dims[to->shard_count++] = "cp";
		to->shard = layout_join(shard->layout, cp->layout);
	}
	if (titan->degrees.dp_replicate > 1) {
		to->replicate_dim = "dp_replicate";
		to->replicate = replicate->layout;
		to->mesh[to->mesh_count++] = "dp_replicate";
	}
	to->mesh[to->mesh_count++] = "dp_shard";
	if (titan->degrees.cp > 1)
		to->mesh[to->mesh_count++] = "cp";
	if (titan->degrees.tp > 1)
		to->mesh[to->mesh_count++] = "tp";
}

/* Routed experts have a mesh of their own: dp_shard_mod_ep, later efsdp. */
static void shard_experts(struct plan *plan, const struct titan *titan)
{
	bool views = titan->traits[TRAIT_AXES] == AXES_VIEWS;
	const char *name = views ? "efsdp" : "dp_shard_mod_ep";
	const struct mesh *shard = plan_mesh(plan, name);
	const struct mesh *replicate = plan_mesh(plan, "dp_replicate");
	struct sharding *to = &plan->expert;
	bool replicates = titan_replicates(titan);

	plan->has_expert = true;
	name_mesh(to, replicates ? "dp_replicate" : NULL, name);
	to->strategy = replicates ? STRATEGY_HSDP : STRATEGY_FSDP;
	if (replicates && titan->traits[TRAIT_EXPERT_MESH] == EXPERT_FIRST_DIM) {
		/* FSDPMeshInfo(mesh, shard_mesh_dim=0) on the 2-D mesh: torchtitan#3205. */
		to->strategy = STRATEGY_FSDP;
		to->shard = replicate->layout;
		return;
	}
	to->shard = shard->layout;
	if (replicates)
		to->replicate = replicate->layout;
}

/*
 * 7354848df, for a day: apply_fsdp tells experts by ep_degree, which deepseek_v3 does not pass.
 * They are cut with their block, and FSDP asks the world mesh for its own names and those of ep.
 */
static bool cuts_experts_with_block(struct job *job, struct plan *plan, struct titan *titan)
{
	const char *names[5];
	int count = 0;

	if (!titan->traits[TRAIT_DEEPSEEK_EP_UNTOLD] || !is_family(titan, "deepseek_v3"))
		return false;
	while (count < plan->dense.mesh_count) {
		names[count] = plan->dense.mesh[count];
		count++;
	}
	names[count++] = "ep";
	if (titan->degrees.tp > 1 && titan->degrees.etp > 1)
		names[count++] = "tp";
	if (!device_mesh_slice(&titan->torch, titan->root, count, names)) {
		titan_raised(plan, titan, "mesh-unavailable", "fully_shard");
		titan_blame(job, plan, FIELD_EP);
	}
	return true;
}

bool titan_loses_replicas(const struct plan *plan, const struct titan *titan,
			  const struct model *model, int64_t layer)
{
	return plan->has_expert && titan_replicates(titan) &&
	       titan->traits[TRAIT_EXPERT_MESH] == EXPERT_FIRST_DIM && layer >= 0 &&
	       model_layer_has_experts(model, layer);
}

bool titan_names_dims(const struct titan *titan)
{
	const enum titan_families families =
		titan->traits[titan->spmd_types ? TRAIT_SPMD_TYPES : TRAIT_FULL_DTENSOR];

	if (!titan->named_dims)
		return false;
	if (is_family(titan, "llama3") || is_family(titan, ""))
		return families >= FAMILIES_LLAMA3;
	if (is_family(titan, "qwen3"))
		return families >= FAMILIES_LLAMA3_QWEN3;
	return families >= (is_family(titan, "gpt_oss") ? FAMILIES_ALL : FAMILIES_ALL_BUT_GPT_OSS);
}

static enum strategy applied_strategy(const struct titan *titan, const struct sharding *to)
{
	bool alone = layout_size(&to->shard) == 1;

	/* The names of shard=1 belong to the versions that wrap on purpose with one rank. */
	if (titan->traits[TRAIT_FSDP_MESH] != FSDP_ALWAYS)
		alone = false;
	if (to->named_dims ? to->replicate_dim != NULL : to->mesh_count == 2)
		return alone ? STRATEGY_HSDP_SHARD1 : STRATEGY_HSDP;
	return alone ? STRATEGY_FSDP_SHARD1 : STRATEGY_FSDP;
}

static const char *logged_strategy(const struct titan *titan)
{
	const enum titan_strategy_logged logged = titan->traits[TRAIT_STRATEGY_LOGGED];

	if (logged == LOGGED_FULLY_SHARD ||
	    (logged == LOGGED_FULLY_SHARD_BUT_LLAMA3 && !is_family(titan, "llama3")))
		return "fully_shard";
	return titan_replicates(titan) ? "HSDP" : "FSDP";
}

static void apply_fsdp(struct job *job, struct plan *plan, struct titan *titan)
{
	struct sharding *to = &plan->dense;

	if (titan_names_dims(titan)) {
		shard_by_named_dims(plan, titan, to);
	} else {
		choose_mesh(titan, to);
		if (!resolve(job, plan, titan, to))
			return;
	}
	to->strategy = applied_strategy(titan, to);
	if (has_experts(titan) && !cuts_experts_with_block(job, plan, titan))
		shard_experts(plan, titan);
	if (plan->error)
		return;
	plan_log(plan, "Applied %s to the model", logged_strategy(titan));
	titan_log_after(job, plan, titan);
}

static bool ddp_refused(struct job *job, struct plan *plan, const struct titan *titan)
{
	int ddp = titan->traits[TRAIT_DDP];
	bool whole = titan->degrees.dp_replicate == plan->world;
	bool checks =
		is_family(titan, "llama3") || is_family(titan, "llama4") || is_family(titan, "");

	if (ddp == DDP_NOT_CP && titan->degrees.cp > 1) {
		exception_raise(plan, TITAN(DDP_CP));
		titan_blame(job, plan, FIELD_CP);
		return true;
	}
	if (ddp == DDP_ANY || (ddp == DDP_WORLD_SIZE && (whole || !checks)) ||
	    (ddp != DDP_WORLD_SIZE && plan->root.axes <= 1))
		return false;
	exception_raise(plan, titan_told(TITAN_DDP_AXES, titan->when));
	titan_blame(job, plan, FIELD_DP_REPLICATE);
	titan_blame(job, plan,
		    titan->degrees.tp > 1   ? FIELD_TP
		    : titan->degrees.pp > 1 ? FIELD_PP
					    : FIELD_CP);
	return true;
}

static void apply_ddp(struct job *job, struct plan *plan, const struct titan *titan)
{
	const struct mesh *mesh = plan_mesh(plan, "dp_replicate");

	if (ddp_refused(job, plan, titan))
		return;
	if ((is_family(titan, "deepseek_v3") || is_family(titan, "llama4")) &&
	    titan->traits[TRAIT_DEEPSEEK_COMPILES] == DEEPSEEK_DDP_BROKEN) {
		exception_raise(plan, TITAN(DDP_MOVED_KEY));
		titan_blame(job, plan, FIELD_DP_REPLICATE);
		return;
	}
	if (!mesh)
		mesh = plan_mesh(plan, "dp");
	plan->dense.strategy = STRATEGY_DDP;
	name_mesh(&plan->dense, mesh->name, NULL);
	plan->dense.replicate = mesh->layout;
	plan_log(plan, titan->traits[TRAIT_DDP] == DDP_ANY ? "Applied replicate to the model"
							   : "Applied DDP to the model");
}

/* v0.2.1: llama4 and qwen3 ask for mesh "tp" whenever there is ep, before anything is wrapped. */
static bool expert_parallel_raises(struct job *job, struct plan *plan, const struct titan *titan)
{
	if (!titan->traits[TRAIT_EP_NEEDS_TP] || !has_experts(titan) || titan->degrees.tp > 1 ||
	    !(is_family(titan, "llama4") || is_family(titan, "qwen3")))
		return false;
	exception_raise(plan, TITAN(MESH), VALUE("tp"));
	titan_blame(job, plan, FIELD_EP);
	titan_blame(job, plan, FIELD_TP);
	return true;
}

/* What FSDP says where the mesh of a parameter has axes of its own: DeviceMesh._concatenate. */
static void join(struct job *job, struct plan *plan, struct titan *titan,
		 struct device_mesh *const parts[2])
{
	if (parts[0] && parts[1])
		device_mesh_concatenate(&titan->torch, 2, parts);
	if (titan_raised(plan, titan, "mesh-unavailable", "fully_shard"))
		titan_blame(job, plan, FIELD_SPMD_BACKEND);
}

static void join_dense(struct job *job, struct plan *plan, struct titan *titan)
{
	static const char *const shard[] = { "dp_replicate", "fsdp" };
	const bool replicates = titan->degrees.dp_replicate > 1, cp = titan->degrees.cp > 1;
	const char *names[3];
	struct device_mesh *parts[2];
	int count = 0;

	if (replicates)
		names[count++] = "dp_replicate";
	if (cp)
		names[count++] = "cp";
	if (titan->degrees.tp > 1)
		names[count++] = "tp";
	if (replicates && cp) { /* which no view has both of */
		exception_raise(plan, TITAN(MESH_NAMES),
				VALUE(python_list(plan->arena, names, count)));
		titan_blame(job, plan, FIELD_SPMD_BACKEND);
		return;
	}
	parts[0] = device_mesh_slice(&titan->torch, titan->model, replicates ? 2 : 1,
				     replicates ? shard : shard + 1);
	parts[1] =
		device_mesh_slice(&titan->torch, cp ? titan->loader : titan->model, count, names);
	join(job, plan, titan, parts);
}

/*
 * 641b5f6b8 to a0c831c49: under spmd_types modules are put on all axes that there are, not only on
 * tp and ep (ParallelDims.resolve_mesh), and FSDP comes with the same axes again. Modules are put
 * there at all with tp, and in all models but llama3 with ep.
 */
static void axes_overlap(struct job *job, struct plan *plan, struct titan *titan)
{
	static const char *const sparse[] = { "efsdp", "ep" };
	const char *backend = setting_text(&job->settings, FIELD_SPMD_BACKEND, "");
	struct device_mesh *parts[2];

	if (!titan->traits[TRAIT_SPMD_TYPES_OVERLAP] || strcmp(backend, "spmd_types") != 0 ||
	    (titan->degrees.tp <= 1 && (titan->degrees.ep <= 1 || is_family(titan, "llama3"))))
		return;
	if (titan->degrees.dp_replicate > 1 || titan->degrees.cp > 1) {
		join_dense(job, plan, titan);
	} else if (has_experts(titan)) {
		parts[0] = device_mesh_slice(&titan->torch, titan->experts, 1, sparse);
		parts[1] = device_mesh_slice(&titan->torch, titan->experts, 2, sparse);
		join(job, plan, titan, parts);
	}
}

void titan_data_parallel(struct job *job, struct plan *plan, struct titan *titan)
{
	const char *type = setting_text(&job->settings, FIELD_DP_TYPE, "fsdp");
	bool ddp_asked = titan->traits[TRAIT_AXES] == AXES_DP && !strcmp(type, "ddp");

	plan->dense.strategy = STRATEGY_NONE;
	if (expert_parallel_raises(job, plan, titan))
		return;
	axes_overlap(job, plan, titan);
	if (plan->error)
		return;
	titan_log_before(job, plan, titan);
	if (shards(titan) && !ddp_asked)
		apply_fsdp(job, plan, titan);
	else if (titan_replicates(titan) || (ddp_asked && titan->degrees.dp > 1))
		apply_ddp(job, plan, titan);
}
