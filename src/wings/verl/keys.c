#include "wings/verl/keys.h"

#include "base/number.h"
#include "base/text.h"
#include "input/settings/hf_model.h"
#include "input/keys.h"
#include "wings/megatron/keys.h"
#include "input/settings/open_axis.h"
#include "input/vocabulary.h"

#include <string.h>

/* workers/engine, workers/config/actor.py, trainer/ppo/core_algos.py at verl-project/verl@1dda039b;
 * registries take others. */
#define ENGINES "fsdp|fsdp2|fsdp_turbo|megatron|veomni|torchtitan"

static const struct key_choice choices[] = {
	{ "actor_rollout_ref.actor.strategy", ENGINES, CHOICE_OPEN },
	{ "critic.strategy", ENGINES, CHOICE_OPEN },
	{ "actor_rollout_ref.rollout.name", "vllm|sglang|hf|trtllm", CHOICE_OPEN },
	{ "actor_rollout_ref.rollout.mode", "sync|async", CHOICE_OPEN },
	{ "algorithm.adv_estimator",
	  "gae|grpo|reinforce_plus_plus|reinforce_plus_plus_baseline|remax|rloo|opo|grpo_passk|gpg|"
	  "rloo_vectorized|grpo_vectorized|optimal_token_baseline|tir_optimal_token_baseline|gdpo",
	  CHOICE_OPEN },
	{ "actor_rollout_ref.actor.loss_agg_mode",
	  "token-mean|token-sum|seq-mean-token-sum|seq-mean-token-mean|seq-mean-token-sum-norm",
	  CHOICE_OPEN },
	{ "algorithm.kl_ctrl.type", "fixed|adaptive", CHOICE_OPEN },
};

#define TYPES                                                                                      \
	"bf16=bfloat16|bfloat16=bfloat16|fp32=float32|float32=float32|32=float32|fp16=float16|"    \
	"float16=float16|16=float16"

static const struct key_row rows[] = {
	{ "trainer.nnodes", FIELD_CLUSTER_NODES, KEY_VALUE, NULL },
	{ "trainer.n_gpus_per_node", FIELD_CLUSTER_GPUS_PER_NODE, KEY_VALUE, NULL },
	{ "actor_rollout_ref.rollout.tensor_model_parallel_size", FIELD_ROLLOUT_TP, KEY_VALUE,
	  NULL },
	{ "actor_rollout_ref.rollout.n", FIELD_ROLLOUT_SAMPLES, KEY_VALUE, NULL },
	{ "trainer.resume_mode", FIELD_CHECKPOINT_RESUME, KEY_KNOWN, NULL },
};

static const struct key_row batch_rows[] = {
	{ "data.max_length", FIELD_SEQ_LEN, KEY_POSITIVE, NULL },
	{ "data.train_batch_size", FIELD_GLOBAL_BATCH_SIZE, KEY_VALUE, NULL },
	{ "data.micro_batch_size_per_gpu", FIELD_MICRO_BATCH_SIZE, KEY_VALUE, NULL },
	{ "model.enable_gradient_checkpointing", FIELD_AC_MODE, KEY_VALUE, "true=full|false=none" },
	{ "model.use_liger", FIELD_FUSED_NORMS, KEY_VALUE, "true=true|false=" },
	{ "model.use_liger", FIELD_FUSED_GATE, KEY_VALUE, "true=true|false=" },
	{ "model.enable_activation_offload", FIELD_AC_OFFLOAD, KEY_VALUE, NULL },
	{ "model.fsdp_config.model_dtype", FIELD_MASTER_DTYPE, KEY_VALUE,
	  "bf16=bfloat16|bfloat16=bfloat16|fp32=float32|float32=float32|fp16=" },
};

