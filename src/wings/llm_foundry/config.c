#include "base/number.h"
#include "input/settings/uncounted.h"
#include "input/document.h"
#include "input/settings/hf_model.h"
#include "input/compose/interpolation.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "input/vocabulary.h"

#include <string.h>

/*
 * llm-foundry's YAML for composer (mosaicml/llm-foundry@8c8dd48f llmfoundry/utils/config_utils.py),
 * by itself or below `parameters:` of what mcli sends to MosaicML's platform.
 */

#define PRECISIONS                                                                                 \
	"amp_bf16=bfloat16|bf16=bfloat16|amp_fp16=float16|fp16=float16|fp32=float32|"              \
	"amp_fp8=bfloat16"

static const struct key_row rows[] = {
	{ "max_seq_len", FIELD_SEQ_LEN, KEY_VALUE, NULL },
	{ "global_train_batch_size", FIELD_GLOBAL_BATCH_SIZE, KEY_VALUE, NULL },
	{ "device_train_microbatch_size", FIELD_MICRO_BATCH_SIZE, KEY_VALUE, "auto=" },
	{ "precision", FIELD_PARAM_DTYPE, KEY_VALUE, PRECISIONS },
	{ "precision", FIELD_MATMUL_DTYPE, KEY_VALUE,
	  "amp_fp8=fp8|amp_bf16=|bf16=|amp_fp16=|fp16=|fp32=" },
	{ "fsdp_config.data_parallel_shard_degree", FIELD_DP_SHARD, KEY_VALUE, NULL },
	{ "fsdp_config.data_parallel_replicate_degree", FIELD_DP_REPLICATE, KEY_VALUE, NULL },
	{ "fsdp_config.sharding_strategy", FIELD_SHARDING_MODE, KEY_VALUE, NULL },
	{ "fsdp_config.activation_checkpointing", FIELD_AC_MODE, KEY_VALUE,
	  "true=full|false=none" },
	{ "fsdp_config.activation_cpu_offload", FIELD_AC_OFFLOAD, KEY_VALUE, NULL },
	{ "fsdp_config.cpu_offload", FIELD_CPU_OFFLOAD, KEY_VALUE, NULL },
	{ "optimizer.name", FIELD_OPTIMIZER_NAME, KEY_VALUE, NULL },
	{ "tp_config.tensor_parallel_degree", FIELD_TP, KEY_VALUE, NULL },
	{ "model.ffn_config.moe_world_size", FIELD_EP, KEY_VALUE, NULL },
	{ "model.ffn_config.moe_num_experts", FIELD_MODEL_MOE_EXPERTS, KEY_VALUE, NULL },
	{ "model.ffn_config.moe_top_k", FIELD_MODEL_MOE_TOPK, KEY_VALUE, NULL },
	{ "model.n_layers", FIELD_MODEL_LAYERS, KEY_VALUE, NULL },
	{ "model.d_model", FIELD_MODEL_HIDDEN, KEY_VALUE, NULL },
	{ "model.n_heads", FIELD_MODEL_HEADS, KEY_VALUE, NULL },
	{ "model.attn_config.attn_impl", FIELD_KERNELS, KEY_VALUE, NULL },
	{ "model.attn_config.kv_n_heads", FIELD_MODEL_KV_HEADS, KEY_VALUE, NULL },
	{ "model.vocab_size", FIELD_MODEL_VOCAB, KEY_VALUE, NULL },
	{ "model.tie_word_embeddings", FIELD_MODEL_TIED_EMBEDDINGS, KEY_VALUE, NULL },
};

/* llmfoundry/models/utils/config_defaults.py, llmfoundry/callbacks; mosaicml/composer@640518880
 * composer/distributed; the last where activations are computed again. */
static const struct uncounted_row uncounted[] = {
	{ "device_train_microbatch_size=auto", "as many sequences as memory takes are tried" },
	{ "model.attn_config.sliding_window_size>0", "attention sees a window of tokens" },
	{ "fsdp_config.keep_low_precision_grads", "gradients stay in the lower precision" },
	{ "fsdp_config.te_shard_fp8_weight", "weights are gathered in 8 bits" },
	{ "fsdp_config.mixed_precision=full", "parameters are gathered in fp32" },
	{ "callbacks.layer_freezing", "some layers are not trained" },
	{ "fsdp_config.activation_checkpointing_target", "what is computed again is said by name" },
};

