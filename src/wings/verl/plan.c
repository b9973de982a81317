#include "base/number.h"
#include "base/text.h"
#include "plan/exception.h"
#include "framework/grid.h"
#include "framework/job.h"
#include "input/axis.h"
#include "input/keys.h"
#include "wings/verl/keys.h"
#include "wings/verl/says.h"

#include <string.h>

/*
 * verl (verl-project/verl@1dda039b): validate_config of verl/utils/config.py and
 * verl/workers/config/actor.py in the trainer, then the workers' meshes: (ddp, fsdp) and Ulysses'
 * (dp, sp) over the same ranks, Megatron's groups or TorchTitan's; and the rollout's (dp, infer_tp,
 * infer_pp). Last, at the first update, what an engine makes of the mini-batch.
 */

enum {
	NO_MICRO, /* the rows of says.h */
	NO_REF_MICRO,
	NO_ROLLOUT_MICRO,
	NO_CRITIC_MICRO,
	PRODUCT,
	SAMPLES,
	MINI_BATCH,
	MICRO_BATCH,
	ULYSSES,
	PADDING,
	ROLLOUT,
	LEFT_OUT,
	HEADS,
	KV_HEADS,
	UNPACKED,
	TWO_MICRO, /* of the actor, then the reference's and the rollout's */
	TWO_REF_MICRO,
	TWO_ROLLOUT_MICRO,
	MINI_RANKS,
	ASYNC_BATCH,
	ASYNC_NODES,
	ASYNC_BACKEND
};

