#include "base/number.h"
#include "base/text.h"
#include "plan/exception.h"
#include "wings/deepspeed/batch.h"
#include "wings/deepspeed/keys.h"
#include "framework/degrees.h"
#include "framework/grid.h"
#include "input/keys.h"
#include "input/launch/launch.h"

#include <inttypes.h>
#include <string.h>

/*
 * DeepSpeed driven by its JSON alone, or below a trainer that hands one on (deepspeed@edaa7221):
 * dp, sp, tp over consecutive ranks, tp innermost; ZeRO cuts vectors of whole parameters, so none
 * is placed. Pipelines and experts are made by the program, not by the config.
 */

/* clang-format off */
static const struct exception raises[] = {
	[TWO_TYPES] = { { NULL, "AssertionError: bfloat16 and fp16 modes cannot be simultaneously enabled" }, "DeepSpeedConfig._initialize_params", "framework-raises", NULL },
	[MICS] = { { "DeepSpeed, MiCS", "AssertionError: dp group size is not dividable by dp_shard_size,  (world_size {n}, pp_size 1, dp_shard_size {n})" }, "_generate_mics_config", "degrees-product", NULL },
	[AUTO_EP] = { { NULL, "ValueError: expert_parallel.autoep_size * expert_parallel.expert_tensor_parallel_size ({n} * 1 = {n}) must divide the stage size (world_size={n} / pp_size=1 = {n}). Computed edp would be non-integral. Valid expert-width values: {name}" }, "build_folding_spec", "framework-raises", NULL },
	[UNEQUAL] = { { "DeepSpeed", "AssertionError: Check batch related parameters. train_batch_size is not equal to micro_batch_per_gpu * gradient_acc_step * world_size {bs} != {mb} * {ga} * {dp}" }, "DeepSpeedConfig._batch_assertion", "batch-triple", "batch-remainder" },
	[TRAIN_BELOW_ONE] = { { "DeepSpeed", "AssertionError: Train batch size: {n} has to be greater than 0" }, "DeepSpeedConfig._batch_assertion", "batch-triple", NULL },
	[STEPS_BELOW_ONE] = { { "DeepSpeed", "AssertionError: Gradient accumulation steps: {n} has to be greater than 0" }, "DeepSpeedConfig._batch_assertion", "batch-triple", NULL },
	[MICRO_BELOW_ONE] = { { "DeepSpeed", "AssertionError: Micro batch size per gpu: {n} has to be greater than 0" }, "DeepSpeedConfig._batch_assertion", "batch-triple", NULL },
	[ZERO_PIPELINE] = { { NULL, "AssertionError: ZeRO-2 and ZeRO-3 are incompatible with pipeline parallelism" }, "PipelineEngine.__init__", "framework-raises", NULL },
	[ZERO_TENSOR] = { { NULL, "AssertionError: Currently, the compatibility between 'autotp' and 'zero_stage = 3' has not been validated" }, "DeepSpeedEngine._configure_tensor_parallel_states", "framework-raises", NULL },
	/* what no model raises: rules tell it */
	{ { "DeepSpeed", "num_heads ({n}) must be divisible by mp_size ({tp})" }, NULL, "heads-divisibility", NULL },
	{ { "DeepSpeed", "ZeRORuntimeException: The checkpoint being loaded used a DP world size of {was} but the current world size is {is}. Automatic adjustment of ZeRO's optimizer state partitioning with a new world size is not currently supported." }, "ZeROOptimizer.load_state_dict", "optimizer-parts", NULL },
};
/* clang-format on */

const struct exceptions exceptions_deepspeed = { raises, sizeof(raises) / sizeof(*raises) };

/* Divisors up to this one are listed in an error's text. */
enum { MOST_LISTED = 4096 };

static const char *engine(const struct job *job)
{
	return setting_text(&job->settings, FIELD_ENGINE, "");
}

