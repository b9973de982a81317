#include "framework/torch/custom.h"

#include "base/number.h"
#include "framework/torch/device_mesh.h"
#include "framework/torch/fsdp.h"
#include "framework/torch/job_torch.h"
#include "framework/torch/python.h"
#include "input/field.h"
#include "input/node.h"

#include <inttypes.h>
#include <string.h>

const struct rule_id rule_mesh_smaller_than_world = {
	.name = "mesh-smaller-than-world",
	.code = "W002",
	.severity = SEVERITY_WARNING,
	.evidence = EVIDENCE_READ,
	.summary = "the root mesh of a script leaves ranks of the world out",
	.explanation = "init_device_mesh accepts a mesh smaller than the world. Ranks outside are "
		       "in none of "
		       "its groups: up to PyTorch 2.9 slicing the mesh on such a rank ends in an "
		       "UnboundLocalError, and nothing can be sharded there. The plan is that of "
		       "the ranks "
		       "inside.",
	.remedy = "Make the sizes of mesh.root multiply to the number of ranks.",
	.source = "torch@v2.8.0 distributed/device_mesh.py (create_sub_mesh)",
};

/* A script on its way through the block. */
struct script {
	struct job *job;
	struct plan *plan;
	const struct node *block;
	struct torch_world world;
	struct device_mesh *root, *data, *tensor; /* data: what fully_shard or DDP gets */
};

/* One name or a list of them. */
struct names {
	const char *items[TORCH_AXES];
	const struct node *nodes[TORCH_AXES];
	int count;
};

static void wrong(struct script *s, enum field_type type, const char *key, const struct node *node)
{
	struct decoder decoder = { s->job->arena, &s->job->settings, s->job->findings };

	field_wrong_type(&decoder, type, key, node);
}

/* Reads `key` of a map; false when it is absent, or wrong and reported. */
static bool read_names(struct script *s, const struct node *map, const char *key,
		       struct names *names)
{
	const struct node *value = node_member(map, key), *item;

	names->count = 0;
	if (!value)
		return false;
	if (value->kind == NODE_SCALAR && value->type == SCALAR_STRING) {
		names->nodes[0] = value;
		names->items[names->count++] = value->text;
		return true;
	}
	for (item = value->kind == NODE_LIST ? value->first : NULL; item; item = item->next) {
		if (item->kind != NODE_SCALAR || item->type != SCALAR_STRING ||
		    names->count == TORCH_AXES)
			break;
		names->nodes[names->count] = item;
		names->items[names->count++] = item->text;
	}
	if (value->kind == NODE_LIST && !item && names->count)
		return true;
	wrong(s, FIELD_LIST, arena_printf(s->job->arena, "mesh.%s", key), value);
	return false;
}

/* Ends the plan with what PyTorch raised, if it did. */
static bool raised(struct script *s, const char *where)
{
	const struct torch_error *error = &s->world.error;

	if (!error->type)
		return false;
	plan_raise(s->plan, error->limit ? "NotImplementedError" : error->type, where, "%s",
		   error->message);
	s->plan->error->rule = "framework-raises";
	plan_blame(s->plan, settings_of(&s->job->settings, FIELD_MESH));
	return true;
}

static bool read_root(struct script *s, const char **names, int64_t *sizes, int *count)
{
	const struct node *root = node_member(s->block, "root"), *item;

	*count = 0;
	if (!root || root->kind != NODE_MAP || !root->first) {
		wrong(s, FIELD_NODE, "mesh.root", root ? root : s->block);
		return false;
	}
	for (item = root->first; item; item = item->next) {
		if (item->kind != NODE_SCALAR || item->type != SCALAR_INT || item->integer < 1 ||
		    *count == TORCH_AXES) {
			wrong(s, FIELD_INT, arena_printf(s->job->arena, "mesh.root.%s", item->key),
			      item);
			return false;
		}
		names[*count] = item->key;
		sizes[(*count)++] = item->integer;
	}
	return true;
}

static void set_world(struct script *s, int64_t ranks)
{
	s->job->world = s->plan->world = s->job->intended->world = ranks;
}

/*
 * Without a world of its own the script runs on as many ranks as its root mesh has. A mesh smaller
 * than the world is legal, but there is nothing the ranks outside can do.
 */
static void settle_world(struct script *s, const struct node *root, const int64_t *sizes, int count)
{
	struct setting *setting;
	int64_t ranks = 1;
	int i;

	for (i = 0; i < count; i++)
		ranks = multiply(ranks, sizes[i]);
	if (s->job->world > ranks) {
		finding_add(s->job->findings, &rule_mesh_smaller_than_world, root->span,
			    "mesh.root has %" PRId64 " ranks, the world has %" PRId64
			    ": the others are in no mesh",
			    ranks, s->job->world);
		set_world(s, ranks);
	}
	if (s->job->world || ranks > WORLD_MAX)
		return;
	setting = settings_put_int(&s->job->settings, s->job->arena, FIELD_WORLD, ranks,
				   ORIGIN_DERIVED);
	setting->note = "the product of mesh.root";
	setting_from(setting, settings_of(&s->job->settings, FIELD_MESH));
	s->job->world_from = setting;
	set_world(s, ranks);
}