/* clang-format off */
static const struct exception raises[] = {
	[NO_MICRO] = { { "verl", "AssertionError: [actor] Please set at least one of 'actor.ppo_micro_batch_size' or 'actor.ppo_micro_batch_size_per_gpu' if use_dynamic_bsz is not enabled." }, "verl/workers/config/actor.py", "arguments-refused", NULL },
	[NO_REF_MICRO] = { { NULL, "ValueError: [actor_rollout_ref.ref] Please set at least one of 'actor_rollout_ref.ref.log_prob_micro_batch_size' or 'actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu'." }, "verl/utils/config.py", "arguments-refused", NULL },
	[NO_ROLLOUT_MICRO] = { { NULL, "ValueError: [actor_rollout_ref.rollout] Please set at least one of 'actor_rollout_ref.rollout.log_prob_micro_batch_size' or 'actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu'." }, "verl/utils/config.py", "arguments-refused", NULL },
	[NO_CRITIC_MICRO] = { { NULL, "ValueError: [critic] Please set at least one of 'critic.micro_batch_size' or 'critic.micro_batch_size_per_gpu'." }, "verl/workers/config/critic.py", "arguments-refused", NULL },
	[PRODUCT] = { { "verl", "AssertionError: n_gpus ({n}) must be divisible by model_parallel_size ({n}) times context_parallel_size ({n})" }, "verl/utils/config.py", "degrees-product", NULL },
	[SAMPLES] = { { NULL, "AssertionError: real_train_batch_size ({n}) must be divisible by minimal possible batch size ({n})" }, "verl/utils/config.py", "framework-raises", NULL },
	[MINI_BATCH] = { { NULL, "ValueError: train_batch_size ({n}) must be >= actor.ppo_mini_batch_size ({n})" }, "verl/workers/config/actor.py", "framework-raises", NULL },
	[MICRO_BATCH] = { { NULL, "ValueError: ppo_mini_batch_size ({n}) must be divisible by ppo_micro_batch_size ({n})" }, "verl/workers/config/actor.py", "framework-raises", NULL },
	[ULYSSES] = { { NULL, "ValueError: ppo_micro_batch_size ({n}) * ulysses_sequence_parallel_size ({n}) must be >= n_gpus ({n})" }, "verl/workers/config/actor.py", "framework-raises", NULL },
	[PADDING] = { { NULL, "ValueError: When using sequence parallelism for actor/ref policy, you must enable `use_remove_padding`." }, "verl/workers/config/actor.py", "framework-raises", NULL },
	[ROLLOUT] = { { "verl", "AssertionError: rollout world_size: {w} is not divisible by infer_world_size: {tp}" }, "verl/workers/engine_workers.py", "rollout-degree", NULL },
	[LEFT_OUT] = { { NULL, "Error: the mesh ({n}, {n}) leaves out {n} of {n} ranks" }, "verl/workers/engine/fsdp/utils.py", "degrees-product", NULL },
	[HEADS] = { { NULL, "AssertionError: num_attention_heads {n} must be divisible by ulysses_sp_size {n}" }, "verl/models/transformers/monkey_patch.py", "framework-raises", NULL },
	[KV_HEADS] = { { NULL, "AssertionError: num_key_value_heads {n} must be divisible by ulysses_sp_size {n}or vise versa. Upon ulysses_sp_size % num_key_value_heads == 0,kv heads are repeated to ensure correctness." }, "verl/models/transformers/monkey_patch.py", "framework-raises", NULL },
	[UNPACKED] = { { NULL, "AssertionError: Sequence parallel is only supported when remove_padding is enabled" }, "verl/trainer/fsdp_sft_trainer.py", "framework-raises", NULL },
	[TWO_MICRO] = { { NULL, "ValueError: [actor] You have set both 'actor.ppo_micro_batch_size' AND 'actor.ppo_micro_batch_size_per_gpu'. Please remove 'actor.ppo_micro_batch_size' because only '*_ppo_micro_batch_size_per_gpu' is supported (the former is deprecated)." }, "verl/workers/config/actor.py", "framework-raises", NULL },
	[TWO_REF_MICRO] = { { NULL, "ValueError: [actor_rollout_ref.ref] You have set both 'actor_rollout_ref.ref.log_prob_micro_batch_size' AND 'actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu'. Please remove 'actor_rollout_ref.ref.log_prob_micro_batch_size' because only '*_log_prob_micro_batch_size_per_gpu' is supported (the former is deprecated)." }, "verl/utils/config.py", "framework-raises", NULL },
	[TWO_ROLLOUT_MICRO] = { { NULL, "ValueError: [actor_rollout_ref.rollout] You have set both 'actor_rollout_ref.rollout.log_prob_micro_batch_size' AND 'actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu'. Please remove 'actor_rollout_ref.rollout.log_prob_micro_batch_size' because only '*_log_prob_micro_batch_size_per_gpu' is supported (the former is deprecated)." }, "verl/utils/config.py", "framework-raises", NULL },
	[MINI_RANKS] = { { NULL, "AssertionError: Got mini_batch_size={n} and self.engine.get_data_parallel_size()={n}" }, "verl/workers/engine_workers.py", "framework-raises", NULL },
	[ASYNC_BATCH] = { { NULL, "AssertionError: train_batch_size must equal parameter_sync_step * ppo_mini_batch_size in separate async training, but got train_batch_size={n}, parameter_sync_step={n}, ppo_mini_batch_size={n}" }, "verl/trainer/ppo/v1/trainer_separate_async.py", "framework-raises", NULL },
	[ASYNC_NODES] = { { NULL, "AssertionError: nnodes must be > 0 in separate async training" }, "verl/trainer/ppo/v1/trainer_separate_async.py", "framework-raises", NULL },
	[ASYNC_BACKEND] = { { NULL, "AssertionError: please use nccl/nixl/mooncake, etc. backend for separate async training" }, "verl/trainer/ppo/v1/trainer_separate_async.py", "framework-raises", NULL },
	/* what no model raises: rules tell it */
	{ { "verl", "AssertionError: only support equal chunk. Got size of DataProto {bs} and chunk {un}." }, "DataProto.chunk", "batch-remainder", NULL },
};
/* clang-format on */

const struct exceptions exceptions_verl = { raises, sizeof(raises) / sizeof(*raises) };

static const char *const actor = "actor_rollout_ref.actor.";
static const char *const rollout = "actor_rollout_ref.rollout.";

