#include "base/number.h"
#include "base/text.h"
#include "plan/exception.h"
#include "framework/data_plan.h"
#include "wings/torchtitan/exceptions.h"
#include "input/keys.h"
#include "input/launch/launch.h"
#include "input/node.h"
#include "wings/torchtune/recipe.h"

#include <string.h>

/*
 * torchtune's distributed recipes (pytorch/torchtune@bd2a0fc7,
 * recipes/full_finetune_distributed.py:146-260, torchtune/training/_distributed.py): a mesh of
 * dp_replicate, dp_shard, cp, tp. The recipe for LoRA has no tp
 * (recipes/lora_finetune_distributed.py:157-177), and others share over the whole world.
 */

enum { FP16, TP_PLAN, PRODUCT, HEADS, CLIPPING, ACCUMULATION, OFFLOADING, NO_TENSOR, ONE_DEVICE };

/* clang-format off */
static const struct exception raises[] = {
	[FP16] = { { NULL, "ValueError: full fp16 training is not supported with this recipe. Please use bf16 or fp32 instead." }, "FullFinetuneRecipeDistributed", "framework-raises", NULL },
	[TP_PLAN] = { { "torchtune", "ValueError: Tensor Parallel plan needs to be provided when tensor parallel is enabled." }, "FullFinetuneRecipeDistributed", "tensor-parallel-plan", NULL },
	[PRODUCT] = { { "torchtune", "AssertionError: Invalid parallel dims: dp_replicate({n}) * dp_shard({n}) * tp({n}) != WORLD_SIZE({n})" }, "ParallelDims._validate", "degrees-product", NULL },
	[HEADS] = { { "torchtune", "ValueError: Number of {attention} heads ({n}) must be divisible by tensor parallel size ({n})." }, "prepare_mha_for_tp", "heads-divisibility", NULL },
	[CLIPPING] = { { NULL, "RuntimeError: Gradient clipping is not supported with optimizer in bwd.Please set clip_grad_norm=None, or optimizer_in_bwd=False." }, "FullFinetuneRecipeDistributed", "framework-raises", NULL },
	[ACCUMULATION] = { { NULL, "RuntimeError: Gradient accumulation is not supported with optimizer in bwd.Please set gradient_accumulation_steps=1, or optimizer_in_bwd=False." }, "FullFinetuneRecipeDistributed", "framework-raises", NULL },
	[OFFLOADING] = { { NULL, "RuntimeError: enable_activation_offloading should only be True when enable_activation_checkpointing is True" }, "FullFinetuneRecipeDistributed", "framework-raises", NULL },
	[NO_TENSOR] = { { NULL, "AssertionError: Tensor parallelism is not supported in this recipe. Please set tensor_parallel_dim to 1." }, "LoRAFinetuneRecipeDistributed", "framework-raises", NULL },
	[ONE_DEVICE] = { { NULL, "SystemExit: Recipe {name} does not support distributed training.Please run without torchrun commands." }, "Run._run_cmd", "framework-raises", NULL },
};
/* clang-format on */

const struct exceptions exceptions_torchtune = { raises, sizeof(raises) / sizeof(*raises) };

static int claims(const struct job *job)
{
	return job_driven_by(job, "torchtune") ? 40 : 0;
}

/* What ends the recipe before it looks at the ranks. */
static void check_start(struct job *job, struct plan *plan, const struct degrees *d, int reads)
{
	if (!strcmp(setting_text(&job->settings, FIELD_PARAM_DTYPE, ""), "float16")) {
		exception_raise(plan, &raises[FP16]);
		plan_blame(plan, settings_of(&job->settings, FIELD_PARAM_DTYPE));
	}
	if (plan->error || d->tp < 2)
		return;
	if (!(reads & RECIPE_TENSOR))
		exception_raise(plan, &raises[NO_TENSOR]);
	else if (!setting_known(settings_of(&job->settings, FIELD_TP_PLAN)))
		exception_raise(plan, &raises[TP_PLAN]);
	if (plan->error)
		plan_blame(plan, settings_of(&job->settings, FIELD_TP));
}

static void raise_below(struct job *job, struct plan *plan, enum field_id field,
			const struct exception *row)
{
	exception_raise(plan, row);
	plan_blame(plan, settings_of(&job->settings, field));
}

/* ParallelDims._validate; the product's text leaves cp out, the test does not. */
static void check_dims(struct job *job, struct plan *plan, struct degrees *d)
{
	int64_t others = multiply(multiply(d->dp_replicate, d->cp), d->tp);

	if (plan->error)
		return;
	if (d->dp_replicate < 1)
		raise_below(job, plan, FIELD_DP_REPLICATE, TITAN(DEGREE));
	else if (d->cp < 1)
		raise_below(job, plan, FIELD_CP, TITAN(DEGREE));
	else if (d->tp < 1)
		raise_below(job, plan, FIELD_TP, TITAN(DEGREE));
	else if (d->dp_shard != -1 && d->dp_shard < 1)
		raise_below(job, plan, FIELD_DP_SHARD, TITAN(DP_SHARD_SPACE));
	if (plan->error || !job->world)
		return;
	if (d->dp_shard < 0)
		d->dp_shard = job->world / others;
	if (d->dp_shard < 1) {
		exception_raise(plan, TITAN(DP_SHARD_LEFT));
	} else if (multiply(others, d->dp_shard) != job->world) {
		exception_raise(plan, &raises[PRODUCT], VALUE(d->dp_replicate), VALUE(d->dp_shard),
				VALUE(d->tp), VALUE(job->world));
	}
	if (!plan->error)
		return;
	data_plan_blame(job, plan);
}

