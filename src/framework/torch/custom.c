#include "framework/torch/custom.h"

#include "base/number.h"
#include "framework/placing.h"
#include "framework/torch/exceptions.h"
#include "framework/torch/custom_state.h"
#include "framework/torch/fsdp.h"
#include "framework/torch/job_torch.h"
#include "framework/torch/mesh_state.h"
#include "framework/torch/python.h"
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
		       "in none of its groups: up to PyTorch 2.9 slicing the mesh on such a rank "
		       "ends in an UnboundLocalError, and nothing can be sharded there. parplan "
		       "shows the plan of the ranks inside the mesh.",
	.remedy = "Make the sizes of mesh.root multiply to the number of ranks.",
	.source = "torch@v2.8.0 distributed/device_mesh.py (create_sub_mesh)",
};

void custom_wrong(struct script *s, enum field_type type, const char *key, const struct node *node)
{
	struct decoder decoder = { s->job->arena, &s->job->settings, s->job->findings };

	field_wrong_type(&decoder, type, key, node);
}

/* Reads `key` of a map; false when it is absent, or wrong and reported. */
bool custom_names(struct script *s, const struct node *map, const char *key, struct names *names)
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
	custom_wrong(s, FIELD_LIST, arena_printf(s->job->arena, "mesh.%s", key), value);
	return false;
}

/* Part of an exception's text, and the rule that can say more of it; first match wins. */
static const struct {
	const char *text, *rule;
} rules[] = {
	{ "should not be bigger than default world", "mesh-larger-than-world" },
	{ "Cannot create a submesh", "submesh-of-submesh" },
	{ "ascending order", "mesh-slice-order" },
	{ "Dimension out of range", "flattened-slice-of-three" },
	{ "contiguous flattened dim", "flattened-slice-gap" },
	{ "list.remove(x)", "flattened-slice-gap" },
	{ "already exists for submesh", "flatten-name-taken" },
	{ "has been created before", "flatten-name-taken" },
	{ "same parent mesh", "meshes-of-two-roots" },
	{ "derived from different device mesh", "meshes-of-two-roots" },
	{ "Cannot concatenate overlapping", "overlapping-meshes" },
	{ "Found TP device_mesh", "tensor-mesh-not-innermost" },
	{ "only accepts a 1D DeviceMesh", "tensor-mesh-not-1d" },
	{ "Found placements length: 1", "tensor-mesh-not-1d" },
	{ "Using TP with HSDP", "hsdp-with-tensor-parallel" },
};

static void raise_at(struct script *s, const char *type, const char *where, const char *message)
{
	size_t i;

	plan_raise(s->plan, type, where, "%s", message);
	s->plan->error->rule = "framework-raises";
	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (strstr(message, rules[i].text)) {
			s->plan->error->rule = rules[i].rule;
			break;
		}
	plan_blame(s->plan, settings_of(&s->job->settings, FIELD_MESH));
}

bool custom_raised(struct script *s, const char *where)
{
	const struct torch_error *error = &s->world.error;

	if (!error->type)
		return false;
	raise_at(s, error->limit ? "NotImplementedError" : error->type, where, error->message);
	if (error->until == TORCH_UNIT_STRIDES)
		s->plan->error->rule = "unit-axis-flattened";
	return true;
}

