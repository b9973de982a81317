#include "framework/torch/exceptions.h"
#include "wings/torchtitan/exceptions.h"
#include "wings/torchtitan/raise.h"
#include "wings/torchtitan/titan.h"

#include "base/buf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * ParallelDims.build_mesh by version, executed against the DeviceMesh model: the root mesh of the
 * axes above 1 and its flattened relatives (up to 183a0d2e7), or one world axis unflattened into
 * views whose unused axes have the fake backend.
 */
#define WHERE "ParallelDims.build_mesh"

/* Axes under construction. */
struct axes {
	int count;
	const char *names[MESH_AXES];
	int64_t sizes[MESH_AXES];
};

static void add(struct axes *axes, const char *name, int64_t size)
{
	axes->names[axes->count] = name;
	axes->sizes[axes->count] = size;
	axes->count++;
}

static void add_enabled(struct axes *axes, const char *name, int64_t size)
{
	if (size > 1)
		add(axes, name, size);
}

/* What an exception of DeviceMesh is about: a PyTorch without the operation, else the degrees. */
static const char *rule_of(const struct titan *titan, const char *otherwise)
{
	bool views = titan->traits[TRAIT_AXES] == AXES_VIEWS;

	return torch_has(&titan->torch.torch, views ? TORCH_LAYOUTS : TORCH_FLATTEN)
		       ? otherwise
		       : "torch-too-old";
}

static void publish(struct plan *plan, struct device_mesh *from, int axis, struct mesh mesh)
{
	mesh.layout = *device_mesh_layout(from, axis);
	if (!mesh.backend)
		mesh.backend = device_mesh_is_fake(from, axis) ? "fake" : "nccl";
	if (!mesh.from_count)
		mesh.from[mesh.from_count++] = mesh.name;
	vec_push(plan->arena, &plan->meshes, mesh);
}

/* ---- up to v0.2.0: one root mesh ---- */

static bool has_borrowed_experts(const struct titan *titan)
{
	return titan->degrees.ep > 1 && titan->traits[TRAIT_EP] != EP_NONE;
}

/* dp_shard_mod_ep and dp_shard_in_ep: what the experts leave of dp_shard, and what they borrow. */
static void add_borrowed(struct axes *axes, const struct degrees *d)
{
	int64_t lent = d->cp;

	if (d->etp == 1 && d->tp > 1)
		lent *= d->tp;
	add(axes, "dp_shard_mod_ep", d->dp_shard * lent / d->ep);
	add_enabled(axes, "dp_shard_in_ep", d->ep / lent);
}

static void root_axes(const struct titan *titan, struct axes *axes)
{
	const struct degrees *d = &titan->degrees;
	bool renamed = titan->traits[TRAIT_DP_RENAMED];

	add_enabled(axes, "pp", d->pp);
	if (titan->traits[TRAIT_AXES] == AXES_DP) {
		add_enabled(axes, "dp", d->dp);
	} else {
		if (titan_replicates(titan))
			add(axes, renamed && d->dp_shard == 1 ? "dp" : "dp_replicate",
			    d->dp_replicate);
		if (has_borrowed_experts(titan))
			add_borrowed(axes, d);
		else
			add_enabled(axes, renamed && d->dp_replicate == 1 ? "dp" : "dp_shard",
				    d->dp_shard);
	}
	add_enabled(axes, "cp", d->cp);
	add_enabled(axes, "tp", d->tp);
}

static void log_root(struct plan *plan, const struct axes *axes)
{
	struct buf text;
	int i;

	buf_init(&text);
	for (i = 0; i < axes->count; i++)
		buf_printf(&text, "%s'%s'", i ? ", " : "", axes->names[i]);
	buf_text(&text, "], [");
	for (i = 0; i < axes->count; i++)
		buf_printf(&text, "%s%" PRId64, i ? ", " : "", axes->sizes[i]);
	plan_log(plan, "Building %d-D device mesh with [%s]", axes->count, text.data);
	buf_release(&text);
}

static bool includes(const struct axes *axes, const char *name)
{
	int i;

	for (i = 0; i < axes->count; i++)
		if (!strcmp(axes->names[i], name))
			return true;
	return false;
}

/*
 * torchft's mesh since torchft#155: DeviceMesh looks the axis up by a name list that counts
 * dp_replicate in a tensor that does not have it (torchtitan#1105, #1106).
 */
