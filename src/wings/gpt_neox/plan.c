#include "base/number.h"
#include "plan/exception.h"
#include "wings/deepspeed/batch.h"
#include "wings/deepspeed/keys.h"
#include "framework/degrees.h"
#include "framework/grid.h"
#include "framework/placing_stages.h"

#include <string.h>

/*
 * GPT-NeoX (EleutherAI/gpt-neox@ea7aefd8): NeoXArgs.calculate_derived, then DeepSpeed's topology of
 * pipe, data, model, the last innermost (deepspeed@edaa7221 runtime/pipe/topology.py:248).
 */

enum { PRODUCT, HIDDEN, HEADS };

/* clang-format off */
static const struct exception raises[] = {
	[PRODUCT] = { { "GPT-NeoX", "AssertionError: NeoXArgs.calculate_derived() (global_num_gpus / pp_size) / mp_size [({n} / {n}) / {n}] must be a whole number" }, "NeoXArgs.calculate_derived", "degrees-product", NULL },
	[HIDDEN] = { { NULL, "ValueError: NeoXArgs.validate_values() hidden_size must be divisible by num_attention_heads" }, "NeoXArgs.validate_values", "framework-raises", NULL },
	[HEADS] = { { NULL, "AssertionError: {n} is not divisible by {n}" }, "ensure_divisibility", "framework-raises", NULL },
};
/* clang-format on */

const struct exceptions exceptions_gpt_neox = { raises, sizeof(raises) / sizeof(*raises) };

static int claims(const struct job *job)
{
	return job_driven_by(job, "gpt-neox") ? 60 : 0;
}

static bool ranks_hold(struct job *job, struct plan *plan)
{
	const int64_t pp = degree_or_one(job, FIELD_PP), tp = degree_or_one(job, FIELD_TP);

	if (job->world % multiply(pp, tp) == 0)
		return true;
	exception_raise(plan, &raises[PRODUCT], VALUE(job->world), VALUE(pp), VALUE(tp));
	degrees_blame(job, plan);
	return false;
}

/* validate_values(), and divide() in mpu/utils.py as the attention is built. */
static bool heads_hold(struct job *job, struct plan *plan)
{
	const struct setting *heads = settings_of(&job->settings, FIELD_MODEL_HEADS);
	const struct setting *hidden = settings_of(&job->settings, FIELD_MODEL_HIDDEN);
	const int64_t tp = degree_or_one(job, FIELD_TP);

	if (!setting_known(heads) || heads->integer < 1)
		return true;
	if (setting_known(hidden) && hidden->integer % heads->integer)
		exception_raise(plan, &raises[HIDDEN]);
	else if (heads->integer % tp)
		exception_raise(plan, &raises[HEADS], VALUE(heads->integer), VALUE(tp));
	if (!plan->error)
		return true;
	plan_blame(plan, heads);
	plan_blame(plan, settings_of(&job->settings, FIELD_TP));
	return false;
}

/*
 * One stage is a pipeline, too: is_pipe_parallel is pipe_parallel_size >= 1 (neox_arguments/
 * arguments.py).
 */
static bool zero_holds(struct job *job, struct plan *plan)
{
	return !setting_given(settings_of(&job->settings, FIELD_PP)) ||
	       degree_or_one(job, FIELD_PP) < 1 || pipeline_engine_holds(job, plan);
}

static void lay_out(struct job *job, struct plan *plan)
{
	const struct degrees *d = &plan->degrees;
	const bool shares = setting_int(&job->settings, FIELD_ZERO_STAGE, 0) > 2;
	struct grid grid = { 0 };

	grid_axis(&grid, "pp", d->pp);
	grid_axis(&grid, "dp_replicate", d->dp_replicate);
	grid_axis(&grid, "dp_shard", d->dp_shard);
	grid_axis(&grid, "tp", d->tp);
	grid_lay(plan, &grid, shares ? "dp_shard" : "",
		 shares ? "dp_replicate" : "dp_replicate|dp_shard");
	if (plan->degrees.ep < 2)
		return;
	plan->unmodelled = true;
	plan->unmodelled_why =
		"GPT-NeoX's expert parallelism is not modelled: its other groups are "
		"judged, nothing is claimed about who holds which experts.";
}

static void apply(struct job *job, struct plan *plan)
{
	static const struct batch_words words = { "NeoXArgs.check_batch_parameters", "\n", true,
						  false };
	const int64_t others = multiply(degree_or_one(job, FIELD_PP), degree_or_one(job, FIELD_TP));

	plan->degrees = job->intended->degrees;
	plan->dense.strategy = job->intended->dense.strategy;
	if (!job->world)
		return;
	if (!ranks_hold(job, plan) || !batch_triple_holds(job, plan, job->world, others, &words) ||
	    !heads_hold(job, plan) || !zero_holds(job, plan) || !degrees_fit(job, plan, "gpt-neox"))
		return;
	lay_out(job, plan);
}

/*
 * pipe_partition_method type:transformer|mlp counts blocks alone (deepspeed@edaa7221
 * runtime/pipe/module.py, _partition_layers): even parts, where there are such.
 */
static void stages(struct job *job, struct plan *plan)
{
	if (job->model->layers % plan->degrees.pp == 0)
		put_even_stages(plan, job->model->layers, plan->degrees.pp, false);
}

static bool lacks(const struct job *job, enum field_id axis)
{
	(void)job;
	return axis == FIELD_CP || axis == FIELD_SP;
}

const struct framework framework_gpt_neox = {
	.name = "gpt-neox",
	.summary = "GPT-NeoX: pipe, data, model over consecutive ranks",
	.claims = claims,
	.lacks = lacks,
	.defaults = deepspeed_follow_stage,
	.apply = apply,
	.stages = stages,
	.shares_by = RUN_OF_PARAMETER,
};
