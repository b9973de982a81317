#include "wings/deepspeed/keys.h"
#include "input/settings/uncounted.h"
#include "input/document.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "input/launch/launch.h"
#include "input/node.h"
#include "input/settings/hf_model.h"

#include <string.h>

/*
 * OpenRLHF (OpenRLHF/OpenRLHF@3c3be623 openrlhf/cli, openrlhf/utils/deepspeed/deepspeed.py): the
 * DeepSpeed config is made of the flags; ranks are (dp, sp, tp), ring attention's over sp. There
 * are no files but launch lines, whose flags wings/openrlhf/launch.c brings under one name.
 */

static const struct key_row rows[] = {
	{ "zero_stage", FIELD_ZERO_STAGE, KEY_VALUE, NULL },
	{ "micro_batch_size", FIELD_MICRO_BATCH_SIZE, KEY_VALUE, NULL },
	{ "batch_size", FIELD_GLOBAL_BATCH_SIZE, KEY_VALUE, NULL },
	{ "max_len", FIELD_SEQ_LEN, KEY_VALUE, NULL },
	{ "ring_attn_size", FIELD_SP, KEY_POSITIVE, NULL },
	{ "tensor_parallel_size", FIELD_TP, KEY_POSITIVE, NULL },
	{ "bf16", FIELD_PARAM_DTYPE, KEY_VALUE, "true=bfloat16|false=" },
	{ "param_dtype", FIELD_PARAM_DTYPE, KEY_VALUE, "bf16=bfloat16|fp16=float16" },
	{ "attn_implementation", FIELD_KERNELS, KEY_VALUE, NULL },
	{ "gradient_checkpointing", FIELD_AC_MODE, KEY_VALUE, "true=full|false=none" },
	{ "experts_implementation", FIELD_EXPERTS_BY, KEY_VALUE,
	  "eager=loop|grouped_mm=grouped|batched_mm=grouped|deepgemm=grouped" },
	{ "adam_offload", FIELD_OPTIMIZER_OFFLOAD, KEY_VALUE, "true=1|false=0" },
	{ "optim", FIELD_OPTIMIZER_NAME, KEY_VALUE, NULL },
	{ "packing_samples", FIELD_PACKING, KEY_VALUE, NULL },
	/* models/actor.py: AutoLigerKernelForCausalLM, which no labels are handed to */
	{ "use_liger_kernel", FIELD_FUSED_NORMS, KEY_VALUE, "true=true|false=" },
	{ "use_liger_kernel", FIELD_FUSED_GATE, KEY_VALUE, "true=true|false=" },
	{ "overlap_comm", FIELD_OVERLAP_GRAD_REDUCE, KEY_VALUE, NULL },
	{ "actor_nodes", FIELD_CLUSTER_NODES, KEY_VALUE, NULL },
	{ "actor_devices", FIELD_CLUSTER_GPUS_PER_NODE, KEY_VALUE, NULL },
	{ "rollout_tensor_parallel_size", FIELD_ROLLOUT_TP, KEY_VALUE, NULL },
};

/* utils/deepspeed/deepspeed_utils.py, get_train_ds_config; models/actor.py; the first at
 * ZeRO-3 alone. */
static const struct uncounted_row uncounted[] = {
	{ "zpg>1", "a second copy of parameters is kept, and gathered from, within nodes" },
	{ "grad_accum_dtype", "gradients are added up in a type of their own" },
	{ "deepcompile", "gathers are scheduled by the compiler" },
	{ "load_in_4bit", "weights are kept in 4 bits" },
};

/* What argparse takes, by openrlhf/cli/train_*.py; the estimators' flags had other names. */
static const struct key_choice choices[] = {
	{ "optim", "adam|muon", CHOICE_OPEN },
	{ "critic_optim", "adam|muon", CHOICE_OPEN },
	{ "advantage_estimator", "gae|reinforce|rloo|reinforce_baseline|group_norm|dr_grpo",
	  CHOICE_OPEN },
	{ "kl_estimator", "k1|k2|k3", CHOICE_OPEN },
	{ "policy_loss_type", "ppo|gspo", CHOICE_OPEN },
	{ "param_dtype", "bf16|fp16", CHOICE_OPEN },
	{ "experts_implementation", "eager|batched_mm|grouped_mm|deepgemm", CHOICE_OPEN },
};

