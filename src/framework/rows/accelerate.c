#include "framework/data_plan.h"
#include "input/node.h"

#include <inttypes.h>
#include <string.h>

/*
 * accelerate (huggingface/accelerate@16cb6eb8): ParallelismConfig's mesh of dp_replicate, dp_shard,
 * cp, sp, tp (src/accelerate/parallelism_config.py:267), where the file has such a map; else FSDP
 * or DistributedDataParallel over all processes. DeepSpeed and Megatron build their own groups.
 */

static int claims(const struct job *job)
{
	const char *framework = job->document.dialect->framework;
	const char *engine = setting_text(&job->settings, FIELD_ENGINE, "");

	if (!framework || strcmp(framework, "accelerate") != 0)
		return 0;
	return !*engine || !strcmp(engine, "fsdp") ? 40 : 0;
}

static const struct node *parallelism_of(const struct job *job)
{
	const struct node *map = node_member(job->document.root, "parallelism_config");

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

/* commands/launch.py:1206: the map is for FSDP2. */
static void check_launch(struct job *job, struct plan *plan)
{
	const char *engine = setting_text(&job->settings, FIELD_ENGINE, "");

	if (!strcmp(engine, "fsdp") &&
	    strcmp(setting_text(&job->settings, FIELD_FSDP_VERSION, "1"), "1") != 0)
		return;
	plan_raise(plan, "ValueError", "launch_command",
		   "You cannot use `--use_parallelism_config` without `--use_fsdp` and "
		   "`--fsdp_version=2`. ");
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
		plan_raise(plan, "ValueError", "ParallelismConfig",
			   "%s_size must be at least 1, but got %" PRId64, sizes[i].name, size[i]);
		plan->error->rule = "degree-below-one";
		plan_blame(plan, settings_of(&job->settings, sizes[i].field));
	}
}

/* __post_init__: what excludes what. */
static void check_together(struct job *job, struct plan *plan, const int64_t size[SIZES])
{
	if (plan->error)
		return;
	if (size[CONTEXT] > 1 && size[SEQUENCE] > 1) {
		plan_raise(plan, "ValueError", "ParallelismConfig",
			   "Context Parallelism (CP) and Sequence Parallelism (SP) are mutually "
			   "exclusive. Got cp_size=%" PRId64 " and sp_size=%" PRId64
			   ". Please set either cp_size=1 or sp_size=1.",
			   size[CONTEXT], size[SEQUENCE]);
		plan_blame(plan, settings_of(&job->settings, FIELD_CP));
		plan_blame(plan, settings_of(&job->settings, FIELD_SP));
	} else if ((size[TENSOR] > 1 || size[CONTEXT] > 1) && size[REPLICATE] > 1 &&
		   size[SHARD] == 1) {
		plan_raise(plan, "ValueError", "ParallelismConfig",
			   "Tensor/Context parallelism (tp/cp_size > 1) cannot be used with pure "
			   "data parallelism (dp_replicate_size > 1 and dp_shard_size == 1). "
			   "Please set dp_shard_size > 1 and dp_replicate_size == 1 to compose "
			   "FSDP + TP/CP for 2D parallel, or set dp_replicate_size == 1 and "
			   "dp_shard_size > 1 to compose HSDP + TP/CP for 3D parallel.");
		plan->error->rule = "accelerate-tensor-only";
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

/* _validate_accelerator; all ones stand for dp_replicate of all processes. */
static void check_total(struct job *job, struct plan *plan, int64_t size[SIZES])
{
	struct grid grid = grid_of(size);
	int64_t total = grid_size(&grid);

	if (total == 1)
		total = size[REPLICATE] = job->world;
	if (total == job->world)
		return;
	plan_raise(plan, "ValueError", "ParallelismConfig._validate_accelerator",
		   "ParallelismConfig total_size (%" PRId64 ") does not match num_processes "
		   "(%" PRId64 "). Please adjust dp_replicate_size/ "
		   "dp_shard_size/tp_size/cp_size/sp_size.",
		   total, job->world);
	plan->error->rule = "degrees-product";
	data_plan_blame(job, plan);
}

static void lay_out(struct plan *plan, const int64_t size[SIZES])
{
	struct data_plan data = { .grid = grid_of(size),
				  .replicate = "dp_replicate",
				  .shard = "dp_shard|cp|sp",
				  .flat = "dp_shard_cp" };

	plan->degrees.dp_replicate = size[REPLICATE];
	plan->degrees.dp_shard = size[SHARD];
	data_plan_apply(plan, &data);
}

static void apply(struct job *job, struct plan *plan)
{
	const struct node *map = parallelism_of(job);
	int64_t size[SIZES];
	int i;

	plan->degrees = job->intended->degrees;
	if (!node_member(job->document.root, "distributed_type"))
		plan_raise(plan, "ValueError", "process_config",
			   "A `distributed_type` must be specified in the config file.");
	for (i = 0; i < SIZES; i++)
		size[i] = data_plan_degree(job, sizes[i].field, 1);
	if (map && !plan->error) {
		check_launch(job, plan);
		check_sizes(job, plan, size);
		check_together(job, plan, size);
	} else {
		size[REPLICATE] = job->intended->degrees.dp_replicate;
		size[SHARD] = job->intended->degrees.dp_shard;
	}
	if (!job->world || plan->error)
		return;
	check_total(job, plan, size);
	if (!plan->error)
		lay_out(plan, size);
}

const struct framework framework_accelerate = {
	.name = "accelerate",
	.summary = "accelerate's ParallelismConfig, FSDP and DDP",
	.claims = claims,
	.apply = apply,
};
