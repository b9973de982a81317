#include "base/text.h"
#include "framework/wing.h"
#include "wings/transformers/data_parallel.h"
#include "wings/transformers/liger.h"
#include "wings/transformers/fsdp.h"
#include "wings/oumi/says.h"
#include "wings/deepspeed/keys.h"
#include "input/document.h"
#include "input/settings/hf_model.h"
#include "input/compose/interpolation.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "input/launch/launch.h"
#include "input/node.h"
#include "input/vocabulary.h"
#include "wings/oumi/keys.h"
#include "wings/transformers/arguments.h"

#include <string.h>

/*
 * oumi's configs (oumi-ai/oumi@d8ed0777, src/oumi/core/configs): structured configs of OmegaConf,
 * which refuse keys they do not know. Training is sharded by FSDP when fsdp.enable_fsdp says so,
 * by DeepSpeed under deepspeed.enable_deepspeed, else repeated (DDP).
 */

static const struct key_row rows[] = {
	{ "model.model_max_length", FIELD_SEQ_LEN, KEY_VALUE, NULL },
	{ "model.torch_dtype_str", FIELD_MASTER_DTYPE, KEY_VALUE,
	  "bfloat16=bfloat16|float32=float32|bf16=bfloat16|fp32=float32|float16=|fp16=|half=|"
	  "auto=" },
	{ "model.attn_implementation", FIELD_KERNELS, KEY_VALUE, NULL },
	{ "training.use_peft", FIELD_TUNER, KEY_VALUE, "true=lora|false=" },
	{ "data.train.pack", FIELD_PACKING, KEY_VALUE, NULL },
	{ "training.per_device_train_batch_size", FIELD_MICRO_BATCH_SIZE, KEY_VALUE, NULL },
	{ "training.gradient_accumulation_steps", FIELD_GRADIENT_ACCUMULATION, KEY_VALUE, NULL },
	{ "training.max_steps", FIELD_STEPS, KEY_POSITIVE, NULL },
	{ "training.max_grad_norm", FIELD_MAX_NORM, KEY_POSITIVE, NULL },
	{ "training.optimizer", FIELD_OPTIMIZER_NAME, KEY_VALUE, NULL },
	{ "training.compile", FIELD_COMPILE, KEY_VALUE, NULL },
	{ "training.enable_gradient_checkpointing", FIELD_AC_MODE, KEY_VALUE,
	  "true=full|false=none" },
	{ "training.mixed_precision_dtype", FIELD_PARAM_DTYPE, KEY_VALUE,
	  "bf16=bfloat16|fp16=float16|no=" },
	/* core/configs/training_config.py: the Trainer's use_liger_kernel */
	{ "model.enable_liger_kernel", FIELD_LOSS_KIND, KEY_VALUE, "true=fused|false=" },
	{ "fsdp.cpu_offload", FIELD_CPU_OFFLOAD, KEY_VALUE, NULL },
	{ "fsdp.sharding_strategy", FIELD_SHARDING_MODE, KEY_VALUE, NULL },
};

enum { TRAINER };

/* core/configs/params: OmegaConf takes members of an enumeration by their names. */
static const struct key_choice choices[] = {
	[TRAINER] = { "training.trainer_type",
		      "TRL_SFT|TRL_DPO|TRL_KTO|TRL_GRPO|TRL_GKD|TRL_GOLD|HF|OUMI|VERL_GRPO",
		      CHOICE_OPEN },
	/* builders/optimizers.py; other trainers hand the name on */
	{ "training.optimizer", TRAINER_OPTIMIZERS "|adam|paged_adamw", CHOICE_OPEN },
	{ "training.lr_scheduler_type", TRAINER_SCHEDULERS, CHOICE_OPEN },
	{ "training.mixed_precision_dtype", "NONE|BF16|FP16|none|bf16|fp16|no", CHOICE_OPEN },
	{ "fsdp.sharding_strategy",
	  "FULL_SHARD|SHARD_GRAD_OP|HYBRID_SHARD|NO_SHARD|HYBRID_SHARD_ZERO2", CHOICE_CLOSED },
	{ "fsdp.auto_wrap_policy", "SIZE_BASED_WRAP|TRANSFORMER_BASED_WRAP|NO_WRAP",
	  CHOICE_CLOSED },
	{ "fsdp.state_dict_type", "FULL_STATE_DICT|SHARDED_STATE_DICT|LOCAL_STATE_DICT",
	  CHOICE_CLOSED },
	{ "fsdp.backward_prefetch", "BACKWARD_PRE|BACKWARD_POST|NO_PREFETCH", CHOICE_CLOSED },
	{ "deepspeed.zero_stage", "ZERO_0|ZERO_1|ZERO_2|ZERO_3|0|1|2|3", CHOICE_CLOSED },
};