/* Fields of TrainConfig and EvalConfig. */
static const char *const known[] = {
	"accumulate_train_batch_on_tokens",
	"algorithms",
	"autoresume",
	"callbacks",
	"code_paths",
	"compile_config",
	"console_log_interval",
	"cuda_load_lazy",
	"device_eval_batch_size",
	"device_train_batch_size",
	"device_train_grad_accum",
	"device_train_microbatch_size",
	"dist_timeout",
	"eval_first",
	"eval_gauntlet",
	"eval_gauntlet_str",
	"eval_interval",
	"eval_loader",
	"eval_loaders",
	"eval_subset_num_batches",
	"expandable_segments",
	"flatten_metadata",
	"fsdp_config",
	"global_train_batch_size",
	"icl_seq_len",
	"icl_subset_num_batches",
	"icl_tasks",
	"icl_tasks_str",
	"load_ignore_keys",
	"load_path",
	"load_strict_model_weights",
	"load_weights_only",
	"log_config",
	"log_to_console",
	"loggers",
	"max_duration",
	"max_seq_len",
	"max_split_size_mb",
	"metadata",
	"model",
	"models",
	"n_gpus",
	"only_composer_checkpoint",
	"only_hf_checkpoint",
	"optimizer",
	"precision",
	"profiler",
	"progress_bar",
	"python_log_level",
	"run_name",
	"save_filename",
	"save_folder",
	"save_ignore_keys",
	"save_interval",
	"save_latest_filename",
	"save_num_checkpoints_to_keep",
	"save_overwrite",
	"save_weights_only",
	"scheduler",
	"seed",
	"spin_dataloaders",
	"tokenizer",
	"tp_config",
	"train_loader",
	"variables",
};

/* What train.py reads: the file, or what mcli hands on of it. */
static struct node *parameters_of(const struct document *document)
{
	struct node *inner = node_member(document->root, "parameters");

	return inner && inner->kind == NODE_MAP ? inner : document->root;
}

static int foundry_detect(const struct document *document)
{
	static const char *const names[] = { "fsdp_config",
					     "train_loader",
					     "device_train_microbatch_size",
					     "device_train_grad_accum",
					     "icl_tasks",
					     "eval_gauntlet",
					     "device_eval_batch_size" };
	const struct node *root = parameters_of(document);
	int found = 0;
	size_t i;

	if (!node_member(root, "max_seq_len") && !node_find(root, "variables.max_seq_len"))
		return 0;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		found += node_member(root, names[i]) != NULL;
	return found ? 75 : 0;
}

static void foundry_compose(struct document *document, struct findings *findings)
{
	interpolate_omegaconf(document, parameters_of(document), NULL, findings);
}

/* Without fsdp_config composer wraps the model in DDP; NO_SHARD repeats it as well. */
static void put_axes(struct decoder *decoder, const struct node *root)
{
	const char *mode = setting_text(decoder->settings, FIELD_SHARDING_MODE, "FULL_SHARD");
	const struct node *fsdp = node_member(root, "fsdp_config");

	if (!fsdp || fsdp->kind != NODE_MAP || !strcmp(mode, "NO_SHARD")) {
		keys_default(decoder, FIELD_DP_SHARD, 1, "composer without FSDP");
		keys_default(decoder, FIELD_DP_REPLICATE, -1, "composer without FSDP is DDP");
		return;
	}
	if (!setting_given(settings_of(decoder->settings, FIELD_DP_SHARD)))
		keys_default(decoder, FIELD_DP_SHARD, -1, "composer's default");
	settings_put_text(decoder->settings, FIELD_FSDP_VERSION, "1", ORIGIN_DEFAULT)->note =
		"composer's FSDP1";
	settings_put_text(decoder->settings, FIELD_ENGINE, "fsdp", ORIGIN_DEFAULT);
}

/* compute.gpus counts the devices of all nodes; with them the open axis is known. */
static void put_compute(struct decoder *decoder, const struct document *document)
{
	const struct node *now = node_find(document->root, "compute.gpus");
	const struct node *gpus = now ? now : node_member(document->root, "gpu_num");
	const struct setting *world = gpus ? field_put(decoder, FIELD_WORLD, gpus) : NULL;
	const struct settings *settings = decoder->settings;
	int64_t others = multiply(setting_int(settings, FIELD_TP, 1),
				  setting_int(settings, FIELD_DP_REPLICATE, 1));

	if (!world || !setting_known(world) || document->overrides->world || others < 1 ||
	    setting_int(settings, FIELD_DP_SHARD, 0) != -1 || world->integer % others)
		return;
	keys_derive(decoder, FIELD_DP_SHARD, world->integer / others, world,
		    "compute.gpus over the other degrees");
}

/*
 * composer/trainer/trainer.py: torch.compile of the model where the key is; FSDP1's strategies;
 * gradients are reduced in fp32 unless precision is PURE (composer/distributed/
 * mosaic_parallelism.py).
 */
