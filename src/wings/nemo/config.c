#include "base/text.h"
#include "input/settings/uncounted.h"
#include "input/compose/composition.h"
#include "input/document.h"
#include "input/compose/interpolation.h"
#include "input/keys.h"
#include "input/settings/open_axis.h"
#include "input/settings/padded_vocab.h"
#include "input/vocabulary.h"
#include "wings/lightning/trainer.h"

#include <string.h>

/*
 * NeMo 1.x's hydra configs (NVIDIA/NeMo@8cfedd72), as its launcher (NVIDIA/NeMo-Framework-Launcher@
 * 26e42fa9) and AI-Hypercomputer/gpu-recipes@2e1fd5ef ship them: Lightning's trainer, and a model
 * whose process groups Megatron Core builds.
 */

static const struct key_row rows[] = {
	{ "trainer.num_nodes", FIELD_CLUSTER_NODES, KEY_VALUE, NULL },
	{ "model.peft.peft_scheme", FIELD_TUNER, KEY_VALUE, NULL },
	{ "trainer.max_steps", FIELD_STEPS, KEY_POSITIVE, NULL },
	{ "trainer.precision", FIELD_PARAM_DTYPE, KEY_VALUE,
	  "bf16=bfloat16|bf16-mixed=bfloat16|bf16-true=bfloat16|16=float16|16-mixed=float16|"
	  "16-true=float16|32=float32|32-true=float32|fp16=float16|fp32=float32|64=|64-true=|fp8=|"
	  "transformer-engine=bfloat16|transformer-engine-float16=float16" },
	{ "model.tensor_model_parallel_size", FIELD_TP, KEY_VALUE, NULL },
	{ "model.pipeline_model_parallel_size", FIELD_PP, KEY_VALUE, NULL },
	{ "model.context_parallel_size", FIELD_CP, KEY_VALUE, NULL },
	{ "model.expert_model_parallel_size", FIELD_EP, KEY_VALUE, NULL },
	{ "model.virtual_pipeline_model_parallel_size", FIELD_PP_VIRTUAL_STAGES, KEY_VALUE, NULL },
	{ "model.sequence_parallel", FIELD_SEQUENCE_PARALLEL, KEY_VALUE, NULL },
	{ "model.use_tp_pp_dp_mapping", FIELD_AXIS_ORDER, KEY_VALUE, "true=tp-cp-ep-pp-dp|false=" },
	{ "model.ub_tp_comm_overlap", FIELD_OVERLAP_TP, KEY_VALUE, NULL },
	{ "model.overlap_p2p_comm", FIELD_OVERLAP_P2P, KEY_VALUE, NULL },
	{ "model.optim.grad_sync_dtype", FIELD_REDUCE_DTYPE, KEY_VALUE,
	  "bf16=bfloat16|fp32=float32|fp16=float16|16=float16|32=float32" },
	{ "model.optim.overlap_grad_sync", FIELD_OVERLAP_GRAD_REDUCE, KEY_VALUE, NULL },
	{ "model.optim.overlap_param_sync", FIELD_OVERLAP_PARAM_GATHER, KEY_VALUE, NULL },
	{ "model.micro_batch_size", FIELD_MICRO_BATCH_SIZE, KEY_VALUE, NULL },
	{ "model.global_batch_size", FIELD_GLOBAL_BATCH_SIZE, KEY_VALUE, NULL },
	{ "model.rampup_batch_size", FIELD_RAMPUP_BATCH_SIZE, KEY_VALUE, NULL },
	{ "model.encoder_seq_length", FIELD_SEQ_LEN, KEY_VALUE, NULL },
	{ "model.activations_checkpoint_granularity", FIELD_AC_MODE, KEY_VALUE, NULL },
	{ "model.activations_checkpoint_method", FIELD_AC_METHOD, KEY_VALUE, NULL },
	{ "model.activations_checkpoint_num_layers", FIELD_AC_LAYERS, KEY_VALUE, NULL },
	{ "model.use_flash_attention", FIELD_FLASH_ATTENTION, KEY_VALUE, NULL },
	{ "model.deterministic_mode", FIELD_DETERMINISTIC, KEY_VALUE, NULL },
	{ "model.fp8", FIELD_MATMUL_DTYPE, KEY_VALUE, "true=fp8|false=" },
	{ "model.optim.name", FIELD_OPTIMIZER_NAME, KEY_VALUE, NULL },
	{ "model.moe_token_dispatcher_type", FIELD_EXPERT_DISPATCHER, KEY_VALUE, NULL },
};

/* NVIDIA/NeMo@8cfedd72 nemo/collections/nlp/models/language_modeling/megatron_base_model.py and
 * megatron_gpt_model.py. */
static const struct uncounted_row uncounted[] = {
	{ "model.cpu_offloading", "activations of layers wait in host memory" },
	{ "model.fp8_params", "parameters are kept in 8 bits" },
	{ "model.window_size", "attention sees a window of tokens" },
	{ "model.megatron_amp_O2=false", "parameters are kept in fp32 and cast as they are used" },
	{ "model.enable_cuda_graph", "passes are captured as CUDA graphs" },
};