static const char *const own_keys[] = { "data.train_batch_size",
					"rollout.n_gpus_per_node",
					"actor_rollout_ref.hybrid_engine",
					"actor_rollout_ref.model.use_remove_padding",
					"actor_rollout_ref.actor.use_dynamic_bsz",
					"actor_rollout_ref.actor.ppo_mini_batch_size",
					"actor_rollout_ref.actor.ppo_micro_batch_size",
					"actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu",
					"actor_rollout_ref.actor.ulysses_sequence_parallel_size",
					"actor_rollout_ref.rollout.name",
					"actor_rollout_ref.rollout.n",
					"actor_rollout_ref.rollout.nnodes",
					"actor_rollout_ref.rollout.tensor_model_parallel_size",
					"actor_rollout_ref.rollout.data_parallel_size",
					"actor_rollout_ref.rollout.pipeline_model_parallel_size",
					"engine.ulysses_sequence_parallel_size",
					"ulysses_sequence_parallel_size",
					"use_remove_padding",
					NULL };

static bool is_trained(const struct job *job)
{
	return node_member(job_own(job), "actor_rollout_ref") != NULL;
}

/* Supervised training by Megatron is Megatron's. */
static int claims(const struct job *job)
{
	const char *engine = setting_text(&job->settings, FIELD_ENGINE, "");

	return versions_find(&job->versions, "verl") &&
			       (is_trained(job) || !*engine || !strcmp(engine, "fsdp"))
		       ? 60
		       : 0;
}

/* Only Megatron has these axes. */
static bool asks_for_megatron(const struct job *job)
{
	int i;

	for (i = AXIS_CP; i < AXIS_SP; i++)
		if (setting_int(&job->settings, axes[i], 1) > 1)
			return true;
	return false;
}

static bool by_megatron(const struct job *job)
{
	return !strcmp(setting_text(&job->settings, FIELD_ENGINE, ""), "megatron");
}

/* The framework that builds the groups of the engine, or NULL. */
static const struct framework *builder(const struct job *job)
{
	if (by_megatron(job))
		return framework_find("megatron");
	return strcmp(setting_text(&job->settings, FIELD_ENGINE, ""), "torchtitan")
		       ? NULL
		       : framework_find("torchtitan");
}

static const struct node *at(const struct job *job, const char *block, const char *key)
{
	return node_find(job_own(job), arena_join(job->arena, block, key, ""));
}

/* A number of the config; `otherwise` is the default of verl's own files, 0 when it is open. */
static int64_t number(const struct job *job, const char *block, const char *key, int64_t otherwise)
{
	const struct node *node = at(job, block, key);

	if (!node || (node->kind == NODE_SCALAR && node->type == SCALAR_NULL))
		return otherwise;
	return !node->unresolved && field_fits(FIELD_INT, node) ? node->integer : 0;
}

/* A switch that is certainly off: true, or open, it stays unused. */
static bool is_off(const struct job *job, const char *block, const char *key)
{
	const struct node *node = at(job, block, key);

	return !node ||
	       (!node->unresolved && node->kind == NODE_SCALAR &&
		(node->type == SCALAR_NULL || (node->type == SCALAR_BOOL && !node->boolean)));
}

static bool is_written(const struct job *job, const char *block, const char *key)
{
	const struct node *node = at(job, block, key);

	return node && !node->unresolved && node->type != SCALAR_NULL;
}

static void blame(struct job *job, struct plan *plan, enum field_id field)
{
	const struct setting *setting = settings_of(&job->settings, field);

	if (setting->origin != ORIGIN_UNSET)
		plan_blame(plan, setting);
}

static void blame_ranks(struct job *job, struct plan *plan)
{
	blame(job, plan, FIELD_CLUSTER_GPUS_PER_NODE);
	blame(job, plan, FIELD_CLUSTER_NODES);
}