static bool managed_mesh_fails(struct job *job, struct plan *plan, const struct titan *titan,
			       const struct axes *names)
{
	const struct version *torchft = versions_find(&job->versions, "torchft");
	moment_t when = torchft ? torchft->when : titan->when;
	int first = 0;

	if (!titan->ft_mesh || when < 2025040300 || includes(names, "dp_replicate"))
		return false;
	while (first < plan->root.axes && strcmp(plan->root.names[first], names->names[0]) != 0)
		first++;
	if (first >= plan->root.axes - 1)
		exception_raise(plan, PYTORCH(LIST_REMOVE));
	else
		exception_raise(plan, TITAN(FT_PERMUTE));
	titan_blame(job, plan, FIELD_FT_ENABLED);
	return true;
}

/* mesh[names]._flatten(name), published; nothing when there are no names. */
static void flatten(struct job *job, struct plan *plan, struct titan *titan, const char *name,
		    const struct axes *names)
{
	struct device_mesh *slice, *flat;
	struct mesh mesh = { .name = name, .exists = true, .flattened = true };

	if (plan->error || !names->count || managed_mesh_fails(job, plan, titan, names))
		return;
	slice = device_mesh_slice(&titan->torch, titan->root, names->count, names->names);
	flat = slice ? device_mesh_flatten(&titan->torch, slice, name) : NULL;
	if (!flat) {
		titan_raised(plan, titan, rule_of(titan, "mesh-unavailable"), WHERE);
		titan_blame(job, plan, FIELD_CP);
		return;
	}
	mesh.from_count = names->count;
	memcpy(mesh.from, names->names, sizeof(mesh.from));
	publish(plan, flat, 0, mesh);
}

/* The dp_shard part of a flattened name: one axis, or two where experts borrow. */
static void add_shard(struct axes *axes, const struct titan *titan, const struct axes *root)
{
	if (has_borrowed_experts(titan)) {
		add(axes, "dp_shard_mod_ep", 0);
		if (includes(root, "dp_shard_in_ep"))
			add(axes, "dp_shard_in_ep", 0);
	} else if (includes(root, "dp_shard")) {
		add(axes, "dp_shard", 0);
	}
}

static void flatten_dp(struct job *job, struct plan *plan, struct titan *titan,
		       const struct axes *root)
{
	struct axes dp = { 0 };

	if (titan->traits[TRAIT_DP_FLATTENED] == FLATTEN_HSDP &&
	    (titan->degrees.dp_replicate == 1 || titan->degrees.dp_shard == 1))
		return;
	if (includes(root, "dp_replicate"))
		add(&dp, "dp_replicate", 0);
	add_shard(&dp, titan, root);
	flatten(job, plan, titan, "dp", &dp);
}

/* "dp_cp" of 2024-10 to 2024-12: over both data-parallel axes, or over the one called "dp". */
static void flatten_dp_cp(struct job *job, struct plan *plan, struct titan *titan,
			  const struct axes *root)
{
	const struct degrees *d = &titan->degrees;
	struct axes names = { 0 };

	if (d->cp == 1)
		return;
	if (d->dp_replicate > 1 && d->dp_shard > 1) {
		add(&names, "dp_replicate", 0);
		add(&names, "dp_shard", 0);
	} else if (titan->traits[TRAIT_CP_FLATTENED] == CP_DP_CP_OPTIONAL && d->dp_shard == 1) {
		return;
	} else if (includes(root, "dp_shard")) {
		add(&names, "dp_shard", 0);
	} else {
		add(&names, "dp", 0);
	}
	add(&names, "cp", 0);
	flatten(job, plan, titan, "dp_cp", &names);
}

static void flatten_shard_cp(struct job *job, struct plan *plan, struct titan *titan,
			     const struct axes *root)
{
	struct axes shard = { 0 }, loss = { 0 };

	add_shard(&shard, titan, root);
	if (includes(root, "cp"))
		add(&shard, "cp", 0);
	flatten(job, plan, titan, "dp_shard_cp", &shard);
	if (titan->traits[TRAIT_CP_FLATTENED] != CP_DP_SHARD_CP_LOSS)
		return;
	if (includes(root, "dp_replicate"))
		add(&loss, "dp_replicate", 0);
	add_shard(&loss, titan, root);
	if (includes(root, "cp"))
		add(&loss, "cp", 0);
	flatten(job, plan, titan, "dp_cp", &loss);
}

static void flatten_ep(struct job *job, struct plan *plan, struct titan *titan,
		       const struct axes *root)
{
	struct axes ep = { 0 };

	if (includes(root, "dp_shard_in_ep"))
		add(&ep, "dp_shard_in_ep", 0);
	if (includes(root, "cp"))
		add(&ep, "cp", 0);
	if (titan->degrees.etp == 1 && includes(root, "tp"))
		add(&ep, "tp", 0);
	flatten(job, plan, titan, "ep", &ep);
}