/* The model, where it is one stack of decoder blocks. */
static const struct key_row model_rows[] = {
	{ "num_layers", FIELD_MODEL_LAYERS, KEY_VALUE, NULL },
	{ "hidden_size", FIELD_MODEL_HIDDEN, KEY_VALUE, NULL },
	{ "ffn_hidden_size", FIELD_MODEL_FFN, KEY_VALUE, NULL },
	{ "num_attention_heads", FIELD_MODEL_HEADS, KEY_VALUE, NULL },
	{ "num_query_groups", FIELD_MODEL_KV_HEADS, KEY_VALUE, NULL },
	{ "kv_channels", FIELD_MODEL_HEAD_DIM, KEY_VALUE, NULL },
	{ "num_moe_experts", FIELD_MODEL_MOE_EXPERTS, KEY_POSITIVE, NULL },
	{ "moe_router_topk", FIELD_MODEL_MOE_TOPK, KEY_VALUE, NULL },
	{ "share_embeddings_and_output_weights", FIELD_MODEL_TIED_EMBEDDINGS, KEY_VALUE, NULL },
	{ "hidden_dropout", FIELD_MODEL_HIDDEN_DROPOUT, KEY_VALUE, NULL },
	{ "attention_dropout", FIELD_MODEL_ATTENTION_DROPOUT, KEY_VALUE, NULL },
};

/* Scripts that generate: -1, and silence, take what the checkpoint was saved with. */
static const struct key_row checkpoint_rows[] = {
	{ "tensor_model_parallel_size", FIELD_TP, KEY_POSITIVE, NULL },
	{ "pipeline_model_parallel_size", FIELD_PP, KEY_POSITIVE, NULL },
	{ "context_parallel_size", FIELD_CP, KEY_POSITIVE, NULL },
	{ "expert_model_parallel_size", FIELD_EP, KEY_POSITIVE, NULL },
};

static bool is_generation(const struct node *root)
{
	return node_member(root, checkpoint_rows[0].path) && node_member(root, "inference");
}

/* Scripts that generate, prune or quantise have no exp_manager. */
static int nemo_detect(const struct document *document)
{
	const struct node *root = document->root;

	if (!node_member(root, "trainer"))
		return 0;
	if (node_member(root, "exp_manager"))
		return 85;
	return is_generation(root) || node_find(root, "model.tensor_model_parallel_size") ? 60 : 0;
}

/* The launcher puts these files under the name of their folder, by which they call themselves. */
static void nemo_compose(struct document *document, struct findings *findings)
{
	compose_hydra(document, findings);
	interpolate_omegaconf(document, document->root,
			      "training|peft|fine_tuning|adapter_learning|prompt_learning|"
			      "evaluation|rlhf_rm|rlhf_ppo",
			      findings);
}

/* A number, "auto", or the devices by their numbers: [0, 1]; gpus before PyTorch Lightning 1.6. */
static void put_devices(struct decoder *decoder, const struct node *root)
{
	const struct node *devices = node_find(root, "trainer.devices"), *item;
	int64_t count = 0;

	devices = devices ? devices : node_find(root, "trainer.gpus");
	if (!devices)
		return;
	if (devices->kind == NODE_LIST) {
		for (item = devices->first; item; item = item->next)
			count++;
		keys_derive(decoder, FIELD_CLUSTER_GPUS_PER_NODE, count, NULL,
			    "the devices in the list")
			->span = devices->span;
	} else if (devices->unresolved ||
		   (field_fits(FIELD_INT, devices) && devices->integer > 0)) {
		field_put(decoder, FIELD_CLUSTER_GPUS_PER_NODE, devices);
	}
}

/* Torch's FSDP, which NeMo 1.23 to 2.0 offered beside Megatron's data parallel. */
static bool put_fsdp(struct decoder *decoder, const struct node *root)
{
	const char *strategy = keys_text(root, "model.fsdp_sharding_strategy", "full");

	if (!keys_true(root, "model.fsdp"))
		return false;
	settings_put_text(decoder->settings, FIELD_FSDP_VERSION, "1", ORIGIN_DEFAULT)->note =
		"NeMo's FSDPStrategy";
	settings_put_text(decoder->settings, FIELD_SHARDING_MODE, strategy, ORIGIN_DEFAULT)->note =
		"model.fsdp_sharding_strategy";
	return true;
}

/*
 * Apex's distributed Adam and Megatron Core's cut their state over data parallel; no other does
 * (with_distributed_adam of nlp/models/language_modeling/megatron_base_model.py).
 */