static const struct key_row fsdp_rows[] = {
	{ "actor_rollout_ref.actor.fsdp_config.fsdp_size", FIELD_DP_SHARD, KEY_VALUE, NULL },
	{ "actor_rollout_ref.actor.fsdp_config.reshard_after_forward", FIELD_RESHARD_AFTER_FORWARD,
	  KEY_VALUE, "true=always|false=never" },
	{ "actor_rollout_ref.model.enable_gradient_checkpointing", FIELD_AC_MODE, KEY_VALUE,
	  "true=full|false=none" },
	/* losses of the trainer are made of logits, whatever Liger's kernels of layers are */
	{ "actor_rollout_ref.model.use_liger", FIELD_FUSED_NORMS, KEY_VALUE, "true=true|false=" },
	{ "actor_rollout_ref.model.use_liger", FIELD_FUSED_GATE, KEY_VALUE, "true=true|false=" },
	{ "actor_rollout_ref.model.enable_activation_offload", FIELD_AC_OFFLOAD, KEY_VALUE, NULL },
	/* verl/utils/experimental/torch_functional.py, FusedLinearForPPO */
	{ "actor_rollout_ref.model.use_fused_kernels", FIELD_LOSS_KIND, KEY_VALUE,
	  "true=recomputed|false=" },
	{ "actor_rollout_ref.actor.fsdp_config.model_dtype", FIELD_MASTER_DTYPE, KEY_VALUE,
	  "bf16=bfloat16|bfloat16=bfloat16|fp32=float32|float32=float32|32=float32|fp16=|float16=|"
	  "16=" },
};

/* Of the actor under FSDP (fsdp_workers.py, _build_model_optimizer), and under Megatron
 * (verl/utils/megatron_utils.py, get_model). */
static const struct key_row actor_rows[] = {
	{ "actor_rollout_ref.actor.optim.optimizer", FIELD_OPTIMIZER_NAME, KEY_VALUE, NULL },
	{ "actor_rollout_ref.model.override_config.attn_implementation", FIELD_KERNELS, KEY_VALUE,
	  NULL },
	{ "actor_rollout_ref.actor.fsdp_config.mixed_precision.param_dtype", FIELD_PARAM_DTYPE,
	  KEY_VALUE, TYPES },
	{ "actor_rollout_ref.actor.fsdp_config.mixed_precision.reduce_dtype", FIELD_REDUCE_DTYPE,
	  KEY_VALUE, TYPES },
};

static const struct key_row mcore_rows[] = {
	{ "actor_rollout_ref.actor.optim.optimizer", FIELD_OPTIMIZER_NAME, KEY_VALUE, NULL },
	{ "actor_rollout_ref.actor.megatron.override_ddp_config.grad_reduce_in_fp32",
	  FIELD_REDUCE_DTYPE, KEY_VALUE, "true=float32|false=bfloat16" },
	{ "actor_rollout_ref.actor.megatron.override_ddp_config.overlap_grad_reduce",
	  FIELD_OVERLAP_GRAD_REDUCE, KEY_VALUE, NULL },
	/* verl/utils/megatron/optimizer.py */
	{ "actor_rollout_ref.actor.optim.override_optimizer_config.optimizer_cpu_offload",
	  FIELD_OPTIMIZER_OFFLOAD, KEY_VALUE, "true=1|false=0" },
};

#define FUSED_BACKEND "actor_rollout_ref.model.fused_kernel_options.impl_backend"

/* Of FSDP2 alone: an actor under FSDP1 is never offloaded (verl/workers/fsdp_workers.py). */
static const struct key_row offload_row = { "actor_rollout_ref.actor.fsdp_config.offload_policy",
					    FIELD_CPU_OFFLOAD, KEY_VALUE, NULL };

/* Ranks of Ulysses under FSDP: the actor's, or those of either trainer of supervised training. */
static const struct key_row ulysses_rows[] = {
	{ "actor_rollout_ref.actor.ulysses_sequence_parallel_size", FIELD_ULYSSES, KEY_POSITIVE,
	  NULL },
	{ "actor_rollout_ref.actor.fsdp_config.ulysses_sequence_parallel_size", FIELD_ULYSSES,
	  KEY_POSITIVE, NULL },
	{ "engine.ulysses_sequence_parallel_size", FIELD_ULYSSES, KEY_POSITIVE, NULL },
	{ "ulysses_sequence_parallel_size", FIELD_ULYSSES, KEY_POSITIVE, NULL },
};

static const char *const actor_path = "actor_rollout_ref.actor.";

static const struct node *of_actor(const struct node *root, struct arena *arena, const char *key)
{
	return node_find(root, arena_join(arena, actor_path, key, ""));
}

/* The engine that trains the actor: "fsdp", "fsdp2", "megatron", ...; NULL when it is open. */
static const char *strategy_of(const struct node *root)
{
	const struct node *node = node_find(root, "actor_rollout_ref.actor.strategy");

	if (!node)
		node = node_find(root, "groups.model_engine");
	if (!node && node_find(root, "actor_rollout_ref.actor.megatron"))
		return "megatron";
	if (!node || node->kind != NODE_SCALAR || node->type == SCALAR_NULL ||
	    !strcmp(node->text, "dp")) /* the group model_engine's word for it */
		return "fsdp";
	return node->unresolved ? NULL : node->text;
}

