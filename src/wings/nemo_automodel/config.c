#include "base/text.h"
#include "input/settings/uncounted.h"
#include "input/document.h"
#include "input/settings/hf_model.h"
#include "input/compose/interpolation.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "input/vocabulary.h"
#include "wings/nemo_automodel/components.h"
#include "wings/nemo_automodel/keys.h"

#include <string.h>

/*
 * NeMo Automodel's recipes (NVIDIA-NeMo/Automodel@36044ad3): models of the Hugging Face hub under
 * FSDP2, Megatron-FSDP or DDP, with sizes in one flat section, or under the manager's _target_.
 */

/* Below distributed, or fsdp or ddp in recipes for diffusion. */
static const struct key_row size_rows[] = {
	{ "dp_replicate_size", FIELD_DP_REPLICATE, KEY_POSITIVE, NULL },
	{ "dp_size", FIELD_DP, KEY_POSITIVE, "none=|auto=" },
	{ "tp_size", FIELD_TP, KEY_POSITIVE, NULL },
	{ "cp_size", FIELD_CP, KEY_POSITIVE, NULL },
	{ "pp_size", FIELD_PP, KEY_POSITIVE, NULL },
	{ "ep_size", FIELD_EP, KEY_POSITIVE, NULL },
	{ "sequence_parallel", FIELD_SEQUENCE_PARALLEL, KEY_VALUE, NULL },
	{ "defer_fsdp_grad_sync", FIELD_REDUCE_EACH, KEY_NOT, NULL },
	{ "activation_checkpointing", FIELD_AC_MODE, KEY_VALUE,
	  "true=full|false=none|off=none|disabled=none|no=none|on=full|enabled=full|yes=full" },
	{ "enable_async_tensor_parallel", FIELD_ASYNC_TP, KEY_VALUE, NULL },
	{ "reshard_after_forward", FIELD_RESHARD_AFTER_FORWARD, KEY_VALUE,
	  "true=always|false=never" },
	{ "mp_policy.param_dtype", FIELD_PARAM_DTYPE, KEY_VALUE,
	  "bf16=bfloat16|torch.bfloat16=bfloat16|fp32=float32|torch.float32=float32|"
	  "fp16=float16|torch.float16=float16" },
	{ "mp_policy.reduce_dtype", FIELD_REDUCE_DTYPE, KEY_VALUE,
	  "bf16=bfloat16|torch.bfloat16=bfloat16|fp32=float32|torch.float32=float32|"
	  "fp16=float16|torch.float16=float16" },
	{ "pipeline.pp_schedule", FIELD_PP_SCHEDULE, KEY_VALUE,
	  "1f1b=1F1B|interleaved1f1b=Interleaved1F1B|gpipe=GPipe|loopedbfs=LoopedBFS|"
	  "zbvzerobubble=ZBVZeroBubble|interleavedzerobubble=InterleavedZeroBubble|"
	  "dualpipev=DualPipeV" },
	{ "pipeline.pp_microbatch_size", FIELD_PP_MICROBATCH_SIZE, KEY_VALUE, NULL },
	{ "pipeline.layers_per_stage", FIELD_PP_LAYERS_PER_STAGE, KEY_VALUE, NULL },
};

/* components/{quantization/fp8,utils/compile_utils,models/common/utils}.py at 36044ad3. */
static const struct key_row compute_rows[] = {
	{ "fp8.enabled", FIELD_FLOAT8_ENABLED, KEY_VALUE, NULL },
	{ "fp8.recipe_name", FIELD_FLOAT8_RECIPE, KEY_VALUE, "none=" },
	{ "fp8.enable_fsdp_float8_all_gather", FIELD_FLOAT8_FSDP_ALL_GATHER, KEY_VALUE, NULL },
	{ "fp8.precompute_float8_dynamic_scale_for_fsdp", FIELD_FLOAT8_PRECOMPUTE_SCALE, KEY_VALUE,
	  NULL },
	{ "fp8.filter_fqns", FIELD_FLOAT8_FILTER, KEY_VALUE, NULL },
	{ "fp8.emulate", FIELD_FLOAT8_EMULATE, KEY_VALUE, NULL },
	{ "compile.enabled", FIELD_COMPILE, KEY_VALUE, NULL },
	{ "model.attn_implementation", FIELD_KERNELS, KEY_VALUE, NULL },
	{ "model.torch_dtype", FIELD_MASTER_DTYPE, KEY_VALUE,
	  "auto=|bf16=bfloat16|torch.bfloat16=bfloat16|fp32=float32|torch.float32=float32|"
	  "fp16=|float16=|torch.float16=" },
	{ "model.backend.dispatcher", FIELD_EXPERT_DISPATCHER, KEY_VALUE, "torch=|uccl_ep=|mok=" },
	{ "model.backend.experts", FIELD_EXPERTS_BY, KEY_VALUE,
	  "torch=loop|te=grouped|gmm=grouped|torch_mm=grouped|torch_mm_mxfp8=grouped" },
};

