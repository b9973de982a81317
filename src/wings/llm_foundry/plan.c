#include "base/number.h"
#include "plan/exception.h"
#include "framework/degrees.h"
#include "framework/grid.h"

#include <inttypes.h>
#include <string.h>

/*
 * composer as llm-foundry drives it (mosaicml/composer@64051888 composer/core/state.py:180-236,
 * mosaicml/llm-foundry@8c8dd48f llmfoundry/utils/config_utils.py): the batch first, then a mesh of
 * data_parallel_replicate, data_parallel_shard and tensor_parallel for FSDP1.
 */

enum { BATCH, PRODUCT, TWO_OPEN, REMAINDER };

/* clang-format off */
static const struct exception raises[] = {
	[BATCH] = { { "composer", "ValueError: Global batchsize {n} is not divisible by (world_size // data_replication_degree)={n} as a result, the batch size would be truncated, please adjust `global_batch_size` to be divisible by world size, {n}." }, "calculate_batch_size_info", "batch-remainder", NULL },
	[PRODUCT] = { { "composer", "ValueError: ('World size {n} {relation} the product of the specified parallelism degrees {n}. Please ensure the product of the specified parallelism degrees matches the world ', \"size. Currently specified degrees are names={names}, dims={dims}. One dimension can also be left as -1, which will automatically be specified to ensure the product matches the world size.\")" }, "_create_device_mesh", "degrees-product", NULL },
	[TWO_OPEN] = { { "composer", "ValueError: Found multiple parallelism dimensions with -1: {name}. Only one is allowed, which is set to fill the remaining dimensions." }, "_create_device_mesh", "degrees-product", NULL },
	[REMAINDER] = { { "composer", "ValueError: World size {n} is not divisible by the product of the specified parallelism degrees. Please ensure the product of the specified parallelism degrees matches the world size." }, "_create_device_mesh", "degrees-product", NULL },
	/* what no model raises: rules tell it */
	{ { "composer, older", "ValueError: Global batchsize {bs} is not divisible by (dist.get_world_size() // data_replication_degree)={un} as a result, the batch size would be truncated, please adjust `global_batch_size` to be divisible by world size, {un}." }, "calculate_batch_size_info", "batch-remainder", NULL },
};
/* clang-format on */

const struct exceptions exceptions_llm_foundry = { raises, sizeof(raises) / sizeof(*raises) };

static int claims(const struct job *job)
{
	return job_driven_by(job, "llm-foundry") || job_driven_by(job, "composer") ? 60 : 0;
}

/* calculate_batch_size_info(), where nothing but dp cuts the batch. */
static bool batch_holds(struct job *job, struct plan *plan)
{
	const struct setting *batch = settings_of(&job->settings, FIELD_GLOBAL_BATCH_SIZE);
	const int64_t ranks = job->world;

	if (!setting_given(batch) || !setting_known(batch) || batch->integer % ranks == 0 ||
	    degree_or_one(job, FIELD_TP) > 1)
		return true;
	exception_raise(plan, &raises[BATCH], VALUE(batch->integer), VALUE(ranks), VALUE(ranks));
	plan_blame(plan, batch);
	return false;
}

/* The axes handed to init_device_mesh, in their order. */
struct axes {
	int count, open; /* of -1 */
	int64_t size[3], product;
	const char *name[3];
};

static void add_axis(struct axes *axes, const char *name, int64_t size)
{
	axes->name[axes->count] = name;
	axes->size[axes->count++] = size;
	axes->open += size == -1;
	if (size != -1)
		axes->product = multiply(axes->product, size);
}

static struct axes axes_of(const struct job *job)
{
	const struct settings *settings = &job->settings;
	struct axes axes = { .product = 1 };