static void put_distributed(struct decoder *decoder)
{
	const struct setting *name = settings_of(decoder->settings, FIELD_OPTIMIZER_NAME);
	struct setting *cuts;

	if (!setting_known(name) ||
	    !words_have("distributed_fused_adam|mcore_distributed_optim", name->text))
		return;
	cuts = settings_put_bool(decoder->settings, FIELD_OPTIMIZER_DISTRIBUTED, true,
				 ORIGIN_DERIVED);
	cuts->note = "model.optim.name";
	cuts->span = name->span;
}

static void put_model(struct decoder *decoder, const struct node *root)
{
	const struct node *model = node_member(root, "model");
	const char *activation = keys_text(root, "model.activation", "gelu");

	if (!model || model->kind != NODE_MAP || node_member(model, "encoder") ||
	    node_member(model, "decoder"))
		return;
	keys_put(decoder, model, model_rows, sizeof(model_rows) / sizeof(model_rows[0]));
	if (node_member(model, "num_layers"))
		settings_put_bool(decoder->settings, FIELD_MODEL_GATED_MLP,
				  strstr(activation, "glu") != NULL, ORIGIN_DERIVED)
			->note = "model.activation";
}

/* GPT-2's tokenizer is in the file by name; each rank of tp has a whole part of its table. */
static void put_vocab(struct decoder *decoder, const struct node *root)
{
	const struct setting *layers = settings_of(decoder->settings, FIELD_MODEL_LAYERS);

	if (!strcmp(keys_text(root, "model.tokenizer.type", ""), "GPT2BPETokenizer") &&
	    setting_known(layers))
		padded_vocab_put(decoder, 50257,
				 keys_int(root, "model.make_vocab_size_divisible_by", 128), NULL,
				 "GPT-2's vocabulary, padded for tp");
}

/* Whether all that its list names lands deeper than a degree can: ".@model.encoder: base". */
static bool builds_on_parts(const struct node *root)
{
	const struct node *list = node_member(root, "defaults"), *item;

	for (item = list ? list->first : NULL; item; item = item->next) {
		if (item->kind == NODE_SCALAR && !strcmp(item->text, "_self_"))
			continue;
		if (item->kind != NODE_MAP || !item->first || !strstr(item->first->key, "@model."))
			return false;
	}
	return list != NULL;
}

static void nemo_settle(struct document *document, moment_t when, struct settings *settings,
			struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const struct node *root = document->root;
	bool fsdp;

	(void)when;
	keys_put(&decoder, root, rows, sizeof(rows) / sizeof(rows[0]));
	keys_optimizer(&decoder, node_find(root, "model.optim"));
	keys_kinds(&decoder, root, &lightning_steps, 1);
	keys_misspelt(&decoder, root, rows, sizeof(rows) / sizeof(rows[0]), "NeMo",
		      "takes its default for the key of that name");
	uncounted_put(&decoder, root, NULL, uncounted, sizeof(uncounted) / sizeof(uncounted[0]));
	put_devices(&decoder, root);
	put_model(&decoder, root);
	put_vocab(&decoder, root);
	if (is_generation(root)) {
		keys_put(&decoder, root, checkpoint_rows,
			 sizeof(checkpoint_rows) / sizeof(checkpoint_rows[0]));
		if (!setting_given(settings_of(settings, FIELD_TP)))
			leave_open(settings, checkpoint_rows,
				   sizeof(checkpoint_rows) / sizeof(checkpoint_rows[0]),
				   "the checkpoint decides");
	}
	fsdp = put_fsdp(&decoder, root);
	if (!fsdp)
		put_distributed(&decoder);
	settings_put_text(settings, FIELD_ENGINE, fsdp ? "fsdp" : "megatron", ORIGIN_DEFAULT)
		->note = "NeMo";
	keys_default(&decoder, FIELD_DP_SHARD, fsdp ? -1 : 1, "NeMo's data parallel");
	keys_default(&decoder, FIELD_DP_REPLICATE, fsdp ? 1 : -1,
		     "what tp, cp and pp leave of the world");
	if (!builds_on_parts(root))
		leave_to_absent(document, settings, rows, sizeof(rows) / sizeof(rows[0]));
	open_axis_fill(document, &decoder);
}

static void nemo_vocabulary(struct vocabulary *vocabulary)
{
	vocabulary_guarded(vocabulary, "", rows, sizeof(rows) / sizeof(rows[0]));
	vocabulary_rows(vocabulary, "model", model_rows,
			sizeof(model_rows) / sizeof(model_rows[0]));
	vocabulary_rows(vocabulary, "", checkpoint_rows,
			sizeof(checkpoint_rows) / sizeof(checkpoint_rows[0]));
}

const struct dialect dialect_nemo = {
	.name = "nemo",
	.summary = "NeMo 1.x's hydra configs, those of its launcher and of gpu-recipes",
	.signs = "'trainer' and 'exp_manager', or 'model' with Megatron's degrees",
	.framework = "nemo",
	.as_of = "8cfedd72",
	.command = COMMAND_HYDRA,
	.detect = nemo_detect,
	.compose = nemo_compose,
	.vocabulary = nemo_vocabulary,
	.settle = nemo_settle,
};
