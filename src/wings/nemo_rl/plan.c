#include "base/number.h"
#include "framework/data_plan.h"
#include "input/keys.h"
#include "input/node.h"

#include <inttypes.h>
#include <string.h>

/*
 * NeMo-RL's policy (NVIDIA-NeMo/RL@7ea279ab nemo_rl/models/policy/lm_policy.py): its own checks,
 * then Megatron's groups, or fully_shard over what tp and cp leave.
 */

extern const struct framework framework_megatron;

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
		plan_raise(
			plan, "ValueError", "Policy",
			"Configure either Megatron (policy.megatron_cfg.enabled=true) or DTensor "
			"(policy.dtensor_cfg.enabled=true), not both.");
	else if (megatron && !megatron->boolean && !dtensor->boolean && !megatron->unresolved &&
		 !dtensor->unresolved)
		plan_raise(plan, "ValueError", "Policy",
			   "Please either set policy.megatron_cfg.enabled=true to use Megatron "
			   "training backend or set policy.dtensor_cfg.enabled=true to use DTensor "
			   "training backend.");
	if (!plan->error)
		return;
	plan->error->rule = "framework-raises";
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
		plan_raise(plan, "ValueError", "Policy",
			   "World size (%" PRId64
			   ") is insufficient for the parallelism configuration. Required minimum "
			   "world size: PP(%" PRId64 ") * CP(%" PRId64 ") * TP(%" PRId64
			   ") = %" PRId64 ". This would result in DP = %" PRId64 "/%" PRId64
			   " = %.3f, but DP must be \xE2\x89\xA5 1. Please either increase the "
			   "number of GPUs/nodes or reduce the parallelism parameters.",
			   job->world, d->pp, d->cp, d->tp, size, job->world, size, dp);
	else
		plan_raise(plan, "ValueError", "Policy",
			   "World size (%" PRId64 ") must be divisible by PP * CP * TP (%" PRId64
			   "). The data parallel size (DP = world_size / (PP * CP * TP)) must be a "
			   "positive integer. Current DP would be %" PRId64 "/%" PRId64
			   " = %.6f, which is not an integer. Please adjust your cluster size or "
			   "parallelism parameters.",
			   job->world, size, job->world, size, dp);
	plan->error->rule = "degrees-product";
	data_plan_blame(job, plan);
	plan_blame(plan, settings_of(&job->settings, FIELD_PP));
}

/* Automodel's assert, to which DTensor's second worker comes (nemo_rl/models/automodel/setup.py).
 */
static void check_experts(struct job *job, struct plan *plan)
{
	const struct degrees *d = &plan->degrees;

	if (plan->error || is_megatron(job) || d->ep < 2 || job->world % d->ep == 0 ||
	    !keys_true(job_own(job), "policy.dtensor_cfg._v2"))
		return;
	plan_raise(plan, "AssertionError", "_create_fsdp2_device_mesh",
		   "non_pp_size=%" PRId64 " must be a multiple of ep_size=%" PRId64, job->world,
		   d->ep);
	plan->error->rule = "framework-raises";
	plan_blame(plan, settings_of(&job->settings, FIELD_EP));
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
	if (job->world)
		check_world(job, plan);
	if (job->world)
		check_experts(job, plan);
	if (plan->error)
		return;
	if (is_megatron(job))
		framework_megatron.apply(job, plan);
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
