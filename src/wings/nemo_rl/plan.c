#include "base/number.h"
#include "plan/exception.h"
#include "framework/data_plan.h"
#include "input/keys.h"
#include "input/node.h"

#include <string.h>

/*
 * NeMo-RL's policy (NVIDIA-NeMo/RL@7ea279ab nemo_rl/models/policy/lm_policy.py): its own checks,
 * then Megatron's groups, Automodel's mesh (DTensor's second worker), or fully_shard over what tp
 * and cp leave.
 */

enum { TWO_ENGINES, NO_ENGINE, TOO_SMALL, PRODUCT, FIRST_REPLICAS, REPLICAS };

/* clang-format off */
static const struct exception raises[] = {
	[TWO_ENGINES] = { { NULL, "ValueError: Configure either Megatron (policy.megatron_cfg.enabled=true) or DTensor (policy.dtensor_cfg.enabled=true), not both." }, "Policy", "framework-raises", NULL },
	[NO_ENGINE] = { { NULL, "ValueError: Please either set policy.megatron_cfg.enabled=true to use Megatron training backend or set policy.dtensor_cfg.enabled=true to use DTensor training backend." }, "Policy", "framework-raises", NULL },
	[TOO_SMALL] = { { "NeMo-RL", "ValueError: World size ({n}) is insufficient for the parallelism configuration. Required minimum world size: PP({n}) * CP({n}) * TP({n}) = {n}. This would result in DP = {n}/{n} = {dp}, but DP must be \xE2\x89\xA5 1. Please either increase the number of GPUs/nodes or reduce the parallelism parameters." }, "Policy", "degrees-product", NULL },
	[PRODUCT] = { { "NeMo-RL", "ValueError: World size ({n}) must be divisible by PP * CP * TP ({n}). The data parallel size (DP = world_size / (PP * CP * TP)) must be a positive integer. Current DP would be {n}/{n} = {dp}, which is not an integer. Please adjust your cluster size or parallelism parameters." }, "Policy", "degrees-product", NULL },
	[FIRST_REPLICAS] = { { NULL, "ValueError: dp_replicate_size > 1 requires policy.dtensor_cfg._v2: true (Automodel DTensor v2 backend). HSDP is not supported with the V1 DTensor worker." }, "Policy", "framework-raises", NULL },
	[REPLICAS] = { { NULL, "ValueError: Data parallel size ({n}) must be divisible by dp_replicate_size ({n}). Please adjust your cluster size or parallelism parameters." }, "setup_distributed", "framework-raises", NULL },
	/* what no model raises: rules tell it */
	{ { "NeMo-RL", "AssertionError: Batch size ({bs}) is not a multiple of shards ({un})" }, "shard_by_batch_size", "batch-remainder", NULL },
};
/* clang-format on */

const struct exceptions exceptions_nemo_rl = { raises, sizeof(raises) / sizeof(*raises) };

extern const struct framework framework_megatron, framework_automodel;

static int claims(const struct job *job)
{
	return job_driven_by(job, "nemo-rl") ? 60 : 0;
}

static bool is_megatron(const struct job *job)
{
	return !strcmp(setting_text(&job->settings, FIELD_ENGINE, ""), "megatron");
}

static void defaults(struct job *job)
{
	if (is_megatron(job))
		framework_megatron.defaults(job);
}

/* One block of two is enabled; older configs trained by FSDP1, which had no block. */
static void check_backend(struct job *job, struct plan *plan)
{
	const struct node *root = job_own(job);
	const struct node *megatron = node_find(root, "policy.megatron_cfg.enabled");
	const struct node *dtensor = node_find(root, "policy.dtensor_cfg.enabled");

	if (job->document.absent.count || !dtensor ||
	    !strcmp(setting_text(&job->settings, FIELD_FSDP_VERSION, ""), "1"))
		return;
	if (keys_true(root, "policy.megatron_cfg.enabled") && dtensor->boolean)
		exception_raise(plan, &raises[TWO_ENGINES]);
	else if (megatron && !megatron->boolean && !dtensor->boolean && !megatron->unresolved &&
		 !dtensor->unresolved)
		exception_raise(plan, &raises[NO_ENGINE]);
	if (!plan->error)
		return;
	plan_blame(plan, settings_of(&job->settings, FIELD_TP));
}