/* training/_distributed.py:749, prepare_mha_for_tp. */
static void check_heads(struct job *job, struct plan *plan)
{
	const struct model *model = job->model;
	const int64_t tp = plan->degrees.tp;
	int64_t kv;

	if (plan->error || tp < 2 || !model || model->heads < 1)
		return;
	kv = model->kv_heads > 0 ? model->kv_heads : model->heads;
	if (model->heads % tp == 0 && kv % tp == 0)
		return;
	exception_raise(plan, &raises[HEADS], VALUE(model->heads % tp ? "attention" : "KV"),
			VALUE(model->heads % tp ? model->heads : kv), VALUE(tp));
	plan_blame(plan, settings_of(&job->settings, FIELD_TP));
}

/* What the recipe refuses after its mesh is there. */
static void check_rest(struct job *job, struct plan *plan)
{
	const struct settings *settings = &job->settings;
	const struct node *root = job_own(job);

	if (setting_bool(settings, FIELD_OPTIMIZER_IN_BACKWARD, false)) {
		if (setting_known(&settings->items[FIELD_MAX_NORM]))
			exception_raise(plan, &raises[CLIPPING]);
		else if (setting_int(settings, FIELD_GRADIENT_ACCUMULATION, 1) > 1)
			exception_raise(plan, &raises[ACCUMULATION]);
		if (plan->error)
			plan_blame(plan, &settings->items[FIELD_OPTIMIZER_IN_BACKWARD]);
		if (plan->error && !setting_known(&settings->items[FIELD_MAX_NORM]))
			plan_blame(plan, &settings->items[FIELD_GRADIENT_ACCUMULATION]);
	}
	if (!plan->error && keys_true(root, "enable_activation_offloading") &&
	    !keys_true(root, "enable_activation_checkpointing")) {
		exception_raise(plan, &raises[OFFLOADING]);
		plan_blame(plan, &settings->items[FIELD_AC_MODE]);
	}
	check_heads(job, plan);
	plan_postpone(plan);
}

/* Whether torchrun is told something: each of its options makes a run a distributed one. */
static bool is_distributed(const struct launch *launch)
{
	return launch->options.count > 0;
}

/* torchtune/_cli/run.py:205: of its registry, recipes that torchrun's arguments are refused with.
 */
static void check_recipe(struct job *job, struct plan *plan)
{
	static const char alone[] =
		"dev/async_grpo_full_finetune_distributed|full_finetune_single_device|"
		"lora_finetune_single_device|lora_dpo_single_device|"
		"ppo_full_finetune_single_device|generate|dev/generate_v2|eleuther_eval|quantize|"
		"qat_single_device|knowledge_distillation_single_device";
	const struct launch *launch = job->document.launch;
	const char *name = launch && launch->program ? launch->program : "";

	if (!launch || !launch_says(launch, "tune", "run") || !words_have(alone, name) ||
	    (job->world < 2 && !is_distributed(launch)))
		return;
	exception_raise(plan, &raises[ONE_DEVICE], VALUE(name));
	plan_blame(plan, job->world_from);
}

static void lay_out(struct plan *plan)
{
	const struct degrees *d = &plan->degrees;
	struct data_plan data = { .replicate = "dp_replicate",
				  .shard = "dp_shard|cp",
				  .flat = "dp_shard_cp",
				  .joined = true };

	grid_axis(&data.grid, "dp_replicate", d->dp_replicate);
	grid_axis(&data.grid, "dp_shard", d->dp_shard);
	grid_axis(&data.grid, "cp", d->cp);
	grid_axis(&data.grid, "tp", d->tp);
	data_plan_apply(plan, &data);
}

static void apply(struct job *job, struct plan *plan)
{
	struct degrees *d = &plan->degrees;
	const int reads = torchtune_recipe(&job->document, job_own(job), NULL);

	*d = job->intended->degrees;
	d->dp_replicate = data_plan_degree(job, FIELD_DP_REPLICATE, 1);
	d->dp_shard = data_plan_degree(job, FIELD_DP_SHARD, -1);
	check_recipe(job, plan);
	if (plan->error)
		return;
	if (reads & RECIPE_MESH) {
		check_start(job, plan, d, reads);
		check_dims(job, plan, d);
	} else {
		d->dp_replicate = d->cp = d->tp = 1;
		d->dp_shard = job->world ? job->world : -1;
	}
	if (!job->world || plan->error)
		return;
	lay_out(plan);
	check_rest(job, plan);
}

static bool lacks(const struct job *job, enum field_id axis)
{
	(void)job;
	return axis == FIELD_PP || axis == FIELD_EP || axis == FIELD_SP;
}

const struct framework framework_torchtune = {
	.name = "torchtune",
	.summary = "torchtune's distributed recipes: fully_shard over ParallelDims",
	.claims = claims,
	.lacks = lacks,
	.own_keys = (const char *const[]) { "model._component_", "enable_activation_offloading",
					    "enable_activation_checkpointing", NULL },
	.apply = apply,
};
