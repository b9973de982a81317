#include "base/number.h"
#include "plan/exception.h"
#include "framework/degrees.h"
#include "framework/grid.h"
#include "framework/placing_stages.h"
#include "input/keys.h"

#include <inttypes.h>
#include <string.h>

/*
 * nanotron (huggingface/nanotron@2411b022): the dataclasses of src/nanotron/config/config.py, then
 * ParallelContext with its grid of ep, pp, dp, cp, tp, whose assertion of the world leaves ep out.
 * Releases up to 0.4 check the world in other words, with ep in it, and know no cp.
 */

enum {
	MISSING,
	HEADS_TP,
	HEADS_BELOW_KV,
	KV_BELOW_TP,
	HEADS_KV,
	BUILT_HEADS_TP,
	BUILT_KV_TP,
	BUILT_HEADS_KV,
	PRODUCT,
	REPLICAS,
	RESHAPE
};

/* clang-format off */
static const struct exception raises[] = {
	[MISSING] = { { NULL, "dacite.exceptions.MissingValueError: missing value for field \"parallelism.{name}\"" }, "get_config_from_dict", "framework-raises", NULL },
	[HEADS_TP] = { { "nanotron", "AssertionError: num_attention_heads ({h}) must be divisible by tp ({tp})" }, "Config.__post_init__", "framework-raises", "heads-divisibility" },
	[HEADS_BELOW_KV] = { { NULL, "AssertionError: num_attention_heads ({n}) must be >= num_key_value_heads ({n})" }, "Config.__post_init__", "framework-raises", NULL },
	[KV_BELOW_TP] = { { "nanotron", "AssertionError: num_key_value_heads ({kv}) must be >= tp ({tp})" }, "Config.__post_init__", "framework-raises", "heads-divisibility" },
	[HEADS_KV] = { { NULL, "AssertionError: num_attention_heads ({n}) must be divisible by num_key_value_heads ({n})" }, "Config.__post_init__", "framework-raises", NULL },
	[BUILT_HEADS_TP] = { { NULL, "AssertionError: Number of attention heads ({n}) must be divisible by TP size ({n})." }, "CausalSelfAttention.__init__", "heads-divisibility", NULL },
	[BUILT_KV_TP] = { { NULL, "AssertionError: Number of key/value heads ({n}) must be divisible by TP size ({n})." }, "CausalSelfAttention.__init__", "heads-divisibility", NULL },
	[BUILT_HEADS_KV] = { { NULL, "AssertionError: Number of attention heads ({n}) must be divisible by number of key/value heads ({n})." }, "CausalSelfAttention.__init__", "framework-raises", NULL },
	[PRODUCT] = { { "nanotron, later", "AssertionError: TP*CP*DP*PP={n}*{n}*{n}*{n}={n} != WORLD_SIZE={n}" }, "ParallelContext.__init__", "degrees-product", NULL },
	[REPLICAS] = { { "nanotron", "ValueError: ('The number of process requires to run all replicas ({n})', 'must be equal to the world size ({n}).')" }, "ParallelContext.__init__", "degrees-product", NULL },
	[RESHAPE] = { { NULL, "ValueError: cannot reshape array of size {n} into shape ({n},{n},{n},{n},{n})" }, "ParallelContext._init_parallel_groups", "framework-raises", NULL },
	/* what no model raises: rules tell it */
	{ { "nanotron", "AssertionError: Number of microbatches ({ga}) must be at least PP_SIZE-1={st} when using the OneForwardOneBackwardPipelineEngine" }, "OneForwardOneBackwardPipelineEngine", "accumulation-below-stages", NULL },
};
/* clang-format on */

const struct exceptions exceptions_nanotron = { raises, sizeof(raises) / sizeof(*raises) };

/* Up to 0.4: the sizes' checks before cp came, and experts' groups that work. */
static bool is_release(const struct job *job)
{
	return !version_reaches(versions_find(&job->versions, "nanotron"), 0, 5);
}

static int claims(const struct job *job)
{
	return job_driven_by(job, "nanotron") ? 60 : 0;
}

