#include "input/settings/uncounted.h"
#include "input/document.h"
#include "input/settings/hf_model.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "input/launch/form.h"
#include "input/launch/launch.h"
#include "input/node.h"
#include "wings/transformers/arguments.h"
#include "wings/transformers/liger.h"
#include "wings/transformers/precision.h"
#include "wings/transformers/preference.h"
#include "wings/trl/refusals.h"
#include "input/vocabulary.h"

#include <string.h>

/*
 * The YAML of TRL's scripts (huggingface/trl@f2cd5771, trl/scripts/utils.py TrlParser): fields of
 * HfArgumentParser's dataclasses, unknown ones refused. How many ranks there are and who shares the
 * model stands in the file of accelerate launch unless `fsdp` or `deepspeed` says so here.
 */

static const struct key_row rows[] = {
	{ "max_seq_length", FIELD_SEQ_LEN, KEY_POSITIVE, NULL },
	{ "max_length", FIELD_SEQ_LEN, KEY_POSITIVE, NULL },
	{ "attn_implementation", FIELD_KERNELS, KEY_VALUE, NULL },
	{ "use_peft", FIELD_TUNER, KEY_VALUE, "true=lora|false=" },
	{ "packing", FIELD_PACKING, KEY_VALUE, NULL },
	{ "pad_to_multiple_of", FIELD_PAD_TO_MULTIPLE, KEY_VALUE, NULL },
	{ "num_generations", FIELD_ROLLOUT_SAMPLES, KEY_VALUE, NULL },
	{ "use_liger", FIELD_LOSS_KIND, KEY_VALUE, "true=fused|false=" }, /* up to 0.16 */
	{ "activation_offloading", FIELD_AC_OFFLOAD, KEY_VALUE, NULL },	  /* from 0.18 */
};

/* FSDP's own, which the Trainer refuses beside its own (trainer.py, v4.57.6). */
static const struct key_row fsdp_rows[] = {
	{ "fsdp_config.activation_checkpointing", FIELD_AC_MODE, KEY_VALUE, "true=full|false=" },
};

/* transformers v4.57.6 training_args.py; trl/trainer/grpo_config.py. */
static const struct uncounted_row uncounted[] = {
	{ "auto_find_batch_size", "batches shrink until memory takes them" },
	{ "accelerator_config.split_batches", "batches are cut over ranks" },
};

static const struct uncounted_row liger_uncounted[] = {
	{ "liger_kernel_config", "of Liger's kernels some are used" },
};

static const struct uncounted_row colocated_uncounted[] = {
	{ "vllm_enable_sleep_mode", "the engine gives up its memory while the model trains" },
};

/* Of vLLM on the trainer's cards: a server of its own is told when it is started. */
static const struct key_row colocated_rows[] = {
	{ "vllm_tensor_parallel_size", FIELD_ROLLOUT_TP, KEY_VALUE, NULL },
	{ "vllm_gpu_memory_utilization", FIELD_ROLLOUT_MEMORY, KEY_VALUE, NULL },
};

/* trainer/sft_config.py, grpo_config.py and model_config.py, up to 1.16. */
static const struct key_choice choices[] = {
	{ "packing_strategy", "bfd|bfd_split|wrapped|ffd|bfd-requeue", CHOICE_OPEN },
	{ "vllm_mode", "server|colocate", CHOICE_CLOSED },
	{ "dtype", "auto|bfloat16|float16|float32", CHOICE_OPEN },
	{ "torch_dtype", "auto|bfloat16|float16|float32", CHOICE_OPEN },
	{ "attn_implementation",
	  "eager|sdpa|flash_attention_2|flash_attention_3|flash_attention_4|flex_attention",
	  CHOICE_OPEN },
};

#define ROWS(name) name, sizeof(name) / sizeof((name)[0])

static int trl_detect(const struct document *document)
{
	const struct node *root = document->root;

	if (!node_member(root, "model_name_or_path"))
		return 0;
	if (training_arguments_recognise(root))
		return 52;
	return node_member(root, "dataset_name") ? 45 : 0;
}

/*
 * From 0.19 on bf16 is on unless fp16 is, and scripts load fp32 from 0.27 on (trl@v0.19.0
 * trainer/sft_config.py, __post_init__; trl@v0.27.0 trainer/model_config.py, dtype).
 */
static void put_precision(struct document *document, struct decoder *decoder,
			  const struct node *root)
{
	const struct node *bf16 = node_member(root, "bf16");

	if ((!bf16 || bf16->type == SCALAR_NULL) && !trainer_pinned_below(document, "trl", 0, 19) &&
	    !setting_known(settings_of(decoder->settings, FIELD_PARAM_DTYPE)))
		settings_put_text(decoder->settings, FIELD_PARAM_DTYPE, "bfloat16", ORIGIN_DEFAULT)
			->note = "TRL's default";
	trainer_precision(document, decoder, root,
			  trainer_pinned_below(document, "trl", 0, 27) ? NULL : "float32");
}

