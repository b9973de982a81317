#include "base/text.h"
#include "plan/exception.h"
#include "framework/data_plan.h"
#include "input/node.h"
#include "wings/accelerate/total.h"

#include <string.h>

/*
 * accelerate (huggingface/accelerate@16cb6eb8): ParallelismConfig's mesh of dp_replicate, dp_shard,
 * cp, tp (src/accelerate/parallelism_config.py:267), where the file has such a map; else FSDP or
 * DistributedDataParallel over all processes. DeepSpeed and Megatron build their own groups.
 */

/* TOTAL is ACCELERATE_TOTAL, UNKNOWN_KEYS is ACCELERATE_UNKNOWN_KEYS, PURE_DP is
 * ACCELERATE_PURE_DP.
 */
enum { TOTAL, UNKNOWN_KEYS, PURE_DP, NO_FSDP2, BELOW, CP_AND_SP, NOTHING_LEFT, NO_TYPE, NO_BOOL };

/* clang-format off */
static const struct exception raises[] = {
	[UNKNOWN_KEYS] = { { "accelerate", "ValueError: The config file at {path} had unknown keys ({names}), please try upgrading your `accelerate` version or fix (and potentially remove) these keys from your config file." }, "load_config_from_file", "unknown-key", NULL },
	[NO_FSDP2] = { { NULL, "ValueError: You cannot use `--use_parallelism_config` without `--use_fsdp` and `--fsdp_version=2`. " }, "launch_command", "framework-raises", NULL },
	[BELOW] = { { "accelerate", "ValueError: {axis}_size must be at least 1, but got {n}" }, "ParallelismConfig", "degree-below-one", NULL },
	[CP_AND_SP] = { { NULL, "ValueError: Context Parallelism (CP) and Sequence Parallelism (SP) are mutually exclusive. Got cp_size={n} and sp_size={n}. Please set either cp_size=1 or sp_size=1." }, "ParallelismConfig", "framework-raises", NULL },
	[PURE_DP] = { { "accelerate", "ValueError: Tensor/Context parallelism (tp/cp_size > 1) cannot be used with pure data parallelism (dp_replicate_size > 1 and dp_shard_size == 1). Please set dp_shard_size > 1 and dp_replicate_size == 1 to compose FSDP + TP/CP for 2D parallel, or set dp_replicate_size == 1 and dp_shard_size > 1 to compose HSDP + TP/CP for 3D parallel." }, "ParallelismConfig", "accelerate-tensor-only", NULL },
	[TOTAL] = { { "accelerate", "ValueError: ParallelismConfig total_size ({n}) does not match num_processes ({n}). Please adjust dp_replicate_size/ dp_shard_size/tp_size/cp_size{sizes}." }, "ParallelismConfig._validate_accelerator", "degrees-product", NULL },
	[NOTHING_LEFT] = { { NULL, "ValueError: FSDP is enabled but the parallelism config has no dimension for FSDP to shard across (both `dp_shard_size` and `cp_size` are 1). This usually means a model that is already parallelized another way -- e.g. loaded with `DistributedConfig(tp_size=N)` or `enable_expert_parallel=True`, which makes the whole world size tensor/expert parallel -- was launched under an FSDP config. Either launch it without the FSDP config, or leave ranks for FSDP to use by lowering `tp_size`." }, "ParallelismConfig._validate_accelerator", "framework-raises", NULL },
	[NO_TYPE] = { { NULL, "ValueError: A `distributed_type` must be specified in the config file." }, "process_config", "framework-raises", NULL },
	[NO_BOOL] = { { NULL, "ValueError: invalid truth value {w}" }, "FullyShardedDataParallelPlugin.__post_init__", "framework-raises", NULL },
	/* what no model raises: rules tell it */
	{ { "accelerate", "ValueError: When using `deepspeed_config_file`, the following accelerate config variables will be ignored: [{names}]." }, "DeepSpeedPlugin", "zero-config-twice", NULL },
	{ { "accelerate", "KeyError: \"Invalid mesh_dim_names ('dp_shard_cp',) specified. Valid mesh_dim_names are {names}.\"" }, "DeviceMesh.__getitem__", "accelerate-tensor-only", NULL },
};
/* clang-format on */

const struct exceptions exceptions_accelerate = { raises, sizeof(raises) / sizeof(*raises) };

/* Releases in which ParallelismConfig learned something, all of them 1.x. */
enum {
	SEQUENCE_SIZE = 12,	 /* sp_size */
	SEQUENCE_BY_ENGINE = 13, /* with sp DeepSpeed makes the groups: no mesh */
	NOTHING_TO_SHARD = 15,	 /* FSDP is refused where neither dp_shard nor cp has ranks */
};

static bool reaches(const struct job *job, int minor)
{
	return version_reaches(versions_find(&job->versions, "accelerate"), 1, minor);
}

