#include "base/number.h"
#include "base/text.h"
#include "plan/exception.h"
#include "framework/data_plan.h"
#include "input/keys.h"
#include "input/node.h"

#include <string.h>

/*
 * NeMo Automodel (NVIDIA-NeMo/Automodel@36044ad3 components/distributed/mesh_utils.py): a mesh of
 * pp, dp_replicate, dp_shard, cp, tp for FSDP2, of dp, cp, tp for Megatron-FSDP, none for DDP.
 * Experts have a second mesh, ep_shard x ep, over all ranks of a pipeline stage.
 */

enum {
	EXPERTS,
	NO_PIPELINE,
	FSDP2_PRODUCT,
	MEGATRON_PRODUCT,
	REPLICAS,
	ONLY_REPLICAS,
	LEFT_OUT,
	NOT_FSDP2
};

/* clang-format off */
static const struct exception raises[] = {
	[NO_PIPELINE] = { { NULL, "ValueError: `pp_size={n}` (> 1) enables pipeline parallelism but no `distributed.pipeline` block was provided. Add a `distributed.pipeline` section (e.g. `pp_schedule`, `pp_microbatch_size`); an empty `pipeline: {}` selects defaults." }, "parse_distributed_section", "framework-raises", NULL },
	[FSDP2_PRODUCT] = { { "Automodel", "ValueError: world_size ({n}) must be divisible by (tp_size * cp_size * pp_size) ({n} * {n} * {n} = {n})" }, "_create_fsdp2_device_mesh", "degrees-product", NULL },
	[MEGATRON_PRODUCT] = { { "Automodel", "ValueError: world_size ({n}) must be divisible by (tp_size * cp_size) ({n} * {n} = {n})" }, "_create_megatron_fsdp_device_mesh", "degrees-product", NULL },
	[REPLICAS] = { { NULL, "AssertionError: dp_size must be a multiple of dp_replicate_size" }, "_create_fsdp2_device_mesh", "framework-raises", NULL },
	[ONLY_REPLICAS] = { { NULL, "AssertionError: dp_replicate_size={n} must be less than dp_size={n} since DDP usecase is not supported by FSDP2" }, "_create_fsdp2_device_mesh", "framework-raises", NULL },
	[EXPERTS] = { { NULL, "AssertionError: non_pp_size={n} must be a multiple of ep_size={n}" }, "_create_fsdp2_device_mesh", "framework-raises", NULL },
	[LEFT_OUT] = { { NULL, "Error: a mesh of {n} ranks leaves {n} of the world's {n} out" }, "init_device_mesh", "degrees-product", NULL },
	[NOT_FSDP2] = { { NULL, "ValueError: dp_replicate_size is only supported with FSDP2Config" }, "create_device_mesh", "framework-raises", NULL },
	/* what no model raises: rules tell it */
	{ { "NeMo Automodel", "ValueError: global_batch_size ({bs}) must be divisible by local_batch_size * dp_size ({mb} * {dp})" }, "StepScheduler", "batch-remainder", NULL },
	{ { "NeMo", "AssertionError: num_key_value_heads ({kv}) must be divisible by TP size ({tp})" }, "validate_tp_mesh", "heads-divisibility", NULL },
	{ { "NeMo", "AssertionError: num_attention_heads ({h}) must be divisible by TP size ({tp})" }, "validate_tp_mesh", "heads-divisibility", NULL },
};
/* clang-format on */

const struct exceptions exceptions_nemo_automodel = { raises, sizeof(raises) / sizeof(*raises) };

static int claims(const struct job *job)
{
	return job_driven_by(job, "nemo-automodel") ? 60 : 0;
}

static const char *strategy_of(const struct job *job)
{
	return setting_text(&job->settings, FIELD_SHARDING_MODE, "fsdp2");
}

static bool is_ddp(const struct job *job)
{
	return !strcmp(strategy_of(job), "ddp");
}

static bool is_fsdp2(const struct job *job)
{
	return !strcmp(strategy_of(job), "fsdp2");
}