static void flatten_all(struct job *job, struct plan *plan, struct titan *titan,
			const struct axes *root)
{
	if (titan->traits[TRAIT_DP_FLATTENED] != FLATTEN_NONE)
		flatten_dp(job, plan, titan, root);
	switch ((enum titan_cp)titan->traits[TRAIT_CP_FLATTENED]) {
	case CP_NONE:
		break;
	case CP_IN_PARALLELIZE:
	case CP_DP_CP:
	case CP_DP_CP_OPTIONAL:
		flatten_dp_cp(job, plan, titan, root);
		break;
	case CP_DP_SHARD_CP:
	case CP_DP_SHARD_CP_LOSS:
		flatten_shard_cp(job, plan, titan, root);
		break;
	}
	if (has_borrowed_experts(titan))
		flatten_ep(job, plan, titan, root);
}

static void put_view(struct view *view, const char *name, const struct axes *axes)
{
	view->name = name;
	view->axes = axes->count;
	memcpy(view->names, axes->names, sizeof(view->names));
	memcpy(view->sizes, axes->sizes, sizeof(view->sizes));
}

static void build_root(struct job *job, struct plan *plan, struct titan *titan)
{
	struct axes axes = { 0 };
	int i;

	root_axes(titan, &axes);
	log_root(plan, &axes);
	put_view(&plan->root, "root", &axes);
	if (!axes.count)
		return;
	titan->root = device_mesh_init(&titan->torch, axes.count, axes.names, axes.sizes);
	if (!titan->root) {
		titan_raised(plan, titan, "mesh-unavailable", WHERE);
		return;
	}
	for (i = 0; i < axes.count; i++)
		publish(plan, titan->root, i,
			(struct mesh) { .name = axes.names[i], .exists = true });
	flatten_all(job, plan, titan, &axes);
}

/* ---- v0.2.1 and later: views of one world axis ---- */

/* ParallelDims._mesh_exist. */
static bool exists(const struct titan *titan, const char *name, int64_t size)
{
	if (!strcmp(name, "efsdp"))
		return titan->degrees.ep > 1;
	if (!strcmp(name, "fsdp") && titan->traits[TRAIT_FSDP_MESH] == FSDP_ALWAYS)
		return true;
	if (!strcmp(name, "dp_shard"))
		return true;
	return size > 1;
}

static bool is_fake(const struct titan *titan, const char *name, int64_t size)
{
	return !exists(titan, name, size) ||
	       (!strcmp(name, "batch") && titan->traits[TRAIT_BATCH_FAKE]);
}

static struct device_mesh *unflatten(struct plan *plan, struct titan *titan, const char *name,
				     const struct axes *axes)
{
	struct device_mesh *mesh;
	struct view view;
	unsigned int fake = 0;
	int i;

	for (i = 0; i < axes->count; i++)
		if (is_fake(titan, axes->names[i], axes->sizes[i]))
			fake |= 1u << i;
	mesh = device_mesh_unflatten(&titan->torch, titan->root, 0, axes->count, axes->names,
				     axes->sizes, fake);
	if (!mesh)
		return NULL;
	put_view(&view, name, axes);
	vec_push(plan->arena, &plan->views, view);
	return mesh;
}

static void publish_axis(struct plan *plan, const struct titan *titan, struct device_mesh *from,
			 const char *view, const char *name)
{
	int i;

	for (i = 0; i < device_mesh_axes(from); i++)
		if (!strcmp(device_mesh_name(from, i), name))
			publish(plan, from, i,
				(struct mesh) {
					.name = name,
					.view = view,
					.exists = exists(titan, name, device_mesh_size(from, i)) });
}

/* dataloading["batch", "cp"]._flatten("loss_mesh"): real as soon as it has two ranks. */
static bool publish_loss(struct plan *plan, struct titan *titan, struct device_mesh *dataloading)
{
	static const char *const names[] = { "batch", "cp" };
	struct device_mesh *slice = device_mesh_slice(&titan->torch, dataloading, 2, names);
	struct device_mesh *loss =
		slice ? device_mesh_flatten(&titan->torch, slice, "loss_mesh") : NULL;
	struct mesh mesh = {
		.name = "loss", .view = "dataloading", .from_count = 2, .from = { "batch", "cp" }
	};

	if (!loss)
		return false;
	mesh.exists = device_mesh_size(loss, 0) > 1;
	mesh.backend = mesh.exists ? "nccl" : "fake";
	publish(plan, loss, 0, mesh);
	return true;
}