static int claims(const struct job *job)
{
	const char *engine = setting_text(&job->settings, FIELD_ENGINE, "");

	if (!job_driven_by(job, "accelerate"))
		return 0;
	return !*engine || !strcmp(engine, "fsdp") ? 40 : 0;
}

/* accelerate's own keys; another framework hands it sizes alone. */
static const struct node *keys_of(const struct job *job)
{
	return job_driven_by(job, "accelerate") ? job_own(job) : NULL;
}

static const struct node *parallelism_of(const struct job *job)
{
	const struct node *map = node_member(keys_of(job), "parallelism_config");

	return map && map->kind == NODE_MAP && map->first ? map : NULL;
}

/* One size of the map: what accelerate calls it, and our field. */
struct size {
	const char *name;
	enum field_id field;
};

enum { REPLICATE, SHARD, TENSOR, CONTEXT, SEQUENCE, SIZES };

/* In the order in which __post_init__ checks them. */
static const struct size sizes[SIZES] = {
	[REPLICATE] = { "dp_replicate", FIELD_DP_REPLICATE },
	[SHARD] = { "dp_shard", FIELD_DP_SHARD },
	[TENSOR] = { "tp", FIELD_TP },
	[CONTEXT] = { "cp", FIELD_CP },
	[SEQUENCE] = { "sp", FIELD_SP },
};

/* The size that somebody gave, 1 where nobody did. */
static int64_t given_size(const struct job *job, int which)
{
	const struct setting *setting = &job->settings.items[sizes[which].field];

	return setting_given(setting) ? data_plan_degree(job, sizes[which].field, 1) : 1;
}

/* Whether any axis of more than one rank is asked for. */
static bool has_axis(const struct job *job)
{
	int i;

	for (i = 0; i < SIZES; i++)
		if (given_size(job, i) > 1)
			return true;
	return false;
}

/* A ParallelismConfig is made: the file has the map, or a native config such sizes. */
static bool has_map(const struct job *job)
{
	return parallelism_of(job) || (!keys_of(job) && has_axis(job));
}

/* commands/launch.py:1206: the map is for FSDP2. */
static void check_launch(struct job *job, struct plan *plan)
{
	const char *engine = setting_text(&job->settings, FIELD_ENGINE, "");

	if (!strcmp(engine, "fsdp") &&
	    strcmp(setting_text(&job->settings, FIELD_FSDP_VERSION, "1"), "1") != 0)
		return;
	exception_raise(plan, &raises[NO_FSDP2]);
	plan_blame(plan, settings_of(&job->settings, FIELD_FSDP_VERSION));
	data_plan_blame(job, plan);
}

/* __post_init__: each size. */
static void check_sizes(struct job *job, struct plan *plan, const int64_t size[SIZES])
{
	int i;

	for (i = 0; i < SIZES && !plan->error; i++) {
		if (size[i] >= 1)
			continue;
		exception_raise(plan, &raises[BELOW], VALUE(sizes[i].name), VALUE(size[i]));
		plan_blame(plan, settings_of(&job->settings, sizes[i].field));
	}
}

/* __post_init__: what excludes what. */
static void check_together(struct job *job, struct plan *plan, const int64_t size[SIZES])
{
	if (plan->error)
		return;
	if (size[CONTEXT] > 1 && size[SEQUENCE] > 1 && reaches(job, SEQUENCE_BY_ENGINE)) {
		exception_raise(plan, &raises[CP_AND_SP], VALUE(size[CONTEXT]),
				VALUE(size[SEQUENCE]));
		plan_blame(plan, settings_of(&job->settings, FIELD_CP));
		plan_blame(plan, settings_of(&job->settings, FIELD_SP));
	} else if ((size[TENSOR] > 1 || size[CONTEXT] > 1) && size[REPLICATE] > 1 &&
		   size[SHARD] == 1) {
		exception_raise(plan, &raises[PURE_DP]);
		plan_blame(plan, settings_of(&job->settings, FIELD_DP_SHARD));
	}
}

/* Axes of one rank are dropped (parallelism_config.py:267); sp is newer than the others. */
static struct grid grid_of(const int64_t size[SIZES])
{
	struct grid grid = { 0 };

	grid_axis(&grid, "dp_replicate", size[REPLICATE]);
	grid_axis(&grid, "dp_shard", size[SHARD]);
	grid_axis(&grid, "cp", size[CONTEXT]);
	if (size[SEQUENCE] > 1)
		grid_axis(&grid, "sp", size[SEQUENCE]);
	grid_axis(&grid, "tp", size[TENSOR]);
	return grid;
}

static void raise_total(struct job *job, struct plan *plan, int64_t total)
{
	exception_raise(plan, ACCELERATE_TOTAL, VALUE(total), VALUE(job->world),
			VALUE(reaches(job, SEQUENCE_SIZE) ? "/sp_size" : ""));
}