/* n_gpus over what Megatron's axes take; 0 after the exception. */
static int64_t data_parallel(struct job *job, struct plan *plan)
{
	int64_t model = multiply(setting_int(&job->settings, FIELD_TP, 1),
				 setting_int(&job->settings, FIELD_PP, 1));
	int64_t context = setting_int(&job->settings, FIELD_CP, 1);
	int64_t ranks = multiply(model, context);

	if (ranks < 1)
		return 0;
	if (job->world % ranks == 0)
		return job->world / ranks;
	exception_raise(plan, &raises[PRODUCT], VALUE(job->world), VALUE(model), VALUE(context));
	blame(job, plan, FIELD_TP);
	blame(job, plan, FIELD_PP);
	blame(job, plan, FIELD_CP);
	blame_ranks(job, plan);
	return 0;
}

/* validate_config: the samples of a step in equal parts. */
static void check_batch(struct job *job, struct plan *plan)
{
	int64_t prompts = number(job, "data.", "train_batch_size", 1024);
	int64_t samples = multiply(prompts, number(job, rollout, "n", 1));
	int64_t least = job->world;

	if (by_megatron(job)) {
		least = data_parallel(job, plan);
		least = multiply(least, number(job, actor, "ppo_micro_batch_size_per_gpu", 0));
	}
	if (plan->error || least < 1 || samples < 1 || samples % least == 0)
		return;
	exception_raise(plan, &raises[SAMPLES], VALUE(samples), VALUE(least));
	blame(job, plan, FIELD_ROLLOUT_SAMPLES);
	blame_ranks(job, plan);
}

/* Ranks of Ulysses; 0: not known. */
static int64_t ulysses_of(const struct job *job)
{
	return setting_unresolved(&job->settings, FIELD_ULYSSES)
		       ? 0
		       : setting_int(&job->settings, FIELD_ULYSSES, 1);
}

/* ActorConfig.validate. */
static void check_actor(struct job *job, struct plan *plan)
{
	int64_t prompts = number(job, "data.", "train_batch_size", 1024);
	int64_t mini = number(job, actor, "ppo_mini_batch_size", 256);
	int64_t micro = number(job, actor, "ppo_micro_batch_size", 0);
	int64_t ulysses = ulysses_of(job);

	if (plan->error || prompts < 1 || mini < 1)
		return;
	if (prompts < mini)
		exception_raise(plan, &raises[MINI_BATCH], VALUE(prompts), VALUE(mini));
	else if (micro > 0 && mini % micro)
		exception_raise(plan, &raises[MICRO_BATCH], VALUE(mini), VALUE(micro));
	else if (micro > 0 && ulysses > 0 && !by_megatron(job) &&
		 multiply(micro, ulysses) < job->world)
		exception_raise(plan, &raises[ULYSSES], VALUE(micro), VALUE(ulysses),
				VALUE(job->world));
	else
		return;
	blame_ranks(job, plan);
}

/*
 * Micro-batches by the deprecated key, over all ranks, and by the one for each: of the actor
 * (ActorConfig.__post_init__), then of what else computes (validate_config).
 */
static void check_micro(struct job *job, struct plan *plan)
{
	static const struct {
		const char *block, *all, *each;
	} keys[] = {
		{ "actor_rollout_ref.actor.", "ppo_micro_batch_size",
		  "ppo_micro_batch_size_per_gpu" },
		{ "actor_rollout_ref.ref.", "log_prob_micro_batch_size",
		  "log_prob_micro_batch_size_per_gpu" },
		{ "actor_rollout_ref.rollout.", "log_prob_micro_batch_size",
		  "log_prob_micro_batch_size_per_gpu" },
	};
	const struct node *root = job_own(job);
	const bool refers = keys_true(root, "actor_rollout_ref.actor.use_kl_loss") ||
			    keys_true(root, "algorithm.use_kl_in_reward");
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]) && !plan->error; i++)
		if ((i != 1 || refers) && is_written(job, keys[i].block, keys[i].all) &&
		    is_written(job, keys[i].block, keys[i].each))
			exception_raise(plan, &raises[TWO_MICRO + i]);
}