/* Keys of trainers that prefer answers over others, or reward them; or a script of theirs. */
static bool tunes_supervised(const struct document *document)
{
	static const char *const keys[] = {
		"num_generations",	 "use_vllm",	      "beta",
		"max_completion_length", "max_prompt_length", "reward_model_path"
	};
	static const char *const others[] = { "dpo",	"grpo", "kto", "orpo", "rloo",
					      "reward", "ppo",	"cpo", "gkd" };
	const struct launch *launch = document->launch;
	const struct launch_word *task = launch ? launch_positional(launch, 0) : NULL;
	const char *program = launch && launch->program ? launch->program : "";
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (node_member(document->root, keys[i]))
			return false;
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strstr(program, others[i]) || (task && !strcmp(task->text, others[i])))
			return false;
	return !trl_loss_of_others(document->root, "sft");
}

/* The task of `trl TASK`, or the script. */
static const char *script_of(const struct document *document)
{
	const struct launch *launch = document->launch;
	const struct launch_word *task =
		launch && launch_runs(launch, "trl") ? launch_positional(launch, 0) : NULL;

	return task ? task->text : launch && launch->program ? launch->program : "";
}

/* Keys of a file that no trainer of answers which are given has alone, and no sign of one that
 * generates them. */
static bool may_prefer(const struct node *root)
{
	static const char *const keys[] = { "num_generations", "use_vllm", "max_completion_length",
					    "reward_model_path", "reward_funcs" };
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (node_member(root, keys[i]))
			return false;
	return node_member(root, "beta") || node_member(root, "max_prompt_length") ||
	       node_member(root, "precompute_ref_log_probs");
}

/*
 * Frozen models are loaded as trained ones are, or copied (trainer/dpo_trainer.py, and kto's), go
 * where their log-probabilities are computed before, and are cut under FSDP from 0.16 on, those of
 * KTO from 1.3. Before 0.29 FSDP2 was not among what cuts them. Both take all logits at once
 * (trainer/utils.py, selective_log_softmax).
 */
static void settle_objective(struct document *document, struct decoder *decoder)
{
	const struct node *root = document->root;
	const char *script = script_of(document);
	struct preference preference = { .objective = preference_of_script(script),
					 .at_once = true };
	const bool kto = preference.objective && !strcmp(preference.objective, "kto");
	const bool liger = keys_true(root, "use_liger_kernel") || keys_true(root, "use_liger_loss");
	const char *loaded = trainer_pinned_below(document, "trl", 0, 27) ? NULL : "float32";

	if (!preference.objective && !*script && may_prefer(root))
		keys_leave_open(decoder, FIELD_OBJECTIVE, root, "the script that is started");
	if (!preference.objective)
		return;
	if (!trainer_pinned_below(document, "trl", 0, 29) ||
	    strcmp(setting_text(decoder->settings, FIELD_FSDP_VERSION, "1"), "2") != 0)
		preference.loaded = trainer_loaded(document, root, loaded);
	preference.unwrapped = trainer_pinned_below(document, "trl", kto ? 1 : 0, kto ? 3 : 16);
	preference.cached = preference.dropped = keys_true(root, "precompute_ref_log_probs");
	preference.whole = words_have("dpo|kto", preference.objective) && !liger;
	preference_put(decoder, &preference);
	if (kto && !strcmp(keys_text(root, "loss_type", ""), "apo_zero_unpaired"))
		settings_put_text(decoder->settings, FIELD_OBJECTIVE, "apo", ORIGIN_DERIVED);
	settings_of(decoder->settings, FIELD_OBJECTIVE)->span = document->launch->program_span;
}

/*
 * The loss of SFTTrainer. Its own takes 256 tokens at a time where loss_type asks for that (from
 * trl 1.4.0), or unless it asks for another or Liger's is there (from 1.7.0), and tiles whatever
 * is asked (from 1.15.0, which leaves Liger the layers alone: trl/trainer/sft_trainer.py).
 */
static void settle_own_loss(struct document *document, struct decoder *decoder)
{
	const char *type = keys_text(document->root, "loss_type", "");
	const bool pinned = trainer_pinned_from(document, "trl", 0, 0);
	const bool tiled = trainer_pinned_from(document, "trl", 1, 15);

	if (setting_known(settings_of(decoder->settings, FIELD_LOSS_KIND)))
		return;
	if (!*type && !pinned) {
		keys_leave_open(decoder, FIELD_LOSS_KIND, document->root,
				"the loss of a version that is not known");
	} else if (tiled || !strcmp(type, "chunked_nll") ||
		   (!*type && trainer_pinned_from(document, "trl", 1, 7))) {
		settings_put_text(decoder->settings, FIELD_LOSS_KIND,
				  tiled ? "tiled" : "recomputed", ORIGIN_DEFAULT)
			->note = "TRL's loss";
		if (!tiled)
			keys_default(decoder, FIELD_LOSS_TOKENS, 256, "TRL's loss");
	}
}

