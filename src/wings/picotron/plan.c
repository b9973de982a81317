#include "base/number.h"
#include "plan/exception.h"
#include "framework/degrees.h"
#include "framework/grid.h"
#include "framework/placing_stages.h"

#include <string.h>

/*
 * picotron (huggingface/picotron@12e81c32): train.py's assertions, then the grid of
 * process_group_manager.py, dp, pp, cp, tp.
 */

enum { SEQ_LEN, PRODUCT, HEADS, KV_HEADS };

/* clang-format off */
static const struct exception raises[] = {
	[SEQ_LEN] = { { NULL, "AssertionError: seq_length must be divisible by cp_size for Context Parallelism" }, "train.py", "framework-raises", NULL },
	[PRODUCT] = { { "picotron", "AssertionError: world_size must be equal to tp_size * pp_size * dp_size * cp_size" }, "train.py", "degrees-product", NULL },
	[HEADS] = { { NULL, "AssertionError: num_attention_heads should be divisible by tp world size" }, "Attention.__init__", "framework-raises", NULL },
	[KV_HEADS] = { { NULL, "AssertionError: num_key_value_heads should be divisible by  tp world size" }, "Attention.__init__", "framework-raises", NULL },
};
/* clang-format on */

const struct exceptions exceptions_picotron = { raises, sizeof(raises) / sizeof(*raises) };

static int claims(const struct job *job)
{
	return job_driven_by(job, "picotron") ? 60 : 0;
}

/* process_group_manager.py: the grid has no other order, whoever writes the degrees. */
static void defaults(struct job *job)
{
	struct settings *settings = &job->settings;

	settings_put_text(settings, FIELD_ENGINE, "picotron", ORIGIN_DEFAULT);
	if (!setting_known(settings_of(settings, FIELD_AXIS_ORDER)))
		settings_put_text(settings, FIELD_AXIS_ORDER, "tp-cp-ep-pp-dp", ORIGIN_DEFAULT)
			->note = "picotron's grid of dp, pp, cp, tp";
}

static bool sequence_holds(struct job *job, struct plan *plan)
{
	const struct setting *seq = settings_of(&job->settings, FIELD_SEQ_LEN);

	if (!setting_known(seq) || seq->integer % degree_or_one(job, FIELD_CP) == 0)
		return true;
	exception_raise(plan, &raises[SEQ_LEN]);
	plan_blame(plan, seq);
	plan_blame(plan, settings_of(&job->settings, FIELD_CP));
	return false;
}

static bool ranks_hold(struct job *job, struct plan *plan)
{
	const struct degrees *d = &plan->degrees;

	if (multiply(multiply(d->tp, d->pp), multiply(d->cp, d->dp_replicate)) == job->world)
		return true;
	exception_raise(plan, &raises[PRODUCT]);
	degrees_blame(job, plan);
	return false;
}

/* tensor_parallel and the attention assert that tp divides the heads. */
static bool heads_hold(struct job *job, struct plan *plan)
{
	static const enum field_id fields[] = { FIELD_MODEL_HEADS, FIELD_MODEL_KV_HEADS };
	size_t i;

	for (i = 0; i < 2; i++) {
		const struct setting *heads = settings_of(&job->settings, fields[i]);
		if (!setting_known(heads) || heads->integer % degree_or_one(job, FIELD_TP) == 0)
			continue;
		exception_raise(plan, &raises[i ? KV_HEADS : HEADS]);
		plan_blame(plan, heads);
		plan_blame(plan, settings_of(&job->settings, FIELD_TP));
		return false;
	}
	return true;
}

static void apply(struct job *job, struct plan *plan)
{
	struct grid grid = { 0 };

	plan->degrees = job->intended->degrees;
	plan->dense.strategy = job->intended->dense.strategy;
	if (!sequence_holds(job, plan) || !job->world || !ranks_hold(job, plan) ||
	    !heads_hold(job, plan))
		return;
	grid_axis(&grid, "dp_replicate", plan->degrees.dp_replicate);
	grid_axis(&grid, "pp", plan->degrees.pp);
	grid_axis(&grid, "cp", plan->degrees.cp);
	grid_axis(&grid, "tp", plan->degrees.tp);
	grid_lay(plan, &grid, "", "dp_replicate|cp");
}

/* picotron/pipeline_parallel/pipeline_parallel.py, distribute_layers. */
static void stages(struct job *job, struct plan *plan)
{
	put_even_stages(plan, job->model->layers, plan->degrees.pp, false);
}

static bool lacks(const struct job *job, enum field_id axis)
{
	(void)job;
	return axis == FIELD_EP || axis == FIELD_SP || axis == FIELD_RESHARD_AFTER_FORWARD ||
	       axis == FIELD_PP_VIRTUAL_STAGES || axis == FIELD_PP_LAYERS_PER_STAGE ||
	       axis == FIELD_AC_MODE;
}

const struct framework framework_picotron = {
	.name = "picotron",
	.summary = "picotron: dp, pp, cp, tp over consecutive ranks",
	.claims = claims,
	.lacks = lacks,
	.defaults = defaults,
	.apply = apply,
	.stages = stages,
};