/* dacite: a field without default that is not there. */
static bool fields_hold(struct job *job, struct plan *plan)
{
	static const char *const names[] = { "dp", "pp", "tp" };
	const struct node *map = node_member(job_own(job), "parallelism");
	size_t i;

	for (i = 0; map && i < sizeof(names) / sizeof(*names); i++) {
		if (node_member(map, names[i]))
			continue;
		exception_raise(plan, &raises[MISSING], VALUE(names[i]));
		return false;
	}
	return true;
}

/* Config.__post_init__, its last four assertions. */
static void check_heads(struct plan *plan, int64_t heads, int64_t kv, int64_t tp)
{
	if (heads % tp)
		exception_raise(plan, &raises[HEADS_TP], VALUE(heads), VALUE(tp));
	else if (heads < kv)
		exception_raise(plan, &raises[HEADS_BELOW_KV], VALUE(heads), VALUE(kv));
	else if (kv < tp)
		exception_raise(plan, &raises[KV_BELOW_TP], VALUE(kv), VALUE(tp));
	else if (heads % kv)
		exception_raise(plan, &raises[HEADS_KV], VALUE(heads), VALUE(kv));
}

/* Up to 0.4 nobody asks before the model is built: models/llama.py at 0.4. */
static void check_built_heads(struct plan *plan, int64_t heads, int64_t kv, int64_t tp)
{
	if (heads % tp)
		exception_raise(plan, &raises[BUILT_HEADS_TP], VALUE(heads), VALUE(tp));
	else if (kv % tp)
		exception_raise(plan, &raises[BUILT_KV_TP], VALUE(kv), VALUE(tp));
	else if (heads % kv)
		exception_raise(plan, &raises[BUILT_HEADS_KV], VALUE(heads), VALUE(kv));
}

static bool heads_hold(struct job *job, struct plan *plan)
{
	const struct setting *heads = settings_of(&job->settings, FIELD_MODEL_HEADS);
	const struct setting *tp = settings_of(&job->settings, FIELD_TP);
	int64_t kv = setting_int(&job->settings, FIELD_MODEL_KV_HEADS, 0);

	if (!setting_known(heads) || heads->integer < 1)
		return true;
	kv = kv > 0 ? kv : heads->integer;
	(is_release(job) ? check_built_heads : check_heads)(plan, heads->integer, kv,
							    degree_or_one(job, FIELD_TP));
	if (!plan->error)
		return true;
	plan_blame(plan, tp);
	plan_blame(plan, heads);
	plan_blame(plan, settings_of(&job->settings, FIELD_MODEL_KV_HEADS));
	return false;
}

/* The sentence names cp before dp and pp; the numbers stand in another order. */
static bool ranks_hold(struct job *job, struct plan *plan)
{
	const struct degrees *d = &plan->degrees;
	const int64_t product = multiply(multiply(d->tp, d->pp), multiply(d->cp, d->dp_replicate));

	if (product == job->world)
		return true;
	exception_raise(plan, &raises[PRODUCT], VALUE(d->tp), VALUE(d->pp), VALUE(d->cp),
			VALUE(d->dp_replicate), VALUE(product), VALUE(job->world));
	degrees_blame(job, plan);
	return false;
}

/* The assertion before leaves ep out, the grid does not: with ep above 1 it never fits. */
static bool grid_holds(struct job *job, struct plan *plan)
{
	const struct degrees *d = &plan->degrees;
	const struct setting *ep = settings_of(&job->settings, FIELD_EP);

	if (d->ep < 2)
		return true;
	exception_raise(plan, &raises[RESHAPE], VALUE(job->world), VALUE(d->ep), VALUE(d->pp),
			VALUE(d->dp_replicate), VALUE(d->cp), VALUE(d->tp));
	plan_blame(plan, ep);
	return false;
}