static void dense_axes(const struct titan *titan, struct axes *axes)
{
	const struct degrees *d = &titan->degrees;

	add(axes, "pp", d->pp);
	add(axes, "dp_replicate", d->dp_replicate);
	if (titan->named_dims) {
		add(axes, "dp_shard", d->dp_shard);
		add(axes, "cp", d->cp);
	} else {
		add(axes, "fsdp", d->dp_shard * d->cp);
	}
	add(axes, "tp", d->tp);
}

static void sparse_axes(const struct titan *titan, struct axes *axes)
{
	const struct degrees *d = &titan->degrees;
	int64_t inner = titan_has_etp(titan) ? d->etp * d->ep : d->ep;

	add(axes, "pp", d->pp);
	add(axes, "dp_replicate", d->dp_replicate);
	add(axes, "efsdp", d->dp_shard * d->cp * d->tp / inner);
	add(axes, "ep", d->ep);
	if (titan_has_etp(titan))
		add(axes, "etp", d->etp);
}

static void log_views(struct plan *plan, const struct titan *titan)
{
	const struct degrees *d = &titan->degrees;
	char etp[40] = "";

	if (titan_has_etp(titan))
		snprintf(etp, sizeof(etp), ", etp=%" PRId64, d->etp);
	plan_log(plan,
		 "Building device mesh with parallelism: pp=%" PRId64 ", dp_replicate=%" PRId64
		 ", dp_shard=%" PRId64 ", cp=%" PRId64 ", tp=%" PRId64 ", ep=%" PRId64 "%s",
		 d->pp, d->dp_replicate, d->dp_shard, d->cp, d->tp, d->ep, etp);
}

/* The views in the order the code makes them; false when one could not be made. */
static bool make_views(struct plan *plan, struct titan *titan)
{
	const struct degrees *d = &titan->degrees;
	struct axes loading = { 0 }, dense = { 0 }, sparse = { 0 }, spmd = { 0 };
	struct device_mesh *loader, *model, *experts, *forward = NULL;

	add(&loading, "pp", d->pp);
	add(&loading, "batch", d->dp_replicate * d->dp_shard);
	add(&loading, "cp", d->cp);
	add(&loading, "tp", d->tp);
	loader = unflatten(plan, titan, "dataloading", &loading);
	if (!loader)
		return false;
	publish_axis(plan, titan, loader, "dataloading", "pp");
	publish_axis(plan, titan, loader, "dataloading", "batch");
	if (!publish_loss(plan, titan, loader))
		return false;
	dense_axes(titan, &dense);
	model = unflatten(plan, titan, "dense", &dense);
	if (model && titan->spmd_types) {
		add(&spmd, "pp", d->pp);
		add(&spmd, "dp", d->dp_replicate * d->dp_shard);
		add(&spmd, "cp", d->cp);
		add(&spmd, "tp", d->tp);
		forward = unflatten(plan, titan, "spmd_dense_for_fwdbwd", &spmd);
	}
	sparse_axes(titan, &sparse);
	experts = model ? unflatten(plan, titan, "sparse", &sparse) : NULL;
	if (!experts)
		return false;
	titan->loader = loader;
	titan->model = model;
	titan->experts = experts;
	publish_axis(plan, titan, model, "dense", "dp_replicate");
	publish_axis(plan, titan, model, "dense", "fsdp");
	publish_axis(plan, titan, loader, "dataloading", "cp");
	publish_axis(plan, titan, loader, "dataloading", "tp");
	publish_axis(plan, titan, experts, "sparse", "ep");
	publish_axis(plan, titan, experts, "sparse", "efsdp");
	publish_axis(plan, titan, experts, "sparse", "etp");
	if (forward)
		publish_axis(plan, titan, forward, "spmd_dense_for_fwdbwd", "dp");
	publish_axis(plan, titan, model, "dense", "dp_shard");
	return true;
}

static void build_views(struct job *job, struct plan *plan, struct titan *titan)
{
	struct axes world = { 0 };

	log_views(plan, titan);
	add(&world, "world", plan->world);
	put_view(&plan->root, "root", &world);
	titan->root = device_mesh_init(&titan->torch, 1, world.names, world.sizes);
	if (titan->root && make_views(plan, titan))
		return;
	titan_raised(plan, titan,
		     rule_of(titan, titan->degrees.ep > 1 ? "expert-degree" : "mesh-unavailable"),
		     WHERE);
	if (titan->degrees.ep > 1)
		titan_blame(job, plan, FIELD_EP);
}

void titan_build_mesh(struct job *job, struct plan *plan, struct titan *titan)
{
	if (titan->traits[TRAIT_AXES] == AXES_VIEWS)
		build_views(job, plan, titan);
	else
		build_root(job, plan, titan);
}