static void settle_loss(struct document *document, struct decoder *decoder)
{
	const enum liger_loss loss = !tunes_supervised(document)		   ? LIGER_UNKNOWN
				     : trainer_pinned_from(document, "trl", 1, 15) ? LIGER_LAYERS
										   : LIGER_FUSED;

	liger_settle(decoder, document->root, "use_liger", loss);
	liger_settle(decoder, document->root, "use_liger_kernel", loss);
	if (loss != LIGER_UNKNOWN)
		settle_own_loss(document, decoder);
}

/* "dpo" of `trl dpo`, or what keys of a file alone say; NULL: they do not. */
static const char *trainer_of_file(const struct document *document)
{
	const char *script = script_of(document), *slash = strrchr(script, '/');
	const char *objective = preference_of_script(script);

	if (objective)
		return objective;
	script = slash ? slash + 1 : script;
	if (strstr(script, "sft"))
		return "sft";
	if (*script)
		return NULL;
	return node_member(document->root, "num_generations") ? "grpo"
	       : tunes_supervised(document)		      ? "sft"
							      : NULL;
}

/* Those whose loss changes a step are looked at by training_arguments_put. */
static const char *const names[] = {
#define KEY(name) name,
#include "wings/trl/keys.def"
#undef KEY
};

/* peft@00336949 takes a rank from 1 on (tuners/lora/layer.py, update_layer). */
static void judge_rank(struct decoder *decoder, const struct node *root)
{
	static const struct key_kind rank = { "lora_r", KIND_NUMBER, "1..",
					      "peft raises a ValueError" };

	if (keys_true(root, "use_peft"))
		keys_kinds(decoder, root, &rank, 1);
}

/* Without a word on the mode it is that from 1.0 on, and a server before (trl@c0eabc40). */
static bool colocates(const struct document *document)
{
	const char *mode = keys_text(document->root, "vllm_mode", "");

	if (*mode)
		return !strcmp(mode, "colocate");
	return keys_true(document->root, "use_vllm") &&
	       !trainer_pinned_below(document, "trl", 1, 0);
}

static void trl_settle(struct document *document, moment_t when, struct settings *settings,
		       struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const struct node *root = document->root;

	(void)when;
	keys_unquote(document->arena, root, ROWS(rows));
	keys_put(&decoder, root, ROWS(rows));
	if (colocates(document))
		keys_put(&decoder, root, ROWS(colocated_rows));
	training_arguments_put(&decoder, root);
	keys_near(&decoder, document->shell ? NULL : root, ROWS(names), "transformers' parser",
		  "stops at keys that it does not know");
	keys_choose(&decoder, root, ROWS(choices));
	judge_rank(&decoder, root);
	/* from 0.22 on its configs have it as true */
	if (!node_member(root, "gradient_checkpointing") &&
	    !trainer_pinned_below(document, "trl", 0, 22))
		settings_put_text(settings, FIELD_AC_MODE, "full", ORIGIN_DEFAULT)->note =
			"TRL's default";
	keys_put(&decoder, root, ROWS(fsdp_rows));
	uncounted_put(&decoder, root, NULL, ROWS(uncounted));
	if (keys_true(root, "use_liger_kernel"))
		uncounted_put(&decoder, root, NULL, ROWS(liger_uncounted));
	if (colocates(document))
		uncounted_put(&decoder, root, NULL, ROWS(colocated_uncounted));
	hf_model_put(&decoder, document, node_member(root, "model_name_or_path"));
	settle_loss(document, &decoder);
	if (document->launch)
		launch_settle(document->launch, document->arena, settings);
	training_arguments_engine(document, &decoder, root);
	put_precision(document, &decoder, root);
	settle_objective(document, &decoder);
	trl_refusals(document, &decoder, trainer_of_file(document));
}

static void trl_vocabulary(struct vocabulary *vocabulary)
{
	vocabulary->converts = true;
	vocabulary_rows(vocabulary, "", rows, sizeof(rows) / sizeof(rows[0]));
	vocabulary_rows(vocabulary, "", ROWS(colocated_rows));
	training_arguments_vocabulary(vocabulary, "");
	vocabulary_choices(vocabulary, "", ROWS(choices));
}

const struct dialect dialect_trl = {
	.name = "trl",
	.summary = "arguments of TRL's scripts, and of other Trainers, as YAML",
	.signs = "'model_name_or_path' and 'per_device_train_batch_size'",
	.framework = "trl",
	.as_of = "f2cd5771",
	.command = COMMAND_FLAGS,
	.detect = trl_detect,
	.field_of = training_arguments_field_of,
	.vocabulary = trl_vocabulary,
	.settle = trl_settle,
};