static struct mesh *put_mesh(struct script *s, const char *name, const struct layout *layout)
{
	struct mesh mesh = { .name = name,
			     .layout = *layout,
			     .backend = "nccl",
			     .exists = layout_size(layout) > 1 };

	vec_push(s->plan->arena, &s->plan->meshes, mesh);
	return &s->plan->meshes.items[s->plan->meshes.count - 1];
}

static void put_axes(struct script *s)
{
	struct view *view = &s->plan->root;
	int i;

	view->name = "root";
	for (i = 0; i < device_mesh_axes(s->root) && i < MESH_AXES; i++) {
		struct mesh *mesh =
			put_mesh(s, device_mesh_name(s->root, i), device_mesh_layout(s->root, i));
		mesh->from[mesh->from_count++] = mesh->name;
		view->names[view->axes] = mesh->name;
		view->sizes[view->axes++] = device_mesh_size(s->root, i);
	}
}

static bool run_init(struct script *s)
{
	const char *names[TORCH_AXES];
	int64_t sizes[TORCH_AXES];
	int count;

	if (!read_root(s, names, sizes, &count))
		return false;
	settle_world(s, node_member(s->block, "root"), sizes, count);
	if (!s->job->world)
		return false;
	torch_world_init(&s->world, s->job->arena, torch_of_job(s->job), s->job->world);
	s->root = device_mesh_init(&s->world, count, names, sizes);
	if (raised(s, "init_device_mesh"))
		return false;
	put_axes(s);
	return true;
}

static bool run_flatten(struct script *s)
{
	const struct node *entries = node_member(s->block, "flatten"), *entry;
	struct device_mesh *slice, *flat;
	struct names names;
	struct mesh *mesh;
	int i;

	for (entry = entries ? entries->first : NULL; entry; entry = entry->next) {
		if (!entry->key || !read_names(s, entries, entry->key, &names))
			return false;
		slice = device_mesh_slice(&s->world, s->root, names.count, names.items);
		flat = slice ? device_mesh_flatten(&s->world, slice, entry->key) : NULL;
		if (raised(s, slice ? "DeviceMesh._flatten" : "DeviceMesh.__getitem__"))
			return false;
		mesh = put_mesh(s, entry->key, device_mesh_layout(flat, 0));
		mesh->flattened = true;
		for (i = 0; i < names.count; i++)
			mesh->from[mesh->from_count++] = names.items[i];
	}
	return true;
}

/* root[names] for a key that is there; NULL without it and after an exception. */
static struct device_mesh *slice_for(struct script *s, const char *key)
{
	struct device_mesh *mesh;
	struct names names;

	if (!read_names(s, s->block, key, &names))
		return NULL;
	mesh = device_mesh_slice(&s->world, s->root, names.count, names.items);
	raised(s, "DeviceMesh.__getitem__");
	return mesh;
}

static void raise_tensor(struct script *s, const char *type, const char *first, const char *second)
{
	const char *args[] = { first, second };

	plan_raise(s->plan, type, "parallelize_module", "%s",
		   python_exception(s->job->arena, type, args, second ? 2 : 1));
	s->plan->error->rule = "framework-raises";
	plan_blame(s->plan, settings_of(&s->job->settings, FIELD_MESH));
}

/* _validate_tp_mesh_dim: torch@v2.8.0 distributed/tensor/parallel/_utils.py, gone with #157216. */
static void check_tensor(struct script *s)
{
	int axes = device_mesh_axes(s->tensor), roots = device_mesh_axes(s->root), at;

	if (torch_has(&s->world.torch, TORCH_TP_ANY_AXIS))
		return;
	if (axes > 1) {
		raise_tensor(s, "ValueError",
			     arena_printf(s->job->arena,
					  "Tensor Parallel only accepts a 1D DeviceMesh, but found "
					  "%dD!If you "
					  "have a 2-D or N-D device_mesh, consider passing in "
					  "device_mesh[\"tp\"]",
					  axes),
			     NULL);
		return;
	}
	at = device_mesh_axis(s->root, device_mesh_name(s->tensor, 0));
	if (!torch_has(&s->world.torch, TORCH_SLICE_BY_OWN_NAME) && roots != 2 && roots > 1)
		raise_tensor(s, "RuntimeError",
			     arena_printf(s->job->arena,
					  "Found TP device_mesh has a parent mesh with dims %d",
					  roots),
			     "Currently we only support 2D TP composition with DP.");
	else if (at >= 0 && at != roots - 1)
		raise_tensor(
			s, "RuntimeError",
			arena_printf(s->job->arena,
				     "Found TP device_mesh on the %d dimension of its parent mesh.",
				     at),
			"Currently we only support intranode TP and TP needs to be the innermost "
			"dimension on its parent mesh.");
}

