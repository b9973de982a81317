#include "base/number.h"
#include "plan/exception.h"
#include "framework/data_plan.h"
#include "input/node.h"
#include "wings/accelerate/total.h"
#include "wings/axolotl/says.h"

#include <inttypes.h>
#include <string.h>

/*
 * axolotl (axolotl-ai-cloud/axolotl@067b021c, src/axolotl/utils/distributed.py:320-381): degrees
 * take ranks one after the other by floor division, and what is left goes where there is room; the
 * result is accelerate's ParallelismConfig. Its plug-in for experts has an axis of its own.
 */

/* NO_MAP is AXOLOTL_NO_MAP, BOTH is AXOLOTL_BOTH. */
enum { NO_MAP, BOTH, EP, NO_FSDP, LEFT_OVER, OFFLOADING };

/* clang-format off */
static const struct exception raises[] = {
	[NO_MAP] = { { "axolotl", "AttributeError: 'NoneType' object has no attribute 'activation_checkpointing'" }, "setup_fsdp_envs", "strategy-refused", NULL },
	[BOTH] = { { "axolotl", "ValueError: deepspeed and fsdp cannot be used together." }, "check_fsdp_deepspeed", "strategy-refused", NULL },
	[EP] = { { NULL, "ValueError: expert_parallel_size ({n}) must divide world_size ({n})." }, "_get_parallel_config_kwargs", "framework-raises", NULL },
	[NO_FSDP] = { { NULL, "ValueError: dp_shard_size was configured without a corresponding fsdp_config! Please ensure you have configured FSDP using fsdp_config." }, "_get_parallel_config_kwargs", "framework-raises", NULL },
	[LEFT_OVER] = { { "axolotl", "ValueError: The configured parallelisms are incompatible with the current world size ({n})!{sizes}" }, "_get_parallel_config_kwargs", "degrees-product", NULL },
	[OFFLOADING] = { { "axolotl", "ValueError: activation_offloading requires gradient_checkpointing" }, "check_activation_offloading_wo_gc", "framework-raises", NULL },
	/* what no model raises: rules tell it */
	{ { "axolotl", "ValueError: context_parallel_size > 1 requires flash attention" }, "validation.py", "ring-attention", NULL },
	{ { "axolotl", "ValueError: micro_batch_size must be set to 1 when sample_packing is enabled due to a `ring-flash-attn` requirement" }, "validation.py", "ring-attention", NULL },
};
/* clang-format on */

const struct exceptions exceptions_axolotl = { raises, sizeof(raises) / sizeof(*raises) };

/* The arguments of ParallelismConfig; 0: not among them. */
struct arguments {
	int64_t tp, cp, shard, replicate, ep;
	int64_t left; /* ranks that nothing has taken yet */
};

static int64_t given(const struct job *job, enum field_id field)
{
	const struct setting *setting = &job->settings.items[field];

	return setting_given(setting) && setting_known(setting) ? setting->integer : 0;
}

/*
 * DeepSpeed builds the groups, but src/axolotl/loaders/model.py divides the ranks all the same, and
 * has no room for data parallelism of two names there.
 */
static bool is_divided_before(const struct job *job)
{
	return job->world > 1 &&
	       !strcmp(setting_text(&job->settings, FIELD_ENGINE, ""), "deepspeed") &&
	       (given(job, FIELD_DP_SHARD) > 1 || given(job, FIELD_DP_REPLICATE) > 1);
}

static int claims(const struct job *job)
{
	const char *engine = setting_text(&job->settings, FIELD_ENGINE, "");

	if (!job_driven_by(job, "axolotl"))
		return 0;
	return !*engine || !strcmp(engine, "fsdp") || is_divided_before(job) ? 40 : 0;
}

/* "{'tp_size': 2, 'dp_shard_size': 4}": as Python prints them, in the order they were put. */
static const char *printed(struct plan *plan, const struct arguments *a)
{
	const struct {
		const char *name;
		int64_t value;
	} all[] = { { "tp_size", a->tp },
		    { "cp_size", a->cp },
		    { "dp_replicate_size", a->replicate },
		    { "dp_shard_size", a->shard } };
	const char *text = "";
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].value)
			text = arena_printf(plan->arena, "%s%s'%s': %" PRId64, text,
					    *text ? ", " : "", all[i].name, all[i].value);
	return arena_printf(plan->arena, "{%s}", text);
}