#define ROWS(name) name, sizeof(name) / sizeof((name)[0])

static int openrlhf_detect(const struct document *document)
{
	(void)document;
	return 0;
}

/*
 * The program says what is trained for. A reference is cut at ZeRO-3, whole below, and cast as the
 * trained model is; with ref_offload it waits in host memory, at ZeRO-3 alone (cli/train_dpo.py,
 * get_eval_ds_config). KTO, whose batches were of another kind, left in 0.9.9.
 */
static void put_objective(struct decoder *decoder, const struct document *document)
{
	static const struct {
		const char *program, *objective;
	} programs[] = {
		{ "train_dpo", "dpo" }, { "train_rm", "rm" },	{ "train_kto", "unpaired answers" },
		{ "train_prm", "prm" }, { "train_ppo", "ppo" }, { "train_kd", "distillation" }
	};
	const struct launch *launch = document->launch;
	const char *program = launch && launch->program ? launch->program : "";
	const char *model = keys_text(document->root, "model", "");
	struct settings *settings = decoder->settings;
	const bool cut = setting_int(settings, FIELD_ZERO_STAGE, 2) == 3;
	const bool waits = cut && keys_true(document->root, "ref_offload");
	size_t i;

	for (i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		if (strstr(program, programs[i].program))
			settings_put_text(settings, FIELD_OBJECTIVE, programs[i].objective,
					  ORIGIN_DERIVED)
				->span = launch->program_span;
	if (!strstr(program, programs[0].program) ||
	    strcmp(keys_text(document->root, "ref_model", model), model) != 0)
		return;
	settings_put_text(settings, FIELD_REFERENCE_HELD,
			  waits ? "host"
			  : cut ? "blocks"
				: "whole",
			  ORIGIN_DEFAULT)
		->note = "OpenRLHF's get_ds_eval_config";
	settings_put_text(settings, FIELD_REFERENCE_DTYPE,
			  setting_text(settings, FIELD_PARAM_DTYPE, "bfloat16"), ORIGIN_DEFAULT)
		->note = "OpenRLHF's param_dtype";
}

static void openrlhf_settle(struct document *document, moment_t when, struct settings *settings,
			    struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };

	size_t whole;

	(void)when;
	keys_put(&decoder, document->root, ROWS(rows));
	keys_optimizer(&decoder, document->root);
	keys_choose(&decoder, document->root, ROWS(choices));
	whole = setting_int(settings, FIELD_ZERO_STAGE, 2) < 3;
	keys_put_word(&decoder, FIELD_TUNER, document->root, "lora_rank", "lora");
	uncounted_put(&decoder, document->root, NULL, uncounted + whole,
		      sizeof(uncounted) / sizeof(uncounted[0]) - whole);
	if (document->launch)
		launch_settle(document->launch, document->arena, settings);
	if (node_find(document->root, "ring_attn_size"))
		settings_put_text(settings, FIELD_CP_METHOD, "ring", ORIGIN_DEFAULT)->note =
			"OpenRLHF's ring attention";
	if (!setting_given(settings_of(settings, FIELD_ZERO_STAGE)))
		keys_default(&decoder, FIELD_ZERO_STAGE, 2, "OpenRLHF's default");
	settings_put_text(settings, FIELD_ENGINE, "deepspeed", ORIGIN_DEFAULT)->note =
		"OpenRLHF's DeepspeedStrategy";
	if (node_find(document->root, "actor_nodes")) {
		keys_default(&decoder, FIELD_CLUSTER_NODES, 1, "OpenRLHF's default");
		keys_default(&decoder, FIELD_CLUSTER_GPUS_PER_NODE, 8, "OpenRLHF's default");
	}
	put_objective(&decoder, document);
	deepspeed_put_axes(&decoder, -1);
	hf_model_put(&decoder, document, node_find(document->root, "model"));
}

const struct dialect dialect_openrlhf = {
	.name = "openrlhf",
	.summary =
		"OpenRLHF's launch lines: ZeRO over the ranks of the launcher, or of Ray's actor",
	.signs = "a command with openrlhf.cli.train_*",
	.framework = "openrlhf",
	.as_of = "3c3be623",
	.detect = openrlhf_detect,
	.settle = openrlhf_settle,
};