/* Whose references are held how is not read. */
static const struct key_row trainer_row = { "training.trainer_type", FIELD_OBJECTIVE, KEY_VALUE,
					    "TRL_SFT=sft|HF=sft|OUMI=sft|TRL_DPO=dpo|TRL_KTO=kto|"
					    "TRL_GRPO=grpo|TRL_GKD=|TRL_GOLD=|VERL_GRPO=" };

#define ROWS(name) name, sizeof(name) / sizeof((name)[0])

/* oumi@d8ed0777 core/configs/params/training_params.py; epochs count without steps. */
static const struct key_kind kinds[] = { { "training", KIND_MAP, NULL, NULL },
					 { "fsdp", KIND_MAP, NULL, NULL },
					 { "deepspeed", KIND_MAP, NULL, NULL } };
static const struct key_kind epochs = {
	"training.num_train_epochs", KIND_NUMBER, "1..",
	"oumi raises an OumiConfigError, for max_steps is not given"
};

static int oumi_detect(const struct document *document)
{
	static const char *const others[] = { "training",  "data", "generation", "tasks",
					      "engine",	   "fsdp", "peft",	 "inference_engine",
					      "synthesis", "judge" };
	const struct node *root = document->root;
	size_t i;

	if (!node_find(root, "model.model_name"))
		return 0;
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (node_member(root, others[i]))
			return 66;
	return 0;
}

static bool is_own_trainer(const struct node *root)
{
	return words_have("OUMI", keys_text(root, trainer_row.path, "HF"));
}

/*
 * core/trainers/oumi_trainer.py@d8ed0777, train: its own sets require_backward_grad_sync, which DDP
 * reads and FullyShardedDataParallel does not.
 */
static void settle_fsdp(struct decoder *decoder, const struct node *root)
{
	if (is_own_trainer(root))
		settings_put_bool(decoder->settings, FIELD_REDUCE_EACH, true, ORIGIN_DEFAULT)
			->note = "oumi's own trainer";
	settings_put_text(decoder->settings, FIELD_ENGINE, "fsdp", ORIGIN_DEFAULT);
	settings_put_text(decoder->settings, FIELD_FSDP_VERSION, "1", ORIGIN_DEFAULT)->note =
		"oumi's FullyShardedDataParallel";
	if (!data_parallel_strategy(decoder))
		data_parallel_shards(decoder, "oumi's fsdp shares over all ranks");
}

/* "ZERO_3", "3" or 3: what deepspeed_put_axes takes for a stage. */
static void settle_deepspeed(struct decoder *decoder, const struct node *root)
{
	const char *text = keys_text(root, "deepspeed.zero_stage", "ZERO_0");
	size_t length = strlen(text);
	char last = length ? text[length - 1] : '0';
	struct setting *stage;

	settings_put_text(decoder->settings, FIELD_ENGINE, "deepspeed", ORIGIN_DEFAULT);
	stage = keys_derive(decoder, FIELD_ZERO_STAGE, last >= '0' && last <= '3' ? last - '0' : 0,
			    NULL, "deepspeed.zero_stage");
	if (node_find(root, "deepspeed.zero_stage"))
		stage->span = node_find(root, "deepspeed.zero_stage")->span;
	deepspeed_put_axes(decoder, -1);
}

/* Its Trainers of transformers and TRL heed what accelerate launch says; its own does not. */
static void settle_repeats(struct document *document, struct decoder *decoder,
			   const struct node *root)
{
	static const char note[] = "oumi without fsdp and deepspeed: DDP";

	if (is_own_trainer(root))
		data_parallel_repeats(decoder, note);
	else if (!data_parallel_started(document, decoder))
		data_parallel_by_launcher(document, decoder, note);
}