/* PPOTrainerSeparateAsync: whole updates between two hand-overs, and machines of its own. */
static void check_async(struct job *job, struct plan *plan)
{
	const int64_t prompts = number(job, "data.", "train_batch_size", 1024);
	const int64_t mini = number(job, actor, "ppo_mini_batch_size", 256);
	const int64_t steps = number(job, "trainer.v1.separate_async.", "parameter_sync_step", 4);
	const char *mode = keys_text(job_own(job), "trainer.v1.trainer_mode", "sync");

	if (plan->error || strcmp(mode, "separate_async") != 0 || !verl_is_whole(&job->document))
		return;
	if (prompts > 0 && mini > 0 && steps > 0 && prompts != multiply(steps, mini))
		exception_raise(plan, &raises[ASYNC_BATCH], VALUE(prompts), VALUE(steps),
				VALUE(mini));
	else if (!at(job, rollout, "nnodes"))
		exception_raise(plan, &raises[ASYNC_NODES]);
	else if (!strcmp(keys_text(job_own(job),
				   "actor_rollout_ref.rollout.checkpoint_engine.backend", "naive"),
			 "naive"))
		exception_raise(plan, &raises[ASYNC_BACKEND]);
}

/* TrainingWorker.train_mini_batch: all answers of a mini-batch, in equal parts. */
static void check_mini_batch(struct job *job, struct plan *plan)
{
	const struct degrees *d = &plan->degrees;
	const int64_t model = multiply(multiply(d->tp, d->pp), d->cp);
	const int64_t shared = multiply(model, builder(job) ? 1 : ulysses_of(job));
	const int64_t mini =
		number(job, actor, "ppo_mini_batch_size", verl_is_whole(&job->document) ? 256 : 0);
	const int64_t samples = multiply(mini, number(job, rollout, "n", 1));

	if (!is_trained(job) || shared < 1 || samples < 1 || job->world % shared ||
	    keys_true(job_own(job), "actor_rollout_ref.actor.megatron.dynamic_context_parallel") ||
	    samples % (job->world / shared) == 0 || !verl_by_engines(&job->document))
		return;
	exception_raise(plan, &raises[MINI_RANKS], VALUE(samples), VALUE(job->world / shared));
	blame(job, plan, FIELD_ROLLOUT_SAMPLES);
	blame_ranks(job, plan);
}

/* FSDPActorConfig.validate: Ulysses works on packed tokens only. */
static void check_ulysses(struct job *job, struct plan *plan)
{
	const struct node *packed = at(job, "actor_rollout_ref.model.", "use_remove_padding");

	if (plan->error || by_megatron(job) || !packed ||
	    !is_off(job, "actor_rollout_ref.model.", "use_remove_padding") || ulysses_of(job) < 2)
		return;
	exception_raise(plan, &raises[PADDING]);
}

/* fsdp_sft_trainer.py, build_model: the older trainer cuts packed tokens alone. */
static void check_packed(struct job *job, struct plan *plan)
{
	if (!job_own(job) || node_member(job_own(job), "engine") || ulysses_of(job) < 2 ||
	    !is_off(job, "", "use_remove_padding"))
		return;
	exception_raise(plan, &raises[UNPACKED]);
	blame(job, plan, FIELD_ULYSSES);
}

/* Rollouts with machines of their own, or none at all, are laid out elsewhere. */
static bool shares_ranks(const struct job *job)
{
	const struct node *own = node_find(job_own(job), "rollout.n_gpus_per_node");
	const struct node *nodes = at(job, rollout, "nnodes"); /* from v0.7.1 on, 0: none */
	const struct node *hybrid = node_find(job_own(job), "actor_rollout_ref.hybrid_engine");
	const struct node *engine = at(job, rollout, "name");

	if (!is_trained(job) || own ||
	    (nodes && (nodes->unresolved || nodes->type != SCALAR_INT || nodes->integer)) ||
	    (hybrid && !(hybrid->type == SCALAR_BOOL && hybrid->boolean)))
		return false;
	return !engine || (engine->kind == NODE_SCALAR && strcmp(engine->text, "hf") != 0);
}