static bool is_own(const struct job *job)
{
	return job_driven_by_alone(job, "deepspeed") &&
	       (job_says_all(job) || !*engine(job) || !strcmp(engine(job), "deepspeed"));
}

/* A native config pins it, and no other engine builds the groups. */
static bool is_pinned(const struct job *job)
{
	return !job->document.dialect->framework && !*engine(job) &&
	       versions_find(&job->versions, "deepspeed");
}

static int claims(const struct job *job)
{
	if (is_own(job))
		return 60;
	return !strcmp(engine(job), "deepspeed") || is_pinned(job) ? 30 : 0;
}

/* deepspeed.initialize makes a mesh of dp and sp where the map that it is given has both. */
static bool has_mesh(const struct job *job)
{
	return is_own(job) && node_member(job->document.root, "data_parallel_size") &&
	       node_member(job->document.root, "sequence_parallel_size");
}

/* The first release whose DeepSpeedConfig divides the ranks by a sequence_parallel_size alone. */
static bool reads_sp(const struct job *job)
{
	return !is_own(job) || has_mesh(job) ||
	       version_reaches(versions_find(&job->versions, "deepspeed"), 0, 17);
}

/*
 * Whether ranks share parameters: the stage alone says it (runtime/engine.py,
 * _configure_zero_optimizer), whatever trainers call the factors of data parallelism; without one
 * the degree asks for it.
 */
static bool shares(const struct settings *settings, bool asked)
{
	const struct setting *stage = &settings->items[FIELD_ZERO_STAGE];

	return setting_known(stage) ? stage->integer > 2 : asked;
}

/* A frozen model is cut at ZeRO-3 and whole below, where no key says what it is
 * (wings/transformers/preference.c). */
static void cut_reference(struct settings *settings)
{
	struct setting *held = settings_of(settings, FIELD_REFERENCE_HELD);

	if (setting_known(held) && !setting_given(held) && words_have("whole|blocks", held->text))
		held->text = shares(settings, false) ? "blocks" : "whole";
}

void deepspeed_follow_stage(struct job *job)
{
	const struct settings *settings = &job->settings;
	const struct setting *shard = &settings->items[FIELD_DP_SHARD];
	struct decoder decoder = { job->arena, &job->settings, job->findings };

	if (setting_known(&settings->items[FIELD_ZERO_STAGE]))
		cut_reference(&job->settings);

	if (setting_known(&settings->items[FIELD_ZERO_STAGE]) &&
	    !setting_unresolved(settings, FIELD_DP_SHARD) &&
	    (!setting_known(shard) || shares(settings, false) != (shard->integer != 1)))
		deepspeed_put_axes(&decoder, -1);
}

/* Below stage 3 parameters are repeated over whatever tp and pp leave of the world. */
static void defaults(struct job *job)
{
	struct settings *settings = &job->settings;

	deepspeed_follow_stage(job);
	if (!reads_sp(job) && setting_given(settings_of(settings, FIELD_SP)))
		settings_put_int(settings, job->arena, FIELD_SP, 1, ORIGIN_DERIVED)->note =
			"DeepSpeed reads sequence_parallel_size without data_parallel_size from "
			"0.17 on";
	if (!is_pinned(job) || job_says_all(job))
		return;
	settings_put_text(settings, FIELD_ENGINE, "deepspeed", ORIGIN_DEFAULT)->note = "DeepSpeed";
	if (setting_int(settings, FIELD_ZERO_STAGE, 0) > 2 ||
	    setting_given(&settings->items[FIELD_DP_SHARD]))
		return;
	settings_put_int(settings, job->arena, FIELD_DP_SHARD, 1, ORIGIN_DEFAULT)->note =
		"ZeRO below stage 3 repeats parameters";
	if (!setting_given(&settings->items[FIELD_DP_REPLICATE]))
		settings_put_int(settings, job->arena, FIELD_DP_REPLICATE, -1, ORIGIN_DEFAULT)
			->note = "what tp and pp leave of the world";
}

