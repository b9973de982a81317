#include "base/number.h"
#include "framework/job.h"
#include "framework/torch/fsdp.h"
#include "framework/torch/job_torch.h"
#include "framework/torch/resume.h"

#include <inttypes.h>
#include <string.h>

/*
 * PyTorch alone, or no framework at all: the axes in the order pp, dp_replicate, dp_shard, cp, tp,
 * and fully_shard of every block over (dp_replicate, dp_shard x cp), or DDP where nothing is
 * shared. Which layers a pipeline stage holds is the script's own affair. A framework without a
 * model of its own is assumed to do the same, which every output says; rules about what the code
 * does are silent then.
 */

/* The framework that lays out its ranks itself, or NULL. */
static const char *other_framework(const struct job *job)
{
	size_t i;

	for (i = 0; i < job->versions.list.count; i++)
		if (!version_is_library(job->versions.list.items[i].framework))
			return job->versions.list.items[i].framework;
	return job->document.dialect->framework;
}

/* What a dialect says is fully_shard or FullyShardedDataParallel over these axes, is. */
static bool is_fsdp(const struct job *job)
{
	return !strcmp(setting_text(&job->settings, FIELD_ENGINE, ""), "fsdp");
}

/* What no other row claims is at least not passed off as something else. */
static int claims(const struct job *job)
{
	return other_framework(job) ? 1 : 10;
}

/* axolotl's plug-in for experts takes ranks of its own for them. */
static bool ep_is_factor(const struct job *job)
{
	const struct degrees *d = &job->intended->degrees;
	int64_t product = multiply(multiply(d->dp_replicate, d->dp_shard), multiply(d->cp, d->tp));

	return versions_find(&job->versions, "axolotl") && d->ep > 1 &&
	       multiply(multiply(product, d->pp), d->ep) == job->world;
}

/* The intended plan has meshes only when the degrees multiply to the world. */
static bool degrees_fit(struct job *job, struct plan *plan)
{
	static const enum field_id fields[] = { FIELD_DP_SHARD, FIELD_DP_REPLICATE, FIELD_CP,
						FIELD_TP,	FIELD_PP,	    FIELD_WORLD };
	const struct degrees *d = &plan->degrees;
	const struct setting *setting;
	size_t i;

	if (job->intended->meshes.count)
		return true;
	if (ep_is_factor(job))
		return false;
	plan_raise(plan, "Error", "init_device_mesh",
		   "dp_replicate(%" PRId64 ") * dp_shard(%" PRId64 ") * cp(%" PRId64
		   ") * tp(%" PRId64 ") * pp(%" PRId64 ") != world(%" PRId64 ")",
		   d->dp_replicate, d->dp_shard, d->cp, d->tp, d->pp, job->world);
	plan->error->rule = "degrees-product";
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		setting = settings_of(&job->settings, fields[i]);
		if (setting_given(setting) || span_known(setting->span))
			plan_blame(plan, setting);
	}
	return false;
}

/* Whether an assumed fully_shard would get through says nothing about another framework. */
static void refused(struct job *job, struct plan *plan)
{
	if (plan->assumed) {
		plan->error = NULL;
		return;
	}
	plan_blame(plan,
		   settings_of(&job->settings,
			       plan->dense.replicate.modes ? FIELD_DP_REPLICATE : FIELD_DP_SHARD));
	plan_blame(plan, settings_of(&job->settings, FIELD_TP));
}

/* The grid of experts borrows the ranks of dp_shard, cp and tp: DeviceMesh._unflatten. */
static bool experts_fit(struct job *job, struct plan *plan)
{
	const struct degrees *d = &plan->degrees;
	const int64_t pool = d->dp_shard * d->cp * d->tp, inner = multiply(d->ep, d->etp);

	if (inner < 1 || pool % inner == 0)
		return true;
	plan_raise(plan, "ValueError", "DeviceMesh._unflatten",
		   "The product of mesh_sizes=(%" PRId64 ", %" PRId64 ", %" PRId64 ") is %" PRId64
		   ", but the original dimension at dim=0 has size %" PRId64
		   ". These must be equal for unflatten to work correctly.",
		   pool / inner, d->ep, d->etp, pool / inner * inner, pool);
	plan->error->rule = "expert-degree";
	plan_blame(plan, settings_of(&job->settings, FIELD_EP));
	plan_blame(plan, settings_of(&job->settings, FIELD_ETP));
	refused(job, plan);
	return false;
}

static void build_root(struct plan *plan, const struct plan *intended)
{
	size_t i;

	plan->root.name = "root";
	for (i = 0; i < intended->meshes.count; i++) {
		const struct mesh *mesh = &intended->meshes.items[i];
		vec_push(plan->arena, &plan->meshes, *mesh);
		if (!mesh->exists)
			continue;
		plan->root.names[plan->root.axes] = mesh->name;
		plan->root.sizes[plan->root.axes++] = layout_size(&mesh->layout);
	}
}

/* The name of the axis that shares parameters; with cp it is dp_shard and cp flattened into one. */
static const char *shard_name(struct plan *plan)
{
	struct mesh both = {
		.name = "dp_shard_cp", .exists = true, .backend = "nccl", .flattened = true
	};

	if (plan->degrees.cp == 1)
		return "dp_shard";
	both.layout = plan->dense.shard;
	both.from[both.from_count++] = "dp_shard";
	both.from[both.from_count++] = "cp";
	vec_push(plan->arena, &plan->meshes, both);
	return both.name;
}

/* fully_shard of older versions cannot repeat and share what tensor parallelism has cut. */
static void check_wrapping(struct job *job, struct plan *plan)
{
	const struct torch_release torch = torch_of_job(job);

	if (!plan->dense.replicate.modes || !plan->dense.shard.modes || plan->degrees.tp < 2 ||
	    wrap_is_flat(&job->settings) || wrap_takes_hsdp_with_tensor(&torch))
		return;
	plan_raise(plan, "NotImplementedError", "fully_shard", "%s", wrap_hsdp_with_tensor_text);
	plan->error->rule = "hsdp-with-tensor-parallel";
	refused(job, plan);
}

static void apply(struct job *job, struct plan *plan)
{
	const char *other = other_framework(job);
	struct sharding *dense = &plan->dense;

	plan->degrees = job->intended->degrees;
	if (other && !is_fsdp(job))
		plan->assumed = arena_printf(plan->arena,
					     "%s is not modelled yet: canonical axis order, plain "
					     "fully_shard",
					     other);
	plan->dense = job->intended->dense;
	plan->expert = job->intended->expert;
	plan->has_expert = job->intended->has_expert;
	if (!job->world || !degrees_fit(job, plan) || !experts_fit(job, plan))
		return;
	build_root(plan, job->intended);
	plan_put_expert_meshes(plan);
	if (dense->replicate.modes)
		dense->mesh[dense->mesh_count++] = "dp_replicate";
	if (dense->shard.modes)
		dense->mesh[dense->mesh_count++] = shard_name(plan);
	check_wrapping(job, plan);
}

const struct framework framework_torch = {
	.name = "torch",
	.summary = "PyTorch alone: canonical axis order, fully_shard of every block",
	.claims = claims,
	.views_heads = true,
	.apply = apply,
	.refused = refused,
	.resume = torch_resume,
};
