#include "base/text.h"
#include "framework/wing.h"
#include "wings/axolotl/keys.h"
#include "wings/axolotl/says.h"
#include "wings/transformers/arguments.h"
#include "wings/transformers/data_parallel.h"
#include "wings/transformers/fsdp.h"
#include "wings/transformers/liger.h"
#include "wings/transformers/precision.h"
#include "wings/transformers/preference.h"
#include "input/document.h"
#include "input/field.h"
#include "input/settings/hf_model.h"
#include "input/settings/uncounted.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "input/launch/launch.h"
#include "input/node.h"
#include "input/vocabulary.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

/*
 * axolotl's YAML (axolotl-ai-cloud/axolotl@067b021c, src/axolotl/utils/schemas/config.py): degrees
 * are flat keys; what they leave of the world goes to FSDP when there is an fsdp_config, to
 * DeepSpeed when it names one, else to DDP.
 */

/* Of integrations/liger, where its plugin is named; one of both losses. */
static const struct key_row liger_rows[] = {
	{ "liger_cross_entropy", FIELD_LOSS_KIND, KEY_VALUE, "true=in_place|false=" },
	{ "liger_fused_linear_cross_entropy", FIELD_LOSS_KIND, KEY_VALUE, "true=fused|false=" },
	{ "liger_rms_norm", FIELD_FUSED_NORMS, KEY_VALUE, "true=true|false=" },
	{ "liger_swiglu", FIELD_FUSED_GATE, KEY_VALUE, "true=true|false=" }, /* up to 0.4 */
	{ "liger_glu_activation", FIELD_FUSED_GATE, KEY_VALUE, "true=true|false=" },
};