static void blame(struct job *job, struct plan *plan, enum field_id field)
{
	plan_blame(plan, settings_of(&job->settings, field));
}

/* recipes/_dist_utils.py:214; older files have the manager's _target_, and the schedule elsewhere.
 */
static void check_pipeline(struct job *job, struct plan *plan)
{
	const struct node *root = job_own(job);
	int64_t pp = plan->degrees.pp;

	if (pp < 2 || !root || node_find(root, "distributed.pipeline") ||
	    node_find(root, "distributed._target_") || node_member(root, "autopipeline"))
		return;
	exception_raise(plan, &raises[NO_PIPELINE], VALUE(pp));
	blame(job, plan, FIELD_PP);
}

/* What dp_size is when nobody says; 0 after an exception. */
static int64_t infer_dp(struct job *job, struct plan *plan)
{
	const struct degrees *d = &plan->degrees;
	int64_t others = multiply(multiply(d->tp, d->cp), is_fsdp2(job) ? d->pp : 1);

	if (job->world % others == 0)
		return job->world / others;
	if (is_fsdp2(job))
		exception_raise(plan, &raises[FSDP2_PRODUCT], VALUE(job->world), VALUE(d->tp),
				VALUE(d->cp), VALUE(d->pp), VALUE(others));
	else
		exception_raise(plan, &raises[MEGATRON_PRODUCT], VALUE(job->world), VALUE(d->tp),
				VALUE(d->cp), VALUE(others));
	data_plan_blame(job, plan);
	plan_blame(plan, settings_of(&job->settings, FIELD_PP));
	return 0;
}

/*
 * From 0.5 on the mesh's checks are exceptions of their own, and a strategy refuses the sizes that
 * it has no use for; the commit that this was read at is older, and so is what NeMo-RL carries
 * along.
 */
static bool reaches_checks(const struct job *job)
{
	const struct version *version = versions_find(&job->versions, "nemo-automodel");

	return version && version_reaches(version, 0, 5) &&
	       !(version->label && text_starts(version->label, "36044ad3"));
}

/* _require_size_one for each size that the strategy has no use for, in its order. */
static void check_sizes(struct job *job, struct plan *plan)
{
	const struct degrees *d = &plan->degrees;
	const struct {
		int64_t degree;
		const char *feature;
		enum field_id field;
	} sizes[] = {
		{ is_ddp(job) ? d->tp : 1, "tensor", FIELD_TP },
		{ d->pp, "pipeline", FIELD_PP },
		{ is_ddp(job) ? d->cp : 1, "context", FIELD_CP },
		{ d->ep, "expert", FIELD_EP },
	};
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		if (is_fsdp2(job) || !reaches_checks(job) || sizes[i].degree < 2)
			continue;
		plan_raise(plan, "ValueError", "create_device_mesh",
			   "%s does not support %s parallelism", strategy_of(job),
			   sizes[i].feature);
		blame(job, plan, sizes[i].field);
		return;
	}
}

static const char *type_of_checks(const struct job *job)
{
	return reaches_checks(job) ? "ValueError" : "AssertionError";
}

static void raise_check(const struct job *job, struct plan *plan, struct told told)
{
	told.type = type_of_checks(job);
	exception_raise_told(plan, told);
}

/* The checks of replicas, in their order. */
static void check_replicas(struct job *job, struct plan *plan, int64_t dp, int64_t replicas)
{
	if (dp % replicas)
		raise_check(job, plan, exception_tell(plan->arena, &raises[REPLICAS]));
	else if (replicas >= dp && replicas != 1)
		raise_check(job, plan,
			    exception_tell(plan->arena, &raises[ONLY_REPLICAS], VALUE(replicas),
					   VALUE(dp)));
	if (plan->error)
		blame(job, plan, FIELD_DP_REPLICATE);
}