/* ActorRolloutRefWorker.init_model, late: Ray is up and the actor is built. */
static void check_rollout(struct job *job, struct plan *plan)
{
	int64_t tp = number(job, rollout, "tensor_model_parallel_size", 2);
	int64_t dp = number(job, rollout, "data_parallel_size", 1);
	int64_t pp = number(job, rollout, "pipeline_model_parallel_size", 1);
	int64_t ranks = multiply(multiply(tp, dp), pp);

	if (plan->error || ranks < 1 || job->world % ranks == 0 || !shares_ranks(job))
		return;
	exception_raise(plan, &raises[ROLLOUT], VALUE(job->world), VALUE(ranks));
	if (ranks != tp)
		plan->error->rule = NULL;
	blame(job, plan, FIELD_ROLLOUT_TP);
	blame_ranks(job, plan);
}

static void validate(struct job *job, struct plan *plan)
{
	if (!is_trained(job)) { /* batches and workers are said by verl's keys alone */
		check_packed(job, plan);
		return;
	}
	if (is_off(job, actor, "use_dynamic_bsz")) {
		check_batch(job, plan);
		check_micro(job, plan);
		check_actor(job, plan);
	}
	check_ulysses(job, plan);
	check_async(job, plan);
}

/* init_model's mesh of (dp, infer_tp, infer_pp) over the same ranks. */
static void add_rollout(const struct job *job, struct plan *plan)
{
	int64_t tp = multiply(number(job, rollout, "tensor_model_parallel_size", 2),
			      number(job, rollout, "data_parallel_size", 1));
	int64_t pp = number(job, rollout, "pipeline_model_parallel_size", 1);
	int64_t ranks = multiply(tp, pp);
	struct grid grid = { 0 };

	if (ranks < 1 || plan->world % ranks || !shares_ranks(job))
		return;
	grid_axis(&grid, "rollout_dp", plan->world / ranks);
	grid_axis(&grid, "infer_tp", tp);
	grid_axis(&grid, "infer_pp", pp);
	grid_group(plan, &grid, "rollout_dp", "rollout_dp", false);
	grid_group(plan, &grid, "infer_tp", "infer_tp", false);
	if (pp > 1)
		grid_group(plan, &grid, "infer_pp", "infer_pp", false);
}

/* A mesh of two axes that does not span the world: verl goes on without the other ranks. */
static bool leaves_out(struct job *job, struct plan *plan, const char *where, int64_t inner)
{
	int64_t left = job->world % inner;
	struct told told;

	if (!left)
		return false;
	told = exception_tell(plan->arena, &raises[LEFT_OUT], VALUE(job->world / inner),
			      VALUE(inner), VALUE(left), VALUE(job->world));
	told.where = where;
	exception_raise_told(plan, told);
	blame_ranks(job, plan);
	return true;
}

/* More sequence ranks than there are: (0, sp), at which PyTorch stops in its release's words. */
static bool is_empty(struct job *job, struct plan *plan, int64_t sp)
{
	const char *where = "init_device_mesh";

	if (sp <= job->world)
		return false;
	if (version_reaches(versions_find(&job->versions, "torch"), 2, 10))
		plan_raise(plan, "AssertionError", where, "%s", "");
	else
		plan_raise(plan, "RuntimeError", where,
			   "cannot reshape tensor of 0 elements into shape [-1, 0] because the "
			   "unspecified dimension size -1 can be any value and is ambiguous");
	plan->error->rule = "degrees-product";
	blame_ranks(job, plan);
	return true;
}

/* FSDPEngine's second mesh, (dp, sp) over the same ranks. */
static void add_ulysses(struct job *job, struct plan *plan)
{
	const int64_t sp = ulysses_of(job);
	struct grid grid = { 0 };

	if (sp < 2 || is_empty(job, plan, sp) ||
	    leaves_out(job, plan, "verl/workers/engine/fsdp/transformer_impl.py", sp))
		return;
	grid_axis(&grid, "dp", plan->world / sp);
	grid_axis(&grid, "sp", sp);
	grid_group(plan, &grid, "dp", "dp", false);
	grid_group(plan, &grid, "sp", "sp", false);
}