static const struct key_row rows[] = {
	{ "tensor_parallel_size", FIELD_TP, KEY_POSITIVE, NULL },
	{ "sequence_parallel_degree", FIELD_CP, KEY_POSITIVE, NULL }, /* its name up to 0.11 */
	{ "context_parallel_size", FIELD_CP, KEY_POSITIVE, NULL },
	/* all weights are trained where it is not there; validate_adapter refuses other words than
	 * these and those of plugins (axolotl@00564c8f src/axolotl/utils/schemas/peft.py) */
	{ "adapter", FIELD_TUNER, KEY_VALUE, "lora=lora|qlora=qlora|llama-adapter=llama-adapter" },
	{ "dp_shard_size", FIELD_DP_SHARD, KEY_POSITIVE, NULL },
	{ "dp_replicate_size", FIELD_DP_REPLICATE, KEY_POSITIVE, NULL },
	{ "expert_parallel_size", FIELD_EP, KEY_VALUE, NULL },
	{ "micro_batch_size", FIELD_MICRO_BATCH_SIZE, KEY_VALUE, NULL },
	{ "gradient_accumulation_steps", FIELD_GRADIENT_ACCUMULATION, KEY_VALUE, NULL },
	{ TRAINER_EACH_BATCH, FIELD_REDUCE_EACH, KEY_VALUE, NULL },
	{ "sequence_len", FIELD_SEQ_LEN, KEY_VALUE, NULL },
	{ "sample_packing", FIELD_PACKING, KEY_VALUE, "auto=" },
	{ "max_steps", FIELD_STEPS, KEY_POSITIVE, NULL },
	{ "max_grad_norm", FIELD_MAX_NORM, KEY_POSITIVE, NULL }, /* transformers' trainer */
	{ "flash_attention", FIELD_FLASH_ATTENTION, KEY_VALUE, "true=true|false=" },
	{ "eager_attention", FIELD_KERNELS, KEY_VALUE, "true=eager|false=" },
	{ "attn_implementation", FIELD_KERNELS, KEY_VALUE, NULL },
	{ "torch_compile", FIELD_COMPILE, KEY_VALUE, "auto=" },
	/* of its own kernels only with the flag (integrations/kernels/args.py) */
	{ "experts_implementation", FIELD_EXPERTS_BY, KEY_VALUE,
	  "eager=loop|grouped_mm=grouped|batched_mm=grouped|scattermoe=|sonicmoe=" },
	{ "use_scattermoe", FIELD_EXPERTS_BY, KEY_VALUE, "true=grouped|false=" },
	{ "use_sonicmoe", FIELD_EXPERTS_BY, KEY_VALUE, "true=grouped|false=" },
	{ "optimizer", FIELD_OPTIMIZER_NAME, KEY_VALUE, NULL },
	{ "fsdp_config.fsdp_version", FIELD_FSDP_VERSION, KEY_VALUE, NULL },
	{ "fsdp_version", FIELD_FSDP_VERSION, KEY_VALUE, NULL },
	{ "fsdp_config.fsdp_offload_params", FIELD_CPU_OFFLOAD, KEY_VALUE, NULL },
	{ "fsdp_config.offload_params", FIELD_CPU_OFFLOAD, KEY_VALUE, NULL },
	{ "fsdp_config.activation_checkpointing", FIELD_AC_MODE, KEY_VALUE,
	  "true=full|false=none" },
	{ "fsdp_config.fsdp_activation_checkpointing", FIELD_AC_MODE, KEY_VALUE,
	  "true=full|false=none" },
	{ "fp8", FIELD_FLOAT8_ENABLED, KEY_VALUE, NULL },
	{ "fp8_enable_fsdp_float8_all_gather", FIELD_FLOAT8_FSDP_ALL_GATHER, KEY_VALUE, NULL },
	{ "gradient_checkpointing", FIELD_AC_MODE, KEY_VALUE,
	  "true=full|false=none|offload=full|offload_disk=full|unsloth=full" },
	/* offload was its value up to 0.8; what waits is TRL's or unsloth's (core/trainers/mixins/
	 * activation_checkpointing.py, monkeypatch/gradient_checkpointing) */
	{ "gradient_checkpointing", FIELD_AC_OFFLOAD, KEY_VALUE,
	  "true=|false=|offload=true|offload_disk=true|unsloth=true" },
	{ "activation_offloading", FIELD_AC_OFFLOAD, KEY_VALUE,
	  "legacy=true|disk=true|offload_disk=true|hidden_states=true" },
	{ "fp16", FIELD_PARAM_DTYPE, KEY_VALUE, "true=float16|false=|auto=" },
	{ "bf16", FIELD_PARAM_DTYPE, KEY_VALUE,
	  "true=bfloat16|full=bfloat16|auto=bfloat16|false=" },
	{ "bfloat16", FIELD_PARAM_DTYPE, KEY_VALUE, "true=bfloat16|false=" },
};

/*
 * utils/schemas/enums.py, fsdp.py and trl.py: pydantic refuses others; adapters that it has not
 * (loaders/adapter.py, load_adapter) and plug-ins' optimizers come later.
 */
static const struct key_choice choices[] = {
	{ "rl", "dpo|gdpo|grpo|ipo|orpo|kto|simpo|ebft|kto_pair",
	  CHOICE_OPEN }, /* kto_pair: up to 0.4 */
	{ "adapter", "lora|qlora|llama-adapter|ia3", CHOICE_OPEN },
	{ "attn_implementation",
	  "eager|sdpa|flash_attention_2|flash_attention_3|flex_attention|xformers|sage|fp8",
	  CHOICE_OPEN },
	{ "fsdp_config.auto_wrap_policy", "TRANSFORMER_BASED_WRAP|SIZE_BASED_WRAP", CHOICE_CLOSED },
	{ "fsdp_config.fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP|SIZE_BASED_WRAP",
	  CHOICE_CLOSED },
	{ "fsdp_config.state_dict_type", "FULL_STATE_DICT|LOCAL_STATE_DICT|SHARDED_STATE_DICT",
	  CHOICE_CLOSED },
	{ "fsdp_config.fsdp_state_dict_type", "FULL_STATE_DICT|LOCAL_STATE_DICT|SHARDED_STATE_DICT",
	  CHOICE_CLOSED },
	{ "fsdp_final_state_dict_type", "FULL_STATE_DICT|LOCAL_STATE_DICT|SHARDED_STATE_DICT",
	  CHOICE_CLOSED },
	{ "trl.vllm_mode", "server|colocate", CHOICE_CLOSED },
	{ "optimizer",
	  TRAINER_OPTIMIZERS
	  "|optimi_adamw|ao_adamw_4bit|ao_adamw_8bit|ao_adamw_fp8|adopt_adamw|"
	  "came_pytorch|muon|dion|sinkgd|flash_adamw|flash_adam|flash_sgd|"
	  "flash_sgdw|flash_lion|q_galore_adamw8bit|lion_pytorch", /* up to 0.8 */
	  CHOICE_OPEN },
	{ "lr_scheduler", TRAINER_SCHEDULERS "|one_cycle|rex",
	  CHOICE_OPEN }, /* core/builders/base.py */
};