static bool by_fsdp(const struct node *root)
{
	const char *strategy = strategy_of(root);

	return strategy && text_starts(strategy, "fsdp") &&
	       strcmp(keys_text(root, "groups.engine", "fsdp"), "megatron") != 0;
}

/* A default of ppo_trainer.yaml, where the command line says nothing. */
static void put_default(struct decoder *decoder, enum field_id id, int64_t value)
{
	if (settings_of(decoder->settings, id)->origin == ORIGIN_UNSET)
		keys_default(decoder, id, value, "verl's ppo_trainer.yaml");
}

/* Supervised training: the launcher's ranks, and no rollout. */
static bool is_sft(const struct node *root)
{
	return !node_member(root, "actor_rollout_ref");
}

/*
 * FSDPActorConfig.__post_init__: the actor's key above 1 is put over the engine's, which workers
 * before v0.8.0 do not read.
 */
static const struct key_row *ulysses_row(const struct document *document)
{
	const struct node *root = document->root;
	const struct node *own = node_find(root, ulysses_rows[0].path), *engine;

	if (is_sft(root))
		return &ulysses_rows[node_member(root, "engine") ? 2 : 3];
	if ((own && (own->unresolved || own->integer != 1)) || !verl_by_engines(document))
		return &ulysses_rows[0];
	engine = node_find(root, ulysses_rows[1].path);
	return &ulysses_rows[engine && strcmp(engine->text ? engine->text : "", "1") ? 1 : 0];
}

/*
 * create_device_mesh: (ddp, fsdp) when fsdp_size is a part of the world, else one axis over all
 * (verl/workers/engine/fsdp/utils.py). A remainder is dropped there, and nothing is printed.
 */
/* What fsdp_size leaves of the world, and what it is where it is no part of that. */
static void settle_shards(const struct document *document, struct decoder *decoder)
{
	struct settings *settings = decoder->settings;
	struct setting *shard = settings_of(settings, FIELD_DP_SHARD);
	int64_t world = verl_ranks(document, settings), size;

	if (setting_unresolved(settings, FIELD_DP_SHARD))
		return;
	size = setting_given(shard) && setting_known(shard) ? shard->integer : -1;
	if (!world)
		return;
	if (size < 0 && document->task) {
		keys_default(decoder, FIELD_DP_SHARD, -1, "fsdp_size -1: over all ranks");
	} else if (size < 0 || size >= world) {
		keys_derive(decoder, FIELD_DP_SHARD, world, setting_given(shard) ? shard : NULL,
			    "fsdp_size -1: over all ranks");
		keys_default(decoder, FIELD_DP_REPLICATE, 1,
			     "fsdp_size is not a part of the world");
	} else if (size > 0) {
		keys_derive(decoder, FIELD_DP_REPLICATE, world / size, shard,
			    "what fsdp_size leaves of the world");
	}
}

static void settle_fsdp(const struct document *document, struct decoder *decoder)
{
	struct settings *settings = decoder->settings;

	keys_put(decoder, document->root, fsdp_rows, sizeof(fsdp_rows) / sizeof(fsdp_rows[0]));
	if (setting_known(settings_of(settings, FIELD_LOSS_KIND)) &&
	    !strcmp(keys_text(document->root, FUSED_BACKEND, "torch"), "torch"))
		keys_default(decoder, FIELD_LOSS_TOKENS, 512, "verl's FusedLinearForPPO");
	keys_put(decoder, document->root, ulysses_row(document), 1);
	if (verl_reduces_last(document))
		settings_put_bool(settings, FIELD_REDUCE_EACH, false, ORIGIN_DEFAULT)->note =
			"verl's engines";
	settings_put_text(settings, FIELD_ENGINE, "fsdp", ORIGIN_DEFAULT)->note = "verl's FSDP";
	if (settings_of(settings, FIELD_KERNELS)->origin == ORIGIN_UNSET) /* config/model.py */
		settings_put_text(settings, FIELD_KERNELS, "flash_attention_2", ORIGIN_DEFAULT)
			->note = "verl";
	if ((document->shell || !is_sft(document->root)) &&
	    settings_of(settings, FIELD_AC_MODE)->origin == ORIGIN_UNSET)
		settings_put_text(settings, FIELD_AC_MODE, "full", ORIGIN_DEFAULT)->note =
			"verl's hf_model.yaml";
	settle_shards(document, decoder);
}