/* A value that transformers fills in: what is computed from it is not known here. */
static bool filled_in(const struct job *job)
{
	static const char *const keys[] = { "train_batch_size", "train_micro_batch_size_per_gpu",
					    "gradient_accumulation_steps" };
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strcmp(keys_text(job_own(job), keys[i], ""), "auto"))
			return true;
	return false;
}

static bool types_hold(struct job *job, struct plan *plan)
{
	const struct node *root = job_own(job);

	if (!is_own(job) || !keys_true(root, "fp16.enabled") ||
	    (!keys_true(root, "bf16.enabled") && !keys_true(root, "bfloat16.enabled")))
		return true;
	exception_raise(plan, &raises[TWO_TYPES]);
	plan_blame(plan, settings_of(&job->settings, FIELD_PARAM_DTYPE));
	return false;
}

/* The order of DeepSpeedConfig.__init__: types as the map is read, then the batch. */
static bool config_holds(struct job *job, struct plan *plan, int64_t others)
{
	const bool divided = reads_sp(job) && !has_mesh(job) &&
			     setting_given(settings_of(&job->settings, FIELD_SP));
	const struct batch_words words = { "DeepSpeedConfig._batch_assertion", "", divided,
					   divided };

	if (!types_hold(job, plan))
		return false;
	return !is_own(job) || filled_in(job) ||
	       batch_triple_holds(job, plan, job->world, others, &words);
}

/* MiCS cuts the world into shard groups (runtime/zero/mics_utils.py). */
static bool groups_hold(struct job *job, struct plan *plan)
{
	const struct setting *shard = settings_of(&job->settings, FIELD_DP_SHARD);
	int64_t ranks = setting_int(&job->settings, FIELD_DP_SHARD, -1);

	if (ranks < 2 || job->world % ranks == 0 || !is_own(job))
		return true;
	exception_raise(plan, &raises[MICS], VALUE(job->world), VALUE(ranks));
	plan_blame(plan, shard);
	return false;
}

/* "[1, 2, 4]": what divides the world. */
static const char *divisors_text(struct plan *plan, int64_t world)
{
	const char *text = "[";
	int64_t i;

	for (i = 1; i <= world && i <= MOST_LISTED; i++)
		if (world % i == 0)
			text = arena_printf(plan->arena, "%s%s%" PRId64, text, text[1] ? ", " : "",
					    i);
	return arena_join(plan->arena, text, world > MOST_LISTED ? ", ..." : "", "]");
}

/* build_folding_spec() of AutoEP (deepspeed@13dceecf module_inject/auto_ep_folding.py). */
static bool experts_hold(struct job *job, struct plan *plan)
{
	int64_t experts = degree_or_one(job, FIELD_EP), world = job->world;

	if (!is_own(job) || !keys_true(job_own(job), "expert_parallel.enabled") || experts < 2 ||
	    world % experts == 0)
		return true;
	exception_raise(plan, &raises[AUTO_EP], VALUE(experts), VALUE(experts), VALUE(world),
			VALUE(world), VALUE(divisors_text(plan, world)));
	plan_blame(plan, settings_of(&job->settings, FIELD_EP));
	return false;
}

/* Whether the stage is at most so much, which another degree wants. */
static bool stage_holds(struct job *job, struct plan *plan, int64_t most, enum field_id wants,
			enum deepspeed_exception otherwise)
{
	if (setting_int(&job->settings, FIELD_ZERO_STAGE, 0) <= most)
		return true;
	exception_raise(plan, &raises[otherwise]);
	plan_blame(plan, settings_of(&job->settings, FIELD_ZERO_STAGE));
	plan_blame(plan, settings_of(&job->settings, wants));
	return false;
}

bool pipeline_engine_holds(struct job *job, struct plan *plan)
{
	return stage_holds(job, plan, 1, FIELD_PP, ZERO_PIPELINE);
}

static bool is_megatron_file(const struct job *job)
{
	return job->document.dialect->framework && job_driven_by(job, "megatron");
}