/* What the Trainer reads of fsdp_config (trainer_fsdp_strategy). */
static const struct key_row handed_rows[] = {
	{ "fsdp_config.fsdp_reshard_after_forward", FIELD_RESHARD_AFTER_FORWARD, KEY_VALUE,
	  "true=always|false=never" },
	{ "fsdp_config.reshard_after_forward", FIELD_RESHARD_AFTER_FORWARD, KEY_VALUE,
	  "true=always|false=never" },
};

#define ROWS(name) name, sizeof(name) / sizeof((name)[0])

/* axolotl-ai-cloud/axolotl@067b021c src/axolotl/utils/schemas/{config,integrations}.py. */
static const struct uncounted_row uncounted[] = {
	{ "tiled_mlp", "MLPs take parts of the tokens, one by one" },
	{ "layer_offloading", "layers wait in host memory" },
	{ "unfrozen_parameters", "other parameters are not trained" },
	{ "lisa_n_layers", "layers take turns in being trained" },
	{ "sage_attention", "attention is computed in 8 bits" },
	{ "qat", "weights are quantized as they are used" },
};

static int axolotl_detect(const struct document *document)
{
	static const char *const others[] = { "micro_batch_size", "sequence_len", "datasets",
					      "pretraining_dataset", "rl" };
	const struct node *root = document->root;
	size_t i;

	if (!node_member(root, "base_model"))
		return 0;
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (node_member(root, others[i]))
			return 78;
	return 0;
}

/* An empty list or map is as good as none: Python's bool(). */
static bool holds(const struct node *root, const char *key)
{
	const struct node *node = node_member(root, key);

	if (!node)
		return false;
	return node->kind == NODE_SCALAR ? node->type != SCALAR_NULL && *node->text : !!node->first;
}

/* What of a config makes axolotl use the flash_attn library, or attend across ranks without it
 * (utils/schemas/config.py:1527, enums.py:149, validation.py:1642). */
static void settle_attention(struct decoder *decoder, const struct node *root)
{
	const char *kernels = setting_text(decoder->settings, FIELD_KERNELS, "");
	const char *from = NULL;

	if (words_have("flash_attention_2|flash_attention_3|kernels-community/flash-attn2|"
		       "kernels-community/flash-attn3",
		       kernels))
		from = "attn_implementation";
	else if (keys_true(root, "use_glm_dsa_kernels"))
		from = "use_glm_dsa_kernels";
	else if (!*kernels && keys_true(root, "gemma4_hybrid_attn_impl"))
		from = "gemma4_hybrid_attn_impl";
	if (from)
		settings_put_bool(decoder->settings, FIELD_FLASH_ATTENTION, true, ORIGIN_DERIVED)
			->note = from;
	if (!*kernels && setting_bool(decoder->settings, FIELD_FLASH_ATTENTION, false))
		settings_put_text(decoder->settings, FIELD_KERNELS, "flash_attention_2",
				  ORIGIN_DERIVED)
			->note = "flash_attention";
}

