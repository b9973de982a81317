#include "base/number.h"
#include "plan/exception.h"
#include "framework/data_plan.h"
#include "input/keys.h"
#include "input/node.h"

#include <string.h>

/*
 * LLaMA-Factory's v1 (hiyouga/LLaMA-Factory@ff6d4d12
 * src/llamafactory/v1/accelerator/interface.py:83-110): two meshes over the same ranks,
 * (mp_replicate, mp_shard) for the model and (dp, cp) for the data. What is no v1 runs accelerate,
 * DeepSpeed or Megatron.
 */

enum { PRODUCT };

/* clang-format off */
static const struct exception raises[] = {
	[PRODUCT] = { { "LLaMA-Factory", "ValueError: {product} must equal to world_size, got {n} * {n} != {n}." }, "DistributedStrategy", "degrees-product", NULL },
	/* what no model raises: rules tell it */
	{ { "LLaMA-Factory", "AssertionError: neat_packing + context_parallel alignment mismatch (sub-sequence length not aligned to 2 * cp_size)" }, NULL, "packing-alignment", NULL },
	{ { "LLaMA-Factory", "ValueError: Total Megatron Bridge parallel size ({pr}) exceeds `world_size` ({w})." }, "hparams/parser.py", "ep-counted-as-factor", NULL },
	{ { "LLaMA-Factory", "ValueError: Total Megatron Bridge parallel size ({pr}) must divide `world_size` ({w})." }, "hparams/parser.py", "ep-counted-as-factor", NULL },
};
/* clang-format on */

const struct exceptions exceptions_llama_factory = { raises, sizeof(raises) / sizeof(*raises) };

extern const struct framework framework_accelerate;

/* The schema of v1 lays out ranks itself. */
static bool is_v1(const struct job *job)
{
	return !strcmp(setting_text(&job->settings, FIELD_ENGINE, ""), "fsdp") &&
	       node_member(job_own(job), "dist_config");
}

/* No engine is named: the Trainer hands the ranks to accelerate. */
static bool is_bare(const struct job *job)
{
	return !*setting_text(&job->settings, FIELD_ENGINE, "");
}

static int claims(const struct job *job)
{
	return job_driven_by(job, "llama-factory") && (is_v1(job) || is_bare(job)) ? 40 : 0;
}

static int64_t said(const struct job *job, const char *key)
{
	const struct node *map = node_member(job_own(job), "dist_config");

	return keys_int(map, key, keys_int(job_own(job), key, 0));
}

static void refuse(struct job *job, struct plan *plan, const char *what, int64_t left,
		   int64_t right)
{
	exception_raise(plan, &raises[PRODUCT], VALUE(what), VALUE(left), VALUE(right),
			VALUE(job->world));
	data_plan_blame(job, plan);
}

/* Both products where both factors are given; what is left is a floor division. */
static void check(struct job *job, struct plan *plan, const int64_t model[2], const int64_t data[2])
{
	if (model[1] && model[0] * model[1] != job->world)
		refuse(job, plan, "mp_replicate_size * mp_shard_size", model[0], model[1]);
	else if (data[0] && data[0] * data[1] != job->world)
		refuse(job, plan, "dp_size * cp_size", data[0], data[1]);
	else if (job->world % model[0])
		refuse(job, plan, "mp_replicate_size * mp_shard_size", model[0],
		       job->world / model[0]);
	else if (job->world % data[1])
		refuse(job, plan, "dp_size * cp_size", job->world / data[1], data[1]);
}

static void lay_out(struct job *job, struct plan *plan, int64_t replicate, int64_t cp)
{
	struct data_plan model = { .replicate = "mp_replicate",
				   .shard = "mp_shard",
				   .flat = "mp_shard" };
	struct grid data = { 0 };

	grid_axis(&model.grid, "mp_replicate", replicate);
	grid_axis(&model.grid, "mp_shard", job->world / replicate);
	data_plan_apply(plan, &model);
	grid_axis(&data, "dp", job->world / cp);
	grid_axis(&data, "cp", cp);
	grid_group(plan, &data, "dp", "dp", false);
	grid_group(plan, &data, "cp", "cp", false);
	if (plan->degrees.ep < 2)
		return;
	plan->unmodelled = true;
	plan->unmodelled_why = "what LLaMA-Factory's v1 does with experts is not modelled: its "
			       "meshes are judged, nothing is claimed about its shards";
}

static void apply(struct job *job, struct plan *plan)
{
	int64_t model[2] = { said(job, "mp_replicate_size"), said(job, "mp_shard_size") };
	int64_t data[2] = { said(job, "dp_size"), data_plan_degree(job, FIELD_CP, 1) };

	if (!is_v1(job)) {
		framework_accelerate.apply(job, plan);
		return;
	}
	plan->degrees = job->intended->degrees;
	if (!job->world)
		return;
	if (model[0] < 1)
		model[0] = 1;
	if (data[1] < 1)
		data[1] = 1;
	check(job, plan, model, data);
	if (!plan->error)
		lay_out(job, plan, model[0], data[1]);
}

static bool lacks(const struct job *job, enum field_id axis)
{
	(void)job;
	return axis == FIELD_PP || axis == FIELD_SP;
}

const struct framework framework_llama_factory = {
	.name = "llama-factory",
	.summary = "LLaMA-Factory's v1: a mesh for the model and one for the data",
	.claims = claims,
	.lacks = lacks,
	.own_keys = (const char *const[]) { "dist_config", "mp_replicate_size", "mp_shard_size",
					    "dp_size", NULL },
	.apply = apply,
};