	if (setting_given(&settings->items[FIELD_DP_REPLICATE]))
		add_axis(&axes, "data_parallel_replicate",
			 setting_int(settings, FIELD_DP_REPLICATE, 1));
	add_axis(&axes, "data_parallel_shard",
		 setting_given(&settings->items[FIELD_DP_SHARD])
			 ? setting_int(settings, FIELD_DP_SHARD, -1)
			 : -1);
	if (setting_given(&settings->items[FIELD_TP]))
		add_axis(&axes, "tensor_parallel", setting_int(settings, FIELD_TP, 1));
	return axes;
}

/* "['data_parallel_replicate', 'data_parallel_shard']"; those of -1 only, or all. */
static const char *names_text(struct plan *plan, const struct axes *axes, bool open)
{
	const char *text = "[";
	int i;

	for (i = 0; i < axes->count; i++)
		if (!open || axes->size[i] == -1)
			text = arena_printf(plan->arena, "%s%s'%s'", text, text[1] ? ", " : "",
					    axes->name[i]);
	return arena_join(plan->arena, text, "", "]");
}

static const char *sizes_text(struct plan *plan, const struct axes *axes)
{
	const char *text = "[";
	int i;

	for (i = 0; i < axes->count; i++)
		text = arena_printf(plan->arena, "%s%s%" PRId64, text, i ? ", " : "",
				    axes->size[i]);
	return arena_join(plan->arena, text, "", "]");
}

/* A comma too many makes the exception's argument two strings: it prints as a tuple. */
static void raise_product(struct job *job, struct plan *plan, const struct axes *axes,
			  const char *relation)
{
	exception_raise(plan, &raises[PRODUCT], VALUE(job->world), VALUE(relation),
			VALUE(axes->product), VALUE(names_text(plan, axes, false)),
			VALUE(sizes_text(plan, axes)));
}

static bool mesh_holds(struct job *job, struct plan *plan)
{
	const struct axes axes = axes_of(job);

	if (axes.open > 1)
		exception_raise(plan, &raises[TWO_OPEN], VALUE(names_text(plan, &axes, true)));
	else if (axes.open && axes.product > job->world)
		raise_product(job, plan, &axes, "is greater than");
	else if (axes.open && axes.product > 0 && job->world % axes.product)
		exception_raise(plan, &raises[REMAINDER], VALUE(job->world));
	else if (!axes.open && axes.product != job->world)
		raise_product(job, plan, &axes, "does not equal");
	if (plan->error)
		degrees_blame(job, plan);
	return !plan->error;
}

/* One rank: llm-foundry drops FSDP and TP with a warning. */
static bool is_single(struct job *job, struct plan *plan)
{
	if (job->world != 1)
		return false;
	vec_push(plan->arena, &plan->warnings,
		 "FSDP is not applicable for single-GPU training. Reverting to DDP.");
	return true;
}

static void apply(struct job *job, struct plan *plan)
{
	const bool fsdp = !strcmp(setting_text(&job->settings, FIELD_ENGINE, ""), "fsdp");
	struct grid grid = { 0 };

	plan->degrees = job->intended->degrees;
	plan->dense.strategy = job->intended->dense.strategy;
	if (!job->world || !batch_holds(job, plan))
		return;
	if (fsdp && !is_single(job, plan) && !mesh_holds(job, plan))
		return;
	if (!degrees_fit(job, plan, "composer"))
		return;
	grid_axis(&grid, "dp_replicate", plan->degrees.dp_replicate);
	grid_axis(&grid, "dp_shard", plan->degrees.dp_shard);
	grid_axis(&grid, "tp", plan->degrees.tp);
	grid_lay(plan, &grid, "dp_shard", "dp_replicate");
}

static bool lacks(const struct job *job, enum field_id axis)
{
	(void)job;
	return axis == FIELD_CP || axis == FIELD_PP || axis == FIELD_EP || axis == FIELD_SP;
}

const struct framework framework_composer = {
	.name = "composer",
	.summary = "composer below llm-foundry: dp_replicate, dp_shard, tp",
	.claims = claims,
	.lacks = lacks,
	.apply = apply,
	.shares_by = RUN_OF_UNIT,
};