static bool read_root(struct script *s, const char **names, int64_t *sizes, int *count)
{
	const struct node *root = node_member(s->block, "root"), *item;

	*count = 0;
	if (!root || root->kind != NODE_MAP || !root->first) {
		custom_wrong(s, FIELD_NODE, "mesh.root", root ? root : s->block);
		return false;
	}
	for (item = root->first; item; item = item->next) {
		if (item->kind != NODE_SCALAR || item->type != SCALAR_INT || item->integer < 1 ||
		    *count == TORCH_AXES) {
			custom_wrong(s, FIELD_INT,
				     arena_printf(s->job->arena, "mesh.root.%s", item->key), item);
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

/* Another size for the first axis, where that makes the mesh the world. */
static void fix_smaller(struct script *s, struct finding *finding, int64_t ranks)
{
	const struct node *root = node_member(s->block, "root");
	const struct node *first = root && root->kind == NODE_MAP ? root->first : NULL, *axis;
	const int64_t times = s->job->world / ranks;
	const char *sizes = "";

	if (!first || s->job->world % ranks || first->kind != NODE_SCALAR)
		return;
	for (axis = first; axis; axis = axis->next)
		sizes = arena_printf(s->job->arena, "%s%s%" PRId64, sizes, *sizes ? " x " : "",
				     axis == first ? times * axis->integer : axis->integer);
	finding_fix(s->job->findings, finding, "use %s %" PRId64 ": the mesh is %s then",
		    first->key, times * first->integer, sizes);
	if (first->origin == NODE_FROM_FILE)
		finding_edit(s->job->findings, finding, first->span, "%" PRId64,
			     times * first->integer);
}

void custom_settle_world(struct script *s, struct span span, int64_t ranks)
{
	struct setting *setting;
	struct finding *finding;

	if (s->job->world > ranks) {
		finding = finding_add(s->job->findings, &rule_mesh_smaller_than_world, span,
				      "the root mesh has %" PRId64 " ranks, the world has %" PRId64
				      ": the others are in no mesh",
				      ranks, s->job->world);
		fix_smaller(s, finding, ranks);
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

struct mesh *custom_put_mesh(struct script *s, const char *name, const struct layout *layout)
{
	struct mesh mesh = { .name = name,
			     .layout = *layout,
			     .backend = "nccl",
			     .exists = layout_size(layout) > 1 };

	vec_push(s->plan->arena, &s->plan->meshes, mesh);
	return &s->plan->meshes.items[s->plan->meshes.count - 1];
}

void custom_put_axes(struct script *s)
{
	struct view *view = &s->plan->root;
	int i;

	view->name = "root";
	for (i = 0; i < device_mesh_axes(s->root) && i < MESH_AXES; i++) {
		struct mesh *mesh = custom_put_mesh(s, device_mesh_name(s->root, i),
						    device_mesh_layout(s->root, i));
		mesh->from[mesh->from_count++] = mesh->name;
		view->names[view->axes] = mesh->name;
		view->sizes[view->axes++] = device_mesh_size(s->root, i);
	}
}

static bool run_init(struct script *s)
{
	const char *names[TORCH_AXES];
	int64_t sizes[TORCH_AXES], ranks = 1;
	int count, i;

	if (!read_root(s, names, sizes, &count))
		return false;
	for (i = 0; i < count; i++)
		ranks = multiply(ranks, sizes[i]);
	custom_settle_world(s, node_member(s->block, "root")->span, ranks);
	if (!s->job->world)
		return false;
	torch_world_init(&s->world, s->job->arena, torch_of_job(s->job), s->job->world);
	s->root = device_mesh_init(&s->world, count, names, sizes);
	if (custom_raised(s, "init_device_mesh"))
		return false;
	custom_put_axes(s);
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
		if (!entry->key || !custom_names(s, entries, entry->key, &names))
			return false;
		slice = device_mesh_slice(&s->world, s->root, names.count, names.items);
		flat = slice ? device_mesh_flatten(&s->world, slice, entry->key) : NULL;
		if (custom_raised(s, slice ? "DeviceMesh._flatten" : "DeviceMesh.__getitem__"))
			return false;
		mesh = custom_put_mesh(s, entry->key, device_mesh_layout(flat, 0));
		mesh->flattened = true;
		for (i = 0; i < names.count; i++)
			mesh->from[mesh->from_count++] = names.items[i];
	}
	return true;
}

/*
 * True when the names are all of the root's and its release cannot slice a mesh by them: a script
 * that runs hands over the root itself.
 */
static bool means_root(const struct script *s, const struct names *names)
{
	int i;

	if (torch_has(&s->world.torch, TORCH_TUPLE_SLICING) || names->count != s->root->axes)
		return false;
	for (i = 0; i < names->count; i++)
		if (device_mesh_axis(s->root, names->items[i]) != i)
			return false;
	return true;
}

/* The script's mesh or root[names] of a key that is there; NULL without it, after an exception. */
static struct device_mesh *slice_for(struct script *s, const char *key)
{
	struct device_mesh *mesh;
	struct names names;

	if (!custom_names(s, s->block, key, &names))
		return NULL;
	mesh = names.count == 1 ? custom_variable(s, names.items[0]) : NULL;
	if (mesh || means_root(s, &names))
		return mesh ? mesh : s->root;
	mesh = device_mesh_slice(&s->world, s->root, names.count, names.items);
	custom_raised(s, "DeviceMesh.__getitem__");
	return mesh;
}

static void raise_tensor(struct script *s, const char *type, const char *first, const char *second)
{
	const char *args[] = { first, second };

	raise_at(s, type, "parallelize_module",
		 python_exception(s->job->arena, type, args, second ? 2 : 1));
}

/* The root of a slice; before 2.5 slices are not booked under it. */
static const struct device_mesh *parent_of(const struct script *s, const struct device_mesh *mesh)
{
	return torch_has(&s->world.torch, TORCH_FLATTEN) ? mesh_parent(&s->world, mesh) : s->root;
}

/* _validate_tp_mesh_dim: torch@v2.8.0 distributed/tensor/parallel/_utils.py, gone with #157216. */
static void check_tensor(struct script *s)
{
	const struct device_mesh *parent = parent_of(s, s->tensor);
	int axes = device_mesh_axes(s->tensor), roots = device_mesh_axes(parent), at;

	if (torch_has(&s->world.torch, TORCH_TP_ANY_AXIS)) {
		if (axes > 1) /* distribute_tensor: torch@v2.9.1 distributed/tensor/_api.py, run */
			raise_tensor(s, "ValueError",
				     arena_printf(s->job->arena,
						  "`placements` must have the same length as "
						  "`device_mesh.ndim`! Found placements length: 1, "
						  "and device_mesh.ndim: %d.",
						  axes),
				     NULL);
		return;
	}
	if (axes > 1 && !torch_has(&s->world.torch, TORCH_SLICE_BY_OWN_NAME)) {
		const char *const first = device_mesh_name(s->tensor, 0); /* tp_mesh_dim=0 */

		s->tensor = device_mesh_slice(&s->world, s->tensor, 1, &first);
		return;
	}
	if (axes > 1) {
		raise_tensor(s, "ValueError",
			     exception_tell(s->job->arena, PYTORCH(TP_MESH), VALUE(axes)).message,
			     NULL);
		return;
	}
	at = device_mesh_axis(parent, device_mesh_name(s->tensor, 0));
	if (!torch_has(&s->world.torch, TORCH_TUPLE_SLICING) && roots != 2 && roots > 1)
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

	if (plan_mesh(s->plan, role) || !custom_names(s, s->block, key, &names) || names.count != 1)
		return;
	axis = plan_mesh(s->plan, names.items[0]);
	if (!axis)
		return;
	mesh = custom_put_mesh(s, role, &axis->layout);
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

/* The script's own mesh that equals a root. */
static struct device_mesh *root_like(struct script *s, const struct device_mesh *root)
{
	int i;

	for (i = 0; i < s->variable_count; i++)
		if (mesh_equal(s->variables[i].mesh, root))
			return s->variables[i].mesh;
	return s->root;
}

/* Up to 2.9 both meshes must be slices of one root, and are sliced from it together. */
static bool join_in_root(struct script *s)
{
	const struct device_mesh *data = parent_of(s, s->data);
	const struct device_mesh *tensor = parent_of(s, s->tensor);
	const bool experts = torch_has(&s->world.torch, TORCH_ROOTS_NAME_EXPERTS);
	const char *names[2 * TORCH_AXES];
	int count = 0, i;

	if (!mesh_equal(data, tensor)) {
		raise_at(s, "AssertionError", "fully_shard",
			 arena_printf(s->job->arena,
				      "FSDP requires the DP and %s mesh to have the same parent "
				      "mesh but got: \nDP's global mesh: %s\n%s's global mesh: %s",
				      experts ? "model parallel TP/EP" : "TP",
				      device_mesh_repr(&s->world, data), experts ? "TP/EP" : "TP",
				      device_mesh_repr(&s->world, tensor)));
		return false;
	}
	for (i = 0; i < device_mesh_axes(s->data); i++)
		names[count++] = device_mesh_name(s->data, i);
	for (i = 0; i < device_mesh_axes(s->tensor); i++)
		names[count++] = device_mesh_name(s->tensor, i);
	if (torch_has(&s->world.torch, TORCH_TUPLE_SLICING))
		device_mesh_slice(&s->world, root_like(s, data), count, names);
	return !custom_raised(s, "fully_shard");
}

/*
 * On a parameter that tensor parallelism has cut, FSDP2 needs the mesh of both: up to 2.9 a slice
 * of the root, from 2.10 on the two concatenated (_fsdp_param.py, _init_sharded_param).
 */
static bool join_tensor(struct script *s)
{
	struct device_mesh *both[2] = { s->data, s->tensor };

	if (!s->tensor || wrap_is_flat(&s->job->settings))
		return true;
	if (device_mesh_axes(s->data) == 2 && !wrap_takes_hsdp_with_tensor(&s->world.torch)) {
		raise_at(s, "NotImplementedError", "fully_shard", wrap_hsdp_with_tensor_text);
		return false;
	}
	if (!torch_has(&s->world.torch, TORCH_LAYOUTS))
		return join_in_root(s);
	device_mesh_concatenate(&s->world, 2, both);
	return !custom_raised(s, "fully_shard");
}

static void name_data_mesh(struct script *s, struct sharding *dense)
{
	int i;

	for (i = 0; i < device_mesh_axes(s->data) && i < 4; i++)
		dense->mesh[dense->mesh_count++] = device_mesh_name(s->data, i);
}

/* 1-D: FSDP. 2-D: HSDP, dim 0 repeats and dim 1 shares, whatever the names say. */
static void run_fully_shard(struct script *s)
{
	struct sharding *dense = &s->plan->dense;
	int axes = device_mesh_axes(s->data);

	if (axes > 2) {
		raise_at(s, "ValueError", "fully_shard",
			 arena_printf(s->job->arena,
				      "fully_shard expects a 1D or 2D DeviceMesh but got %s",
				      device_mesh_repr(&s->world, s->data)));
		return;
	}
	if (!join_tensor(s))
		return;
	name_data_mesh(s, dense);
	dense->shard = *device_mesh_layout(s->data, axes - 1);
	if (axes == 2)
		dense->replicate = *device_mesh_layout(s->data, 0);
	dense->strategy = axes == 2 ? STRATEGY_HSDP : STRATEGY_FSDP;
}

static void run_data_parallel(struct script *s)
{
	s->data = slice_for(s, "fully_shard");
	if (s->data) {
		run_fully_shard(s);
		return;
	}
	if (!s->plan->error)
		s->data = slice_for(s, "ddp");
	if (s->data) {
		s->plan->dense.strategy = STRATEGY_DDP;
		s->plan->dense.replicate = *device_mesh_layout(s->data, 0);
		name_data_mesh(s, &s->plan->dense);
	}
}

static bool run_meshes(struct script *s)
{
	return node_member(s->block, "script") ? custom_run_script(s) : run_init(s);
}

static void keep_warnings(struct script *s)
{
	size_t i;

	for (i = 0; i < s->world.warnings.count; i++)
		vec_push(s->plan->arena, &s->plan->warnings, s->world.warnings.items[i]);
}

void custom_mesh_complete(struct job *job, struct plan *plan)
{
	const struct node *block = settings_of(&job->settings, FIELD_MESH)->node;

	if (!node_member(block, "pipeline_parallel") && !node_member(block, "expert_parallel"))
		place_model(job, plan);
}

void custom_mesh_apply(struct job *job, struct plan *plan)
{
	struct script s = { .job = job, .plan = plan };

	s.block = settings_of(&job->settings, FIELD_MESH)->node;
	if (!s.block || s.block->kind != NODE_MAP || !run_meshes(&s))
		return;
	if (run_flatten(&s) && run_tensor_parallel(&s))
		run_data_parallel(&s);
	keep_warnings(&s);
	custom_intend(&s);
	put_role(&s, "tensor_parallel", "tp");
	put_role(&s, "context_parallel", "cp");
	put_role(&s, "pipeline_parallel", "pp");
	put_role(&s, "expert_parallel", "ep");
}