/* accelerator.py:475: the mesh is built first; then _validate_accelerator counts. */
static void check_total(struct job *job, struct plan *plan, int64_t size[SIZES])
{
	struct grid grid = grid_of(size);
	int64_t total = grid_size(&grid);

	if (total == 1)
		total = size[REPLICATE] = job->world;
	if (total == job->world || (size[SEQUENCE] > 1 && reaches(job, SEQUENCE_BY_ENGINE)))
		return;
	if (!data_plan_too_large(job, plan, total))
		raise_total(job, plan, total);
	data_plan_blame(job, plan);
}

/* FSDP over ranks that there are none of. */
static void check_shards(struct job *job, struct plan *plan, const int64_t size[SIZES])
{
	if (plan->error || given_size(job, SHARD) > 1 || size[CONTEXT] > 1 ||
	    !reaches(job, NOTHING_TO_SHARD))
		return;
	exception_raise(plan, &raises[NOTHING_LEFT]);
	plan_blame(plan, settings_of(&job->settings, FIELD_DP_SHARD));
	plan_blame(plan, settings_of(&job->settings, FIELD_TP));
	plan_blame(plan, settings_of(&job->settings, FIELD_CP));
}

static void leave_open(struct plan *plan, const int64_t size[SIZES])
{
	struct grid grid = grid_of(size);

	grid_root(plan, &grid);
	plan->unmodelled = true;
	plan->unmodelled_why = "with sp accelerate builds no mesh: DeepSpeed makes the groups; "
			       "nothing is claimed about its shards";
}

/* Without an axis of more than one rank there is no mesh: FSDP takes the whole world. */
static void lay_out(struct job *job, struct plan *plan, const int64_t size[SIZES])
{
	struct data_plan data = { .grid = grid_of(size),
				  .replicate = "dp_replicate",
				  .shard = "dp_shard|cp|sp",
				  .flat = "dp_shard_cp",
				  .joined = has_map(job) && has_axis(job) };

	if (size[SEQUENCE] > 1 && reaches(job, SEQUENCE_BY_ENGINE)) {
		leave_open(plan, size);
		return;
	}
	plan->degrees.dp_replicate = size[REPLICATE];
	plan->degrees.dp_shard = size[SHARD];
	data_plan_apply(plan, &data);
}

/* False where two degrees are open and nothing says which of them is the rest. */
static bool sizes_known(struct plan *plan, const int64_t size[SIZES])
{
	if (size[REPLICATE] >= 1 || size[SHARD] >= 1)
		return true;
	plan->unmodelled = true;
	plan->unmodelled_why = "dp_replicate and dp_shard are both -1: nothing says which "
			       "of them takes what is left of the world";
	return false;
}

/* utils/environment.py, str_to_bool, of what FSDP2 takes for a switch. */
static void check_reshard(struct job *job, struct plan *plan)
{
	const struct node *node = node_find(keys_of(job), "fsdp_config.fsdp_reshard_after_forward");

	if (plan->error || !node || node->kind != NODE_SCALAR || node->unresolved ||
	    node->type == SCALAR_NULL || accelerate_is_switch(node->text) ||
	    strcmp(setting_text(&job->settings, FIELD_FSDP_VERSION, "1"), "2") != 0)
		return;
	exception_raise(plan, &raises[NO_BOOL], VALUE(text_lower(plan->arena, node->text)));
	plan_blame(plan, settings_of(&job->settings, FIELD_RESHARD_AFTER_FORWARD));
}

static void apply(struct job *job, struct plan *plan)
{
	const struct node *own = keys_of(job);
	const bool map = has_map(job);
	int64_t size[SIZES];
	int i;

	plan->degrees = job->intended->degrees;
	if (own && !node_member(own, "distributed_type"))
		exception_raise(plan, &raises[NO_TYPE]);
	check_reshard(job, plan);
	for (i = 0; i < SIZES; i++)
		size[i] = data_plan_degree(job, sizes[i].field, 1);
	if (map && !plan->error) {
		if (parallelism_of(job))
			check_launch(job, plan);
		check_sizes(job, plan, size);
		check_together(job, plan, size);
	} else {
		size[REPLICATE] = job->intended->degrees.dp_replicate;
		size[SHARD] = job->intended->degrees.dp_shard;
	}
	if (!job->world || plan->error || !sizes_known(plan, size))
		return;
	check_total(job, plan, size);
	if (map)
		check_shards(job, plan, size);
	if (!plan->error)
		lay_out(job, plan, size);
}

static bool lacks(const struct job *job, enum field_id axis)
{
	(void)job;
	return axis == FIELD_PP || axis == FIELD_EP;
}

const struct framework framework_accelerate = {
	.name = "accelerate",
	.summary = "accelerate's ParallelismConfig, FSDP and DDP",
	.claims = claims,
	.lacks = lacks,
	.own_keys = (const char *const[]) { "distributed_type", "parallelism_config", NULL },
	.apply = apply,
};