/* batch_size is per device: what gradient_accumulation_steps would be follows from it. */
static void settle_batch(struct decoder *decoder, const struct node *root)
{
	const struct setting *micro = settings_of(decoder->settings, FIELD_MICRO_BATCH_SIZE);
	const struct node *said = node_member(root, "batch_size");
	int64_t batch = keys_int(root, "batch_size", 0);

	if (!said || !field_fits(FIELD_INT, said) || !setting_known(micro) || micro->integer < 1 ||
	    setting_given(settings_of(decoder->settings, FIELD_GRADIENT_ACCUMULATION)))
		return;
	if (batch < micro->integer) {
		finding_fix(decoder->findings,
			    finding_add(decoder->findings, &rule_out_of_range, said->span,
					"batch_size is per device: %" PRId64
					" sequences are less than one micro batch of %" PRId64,
					batch, micro->integer),
			    "give batch_size %" PRId64 ", or gradient_accumulation_steps instead",
			    micro->integer);
		return;
	}
	keys_derive(decoder, FIELD_GRADIENT_ACCUMULATION, batch / micro->integer, micro,
		    "batch_size // micro_batch_size");
}

/*
 * Plugins change the loss (integrations/liger/plugin.py; integrations/cut_cross_entropy, whose own
 * key is true unless it is false, and whose logits never leave the kernel); chunked_cross_entropy
 * takes parts of the logits that are all there (monkeypatch/loss/chunked.py), which is not known
 * here.
 */
static void settle_loss(struct decoder *decoder, const struct node *root)
{
	const struct node *chunked = node_member(root, "chunked_cross_entropy");
	const struct node *cut = node_member(root, "cut_cross_entropy");

	if (axolotl_has_plugin(root, ".LigerPlugin") && liger_has(decoder)) {
		keys_unquote(decoder->arena, root, ROWS(liger_rows));
		keys_put(decoder, root, ROWS(liger_rows));
	}
	if (axolotl_has_plugin(root, ".CutCrossEntropyPlugin") &&
	    (!cut || keys_true(root, "cut_cross_entropy")))
		settings_put_text(decoder->settings, FIELD_LOSS_KIND, "recomputed", ORIGIN_DERIVED)
			->span = cut ? cut->span : node_member(root, "plugins")->span;
	if (chunked && keys_true(root, "chunked_cross_entropy"))
		keys_leave_open(decoder, FIELD_LOSS_KIND, chunked, "chunked_cross_entropy");
}

/*
 * Which Trainer it has: each release pins transformers (4.57.1 in 0.13, 5.0.0 in 0.14, 5.4.0 in
 * 0.16, 5.14.1 in 0.18 and 067b021c), and hands `fsdp` and fsdp_config on (core/builders/base.py).
 * What 5.10 would take for a version where none is said counts for nothing: from 5ed506e7 on
 * (utils/schemas/validation.py:1118) axolotl writes 1 itself.
 */
static enum fsdp_reading reading_of(const struct document *document)
{
	if (trainer_pinned_below(document, "axolotl", 0, 14))
		return FSDP_OPEN;
	if (trainer_pinned_below(document, "axolotl", 0, 16))
		return FSDP_BOTH;
	return trainer_pinned_below(document, "axolotl", 0, 18) ? FSDP_LOST : FSDP_SECOND;
}

/* A strategy by its name or its number. */
static const char *strategy_named(const struct node *said)
{
	static const char *const names[] = { "FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD",
					     "HYBRID_SHARD", "_HYBRID_SHARD_ZERO2" };

	if (said->type == SCALAR_INT && said->integer >= 1 && said->integer <= 5)
		return names[said->integer - 1];
	return said->text;
}

/* One that fsdp_config names for FSDP1 (utils/trainer.py, setup_fsdp_envs; no version has read
 * one). */
static void report_unread(struct decoder *decoder, const struct node *root,
			  enum fsdp_reading reading)
{
	static const char *const paths[] = { "fsdp_config.fsdp_sharding_strategy",
					     "fsdp_config.sharding_strategy" };
	const char *applied = setting_text(decoder->settings, FIELD_SHARDING_MODE, "FULL_SHARD");
	const bool lost = reading >= FSDP_LOST;
	const struct node *said;
	struct finding *finding;
	size_t i;

