#include "base/text.h"
#include "input/document.h"
#include "input/hf_model.h"
#include "input/interpolation.h"
#include "input/keys.h"

#include <string.h>

/*
 * NeMo Automodel's recipes (NVIDIA-NeMo/Automodel@36044ad3): models of the Hugging Face hub under
 * FSDP2, Megatron-FSDP or DDP, with sizes in one flat section, or under the manager's _target_.
 */

static const struct key_row rows[] = {
	{ "distributed.dp_replicate_size", FIELD_DP_REPLICATE, KEY_POSITIVE, NULL },
	{ "distributed.tp_size", FIELD_TP, KEY_POSITIVE, NULL },
	{ "distributed.cp_size", FIELD_CP, KEY_POSITIVE, NULL },
	{ "distributed.pp_size", FIELD_PP, KEY_POSITIVE, NULL },
	{ "distributed.ep_size", FIELD_EP, KEY_POSITIVE, NULL },
	{ "distributed.sequence_parallel", FIELD_SEQUENCE_PARALLEL, KEY_VALUE, NULL },
	{ "distributed.activation_checkpointing", FIELD_AC_MODE, KEY_VALUE,
	  "true=full|false=none|off=none|disabled=none|no=none|on=full|enabled=full|yes=full" },
	{ "distributed.enable_async_tensor_parallel", FIELD_ASYNC_TP, KEY_VALUE, NULL },
	{ "distributed.reshard_after_forward", FIELD_RESHARD_AFTER_FORWARD, KEY_VALUE,
	  "true=always|false=never" },
	{ "distributed.mp_policy.param_dtype", FIELD_PARAM_DTYPE, KEY_VALUE,
	  "bf16=bfloat16|torch.bfloat16=bfloat16|fp32=float32|torch.float32=float32|"
	  "fp16=float16|torch.float16=float16" },
	{ "distributed.mp_policy.reduce_dtype", FIELD_REDUCE_DTYPE, KEY_VALUE,
	  "bf16=bfloat16|torch.bfloat16=bfloat16|fp32=float32|torch.float32=float32|"
	  "fp16=float16|torch.float16=float16" },
	{ "distributed.pipeline.pp_schedule", FIELD_PP_SCHEDULE, KEY_VALUE,
	  "1f1b=1F1B|interleaved1f1b=Interleaved1F1B|gpipe=GPipe|loopedbfs=LoopedBFS|"
	  "zbvzerobubble=ZBVZeroBubble|interleavedzerobubble=InterleavedZeroBubble|"
	  "dualpipev=DualPipeV" },
	{ "distributed.pipeline.pp_microbatch_size", FIELD_PP_MICROBATCH_SIZE, KEY_VALUE, NULL },
	{ "distributed.pipeline.layers_per_stage", FIELD_PP_LAYERS_PER_STAGE, KEY_VALUE, NULL },
	{ "dist_env.backend", FIELD_BACKEND, KEY_VALUE, NULL },
	{ "step_scheduler.global_batch_size", FIELD_GLOBAL_BATCH_SIZE, KEY_VALUE, NULL },
	{ "step_scheduler.local_batch_size", FIELD_LOCAL_BATCH_SIZE, KEY_VALUE, NULL },
	{ "step_scheduler.max_steps", FIELD_STEPS, KEY_POSITIVE, NULL },
	{ "packed_sequence.packed_sequence_size", FIELD_SEQ_LEN, KEY_POSITIVE, NULL },
	{ "optimizer._target_", FIELD_OPTIMIZER_NAME, KEY_KNOWN, NULL },
	{ "checkpoint.enabled", FIELD_CHECKPOINT_ENABLED, KEY_VALUE, NULL },
	/* no settings of their own, and no slips of those above */
	{ "distributed.dp_size", FIELD_DP, KEY_KNOWN, NULL },
	{ "distributed.strategy", FIELD_SHARDING_MODE, KEY_KNOWN, NULL },
};

static int nemo_automodel_detect(const struct document *document)
{
	const struct node *root = document->root;
	const struct node *distributed = node_member(root, "distributed");

	return distributed && distributed->kind == NODE_MAP && node_member(root, "step_scheduler")
		       ? 85
		       : 0;
}

