#include "base/number.h"
#include "plan/exception.h"
#include "framework/degrees.h"
#include "framework/grid.h"

#include <string.h>

/*
 * Lightning's ModelParallelStrategy and DDPStrategy (Lightning-AI/pytorch-lightning@7f0c3436
 * src/lightning/fabric/strategies/model_parallel.py:520-545): data_parallel over tensor_parallel.
 * What a model does with the mesh is its own affair: fully_shard over the first is assumed.
 */

enum { PRODUCT };

/* clang-format off */
static const struct exception raises[] = {
	[PRODUCT] = { { "Lightning", "RuntimeError: The sizes `data_parallel_size={n}` and `tensor_parallel_size={n}` multiplied should equal the world size ({n})." }, "_setup_device_mesh", "degrees-product", NULL },
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

	return *engine ? !strcmp(engine, "lightning")
		       : !job->document.dialect->framework && !is_ddp(job);
}

static int claims(const struct job *job)
{
	return job_driven_by(job, "lightning") && (is_model_parallel(job) || is_ddp(job)) ? 60 : 0;
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

static void apply(struct job *job, struct plan *plan)
{
	struct grid grid = { 0 };

	plan->degrees = job->intended->degrees;
	plan->dense.strategy = job->intended->dense.strategy;
	if (!job->world || !mesh_holds(job, plan) || !degrees_fit(job, plan, "Lightning"))
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

const struct framework framework_lightning = {
	.name = "lightning",
	.summary = "Lightning: data_parallel over tensor_parallel",
	.claims = claims,
	.lacks = lacks,
	.apply = apply,
};