/* The roles that comparison and placement rules look up by name. */
static void put_role(struct script *s, const char *key, const char *role)
{
	struct names names;
	const struct mesh *axis;
	struct mesh *mesh;

	if (plan_mesh(s->plan, role) || !read_names(s, s->block, key, &names) || names.count != 1)
		return;
	axis = plan_mesh(s->plan, names.items[0]);
	if (!axis)
		return;
	mesh = put_mesh(s, role, &axis->layout);
	mesh->from[mesh->from_count++] = names.items[0];
}

static bool run_tensor_parallel(struct script *s)
{
	s->tensor = slice_for(s, "tensor_parallel");
	if (s->plan->error)
		return false;
	if (s->tensor)
		check_tensor(s);
	return !s->plan->error;
}

/*
 * On a parameter that tensor parallelism has cut, FSDP2 needs the mesh of both: up to 2.9 a slice
 * of the root, from 2.10 on the two concatenated (_fsdp_param.py, _init_sharded_param).
 */
static bool join_tensor(struct script *s)
{
	struct device_mesh *both[2];
	const char *names[2 * TORCH_AXES];
	int count = 0, i;

	if (!s->tensor || !torch_has(&s->world.torch, TORCH_FLATTEN))
		return true;
	if (torch_has(&s->world.torch, TORCH_LAYOUTS)) {
		both[0] = s->data;
		both[1] = s->tensor;
		device_mesh_concatenate(&s->world, 2, both);
	} else {
		for (i = 0; i < device_mesh_axes(s->data); i++)
			names[count++] = device_mesh_name(s->data, i);
		for (i = 0; i < device_mesh_axes(s->tensor); i++)
			names[count++] = device_mesh_name(s->tensor, i);
		device_mesh_slice(&s->world, s->root, count, names);
	}
	return !raised(s, "fully_shard");
}

static void name_data_mesh(struct script *s, struct sharding *dense)
{
	int i;

	for (i = 0; i < device_mesh_axes(s->data) && i < 4; i++)
		dense->mesh[dense->mesh_count++] = device_mesh_name(s->data, i);
}

/* 1-D: FSDP. 2-D: HSDP, dim 0 repeats and dim 1 shares, whatever the names say. */
static bool run_fully_shard(struct script *s)
{
	struct sharding *dense = &s->plan->dense;
	int axes = device_mesh_axes(s->data);

	if (axes > 2) {
		plan_raise(s->plan, "ValueError", "fully_shard",
			   "fully_shard expects a 1D or 2D DeviceMesh but got %s",
			   device_mesh_repr(&s->world, s->data));
		s->plan->error->rule = "framework-raises";
		plan_blame(s->plan, settings_of(&s->job->settings, FIELD_MESH));
		return false;
	}
	if (!join_tensor(s))
		return false;
	name_data_mesh(s, dense);
	dense->shard = *device_mesh_layout(s->data, axes - 1);
	if (axes == 2)
		dense->replicate = *device_mesh_layout(s->data, 0);
	dense->strategy = axes == 2 ? STRATEGY_HSDP : STRATEGY_FSDP;
	return true;
}

static bool run_data_parallel(struct script *s)
{
	s->data = slice_for(s, "fully_shard");
	if (s->data)
		return run_fully_shard(s);
	if (!s->plan->error)
		s->data = slice_for(s, "ddp");
	if (s->data) {
		s->plan->dense.strategy = STRATEGY_DDP;
		s->plan->dense.replicate = *device_mesh_layout(s->data, 0);
		name_data_mesh(s, &s->plan->dense);
	}
	return !s->plan->error;
}

static void wrap(struct script *s)
{
	const struct sharding *dense = &s->plan->dense;
	struct mesh_dim replicate = { .name = dense->mesh[0], .layout = &dense->replicate };
	struct mesh_dim shard = { .name = dense->mesh_count ? dense->mesh[dense->mesh_count - 1]
							    : NULL,
				  .layout = &dense->shard };
	struct mesh_dim tensor = { 0 };
	struct wrapping wrapping = { .torch = &s->world.torch };

	if (dense->strategy == STRATEGY_HSDP || dense->strategy == STRATEGY_DDP)
		wrapping.replicate = &replicate;
	if (dense->strategy == STRATEGY_HSDP || dense->strategy == STRATEGY_FSDP)
		wrapping.shard = &shard;
	if (s->tensor && device_mesh_axes(s->tensor) == 1) {
		tensor.name = device_mesh_name(s->tensor, 0);
		tensor.layout = device_mesh_layout(s->tensor, 0);
		wrapping.tensor = &tensor;
	}
	wrapping.reshard = setting_text(&s->job->settings, FIELD_RESHARD_AFTER_FORWARD, "default");
	if (!node_member(s->block, "pipeline_parallel") &&
	    !node_member(s->block, "expert_parallel"))
		wrap_model(s->plan, s->job->model, &wrapping);
}