/*
 * Megatron-FSDP shares everything unless DDP's config says otherwise
 * (verl-project/verl@1dda039b verl/utils/megatron_utils.py, make_megatron_module).
 */
static struct node *sharing_of(struct arena *arena, const struct node *block)
{
	static const char key[] = "data_parallel_sharding_strategy";
	const struct node *given = node_member(node_member(block, "override_ddp_config"), key);
	struct node *strategy;

	if (given || !keys_true(block, "use_megatron_fsdp"))
		return given ? node_copy(arena, given) : NULL;
	strategy = node_copy(arena, node_member(block, "use_megatron_fsdp"));
	strategy->key = key;
	strategy->type = SCALAR_STRING;
	strategy->text = "optim_grads_params";
	return strategy;
}

/* The engine's own keys, and those of TransformerConfig that override it, as one map. */
static struct node *megatron_map(struct arena *arena, const struct node *root)
{
	const struct node *block = of_actor(root, arena, "megatron"), *child;
	const struct node *more = node_member(block, "override_transformer_config");
	struct node *map = node_container(arena, NODE_MAP, root->span), *copy;

	copy = sharing_of(arena, block);
	if (copy)
		node_append(map, copy);

	for (child = more && more->kind == NODE_MAP ? more->first : NULL; child;
	     child = child->next) {
		copy = node_copy(arena, child);
		node_append(map, copy);
		copy->parent = child->parent;
	}
	for (child = block && block->kind == NODE_MAP ? block->first : NULL; child;
	     child = child->next) {
		if (child->kind == NODE_MAP)
			continue;
		copy = node_copy(arena, child);
		node_append(map, copy);
		copy->parent = child->parent;
	}
	return map;
}