/* core/configs/training_config.py, __post_init__. */
static void refuse_both(struct decoder *decoder, const struct node *root)
{
	const struct node *fsdp = node_find(root, "fsdp.enable_fsdp");
	const struct node *deepspeed = node_find(root, "deepspeed.enable_deepspeed");
	struct finding *finding;

	if (!decoder->findings || !keys_true(root, "fsdp.enable_fsdp") ||
	    !keys_true(root, "deepspeed.enable_deepspeed") || fsdp->unresolved ||
	    deepspeed->unresolved)
		return;
	finding = finding_add(decoder->findings, &rule_strategy_refused, fsdp->span,
			      "oumi refuses fsdp beside deepspeed");
	finding_relate(decoder->findings, finding, deepspeed->span, "enable_deepspeed");
	finding_quote(decoder->findings, finding, "%s", OUMI_BOTH->says.text);
	finding->speaker = "oumi";
	finding_fix(decoder->findings, finding, "keep one of them");
}

/* What a config is for that no training reads (core/configs: EvaluationConfig, InferenceConfig), or
 * NULL: it has what TrainingConfig has. */
static const char *other_task(const struct node *root)
{
	if (node_member(root, "training") || node_member(root, "data"))
		return NULL;
	if (node_member(root, "tasks"))
		return "a config of oumi with tasks only evaluates";
	return node_member(root, "generation") || node_member(root, "engine") ||
			       node_member(root, "inference_engine")
		       ? "a config of oumi without training and data only generates"
		       : NULL;
}

static void oumi_compose(struct document *document, struct findings *findings)
{
	interpolate_omegaconf(document, document->root, NULL, findings);
	document->no_job = other_task(document->root);
}

static void oumi_settle(struct document *document, moment_t when, struct settings *settings,
			struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const struct node *root = document->root;

	(void)when;
	keys_unquote(document->arena, root, ROWS(rows));
	keys_put(&decoder, root, ROWS(rows));
	keys_choose(&decoder, root, ROWS(choices));
	keys_kinds(&decoder, root, ROWS(kinds));
	training_arguments_numbers(&decoder, node_member(root, "training"), "num_train_epochs");
	if (!node_find(root, "training.max_steps") || keys_int(root, "training.max_steps", 1) < 1)
		keys_kinds(&decoder, root, &epochs, 1);
	refuse_both(&decoder, root);
	keys_misspelt(&decoder, root, ROWS(rows), "oumi", "stops at keys that it does not know");
	oumi_refuse(&decoder, root);
	hf_model_put(&decoder, document, node_find(root, "model.model_name"));
	liger_settle(&decoder, root, "model.enable_liger_kernel",
		     words_have("TRL_SFT|HF|OUMI", keys_text(root, "training.trainer_type", "HF"))
			     ? LIGER_FUSED
			     : LIGER_UNKNOWN);
	if (document->launch)
		launch_settle(document->launch, document->arena, settings);
	if (keys_true(root, "fsdp.enable_fsdp"))
		settle_fsdp(&decoder, root);
	else if (keys_true(root, "deepspeed.enable_deepspeed"))
		settle_deepspeed(&decoder, root);
	else
		settle_repeats(document, &decoder, root);
	if (words_have(choices[TRAINER].words, keys_text(root, trainer_row.path, "")))
		keys_put(&decoder, root, &trainer_row, 1);
}

static void oumi_vocabulary(struct vocabulary *vocabulary)
{
	vocabulary->converts = true;
	vocabulary_guarded(vocabulary, "", rows, sizeof(rows) / sizeof(rows[0]));
	vocabulary_choices(vocabulary, "", ROWS(choices));
	oumi_offer(vocabulary);
}

const struct dialect dialect_oumi = {
	.name = "oumi",
	.summary = "oumi's configs: FSDP, DeepSpeed or DDP over all ranks",
	.signs = "'model.model_name' and 'training', 'data' or 'generation'",
	.framework = "oumi",
	.as_of = "d8ed0777",
	.command = COMMAND_FLAGS,
	.detect = oumi_detect,
	.compose = oumi_compose,
	.vocabulary = oumi_vocabulary,
	.settle = oumi_settle,
};