static void nemo_automodel_compose(struct document *document, struct findings *findings)
{
	interpolate_omegaconf(document, document->root, NULL, findings);
}

/* "fsdp2", "megatron_fsdp" or "ddp", by name or by the class of the manager that older files have.
 */
static const char *strategy_of(const struct node *root)
{
	const char *name = keys_text(root, "distributed.strategy", NULL);
	const char *target = keys_text(root, "distributed._target_", "");

	if (!name)
		name = strstr(target, "DDP") ? "ddp"
		       : strstr(target, "egatronFSDP") || strstr(target, "nvfsdp") ||
				       strstr(target, "NVFSDP")
			       ? "megatron_fsdp"
			       : "fsdp2";
	return !strcmp(name, "mfsdp") || !strcmp(name, "megatron-fsdp") ? "megatron_fsdp" : name;
}

/* dp_size counts replicas and sharing ranks together; without it they are what is left. */
static void put_sharing(struct decoder *decoder, const struct node *root)
{
	const struct node *total = node_find(root, "distributed.dp_size");
	const struct setting *replicate = settings_of(decoder->settings, FIELD_DP_REPLICATE);
	int64_t replicas = setting_int(decoder->settings, FIELD_DP_REPLICATE, 1);
	struct setting *shard;

	keys_default(decoder, FIELD_DP_SHARD, -1, "what the other axes leave of the world");
	if (!total || replicate->invalid || total->kind != NODE_SCALAR)
		return;
	if (!field_fits(FIELD_INT, total)) {
		if (!words_have("none|None|auto", total->text))
			field_put(decoder, FIELD_DP_SHARD, total);
		return;
	}
	if (total->integer < 1 || replicas < 1 || total->integer % replicas)
		return;
	shard = field_put(decoder, FIELD_DP_SHARD, total);
	if (replicas == 1)
		return;
	shard = keys_derive(decoder, FIELD_DP_SHARD, total->integer / replicas, NULL,
			    "dp_size over dp_replicate_size");
	shard->span = total->span;
	shard->key_span = total->key_span;
	shard->spelling = "distributed.dp_size";
	setting_from(shard, replicate);
}

static void put_strategy(struct decoder *decoder, const struct node *root, const char *strategy)
{
	const struct node *said = node_find(root, "distributed.strategy");
	struct settings *settings = decoder->settings;

	settings_put_text(settings, FIELD_SHARDING_MODE, strategy, ORIGIN_DEFAULT)->note =
		"distributed.strategy";
	if (said && !said->unresolved && said->kind == NODE_SCALAR)
		field_put(decoder, FIELD_SHARDING_MODE, said);
	if (!strcmp(strategy, "ddp")) {
		keys_default(decoder, FIELD_DP_SHARD, 1, "DDP repeats parameters");
		keys_default(decoder, FIELD_DP_REPLICATE, -1, "DDP spans the world");
		return;
	}
	put_sharing(decoder, root);
	settings_put_text(settings, FIELD_ENGINE, "fsdp", ORIGIN_DEFAULT)->note = strategy;
	settings_put_text(settings, FIELD_FSDP_VERSION, strcmp(strategy, "fsdp2") ? "1" : "2",
			  ORIGIN_DEFAULT)
		->note = strcmp(strategy, "fsdp2") ? "Megatron-FSDP keeps flat buffers"
						   : "Automodel's FSDP2Manager";
}

static void nemo_automodel_settle(struct document *document, moment_t when,
				  struct settings *settings, struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const struct node *root = document->root;

	(void)when;
	keys_put(&decoder, root, rows, sizeof(rows) / sizeof(rows[0]));
	put_strategy(&decoder, root, strategy_of(root));
	hf_model_put(&decoder, document, node_find(root, "model.pretrained_model_name_or_path"));
}

const struct dialect dialect_nemo_automodel = {
	.name = "nemo-automodel",
	.summary = "NeMo Automodel's recipes: FSDP2, Megatron-FSDP or DDP",
	.signs = "'distributed' and 'step_scheduler'",
	.framework = "nemo-automodel",
	.as_of = "36044ad3",
	.detect = nemo_automodel_detect,
	.compose = nemo_automodel_compose,
	.settle = nemo_automodel_settle,
};