/* Defaults of McoreEngineConfig (verl/workers/config/engine.py), which Megatron-LM has not. */
static void settle_mcore(struct decoder *decoder, const struct node *map)
{
	static const struct megatron_habits habits = { .whose = "verl" };
	static const struct {
		const char *name;
		enum field_id field;
	} switches[] = { { "use_distributed_optimizer", FIELD_OPTIMIZER_DISTRIBUTED },
			 { "sequence_parallel", FIELD_SEQUENCE_PARALLEL } };
	size_t i;

	megatron_settle(decoder, map, &habits);
	for (i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
		if (!megatron_argument(map, switches[i].name))
			settings_put_bool(decoder->settings, switches[i].field, true,
					  ORIGIN_DEFAULT)
				->note = "verl's engine/megatron.yaml";
}

/* Each sequence is padded to whole parts for tp and cp (verl/models/mcore/util.py). */
static void pad_length(struct decoder *decoder)
{
	struct setting *length = settings_of(decoder->settings, FIELD_SEQ_LEN);
	const int64_t cp = setting_int(decoder->settings, FIELD_CP, 1);
	const int64_t unit =
		multiply(setting_int(decoder->settings, FIELD_TP, 1), cp > 1 ? multiply(2, cp) : 1);

	if (length->origin == ORIGIN_DERIVED && unit > 1 && length->integer % unit)
		keys_derive(decoder, FIELD_SEQ_LEN,
			    multiply((length->integer - 1) / unit + 1, unit), length,
			    "the lengths of prompt and answer, padded for tp and cp");
}

static void settle_megatron(const struct document *document, struct decoder *decoder)
{
	settle_mcore(decoder, megatron_map(decoder->arena, document->root));
	keys_put(decoder, document->root, mcore_rows, sizeof(mcore_rows) / sizeof(mcore_rows[0]));
	verl_uncounted(decoder, document->root, true);
	pad_length(decoder);
	settings_put_text(decoder->settings, FIELD_ENGINE, "megatron", ORIGIN_DEFAULT)->note =
		"actor_rollout_ref.actor.strategy";
	open_axis_fill(document, decoder);
}

/* verl.trainer.sft_trainer has one engine for all; the older fsdp_sft_trainer only shares. */
static void settle_sft(struct document *document, struct decoder *decoder)
{
	const struct node *root = document->root;
	const char *strategy =
		keys_text(root, "engine.strategy", keys_text(root, "model.strategy", "fsdp"));
	const char *engine = keys_text(root, "groups.engine",
				       words_have("fsdp|fsdp2", strategy) ? "fsdp" : strategy);

	keys_put(decoder, root, batch_rows, sizeof(batch_rows) / sizeof(batch_rows[0]));
	verl_put_padding(decoder, root, "use_remove_padding");
	if (!strcmp(engine, "megatron") && node_member(root, "engine")) {
		settle_mcore(decoder, node_member(root, "engine"));
	} else if (strcmp(engine, "fsdp") != 0) {
		verl_engine(document, decoder, engine, "engine");
		return;
	}
	settings_put_text(decoder->settings, FIELD_ENGINE, engine, ORIGIN_DEFAULT)->note =
		"verl's supervised training";
	if (strcmp(engine, "fsdp") != 0) {
		open_axis_fill(document, decoder);
		return;
	}
	keys_put(decoder, root, ulysses_row(document), 1);
	if (document->shell &&
	    settings_of(decoder->settings, FIELD_AC_MODE)->origin == ORIGIN_UNSET)
		settings_put_text(decoder->settings, FIELD_AC_MODE, "full", ORIGIN_DEFAULT)->note =
			"verl's sft_trainer.yaml";
	/* fsdp_sft_trainer.py: CPUOffload where both say so; of FSDP2 it is an object that is none
	 */
	if (keys_true(root, "model.fsdp_config.cpu_offload") &&
	    keys_true(root, "model.fsdp_config.offload_params"))
		settings_put_bool(decoder->settings, FIELD_CPU_OFFLOAD, true, ORIGIN_DERIVED)
			->note = "model.fsdp_config.cpu_offload and offload_params";
	settings_put_text(decoder->settings, FIELD_FSDP_VERSION,
			  strcmp(strategy, "fsdp2") ? "1" : "2", ORIGIN_DEFAULT);
	if (document->shell && document->launch && document->launch->world)
		keys_derive(decoder, FIELD_DP_SHARD, verl_ranks(document, decoder->settings), NULL,
			    "shared over all ranks of the launcher");
}

/* True for programs and files of supervised training, not for parts of configs. */
static bool trains(const struct document *document)
{
	const struct node *root = document->root;

	return document->shell || node_find(root, "trainer.n_gpus_per_node");
}

/*
 * The actor's; of supervised training verl-project/verl@b178a3cd fsdp_sft_trainer.py's and, for
 * sft_trainer.py, config/model/hf_model.yaml's. A path whose last part is known names the model,
 * whatever the folder.
 */
static const struct node *model_of(struct arena *arena, const struct node *root)
{
	static const char *const paths[] = { "actor_rollout_ref.model.path",
					     "model.partial_pretrain", "model.path" };
	const struct node *node = NULL;
	struct node *copy;
	const char *slash;
	size_t i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]) && !node; i++)
		node = node_find(root, paths[i]);
	slash = node && node->kind == NODE_SCALAR ? strrchr(node->text, '/') : NULL;
	if (!slash || !node->unresolved || strchr(slash, '$'))
		return node;
	copy = arena_new(arena, struct node);
	*copy = *node;
	copy->unresolved = NULL;
	return copy;
}

/* The engine that an absent parent brings along, when all of them are verl's own roots. */
static const char *of_parents(const struct document *document)
{
	const char *engine = "fsdp";
	size_t i;

	for (i = 0; i < document->absent.count; i++) {
		const char *path = document->absent.items[i];
		if (text_ends(path, "ppo_megatron_trainer.yaml"))
			engine = "megatron";
		else if (!text_ends(path, "ppo_trainer.yaml"))
			return NULL;
	}
	return engine;
}

static void settle_actor(struct document *document, struct decoder *decoder)
{
	const char *strategy = strategy_of(document->root);

	if (document->absent.count && !of_actor(document->root, decoder->arena, "strategy"))
		strategy = of_parents(document);
	if (!strategy)
		return;
	if (!strcmp(strategy, "megatron")) {
		settle_megatron(document, decoder);
	} else if (!strcmp(strategy, "fsdp") || !strcmp(strategy, "fsdp2")) {
		settings_put_text(decoder->settings, FIELD_FSDP_VERSION,
				  strcmp(strategy, "fsdp2") ? "1" : "2", ORIGIN_DEFAULT)
			->note = "actor_rollout_ref.actor.strategy";
		if (!strcmp(strategy, "fsdp2"))
			keys_put(decoder, document->root, &offload_row, 1);
		keys_put(decoder, document->root, actor_rows,
			 sizeof(actor_rows) / sizeof(actor_rows[0]));
		verl_uncounted(decoder, document->root, false);
		settle_fsdp(document, decoder);
	} else {
		verl_engine(document, decoder, strategy, "actor_rollout_ref.actor.torchtitan");
	}
}