/* The same; components/distributed/config.py. The last of Megatron-FSDP alone. */
static const struct uncounted_row uncounted[] = {
	{ "qat.enabled", "weights are quantized as they are used" },
	{ "quantization.load_in_4bit", "weights are kept in 4 bits" },
	{ "quantization.load_in_8bit", "weights are kept in 8 bits" },
	{ "model.backend.te_fp8", "linear layers are computed in 8 bits" },
	{ "model.backend.experts=torch_mm_mxfp8", "experts are computed in mxfp8" },
	{ "model.backend.cuda_graph.modules", "modules are captured as CUDA graphs" },
	{ "optimizer.master_weights", "the optimizer has parameters of its own" },
	{ "optimizer.exp_avg_dtype", "moments are kept in a type of their own" },
	{ "optimizer.exp_avg_sq_dtype", "moments are kept in a type of their own" },
	{ "distributed.fsdp_double_buffer", "gathered parameters have two buffers" },
	{ "distributed.zero_dp_strategy=0|1|2", "ranks keep whole parameters" },
};

static const struct key_row rows[] = {
	{ "dist_env.backend", FIELD_BACKEND, KEY_VALUE, NULL },
	{ "step_scheduler.global_batch_size", FIELD_GLOBAL_BATCH_SIZE, KEY_VALUE, NULL },
	{ "step_scheduler.micro_batch_size", FIELD_LOCAL_BATCH_SIZE, KEY_VALUE, NULL },
	{ "step_scheduler.local_batch_size", FIELD_LOCAL_BATCH_SIZE, KEY_VALUE, NULL },
	{ "step_scheduler.max_steps", FIELD_STEPS, KEY_POSITIVE, NULL },
	{ "packed_sequence.packed_sequence_size", FIELD_SEQ_LEN, KEY_POSITIVE, NULL },
	{ "checkpoint.enabled", FIELD_CHECKPOINT_ENABLED, KEY_VALUE, NULL },
};

/* The section with the sizes, or NULL. */
static const struct node *sizes_of(const struct node *root)
{
	static const char *const names[] = { "distributed", "fsdp", "ddp" };
	const struct node *section = NULL;
	size_t i;

	for (i = 0; !section && i < sizeof(names) / sizeof(*names); i++)
		section = node_member(root, names[i]);
	return section && section->kind == NODE_MAP ? section : NULL;
}

static int nemo_automodel_detect(const struct document *document)
{
	const struct node *root = document->root;

	if (!sizes_of(root) || !node_member(root, "step_scheduler"))
		return 0;
	return node_member(root, "distributed") ? 85 : 65;
}

static void nemo_automodel_compose(struct document *document, struct findings *findings)
{
	interpolate_omegaconf(document, document->root, NULL, findings);
}

/* "fsdp2", "megatron_fsdp" or "ddp", by name or by the class of the manager that older files have.
 */
static const char *strategy_of(const struct node *root, const struct node *sizes)
{
	const char *name = keys_text(sizes, "strategy", NULL);
	const char *target = keys_text(sizes, "_target_", "");

	target = keys_text(root, "distributed_config._target_", target);
	if (!name)
		name = strstr(target, "DDP") || !strcmp(sizes->key, "ddp") ? "ddp"
		       : strstr(target, "egatronFSDP") || strstr(target, "nvfsdp") ||
				       strstr(target, "NVFSDP")
			       ? "megatron_fsdp"
			       : "fsdp2";
	return !strcmp(name, "mfsdp") || !strcmp(name, "megatron-fsdp") ? "megatron_fsdp" : name;
}

static void put_strategy(struct decoder *decoder, const struct node *sizes, const char *strategy)
{
	const struct node *said = node_member(sizes, "strategy");
	struct settings *settings = decoder->settings;

	settings_put_text(settings, FIELD_SHARDING_MODE, strategy, ORIGIN_DEFAULT)->note =
		"distributed.strategy";
	if (said && !said->unresolved && said->kind == NODE_SCALAR)
		field_put(decoder, FIELD_SHARDING_MODE, said);
	if (!strcmp(strategy, "ddp")) {
		keys_default(decoder, FIELD_DP_SHARD, 1, "DDP repeats parameters");
		keys_default(decoder, FIELD_DP_REPLICATE, -1, "DDP spans the world");
		setting_forget(settings, FIELD_DP); /* it has no mesh */
		return;
	}
	keys_default(decoder, FIELD_DP_SHARD, -1, "what the other axes leave of the world");
	settings_put_text(settings, FIELD_ENGINE, "fsdp", ORIGIN_DEFAULT)->note = strategy;
	settings_put_text(settings, FIELD_FSDP_VERSION, strcmp(strategy, "fsdp2") ? "1" : "2",
			  ORIGIN_DEFAULT)
		->note = strcmp(strategy, "fsdp2") ? "Megatron-FSDP keeps flat buffers"
						   : "Automodel's FSDP2Manager";
}