/* ---- what is meant ---- */

/* The ranks that the axes named by `means.KEY` join; nothing when it is not said. */
static bool meant(struct script *s, const char *key, struct layout *layout)
{
	const struct node *means = node_member(s->block, "means");
	struct names names;
	int i;

	memset(layout, 0, sizeof(*layout));
	if (!means || !read_names(s, means, key, &names))
		return false;
	for (i = 0; i < names.count; i++) {
		const struct mesh *mesh = plan_mesh(s->plan, names.items[i]);
		if (!mesh || layout->modes + mesh->layout.modes > LAYOUT_MODES) {
			finding_add(s->job->findings, &rule_unknown_key, names.nodes[i]->span,
				    "mesh.means.%s names '%s', which is no axis of mesh.root and "
				    "no entry of "
				    "mesh.flatten",
				    key, names.items[i]);
			return false;
		}
		*layout = layout_join(*layout, mesh->layout);
	}
	return true;
}

static void put_degree(struct script *s, enum field_id field, const struct layout *layout)
{
	struct setting *setting = settings_of(&s->job->settings, field);

	if (setting_given(setting))
		return;
	setting = settings_put_int(&s->job->settings, s->job->arena, field,
				   layout->modes ? layout_size(layout) : 1, ORIGIN_DERIVED);
	setting->note = "mesh.means";
	setting_from(setting, settings_of(&s->job->settings, FIELD_MESH));
}

static enum strategy strategy_of(const struct layout *replicate, const struct layout *shard)
{
	if (layout_size(shard) > 1)
		return layout_size(replicate) > 1 ? STRATEGY_HSDP : STRATEGY_FSDP;
	return layout_size(replicate) > 1 ? STRATEGY_DDP : STRATEGY_NONE;
}

static void fill_degrees(struct script *s, struct degrees *degrees)
{
	const struct {
		const char *key;
		enum field_id field;
		int64_t *degree;
	} axes[] = {
		{ "context", FIELD_CP, &degrees->cp },
		{ "tensor", FIELD_TP, &degrees->tp },
		{ "pipeline", FIELD_PP, &degrees->pp },
		{ "expert", FIELD_EP, &degrees->ep },
	};
	struct layout layout;
	size_t i;

	for (i = 0; i < sizeof(axes) / sizeof(axes[0]); i++) {
		if (!meant(s, axes[i].key, &layout) && axes[i].field == FIELD_TP && s->tensor)
			layout = *device_mesh_layout(s->tensor, 0);
		put_degree(s, axes[i].field, &layout);
		*axes[i].degree = layout_size(&layout);
	}
}

/* The intended plan: what `means` says; without it, what is applied is what was meant. */
static void intend(struct script *s)
{
	struct plan *intended = s->job->intended;
	struct layout replicate, shard;
	bool said = node_member(s->block, "means") != NULL;

	memset(&intended->meshes, 0, sizeof(intended->meshes));
	intended->has_expert = false;
	if (said) {
		meant(s, "replicate", &replicate);
		meant(s, "shard", &shard);
	} else {
		replicate = s->plan->dense.replicate;
		shard = s->plan->dense.shard;
	}
	intended->dense.replicate = replicate;
	intended->dense.shard = shard;
	intended->dense.strategy = intended->requested = strategy_of(&replicate, &shard);
	s->plan->requested = intended->requested;
	put_degree(s, FIELD_DP_REPLICATE, &replicate);
	put_degree(s, FIELD_DP_SHARD, &shard);
	fill_degrees(s, &intended->degrees);
	intended->degrees.dp_replicate = layout_size(&replicate);
	intended->degrees.dp_shard = layout_size(&shard);
	s->plan->degrees = intended->degrees;
}

void custom_mesh_apply(struct job *job, struct plan *plan)
{
	struct script s = { .job = job, .plan = plan };

	s.block = settings_of(&job->settings, FIELD_MESH)->node;
	if (!s.block || s.block->kind != NODE_MAP || !run_init(&s))
		return;
	if (run_flatten(&s) && run_tensor_parallel(&s) && run_data_parallel(&s))
		wrap(&s);
	intend(&s);
	put_role(&s, "tensor_parallel", "tp");
	put_role(&s, "context_parallel", "cp");
	put_role(&s, "pipeline_parallel", "pp");
	put_role(&s, "expert_parallel", "ep");
}