/* A release's checks of the world, in their order. */
static bool release_holds(struct job *job, struct plan *plan)
{
	const struct degrees *d = &plan->degrees;
	const int64_t model = multiply(multiply(d->tp, d->pp), d->ep);
	const int64_t ranks = multiply(model, d->dp_replicate);
	const char *where = "ParallelContext.__init__";

	if (job->world % d->dp_replicate)
		plan_raise(plan, "AssertionError", where,
			   "The total number of processes must be divisible by the data parallel "
			   "size.");
	else if (job->world % model)
		plan_raise(plan, "AssertionError", where,
			   "The total number of processes must be divisible bythe number of GPUs "
			   "per model (tensor_parallel_size * pipeline_parallel_size).");
	else if (ranks != job->world)
		exception_raise(plan, &raises[REPLICAS], VALUE(ranks), VALUE(job->world));
	if (!plan->error)
		return true;
	degrees_blame(job, plan);
	return false;
}

static bool world_holds(struct job *job, struct plan *plan)
{
	return is_release(job) ? release_holds(job, plan)
			       : ranks_hold(job, plan) && grid_holds(job, plan);
}

/* A release's group of the model's ranks; where one axis has them all, it is that axis' group. */
static void put_model_group(struct job *job, struct plan *plan, const struct grid *grid)
{
	const struct degrees *d = &plan->degrees;

	if (is_release(job) && (d->ep > 1) + (d->pp > 1) + (d->tp > 1) > 1)
		grid_group(plan, grid, "mp", "ep|pp|tp", false);
}

static void apply(struct job *job, struct plan *plan)
{
	struct grid grid = { 0 };

	plan->degrees = job->intended->degrees;
	plan->dense.strategy = job->intended->dense.strategy;
	if (!fields_hold(job, plan) || (!is_release(job) && !heads_hold(job, plan)) ||
	    !job->world || !world_holds(job, plan))
		return;
	grid_axis(&grid, "ep", is_release(job) ? plan->degrees.ep : 1);
	grid_axis(&grid, "pp", plan->degrees.pp);
	grid_axis(&grid, "dp_replicate", plan->degrees.dp_replicate);
	grid_axis(&grid, "cp", plan->degrees.cp);
	grid_axis(&grid, "tp", plan->degrees.tp);
	grid_lay(plan, &grid, "", "dp_replicate|cp");
	put_model_group(job, plan, &grid);
	if (is_release(job) && !heads_hold(job, plan))
		plan_postpone(plan);
}

/* What a block weighs beside the output: models/llama.py, get_block_compute_costs. */
static double weight_of_block(const struct model *model)
{
	const int64_t width = model->hidden / (model->heads > 0 ? model->heads : 1);

	return (double)(4 * model->heads * width + 3 * model->ffn) * (double)model->hidden;
}

/*
 * models/base.py, build_model: a stage takes blocks until what was dealt out is more than its part
 * of all. The last stages may stay empty; the output is wherever that ends.
 */
static void stages(struct job *job, struct plan *plan)
{
	const struct model *model = job->model;
	const double block = weight_of_block(model), pp = (double)plan->degrees.pp;
	const double all =
		block * (double)model->layers + (double)model->vocab * (double)model->hidden;
	int64_t *blocks = arena_array(plan->arena, (size_t)plan->degrees.pp, sizeof(*blocks));
	int64_t stage = 0, i;

	for (i = 0; i < model->layers; i++) {
		blocks[stage]++;
		stage += (double)(i + 1) * block > all * ((double)(stage + 1) / pp);
	}
	if (stage == plan->degrees.pp - 1)
		put_stages(plan, blocks, plan->degrees.pp, false);
}

static bool lacks(const struct job *job, enum field_id axis)
{
	(void)job;
	return axis == FIELD_SP;
}

const struct framework framework_nanotron = {
	.name = "nanotron",
	.summary = "nanotron: ep, pp, dp, cp, tp over consecutive ranks",
	.claims = claims,
	.lacks = lacks,
	.own_keys = (const char *const[]) { "parallelism.dp", "parallelism.pp", "parallelism.tp",
					    NULL },
	.apply = apply,
	.stages = stages,
	.repeats_by = RUN_OF_PARAMETER,
};