/*
 * Megatron-DeepSpeed makes a model of stages, of one too, unless it is told not to
 * (deepspeedai/Megatron-DeepSpeed@4efb479d pretrain_gpt.py:51); words that nobody knows may tell.
 */
static bool has_stages(const struct job *job, const struct plan *plan)
{
	const struct launch *launch = job->document.launch;
	size_t i;

	if (plan->degrees.pp > 1 || !launch || !launch->program || !is_megatron_file(job))
		return plan->degrees.pp > 1;
	for (i = 0; i < launch->words.count; i++)
		if (launch->words.items[i].unresolved)
			return false;
	return text_ends(launch->program, "pretrain_gpt.py") &&
	       !launch_find(launch, "no-pipeline-parallel");
}

/*
 * Its own file's tp is AutoTP (deepspeed@38327e07f runtime/engine.py:424); a program's own, as
 * Megatron's, passes.
 */
static bool stages_hold(struct job *job, struct plan *plan)
{
	const bool automatic = job->document.dialect->framework && !is_megatron_file(job);

	if (has_stages(job, plan) && !pipeline_engine_holds(job, plan))
		return false;
	return !automatic || plan->degrees.tp < 2 ||
	       stage_holds(job, plan, 2, FIELD_TP, ZERO_TENSOR);
}

/* Consecutive ranks of a stage (utils/groups.py, _create_expert_and_data_parallel). */
static void lay_out_experts(struct plan *plan, const struct plan *intended)
{
	struct grid grid = { 0 };

	if (plan->degrees.ep < 2 && !intended->has_expert)
		return;
	if (!intended->has_expert) {
		plan->unmodelled = true;
		plan->unmodelled_why = "DeepSpeed's experts over ranks that they do not divide are "
				       "not modelled: no groups of theirs are laid out.";
		return;
	}
	if (plan->degrees.tp > 1) {
		plan->unmodelled = true;
		plan->unmodelled_why =
			"DeepSpeed's experts beside tensor parallel are not modelled: their groups "
			"step over those of tp, and each of its ranks may hold them whole.";
		return;
	}
	plan->has_expert = true;
	plan->expert = intended->expert;
	plan_put_expert_meshes(plan);
	grid_axis(&grid, "pp", plan->degrees.pp);
	grid_axis(&grid, "expert_dp", plan->world / multiply(plan->degrees.pp, plan->degrees.ep));
	grid_axis(&grid, "ep", plan->degrees.ep);
	if (!plan_mesh(plan, "expert_dp"))
		grid_group(plan, &grid, "expert_dp", "expert_dp", false);
}

/*
 * Ranks along sp hold what those along dp hold: ZeRO works over both. With a mesh stages 1 and 2
 * work over dp alone (utils/groups.py, _get_sequence_data_parallel_group); stage 3 still cuts
 * parameters over the world (runtime/zero/parameter_offload.py hands Init no group).
 */
static void lay_out(struct job *job, struct plan *plan)
{
	const struct degrees *d = &plan->degrees;
	const bool shared = shares(&job->settings, d->dp_shard > 1);
	struct grid grid = { 0 };

	grid_axis(&grid, "pp", d->pp);
	grid_axis(&grid, "dp_replicate", d->dp_replicate);
	grid_axis(&grid, "dp_shard", d->dp_shard);
	grid_axis(&grid, "sp", degree_or_one(job, FIELD_SP));
	grid_axis(&grid, "cp", d->cp);
	grid_axis(&grid, "tp", d->tp);
	grid_lay(plan, &grid, shared ? "dp_shard|sp|cp" : "",
		 shared		 ? "dp_replicate"
		 : has_mesh(job) ? "dp_replicate|dp_shard"
				 : "dp_replicate|dp_shard|sp|cp");
	lay_out_experts(plan, job->intended);
}