	for (i = 0; decoder->findings && i < sizeof(paths) / sizeof(paths[0]); i++) {
		said = node_find(root, paths[i]);
		if (!said || said->kind != NODE_SCALAR ||
		    !strcasecmp(strategy_named(said), applied))
			continue;
		finding = finding_add(decoder->findings, &rule_strategy_ignored, said->span,
				      "nothing reads the %.40s of %s%s", strategy_named(said),
				      paths[i], lost ? "" : ": the words of fsdp decide");
		finding_requested(decoder->findings, finding, "%.40s", strategy_named(said));
		finding_actual(decoder->findings, finding, "%.40s", applied);
		finding_fix(decoder->findings, finding, "%s",
			    lost ? "give fsdp_version 2, dp_replicate_size and dp_shard_size"
				 : "name it in fsdp, as [hybrid_shard, auto_wrap]; or give "
				   "fsdp_version 2, dp_replicate_size and dp_shard_size");
	}
}

/*
 * utils/schemas/config.py and training.py@067b021c, whose classes refuse other kinds; the Trainer
 * takes the epochs (num_epochs) without max_steps, and peft@00336949 a rank from 1 on
 * (tuners/lora/layer.py, update_layer: `r` should be a positive integer value).
 */
static void judge_kinds(struct decoder *decoder, const struct node *root)
{
	static const struct key_kind kinds[] = {
		{ "datasets", KIND_LIST, NULL, NULL },
		{ "test_datasets", KIND_LIST, NULL, NULL },
		{ "plugins", KIND_LIST, NULL, NULL },
		{ "fsdp_config", KIND_MAP, NULL, NULL },
		{ "deepspeed", KIND_MAP_OR_FILE, NULL, NULL },
	};
	static const struct key_kind epochs = { "num_epochs", KIND_NUMBER, "0..",
						"the Trainer goes through no step" };
	static const struct key_kind rank = { "lora_r", KIND_NUMBER, "1..",
					      "peft raises a ValueError" };

	keys_kinds(decoder, root, ROWS(kinds));
	training_arguments_numbers(decoder, root, epochs.path);
	if (!holds(root, "max_steps") || keys_int(root, "max_steps", 1) < 1)
		keys_kinds(decoder, root, &epochs, 1);
	if (words_have("lora|qlora", keys_text(root, "adapter", "")))
		keys_kinds(decoder, root, &rank, 1);
}

/* utils/schemas/validation.py, check_fsdp_deepspeed; beside fsdp_config alone FSDP wins. */
static void refuse_both(struct decoder *decoder, const struct node *root)
{
	const struct node *fsdp = node_member(root, "fsdp");
	struct finding *finding;

	if (!decoder->findings || !holds(root, "fsdp") || !holds(root, "deepspeed"))
		return;
	finding = finding_add(decoder->findings, &rule_strategy_refused, fsdp->key_span,
			      "axolotl refuses fsdp beside deepspeed");
	finding_relate(decoder->findings, finding, node_member(root, "deepspeed")->key_span,
		       "deepspeed");
	finding_quote(decoder->findings, finding, "%s", AXOLOTL_BOTH->says.text);
	finding->speaker = "axolotl";
	finding_fix(decoder->findings, finding, "keep one of them");
}

/* utils/trainer.py, setup_fsdp_envs, where `fsdp` alone leads, too. */
static void refuse_alone(struct decoder *decoder, const struct node *root)
{
	const struct node *fsdp = node_member(root, "fsdp");
	struct finding *finding;

	if (!decoder->findings || !fsdp || !holds(root, "fsdp") || holds(root, "fsdp_config"))
		return;
	finding = finding_add(decoder->findings, &rule_strategy_refused, fsdp->key_span,
			      "axolotl stops at fsdp without fsdp_config, which it reads first");
	finding_quote(decoder->findings, finding, "%s", AXOLOTL_NO_MAP->says.text);
	finding->speaker = "axolotl";
	finding_fix(decoder->findings, finding,
		    "write fsdp_config instead: fsdp_version: 2 and auto_wrap_policy: "
		    "TRANSFORMER_BASED_WRAP");
}