/* Python's "%.Nf" of a quotient of integers. */
static void check_world(struct job *job, struct plan *plan)
{
	const struct degrees *d = &plan->degrees;
	int64_t size = multiply(multiply(d->pp, d->cp), d->tp);
	double dp = (double)job->world / (double)size;

	if (plan->error || size < 1 || job->world % size == 0)
		return;
	if (job->world < size)
		exception_raise(plan, &raises[TOO_SMALL], VALUE(job->world), VALUE(d->pp),
				VALUE(d->cp), VALUE(d->tp), VALUE(size), VALUE(job->world),
				VALUE(size), VALUE(arena_printf(plan->arena, "%.3f", dp)));
	else
		exception_raise(plan, &raises[PRODUCT], VALUE(job->world), VALUE(size),
				VALUE(job->world), VALUE(size),
				VALUE(arena_printf(plan->arena, "%.6f", dp)));
	data_plan_blame(job, plan);
	plan_blame(plan, settings_of(&job->settings, FIELD_PP));
}

/* DTensor's second worker, which has Automodel build its mesh (nemo_rl/models/automodel/setup.py).
 */
static bool is_second_worker(const struct job *job)
{
	return !is_megatron(job) && keys_true(job_own(job), "policy.dtensor_cfg._v2");
}

/* The first worker knows no replicas. */
static void check_worker(struct job *job, struct plan *plan)
{
	if (plan->error || is_megatron(job) || is_second_worker(job) ||
	    data_plan_degree(job, FIELD_DP_REPLICATE, 1) < 2)
		return;
	exception_raise(plan, &raises[FIRST_REPLICAS]);
	plan_blame(plan, settings_of(&job->settings, FIELD_DP_REPLICATE));
}

/* What setup_distributed says before it comes to Automodel. */
static void check_replicas(struct job *job, struct plan *plan)
{
	const struct degrees *d = &plan->degrees;
	const int64_t replicas = data_plan_degree(job, FIELD_DP_REPLICATE, 1);
	const int64_t model = multiply(multiply(d->tp, d->cp), d->ep);
	const int64_t dp = model < 1 ? 0 : job->world / model;

	if (plan->error || !is_second_worker(job) || replicas < 2 || model < 1 ||
	    dp % replicas == 0)
		return;
	exception_raise(plan, &raises[REPLICAS], VALUE(dp), VALUE(replicas));
	plan_blame(plan, settings_of(&job->settings, FIELD_DP_REPLICATE));
}

static void lay_out(struct job *job, struct plan *plan)
{
	struct degrees *d = &plan->degrees;
	struct data_plan data = { .replicate = "dp_replicate",
				  .shard = "dp_shard|cp",
				  .flat = "dp_shard_cp" };

	d->dp_replicate = 1;
	d->dp_shard = job->world / multiply(d->cp, d->tp);
	grid_axis(&data.grid, "dp_replicate", 1);
	grid_axis(&data.grid, "dp_shard", d->dp_shard);
	grid_axis(&data.grid, "cp", d->cp);
	grid_axis(&data.grid, "tp", d->tp);
	data_plan_apply(plan, &data);
}

static void apply(struct job *job, struct plan *plan)
{
	plan->degrees = job->intended->degrees;
	check_backend(job, plan);
	check_worker(job, plan);
	if (job->world) {
		check_world(job, plan);
		check_replicas(job, plan);
	}
	if (plan->error)
		return;
	if (is_megatron(job))
		framework_megatron.apply(job, plan);
	else if (is_second_worker(job))
		framework_automodel.apply(job, plan);
	else if (job->world)
		lay_out(job, plan);
}

static bool lacks(const struct job *job, enum field_id axis)
{
	return !is_megatron(job) && (axis == FIELD_PP || axis == FIELD_SP);
}

const struct framework framework_nemo_rl = {
	.name = "nemo-rl",
	.summary = "NeMo-RL: Megatron's groups, or fully_shard over what tp and cp leave",
	.claims = claims,
	.lacks = lacks,
	.own_keys =
		(const char *const[]) { "policy.megatron_cfg.enabled", "policy.dtensor_cfg.enabled",
					"policy.dtensor_cfg._v2", NULL },
	.defaults = defaults,
	.apply = apply,
};