static void take(int64_t asked, int64_t *axis, int64_t *left)
{
	if (asked <= 1)
		return;
	*axis = asked;
	*left /= asked;
}

/* Without its plug-in the key is one that nobody reads. */
static bool plugged(const struct job *job)
{
	const struct node *plugins = node_member(job_own(job), "plugins"), *item;

	for (item = plugins && plugins->kind == NODE_LIST ? plugins->first : NULL; item;
	     item = item->next)
		if (item->kind == NODE_SCALAR && strstr(item->text, "expert_parallel"))
			return true;
	return false;
}

/* Experts take their ranks first, and are the only ones to be asked whether they divide them. */
static void take_experts(struct job *job, struct plan *plan, struct arguments *a)
{
	int64_t ep = plugged(job) ? given(job, FIELD_EP) : 0;

	if (ep > 1 && job->world % ep) {
		exception_raise(plan, &raises[EP], VALUE(ep), VALUE(job->world));
		plan_blame(plan, settings_of(&job->settings, FIELD_EP));
	}
	take(ep, &a->ep, &a->left);
}

static void take_shard(struct job *job, struct plan *plan, struct arguments *a, bool fsdp)
{
	int64_t shard = given(job, FIELD_DP_SHARD);

	if (a->left < 2 || shard < 2 || plan->error)
		return;
	if (!fsdp) {
		exception_raise(plan, &raises[NO_FSDP]);
		plan_blame(plan, settings_of(&job->settings, FIELD_DP_SHARD));
		return;
	}
	a->shard = shard;
	a->left /= shard;
	if (a->left > 1 && !a->replicate) {
		a->replicate = a->left;
		a->left = 1;
	}
}

/* _get_parallel_config_kwargs, step by step. */
static void divide_ranks(struct job *job, struct plan *plan, struct arguments *a, bool fsdp)
{
	int64_t replicate = given(job, FIELD_DP_REPLICATE);

	a->left = job->world;
	take_experts(job, plan, a);
	take(given(job, FIELD_TP), &a->tp, &a->left);
	take(given(job, FIELD_CP), &a->cp, &a->left);
	if (!given(job, FIELD_DP_SHARD) && replicate <= 1 && a->left > 1)
		take(a->left, &a->shard, &a->left);
	take(replicate, &a->replicate, &a->left);
	take_shard(job, plan, a, fsdp);
	if (a->left > 1 && !a->shard && fsdp)
		take(a->left, &a->shard, &a->left);
	if (a->left < 2 || plan->error)
		return;
	exception_raise(plan, &raises[LEFT_OVER], VALUE(job->world),
			VALUE(arena_printf(plan->arena, "\n%s", printed(plan, a))));
	data_plan_blame(job, plan);
}

static int64_t one(int64_t size)
{
	return size ? size : 1;
}

/* ParallelismConfig.__post_init__, before a mesh is built. */
static void check_together(struct job *job, struct plan *plan, const struct arguments *a)
{
	if (plan->error || one(a->replicate) < 2 || one(a->shard) > 1 ||
	    (one(a->tp) < 2 && one(a->cp) < 2))
		return;
	exception_raise(plan, ACCELERATE_PURE_DP);
	plan_blame(plan, settings_of(&job->settings, FIELD_DP_REPLICATE));
	plan_blame(plan, settings_of(&job->settings, a->tp > 1 ? FIELD_TP : FIELD_CP));
}

/*
 * Floor division lost a remainder: accelerate counts the product again, after init_device_mesh has
 * refused one that is larger than the world.
 */
static void check_total(struct job *job, struct plan *plan, const struct arguments *a)
{
	int64_t total = multiply(multiply(one(a->replicate), one(a->shard)),
				 multiply(multiply(one(a->cp), one(a->tp)), one(a->ep)));

	if (total == job->world || plan->error)
		return;
	if (!data_plan_too_large(job, plan, total))
		exception_raise(plan, ACCELERATE_TOTAL, VALUE(total), VALUE(job->world),
				VALUE(a->ep ? "/ep_size" : "/sp_size"));
	data_plan_blame(job, plan);
}

/*
 * Which ranks share what is no expert's has changed from version to version of the plug-in for
 * experts, and who does so beside context parallelism without FSDP is its own affair: the mesh is
 * known, (ep, dp_replicate, dp_shard, cp, tp), and no more is said.
 */