/* dp_shard_size given: its replicas are what is left; else everything is shared. */
static void settle_fsdp(struct decoder *decoder, const struct node *root, enum fsdp_reading reading)
{
	bool shared;

	settings_put_text(decoder->settings, FIELD_ENGINE, "fsdp", ORIGIN_DEFAULT);
	if (!setting_given(settings_of(decoder->settings, FIELD_FSDP_VERSION)))
		settings_put_text(decoder->settings, FIELD_FSDP_VERSION, "1", ORIGIN_DEFAULT)
			->note = "axolotl's default";
	refuse_alone(decoder, root);
	refuse_both(decoder, root);
	shared = trainer_fsdp_strategy(decoder, root, reading, "dp_replicate_size");
	if (!strcmp(setting_text(decoder->settings, FIELD_FSDP_VERSION, "1"), "1"))
		report_unread(decoder, root, reading);
	if (shared)
		return;
	if (setting_given(settings_of(decoder->settings, FIELD_DP_SHARD)))
		data_parallel_repeats(decoder, "axolotl repeats what dp_shard_size leaves");
	else
		data_parallel_shards(decoder, "axolotl's fsdp_config shares what is left");
}

/*
 * The model is loaded in the type that is computed with: fp32 where bf16, which is on by default,
 * is turned off (utils/config/__init__.py@067b021c, resolve_dtype), and then by tf32 unless told
 * otherwise (utils/schemas/config.py, tf32: "auto").
 */
static void settle_precision(struct decoder *decoder, const struct node *root)
{
	static const char *const others[] = { "fp16", "float16", "bfloat16", "load_in_8bit" };
	const struct node *bf16 = node_member(root, "bf16");
	bool narrow =
		!bf16 || bf16->kind != NODE_SCALAR || bf16->type != SCALAR_BOOL || bf16->boolean;
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		narrow |= keys_true(root, others[i]);
	if (!narrow && !setting_given(settings_of(decoder->settings, FIELD_PARAM_DTYPE))) {
		settings_put_text(decoder->settings, FIELD_PARAM_DTYPE, "float32", ORIGIN_DERIVED)
			->span = bf16->span;
		if (!node_member(root, "tf32") || keys_true(root, "tf32") ||
		    !strcmp(keys_text(root, "tf32", ""), "auto"))
			settings_put_text(decoder->settings, FIELD_MATMUL_DTYPE, "tf32",
					  ORIGIN_DEFAULT)
				->note = "axolotl's tf32";
	}
	trainer_stores_bf16(decoder, "the type that axolotl loads models in");
}

/*
 * `rl` names a trainer of trl's (core/builders/rl.py@067b021c), reward_model one of rewards. For
 * DPO the model is loaded again as it was, log-probabilities computed before or not (train.py,
 * setup_reference_model); what is loaded so for others goes unused, and KTO's trainer loads its
 * own, in fp32 (trl@v1.8.0 trainer/utils.py, create_model_from_path). Log-probabilities are taken
 * of all logits at once but for ORPO and SimPO, which is not known here (selective_log_softmax).
 */