/*
 * One class of losses is Apple's cut cross-entropy (components/loss/linear_ce.py@36044ad3d), one
 * that of Transformer Engine and one in chunks, which are not modelled; the others keep all logits.
 */
static void put_loss(struct decoder *decoder, const struct node *root)
{
	const struct node *class = node_find(root, "loss_fn._target_");

	if (!class || class->kind != NODE_SCALAR)
		return;
	if (text_ends(class->text, ".FusedLinearCrossEntropy"))
		settings_put_text(decoder->settings, FIELD_LOSS_KIND, "recomputed", ORIGIN_DERIVED)
			->span = class->span;
	else if (text_ends(class->text, ".ChunkedCrossEntropy") ||
		 text_ends(class->text, ".TEParallelCrossEntropy"))
		keys_leave_open(decoder, FIELD_LOSS_KIND, class, class->text);
}

/* CPUOffloadPolicy of FSDP2, by its class; what nothing counts. */
static void put_rest(struct decoder *decoder, const struct node *root, const struct node *sizes)
{
	const bool flat =
		!strcmp(setting_text(decoder->settings, FIELD_SHARDING_MODE, ""), "megatron_fsdp");
	const struct node *policy = node_member(sizes, "offload_policy");

	if (policy && strstr(keys_text(policy, "_target_", ""), "CPUOffloadPolicy"))
		settings_put_bool(decoder->settings, FIELD_CPU_OFFLOAD, true, ORIGIN_DERIVED)
			->span = policy->span;
	uncounted_put(decoder, root, NULL, uncounted,
		      sizeof(uncounted) / sizeof(uncounted[0]) - (flat ? 0 : 2));
}

static void nemo_automodel_settle(struct document *document, moment_t when,
				  struct settings *settings, struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const struct node *root = document->root, *sizes = sizes_of(root);
	bool known;

	(void)when;
	keys_put(&decoder, root, rows, sizeof(rows) / sizeof(rows[0]));
	keys_optimizer(&decoder, node_member(root, "optimizer"));
	keys_put_word(&decoder, FIELD_TUNER, root, "peft", "lora");
	keys_put_class(&decoder, root, "optimizer._target_", FIELD_OPTIMIZER_NAME);
	keys_put(&decoder, root, compute_rows, sizeof(compute_rows) / sizeof(compute_rows[0]));
	put_loss(&decoder, root);
	known = nemo_automodel_refuse(&decoder, root, sizes, sizes ? strategy_of(root, sizes) : "");
	if (sizes) {
		keys_put(&decoder, sizes, size_rows, sizeof(size_rows) / sizeof(size_rows[0]));
		if (!known)
			keys_misspelt(&decoder, sizes, size_rows,
				      sizeof(size_rows) / sizeof(size_rows[0]), "Automodel",
				      "knows it by another name");
		put_strategy(&decoder, sizes, strategy_of(root, sizes));
	}
	put_rest(&decoder, root, sizes);
	nemo_automodel_components(&decoder, document);
	hf_model_put(&decoder, document, node_find(root, "model.pretrained_model_name_or_path"));
}

static enum field_id nemo_automodel_field_of(const char *leaf)
{
	return keys_field_of(rows, sizeof(rows) / sizeof(*rows), leaf);
}

static void nemo_automodel_vocabulary(struct vocabulary *vocabulary)
{
	vocabulary_rows(vocabulary, "", rows, sizeof(rows) / sizeof(rows[0]));
	vocabulary_guarded(vocabulary, "distributed", size_rows,
			   sizeof(size_rows) / sizeof(size_rows[0]));
	vocabulary_guarded(vocabulary, "fsdp", size_rows, sizeof(size_rows) / sizeof(size_rows[0]));
	nemo_automodel_offer(vocabulary);
}

const struct dialect dialect_nemo_automodel = {
	.name = "nemo-automodel",
	.summary = "NeMo Automodel's recipes: FSDP2, Megatron-FSDP or DDP",
	.signs = "'step_scheduler' and 'distributed', 'fsdp' or 'ddp'",
	.framework = "nemo-automodel",
	.as_of = "36044ad3",
	.command = COMMAND_FLAGS,
	.detect = nemo_automodel_detect,
	.compose = nemo_automodel_compose,
	.field_of = nemo_automodel_field_of,
	.vocabulary = nemo_automodel_vocabulary,
	.settle = nemo_automodel_settle,
};