static void leave_shards(struct plan *plan, const struct grid *grid, const char *what)
{
	grid_root(plan, grid);
	plan->unmodelled = true;
	plan->unmodelled_why =
		arena_printf(plan->arena,
			     "axolotl's %s is not modelled: its degrees and mesh are judged, "
			     "nothing is claimed about its shards",
			     what);
}

static void lay_out(struct plan *plan, const struct arguments *a, bool fsdp, bool deepspeed)
{
	struct data_plan data = { .replicate = "dp_replicate",
				  .shard = "dp_shard|cp",
				  .flat = "dp_shard_cp" };

	if (a->ep)
		grid_axis(&data.grid, "ep", a->ep);
	grid_axis(&data.grid, "dp_replicate", plan->degrees.dp_replicate);
	grid_axis(&data.grid, "dp_shard", plan->degrees.dp_shard);
	grid_axis(&data.grid, "cp", plan->degrees.cp);
	grid_axis(&data.grid, "tp", plan->degrees.tp);
	if (a->ep)
		leave_shards(plan, &data.grid, "plug-in for experts");
	else if (deepspeed)
		leave_shards(plan, &data.grid, "DeepSpeed below a mesh of replicas");
	else if (a->cp && !fsdp)
		leave_shards(plan, &data.grid, "context parallelism without FSDP");
	else
		data_plan_apply(plan, &data);
}

/* FSDP1's HYBRID_SHARD and NO_SHARD: no mesh, a strategy. */
static bool has_strategy(const struct job *job)
{
	const char *mode = setting_text(&job->settings, FIELD_SHARDING_MODE, "");

	return (strstr(mode, "HYBRID_SHARD") || !strcmp(mode, "NO_SHARD")) &&
	       !strcmp(setting_text(&job->settings, FIELD_FSDP_VERSION, "1"), "1");
}

/* fsdp_config is there; a native config that gives dp_shard means it. */
static bool has_fsdp(const struct job *job)
{
	const char *engine = setting_text(&job->settings, FIELD_ENGINE, "");

	return *engine ? !strcmp(engine, "fsdp")
		       : !job_says_all(job) && given(job, FIELD_DP_SHARD) != 0;
}

/* utils/schemas/validation.py, before anything else. */
static void check_offloading(struct job *job, struct plan *plan)
{
	const struct settings *settings = &job->settings;
	const struct setting *mode = &settings->items[FIELD_AC_MODE];

	if (!setting_bool(settings, FIELD_AC_OFFLOAD, false) ||
	    setting_unresolved(settings, FIELD_AC_MODE) ||
	    (setting_known(mode) ? strcmp(mode->text, "none") != 0 : !job_says_all(job)))
		return;
	exception_raise(plan, &raises[OFFLOADING]);
	plan_blame(plan, &settings->items[FIELD_AC_OFFLOAD]);
	plan_blame(plan, mode);
}

static void apply(struct job *job, struct plan *plan)
{
	const bool fsdp = has_fsdp(job);
	struct arguments a = { 0 };
	struct degrees *d = &plan->degrees;

	*d = job->intended->degrees;
	if (!job->world)
		return;
	check_offloading(job, plan);
	if (plan->error)
		return;
	divide_ranks(job, plan, &a, fsdp);
	check_together(job, plan, &a);
	check_total(job, plan, &a);
	if (plan->error)
		return;
	d->ep = one(a.ep);
	d->tp = one(a.tp);
	d->cp = one(a.cp);
	d->dp_shard = one(a.shard);
	d->dp_replicate = one(a.replicate);
	if (has_strategy(job)) {
		d->dp_replicate = job->intended->degrees.dp_replicate;
		d->dp_shard = job->intended->degrees.dp_shard;
	}
	if (!fsdp) { /* DistributedDataParallel whatever the mesh is called */
		d->dp_replicate = multiply(d->dp_replicate, d->dp_shard);
		d->dp_shard = 1;
	}
	lay_out(plan, &a, fsdp, is_divided_before(job));
}

static bool lacks(const struct job *job, enum field_id axis)
{
	(void)job;
	return axis == FIELD_PP || axis == FIELD_SP;
}

const struct framework framework_axolotl = {
	.name = "axolotl",
	.summary = "axolotl's division of ranks, FSDP and DDP",
	.claims = claims,
	.lacks = lacks,
	.own_keys = (const char *const[]) { "plugins", NULL },
	.apply = apply,
};
