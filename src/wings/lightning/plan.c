#include "base/number.h"
#include "plan/exception.h"
#include "base/text.h"
#include "framework/data_plan.h"
#include "framework/degrees.h"
#include "framework/grid.h"
#include "input/keys.h"
#include "input/node.h"

#include <inttypes.h>
#include <string.h>

/*
 * Lightning's strategies (Lightning-AI/pytorch-lightning@7f0c3436): ModelParallelStrategy with
 * data_parallel over tensor_parallel (fabric/strategies/model_parallel.py:520-545), DDPStrategy,
 * and FSDPStrategy, whose tuple becomes a mesh (pytorch/strategies/fsdp.py). What a model does with
 * the first one's mesh is its own affair: fully_shard over data_parallel is assumed.
 */

enum { PRODUCT };

/* clang-format off */
static const struct exception raises[] = {
	[PRODUCT] = { { "Lightning", "RuntimeError: The sizes `data_parallel_size={n}` and `tensor_parallel_size={n}` multiplied should equal the world size ({n})." }, "_setup_device_mesh", "degrees-product", NULL },
	/* what no model raises: rules tell it */
	{ { "torch, under Lightning 1.9", "RuntimeError: The size of tensor a ({n}) must match the size of tensor b ({n}) at non-singleton dimension 0" }, NULL, "optimizer-parts", NULL },
	{ { "Lightning", "ValueError: You set `devices={d}` in Lightning, but the number of tasks per node configured in SLURM `--ntasks-per-node={t}` does not match. HINT: Set `devices={t}`." }, "SLURMEnvironment.validate_settings", "tasks-per-node", NULL },
};
/* clang-format on */

const struct exceptions exceptions_lightning = { raises, sizeof(raises) / sizeof(*raises) };

static bool is_ddp(const struct job *job)
{
	return !setting_known(&job->settings.items[FIELD_ENGINE]) &&
	       setting_int(&job->settings, FIELD_DP_SHARD, -1) == 1 &&
	       setting_int(&job->settings, FIELD_TP, 1) == 1;
}

/* The strategy is named, or a native config gives sizes that only it takes. */
static bool is_model_parallel(const struct job *job)
{
	const char *engine = setting_text(&job->settings, FIELD_ENGINE, "");

	return *engine ? !strcmp(engine, "lightning") : !job_says_all(job) && !is_ddp(job);
}

/* What Lightning's own file gives FSDPStrategy; NULL where there is another strategy. */
static const struct node *fsdp_arguments(const struct job *job)
{
	const struct node *strategy = node_find(job_own(job), "trainer.strategy");

	return text_ends(keys_text(strategy, "class_path", ""), "FSDPStrategy")
		       ? node_member(strategy, "init_args")
		       : NULL;
}

static int claims(const struct job *job)
{
	return job_driven_by(job, "lightning") &&
			       (is_model_parallel(job) || is_ddp(job) || fsdp_arguments(job))
		       ? 60
		       : 0;
}

static bool mesh_holds(struct job *job, struct plan *plan)
{
	const struct degrees *d = &plan->degrees;

	if (!is_model_parallel(job) || multiply(d->dp_shard, d->tp) == job->world)
		return true;
	exception_raise(plan, &raises[PRODUCT], VALUE(d->dp_shard), VALUE(d->tp),
			VALUE(job->world));
	degrees_blame(job, plan);
	return false;
}

/* _init_sharding_strategy of fabric/strategies/fsdp.py. */
static bool hybrid_has_groups(struct plan *plan, const struct node *arguments)
{
	if (!strstr(keys_text(arguments, "sharding_strategy", ""), "HYBRID") ||
	    node_member(arguments, "auto_wrap_policy") || node_member(arguments, "process_group") ||
	    node_member(arguments, "device_mesh"))
		return true;
	plan_raise(plan, "RuntimeError", "_init_sharding_strategy",
		   "The hybrid sharding strategy requires you to pass at least one of the "
		   "parameters: `auto_wrap_policy`, `process_group` tuple, or `device_mesh`.");
	plan->error->rule = "framework-raises";
	return false;
}

/* The tuple is compared with nothing: PyTorch finds it too large, or ranks are left over. */
static bool tuple_fits(struct job *job, struct plan *plan, const struct node *arguments)
{
	const struct degrees *d = &job->intended->degrees;
	int64_t ranks = multiply(d->dp_replicate, d->dp_shard);

	if (!node_member(arguments, "device_mesh") || ranks < 1 || ranks == job->world)
		return true;
	if (!data_plan_too_large(job, plan, ranks))
		plan_raise(plan, "Error", "init_device_mesh",
			   "a mesh of %" PRId64 " ranks leaves %" PRId64 " of the world's %" PRId64
			   " out",
			   ranks, job->world - ranks, job->world);
	degrees_blame(job, plan);
	return false;
}

static bool fsdp_holds(struct job *job, struct plan *plan)
{
	const struct node *arguments = fsdp_arguments(job);

	return hybrid_has_groups(plan, arguments) &&
	       (!job->world || tuple_fits(job, plan, arguments));
}

/* What FSDP is handed: the tuple's two axes, or the one over all. */
static void name_mesh(struct sharding *dense)
{
	if (dense->replicate.modes)
		dense->mesh[dense->mesh_count++] = "dp_replicate";
	if (dense->shard.modes)
		dense->mesh[dense->mesh_count++] = "dp_shard";
}

static void apply(struct job *job, struct plan *plan)
{
	struct grid grid = { 0 };

	plan->degrees = job->intended->degrees;
	plan->dense.strategy = job->intended->dense.strategy;
	if ((fsdp_arguments(job) && !fsdp_holds(job, plan)) || !job->world ||
	    !mesh_holds(job, plan) || !degrees_fit(job, plan, "Lightning"))
		return;
	grid_axis(&grid, "dp_replicate", plan->degrees.dp_replicate);
	grid_axis(&grid, "dp_shard", plan->degrees.dp_shard);
	grid_axis(&grid, "tp", plan->degrees.tp);
	grid_lay(plan, &grid, "dp_shard", "dp_replicate");
	if (fsdp_arguments(job))
		name_mesh(&plan->dense);
}

static bool lacks(const struct job *job, enum field_id axis)
{
	(void)job;
	return axis == FIELD_CP || axis == FIELD_PP || axis == FIELD_EP || axis == FIELD_SP;
}

const struct framework framework_lightning = {
	.name = "lightning",
	.summary = "Lightning: data_parallel over tensor_parallel, or FSDP over a tuple's mesh",
	.claims = claims,
	.lacks = lacks,
	.own_keys = (const char *const[]) { "trainer.strategy", NULL },
	.apply = apply,
};