static void check_experts(struct job *job, struct plan *plan, int64_t dp)
{
	const struct degrees *d = &plan->degrees;
	int64_t ranks = multiply(multiply(dp, d->cp), d->tp);

	if (plan->error || ranks % d->ep == 0)
		return;
	raise_check(job, plan,
		    exception_tell(plan->arena, &raises[EXPERTS], VALUE(ranks), VALUE(d->ep)));
	blame(job, plan, FIELD_EP);
}

/* An explicit dp_size is compared with nothing: torch finds out, or ranks are left over. */
static void check_total(struct job *job, struct plan *plan, int64_t dp)
{
	const struct degrees *d = &plan->degrees;
	int64_t total = multiply(multiply(multiply(dp, d->cp), d->tp), is_fsdp2(job) ? d->pp : 1);

	if (plan->error || total == job->world)
		return;
	if (!data_plan_too_large(job, plan, total))
		exception_raise(plan, &raises[LEFT_OUT], VALUE(total), VALUE(job->world - total),
				VALUE(job->world));
	data_plan_blame(job, plan);
}

/* The second mesh: experts are shared over ep_shard, and different on each rank of ep. */
static void lay_out_experts(struct plan *plan, int64_t ranks)
{
	const struct degrees *d = &plan->degrees;
	struct layout none = { 0 };
	struct grid grid = { 0 };

	grid_axis(&grid, "pp", d->pp);
	grid_axis(&grid, "ep_shard", ranks / d->ep);
	grid_axis(&grid, "ep", d->ep);
	grid_group(plan, &grid, "ep_shard", "ep_shard", false);
	grid_group(plan, &grid, "ep", "ep", false);
	plan->expert.shard = grid_over(&grid, "ep_shard");
	plan->expert.replicate = none;
	plan->expert.strategy = plan->expert.shard.modes ? STRATEGY_FSDP : STRATEGY_NONE;
	plan->expert.mesh_count = 0;
	if (plan->expert.shard.modes)
		plan->expert.mesh[plan->expert.mesh_count++] = "ep_shard";
}

/* Megatron-FSDP's mesh of dp, cp, tp, the first two flattened where there is a cp. */
static void lay_out_flat(struct plan *plan)
{
	const struct degrees *d = &plan->degrees;
	struct data_plan data = { .replicate = "", .shard = "dp|cp", .flat = "dp_cp" };

	grid_axis(&data.grid, "dp", d->dp_shard);
	grid_axis(&data.grid, "cp", d->cp);
	grid_axis(&data.grid, "tp", d->tp);
	data_plan_apply(plan, &data);
	if (d->cp > 1 && !plan_mesh(plan, "dp_cp"))
		grid_group(plan, &data.grid, "dp_cp", "dp|cp", false);
}

static void lay_out(struct job *job, struct plan *plan)
{
	const struct degrees *d = &plan->degrees;
	struct data_plan data = { .replicate = "dp_replicate",
				  .shard = "dp_shard|cp",
				  .flat = "dp_shard_cp",
				  .joined = is_fsdp2(job) };

	grid_axis(&data.grid, "pp", d->pp);
	grid_axis(&data.grid, "dp_replicate", d->dp_replicate);
	grid_axis(&data.grid, "dp_shard", d->dp_shard);
	grid_axis(&data.grid, "cp", d->cp);
	grid_axis(&data.grid, "tp", d->tp);
	if (d->ep > 1 && is_fsdp2(job))
		data.expert_shard = data.shard;
	data_plan_apply(plan, &data);
	if (!data.expert_shard)
		return;
	grid_group(plan, &data.grid, "dp_replicate_dp_shard_cp_tp", "dp_replicate|dp_shard|cp|tp",
		   false);
	lay_out_experts(plan, job->world / d->pp);
}

/* Degrees below 1 are 1. */
static void normalise(struct job *job, struct plan *plan)
{
	struct degrees *d = &plan->degrees;
	int64_t *degrees[] = { &d->tp, &d->cp, &d->pp, &d->ep };
	size_t i;

	for (i = 0; i < sizeof(degrees) / sizeof(degrees[0]); i++)
		if (*degrees[i] < 1)
			*degrees[i] = 1;
	d->etp = 1;
	d->dp_replicate = data_plan_degree(job, FIELD_DP_REPLICATE, 1);
}