/* A rank above 0, or adapters to go on from (fsdp_workers.py); Megatron has a map of its own. */
static void put_tuner(struct decoder *decoder, const struct node *root)
{
	static const char *const paths[] = {
		"model.lora_rank",
		"actor_rollout_ref.model.lora_rank",
		"actor_rollout_ref.model.lora_adapter_path",
		"actor_rollout_ref.model.lora.rank",
	};
	size_t i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		keys_put_word(decoder, FIELD_TUNER, root, paths[i], "lora");
}

void verl_settle(struct document *document, struct settings *settings, struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const struct node *root = document->root;

	keys_choose(&decoder, root, choices, sizeof(choices) / sizeof(choices[0]));
	keys_put(&decoder, root, rows, sizeof(rows) / sizeof(rows[0]));
	verl_judge_overrides(document, findings);
	verl_numbers(&decoder, root);
	put_tuner(&decoder, root);
	if (document->launch)
		launch_settle(document->launch, document->arena, settings);
	if (is_sft(root)) {
		if (trains(document)) {
			settle_sft(document, &decoder);
			hf_model_put(&decoder, document, model_of(document->arena, root));
		}
		return;
	}
	if (document->shell) {
		put_default(&decoder, FIELD_CLUSTER_NODES, 1);
		put_default(&decoder, FIELD_CLUSTER_GPUS_PER_NODE, 8);
	}
	verl_refusals(document, &decoder);
	put_default(&decoder, FIELD_ROLLOUT_TP, 2);
	verl_steps(document, &decoder);
	settle_actor(document, &decoder);
	verl_mini_batch(document, &decoder);
	verl_dynamic_batch(document, &decoder);
	hf_model_put(&decoder, document, model_of(document->arena, root));
}

/* McoreEngineConfig, and what its transformer's config overrides. */
static const struct megatron_section sections[] = {
	{ "actor_rollout_ref.actor.megatron",
	  { megatron_degree_names, "use_distributed_optimizer" } },
	{ "actor_rollout_ref.actor.megatron.override_transformer_config",
	  { megatron_transformer_names } },
};

void verl_vocabulary(struct vocabulary *vocabulary)
{
	vocabulary_guarded(vocabulary, "", rows, sizeof(rows) / sizeof(rows[0]));
	vocabulary_guarded(vocabulary, "", batch_rows, sizeof(batch_rows) / sizeof(batch_rows[0]));
	vocabulary_guarded(vocabulary, "", fsdp_rows, sizeof(fsdp_rows) / sizeof(fsdp_rows[0]));
	verl_offer_steps(vocabulary);
	vocabulary_rows(vocabulary, "", &offload_row, 1);
	if (vocabulary->document && by_fsdp(vocabulary->document->root))
		vocabulary_rows(vocabulary, "", ulysses_row(vocabulary->document), 1);
	megatron_vocabulary_in(vocabulary, sections, sizeof(sections) / sizeof(sections[0]));
	verl_offer_engines(vocabulary);
	verl_offer(vocabulary);
	if (vocabulary->document && verl_is_dynamic(vocabulary->document->root)) {
		vocabulary_drop(vocabulary, FIELD_MICRO_BATCH_SIZE); /* it follows these */
		vocabulary_drop(vocabulary, FIELD_ULYSSES);
		vocabulary_drop(vocabulary, FIELD_CP);
	}
	if (!vocabulary->document || !trains(vocabulary->document) ||
	    !is_sft(vocabulary->document->root))
		return;
	/* who shares and when it lets go is said by the actor's keys alone */
	vocabulary_drop(vocabulary, FIELD_DP_SHARD);
	vocabulary_drop(vocabulary, FIELD_DP_REPLICATE);
	vocabulary_drop(vocabulary, FIELD_RESHARD_AFTER_FORWARD);
}