static void apply(struct job *job, struct plan *plan)
{
	/*
	 * In a native config cp is its sequence parallelism, too. A pipeline's own grid says how
	 * many ranks see different samples (deepspeed/__init__.py, initialize).
	 */
	int64_t others =
		multiply(multiply(degree_or_one(job, FIELD_TP), degree_or_one(job, FIELD_CP)),
			 multiply(degree_or_one(job, FIELD_PP),
				  reads_sp(job) ? degree_or_one(job, FIELD_SP) : 1));

	plan->degrees = job->intended->degrees;
	plan->dense.strategy = job->intended->dense.strategy;
	if (!job->world || !config_holds(job, plan, others) || !groups_hold(job, plan) ||
	    !experts_hold(job, plan) || !degrees_fit(job, plan, "DeepSpeed") ||
	    !stages_hold(job, plan))
		return;
	lay_out(job, plan);
}

/*
 * Of its ParallelismConfig accelerate hands on sp alone (accelerate@16cb6eb8 accelerator.py,
 * _prepare_deepspeed): cp is FSDP2's, and tp what DeepSpeed's own file says.
 */
static bool accelerate_lacks(const struct job *job, enum field_id axis)
{
	const struct setting *tp = &job->settings.items[FIELD_TP];

	if (!job_driven_by(job, "accelerate"))
		return false;
	return axis == FIELD_CP ||
	       (axis == FIELD_TP && job->document.dialect->framework &&
		(!setting_given(tp) || tp->span.source == job->document.source));
}

/*
 * Megatron-DeepSpeed's parser has no such flags, or DeepSpeed's pipeline does nothing by them
 * (deepspeedai/Megatron-DeepSpeed@4efb479d megatron/arguments.py, megatron/model/gpt_model.py:446).
 */
static bool megatron_lacks(const struct job *job, enum field_id axis)
{
	static const enum field_id none[] = { FIELD_CP,
					      FIELD_OVERLAP_TP,
					      FIELD_OPTIMIZER_DISTRIBUTED,
					      FIELD_PP_VIRTUAL_STAGES,
					      FIELD_PP_LAYERS_PER_STAGE,
					      FIELD_PP_FIRST_STAGE_LAYERS,
					      FIELD_PP_LAST_STAGE_LAYERS,
					      FIELD_AC_METHOD,
					      FIELD_AC_LAYERS };
	size_t i;

	if (!is_megatron_file(job))
		return false;
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (axis == none[i])
			return true;
	return axis == FIELD_PP && job->document.launch &&
	       launch_find(job->document.launch, "no-pipeline-parallel");
}

/* The stage is what a file says that is named, and that nobody has read. */
static bool names_stage(const struct job *job)
{
	return setting_known(&job->settings.items[FIELD_ZERO_CONFIG]) &&
	       !setting_given(&job->settings.items[FIELD_ZERO_STAGE]);
}

/* Trainers that stand on it make no layers of experts of their models. */
static bool lacks(const struct job *job, enum field_id axis)
{
	if (axis == FIELD_ZERO_STAGE)
		return names_stage(job);
	if (axis == FIELD_ETP || accelerate_lacks(job, axis) || megatron_lacks(job, axis))
		return true;
	if (axis == FIELD_CP && (is_own(job) || is_pinned(job)))
		return !setting_given(&job->settings.items[FIELD_CP]); /* then it is sp */
	return axis == FIELD_EP && job->document.dialect->framework && !is_own(job) &&
	       !job_driven_by(job, "megatron");
}

const struct framework framework_deepspeed = {
	.name = "deepspeed",
	.summary = "DeepSpeed's ZeRO: dp, sp, tp over consecutive ranks",
	.claims = claims,
	.lacks = lacks,
	.own_keys = (const char *const[]) { "train_batch_size", "train_micro_batch_size_per_gpu",
					    "gradient_accumulation_steps", "fp16.enabled",
					    "bf16.enabled", "bfloat16.enabled",
					    "expert_parallel.enabled", NULL },
	.defaults = defaults,
	.apply = apply,
	.shares_by = RUN_OF_PARAMETER,
};