static void apply_mesh(struct job *job, struct plan *plan)
{
	struct degrees *d = &plan->degrees;
	int64_t dp = data_plan_degree(job, FIELD_DP, 0);
	int64_t replicas = d->dp_replicate < 1 ? 1 : d->dp_replicate;

	if (replicas > 1 && !is_fsdp2(job)) {
		exception_raise(plan, &raises[NOT_FSDP2]);
		blame(job, plan, FIELD_DP_REPLICATE);
		return;
	}
	check_sizes(job, plan);
	if (!plan->error && dp < 1)
		dp = infer_dp(job, plan);
	if (plan->error)
		return;
	if (is_fsdp2(job)) {
		check_replicas(job, plan, dp, replicas);
		check_experts(job, plan, dp);
	}
	check_total(job, plan, dp);
	if (plan->error)
		return;
	d->dp_replicate = replicas;
	d->dp_shard = dp / replicas;
	if (is_fsdp2(job))
		lay_out(job, plan);
	else
		lay_out_flat(plan);
}

static void apply(struct job *job, struct plan *plan)
{
	struct degrees *d = &plan->degrees;

	*d = job->intended->degrees;
	normalise(job, plan);
	check_pipeline(job, plan);
	if (!job->world || plan->error)
		return;
	if (!is_ddp(job)) {
		apply_mesh(job, plan);
		return;
	}
	check_sizes(job, plan);
	if (plan->error)
		return;
	d->tp = d->cp = d->pp = d->ep = d->dp_shard = 1;
	d->dp_replicate = job->world;
	lay_out(job, plan);
}

/* Whoever shares is not known where what it follows from is not. */
static void leave_unknown(struct setting *shard, const struct setting *from)
{
	shard->unresolved =
		from->unresolved ? from->unresolved : "what is given is of another type";
	shard->invalid = true;
	shard->origin = from->origin;
	shard->note = NULL;
	shard->span = from->span;
	shard->key_span = from->key_span;
	shard->spelling = from->spelling;
}

/* dp_size counts replicas and sharing ranks together; without it they are what is left. */
static void defaults(struct job *job)
{
	struct settings *settings = &job->settings;
	const struct setting *total = settings_of(settings, FIELD_DP);
	const struct setting *replicate = settings_of(settings, FIELD_DP_REPLICATE);
	const int64_t replicas = setting_int(settings, FIELD_DP_REPLICATE, 1);
	struct setting *shard = settings_of(settings, FIELD_DP_SHARD);

	if (setting_given(shard) || total->origin == ORIGIN_UNSET)
		return;
	if (total->invalid || replicate->invalid) {
		leave_unknown(shard, total->invalid ? total : replicate);
		return;
	}
	if (total->integer < 1 || replicas < 1 || total->integer % replicas)
		return;
	shard = settings_put_int(settings, job->arena, FIELD_DP_SHARD, total->integer / replicas,
				 ORIGIN_DERIVED);
	shard->note = "dp_size over dp_replicate_size";
	shard->span = total->span;
	shard->key_span = total->key_span;
	shard->spelling = total->spelling;
	setting_from(shard, total);
	if (setting_known(replicate))
		setting_from(shard, replicate);
}

static bool lacks(const struct job *job, enum field_id axis)
{
	(void)job;
	return axis == FIELD_SP;
}

const struct framework framework_automodel = {
	.name = "nemo-automodel",
	.summary = "NeMo Automodel: fully_shard over dp_shard x cp, experts over ep_shard x ep",
	.claims = claims,
	.lacks = lacks,
	.defaults = defaults,
	.own_keys = (const char *const[]) { "distributed.pipeline", "distributed._target_",
					    "autopipeline", NULL },
	.apply = apply,
};