static void put_rest(struct decoder *decoder, const struct node *root)
{
	const char *types = keys_text(root, "fsdp_config.mixed_precision", "DEFAULT");
	const struct node *compile = node_member(root, "compile_config");
	const char *mode = setting_text(decoder->settings, FIELD_SHARDING_MODE, "");
	const bool again = keys_true(root, "fsdp_config.activation_checkpointing");

	if (compile && compile->kind == NODE_MAP)
		settings_put_bool(decoder->settings, FIELD_COMPILE, true, ORIGIN_DERIVED)->span =
			compile->span;
	if (words_have("SHARD_GRAD_OP|_HYBRID_SHARD_ZERO2", mode))
		settings_put_text(decoder->settings, FIELD_RESHARD_AFTER_FORWARD, "never",
				  ORIGIN_DERIVED)
			->note = mode;
	if (node_member(root, "fsdp_config") && words_have("DEFAULT|FULL|default|full", types))
		settings_put_text(decoder->settings, FIELD_REDUCE_DTYPE, "float32", ORIGIN_DEFAULT)
			->note = "composer's mixed_precision";
	uncounted_put(decoder, root, NULL, uncounted,
		      sizeof(uncounted) / sizeof(uncounted[0]) - !again);
}

/* MPTConfig's arguments and the model's own (llmfoundry/models/mpt); transformers' PretrainedConfig
 * keeps any other, and nobody reads it. */
static const char *const mpt_keys[] = {
	"name",
	"d_model",
	"n_heads",
	"n_layers",
	"head_dim",
	"expansion_ratio",
	"max_seq_len",
	"vocab_size",
	"resid_pdrop",
	"emb_pdrop",
	"learned_pos_emb",
	"attn_config",
	"ffn_config",
	"init_device",
	"logit_scale",
	"no_bias",
	"attention_bias",
	"embedding_fraction",
	"norm_type",
	"norm_eps",
	"use_cache",
	"init_config",
	"fc_type",
	"tie_word_embeddings",
	"use_pad_tok_in_ffn",
	"block_overrides",
	"final_logit_softcapping",
	"use_train_metrics",
	"additional_train_metrics",
	"loss_fn",
};

static const struct refusal refusal = {
	"llm-foundry", "ValueError: Unused parameters ['",
	"'] found in cfg. Please check your yaml to ensure these parameters are necessary. "
	"Please place any variables under the `variables` key.",
	NULL
};

static void foundry_settle(struct document *document, moment_t when, struct settings *settings,
			   struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const struct node *root = parameters_of(document);

	(void)when;
	keys_put(&decoder, root, rows, sizeof(rows) / sizeof(*rows));
	keys_optimizer(&decoder, node_member(root, "optimizer"));
	keys_put_word(&decoder, FIELD_TUNER, root, "model.peft_config", "lora");
	put_axes(&decoder, root);
	put_rest(&decoder, root);
	put_compute(&decoder, document);
	hf_model_put(&decoder, document, node_find(root, "model.pretrained_model_name_or_path"));
	keys_refused(&decoder, root, known, sizeof(known) / sizeof(*known), &refusal);
	if (!strcmp(keys_text(root, "model.name", ""), "mpt_causal_lm"))
		keys_near(&decoder, node_member(root, "model"), mpt_keys,
			  sizeof(mpt_keys) / sizeof(*mpt_keys), "llm-foundry", "keeps its default");
	keys_misspelt(&decoder, root, rows, sizeof(rows) / sizeof(*rows), "llm-foundry",
		      "keeps the default");
}

static void llm_foundry_vocabulary(struct vocabulary *vocabulary)
{
	vocabulary_guarded(vocabulary, "", rows, sizeof(rows) / sizeof(rows[0]));
	vocabulary_guarded(vocabulary, "parameters", rows, sizeof(rows) / sizeof(rows[0]));
	vocabulary_refused(vocabulary, "", known, sizeof(known) / sizeof(*known), &refusal);
}

const struct dialect dialect_llm_foundry = {
	.name = "llm-foundry",
	.summary = "llm-foundry's YAML for composer, also under mcli's parameters",
	.signs = "'max_seq_len' with 'fsdp_config', 'train_loader' or "
		 "'device_train_microbatch_size'",
	.framework = "llm-foundry",
	.as_of = "8c8dd48f",
	.command = COMMAND_WORDS,
	.detect = foundry_detect,
	.compose = foundry_compose,
	.vocabulary = llm_foundry_vocabulary,
	.settle = foundry_settle,
};