/* apply_monkey_patch, when the model is there: whole heads for each rank, those of keys repeated.
 */
static void check_heads(struct job *job, struct plan *plan)
{
	const int64_t sp = ulysses_of(job), heads = job->model ? job->model->heads : 0;
	const int64_t kv = job->model ? job->model->kv_heads : 0;

	if (plan->error || sp < 2 || heads < 1 || kv < 1)
		return;
	if (heads % sp)
		exception_raise(plan, &raises[HEADS], VALUE(heads), VALUE(sp));
	else if (kv % sp && sp % kv)
		exception_raise(plan, &raises[KV_HEADS], VALUE(kv), VALUE(sp));
	else
		return;
	blame(job, plan, FIELD_ULYSSES);
}

/* FSDP has no other axes. Its mesh leaves out what fsdp_size does not divide, and says nothing. */
static void lay_out(struct job *job, struct plan *plan)
{
	int64_t shard = setting_int(&job->settings, FIELD_DP_SHARD, -1);
	struct grid grid = { 0 };

	if (shard < 1 || shard > job->world)
		shard = job->world;
	plan->degrees = (struct degrees) { .dp_replicate = job->world / shard,
					   .dp_shard = shard,
					   .cp = 1,
					   .tp = 1,
					   .pp = 1,
					   .ep = 1,
					   .etp = 1 };
	if (leaves_out(job, plan, "verl/workers/engine/fsdp/utils.py", shard)) {
		blame(job, plan, FIELD_DP_SHARD);
		return;
	}
	grid_axis(&grid, "ddp", job->world / shard);
	grid_axis(&grid, "fsdp", shard);
	grid_lay(plan, &grid, "fsdp", "ddp");
	add_ulysses(job, plan);
	check_heads(job, plan);
}

/* A native config that names no engine has FSDP's, unless it asks for what only Megatron has. */
static void settle_engine(struct job *job)
{
	const struct setting *engine = settings_of(&job->settings, FIELD_ENGINE);

	if (job->document.dialect->framework ||
	    (setting_known(engine) && engine->origin != ORIGIN_DERIVED))
		return;
	settings_put_text(&job->settings, FIELD_ENGINE,
			  asks_for_megatron(job) ? "megatron" : "fsdp", ORIGIN_DERIVED)
		->note = "--set parallelism.engine=fsdp, or megatron";
}

/* TorchTitan is whatever release is installed: the newest, unless one is pinned. */
static void bring_titan(struct job *job)
{
	struct version newest;

	if (versions_find(&job->versions, "torchtitan") ||
	    !version_parse(job->arena, "torchtitan", "latest", &newest))
		return;
	newest.origin = VERSION_MODELLED;
	vec_push(job->arena, &job->versions.list, newest);
}

static void defaults(struct job *job)
{
	const struct framework *groups;

	settle_engine(job);
	groups = builder(job);

	if (groups == framework_find("torchtitan"))
		bring_titan(job);
	if (groups && groups->defaults)
		groups->defaults(job);
}

static void apply(struct job *job, struct plan *plan)
{
	const struct framework *groups = builder(job);

	plan->degrees = job->intended->degrees;
	plan->dense.strategy = job->intended->dense.strategy;
	if (job->world)
		validate(job, plan);
	if (!plan->error && groups)
		groups->apply(job, plan);
	else if (!plan->error && job->world)
		lay_out(job, plan);
	if (!plan->error && job->world)
		check_rollout(job, plan);
	if (!plan->error && job->world)
		check_mini_batch(job, plan);
	if (!plan->error && job->world)
		add_rollout(job, plan);
}

const struct framework framework_verl = {
	.name = "verl",
	.summary =
		"verl: the actor's FSDP or Megatron ranks, used once more by Ulysses and rollout",
	.claims = claims,
	.own_keys = own_keys,
	.defaults = defaults,
	.apply = apply,
};