static void settle_objective(struct decoder *decoder, const struct node *root)
{
	const struct node *rl = node_member(root, "rl"), *reward;
	const bool liger = keys_true(root, "dpo_use_liger_kernel");
	struct preference preference = { .objective = keys_text(root, "rl", ""),
					 .asked = rl,
					 .at_once = true };

	if (*preference.objective) {
		preference.loaded =
			!strcmp(preference.objective, "kto")
				? "float32"
				: setting_text(decoder->settings, FIELD_PARAM_DTYPE, "bfloat16");
		preference.whole = words_have("dpo|ipo|kto", preference.objective) && !liger;
		preference.cached = words_have("dpo|ipo", preference.objective) &&
				    keys_true(root, "precompute_ref_log_probs");
		preference_put(decoder, &preference);
		return;
	}
	reward = node_member(root, keys_true(root, "process_reward_model") ? "process_reward_model"
									   : "reward_model");
	if (!reward || !keys_true(root, reward->key))
		return;
	preference.objective = strcmp(reward->key, "reward_model") ? "prm" : "rm";
	preference.asked = reward;
	preference_put(decoder, &preference);
}

/* Rows are filled up to sequence_len where pad_to_sequence_len says so (core/builders/causal.py),
 * and by documents that are laid end to end where they stream in (utils/data/streaming.py). */
static void settle_padding(struct decoder *decoder, const struct node *root)
{
	const struct setting *length = settings_of(decoder->settings, FIELD_SEQ_LEN);

	if (setting_known(length) && !setting_bool(decoder->settings, FIELD_PACKING, false) &&
	    (keys_true(root, "pad_to_sequence_len") || node_member(root, "pretraining_dataset")))
		keys_default(decoder, FIELD_PAD_TO_MULTIPLE, length->integer,
			     "rows are filled up to sequence_len");
}

static void axolotl_settle(struct document *document, moment_t when, struct settings *settings,
			   struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const struct node *root = document->root;

	(void)when;
	keys_unquote(document->arena, root, rows, sizeof(rows) / sizeof(rows[0]));
	keys_put(&decoder, root, rows, sizeof(rows) / sizeof(rows[0]));
	hf_model_put(&decoder, document, node_member(root, "base_model"));
	axolotl_keys_judge(&decoder, root);
	keys_choose(&decoder, root, ROWS(choices));
	judge_kinds(&decoder, root);
	settle_attention(&decoder, root);
	settle_loss(&decoder, root);
	settle_batch(&decoder, root);
	training_arguments_each_batch(document, &decoder, root);
	if (document->launch)
		launch_settle(document->launch, document->arena, settings);
	if (holds(root, "fsdp") || holds(root, "fsdp_config"))
		settle_fsdp(&decoder, root, reading_of(document));
	else if (holds(root, "deepspeed"))
		data_parallel_deepspeed(document, &decoder, node_member(root, "deepspeed"));
	else
		data_parallel_repeats(&decoder, "axolotl without fsdp_config or deepspeed: DDP");
	settle_precision(&decoder, root);
	uncounted_put(&decoder, root, NULL, ROWS(uncounted));
	settle_padding(&decoder, root);
	settle_objective(&decoder, root);
}

static enum field_id axolotl_field_of(const char *leaf)
{
	return keys_field_of(rows, sizeof(rows) / sizeof(*rows), leaf);
}

static void axolotl_vocabulary(struct vocabulary *vocabulary)
{
	vocabulary->converts = true;
	vocabulary_guarded(vocabulary, "", rows, sizeof(rows) / sizeof(rows[0]));
	vocabulary_rows(vocabulary, "", ROWS(liger_rows));
	vocabulary_rows(vocabulary, "", ROWS(handed_rows));
	axolotl_keys_vocabulary(vocabulary);
	vocabulary_choices(vocabulary, "", ROWS(choices));
	if (!training_arguments_read_each(vocabulary->document))
		vocabulary_drop(vocabulary, FIELD_REDUCE_EACH);
}

const struct dialect dialect_axolotl = {
	.name = "axolotl",
	.summary = "axolotl's YAML: FSDP, DeepSpeed or DDP over what the degrees leave",
	.signs = "'base_model' and 'micro_batch_size', 'sequence_len' or 'datasets'",
	.framework = "axolotl",
	.as_of = "067b021c",
	.command = COMMAND_SWITCHES,
	.detect = axolotl_detect,
	.field_of = axolotl_field_of,
	.vocabulary = axolotl_vocabulary,
	.settle = axolotl_settle,
};
