#include "input/settings/uncounted.h"
#include "input/compose/composition.h"
#include "input/document.h"
#include "input/compose/interpolation.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "wings/megatron/keys.h"
#include "input/vocabulary.h"

#include <string.h>

/*
 * Megatron-Bridge's YAML (NVIDIA-NeMo/Megatron-Bridge@067f987d): overrides laid over a recipe in
 * Python, key by key of its ConfigContainer. A degree that the file does not have is the recipe's.
 */

static const struct key_row rows[] = {
	{ "dataset.sequence_length", FIELD_SEQ_LEN, KEY_VALUE, NULL },
	{ "dataset.seq_length", FIELD_SEQ_LEN, KEY_VALUE, NULL },
	{ "model.seq_length", FIELD_SEQ_LEN, KEY_VALUE, NULL },
};

/* What the recipe decides where the file is silent. */
static const struct key_row recipe_rows[] = {
	{ "model.tensor_model_parallel_size", FIELD_TP, KEY_VALUE, NULL },
	{ "model.pipeline_model_parallel_size", FIELD_PP, KEY_VALUE, NULL },
	{ "model.context_parallel_size", FIELD_CP, KEY_VALUE, NULL },
	{ "model.expert_model_parallel_size", FIELD_EP, KEY_VALUE, NULL },
	{ "model.expert_tensor_parallel_size", FIELD_ETP, KEY_VALUE, NULL },
};

/* A section by its name, or by the one it had first: model_config. */
static const struct node *section_of(struct arena *arena, const struct node *root, const char *name)
{
	const struct node *section = node_member(root, name);

	if (!section)
		section = node_member(root, arena_join(arena, name, "_config", ""));
	return section && section->kind == NODE_MAP ? section : NULL;
}

/* Its sections, of which a file of overrides has two or more. */
static int sections(struct arena *arena, const struct node *root)
{
	static const char *const names[] = {
		"model", "train",     "scheduler",    "optimizer",	 "ddp",
		"dist",	 "logger",    "tokenizer",    "checkpoint",	 "dataset",
		"rng",	 "profiling", "comm_overlap", "mixed_precision", "validation"
	};
	size_t i;
	int count = 0;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		count += section_of(arena, root, names[i]) != NULL;
	return count;
}

/* Sections of other frameworks that also have a model and train. */
static bool is_other(const struct node *root)
{
	static const char *const names[] = { "trainer",	       "policy",      "modules",
					     "parallelism",    "distributed", "actor_rollout_ref",
					     "model_parallel", "MODEL_ARGS",  "devices" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (node_member(root, names[i]))
			return true;
	return false;
}

static bool has_degree(const struct node *model)
{
	const struct node *child;

	for (child = model ? model->first : NULL; child; child = child->next)
		if (child->key && megatron_is_degree(child->key))
			return true;
	return false;
}

static int nemo_bridge_detect(const struct document *document)
{
	const struct node *root = document->root;
	const struct node *model = section_of(document->arena, root, "model");
	const struct node *train = section_of(document->arena, root, "train");

	if (sections(document->arena, root) < 2 || is_other(root))
		return 0;
	if (has_degree(model))
		return 70;
	return node_member(train, "train_iters") ? 55 : 0;
}

static void nemo_bridge_compose(struct document *document, struct findings *findings)
{
	interpolate_omegaconf(document, document->root, NULL, findings);
}

/* Sections whose keys Megatron Core is told, and which (src/megatron/bridge/training/config.py). */
static const struct megatron_section told[] = {
	/* training/comm_overlap.py: it is laid over the others */
	{ "comm_overlap",
	  { "tp_comm_overlap|overlap_p2p_comm|overlap_grad_reduce|overlap_param_gather|"
	    "delay_wgrad_compute|overlap_moe_expert_parallel_comm" } },
	{ "mixed_precision", { "fp8|fp4" } },
	{ "model", { megatron_degree_names, megatron_transformer_names } },
	{ "train",
	  { "micro_batch_size|global_batch_size|rampup_batch_size|decrease_batch_size_if_needed|"
	    "train_iters" } },
	{ "dist", { "use_tp_pp_dp_mapping|distributed_backend" } },
	{ "ddp",
	  { "overlap_grad_reduce|overlap_param_gather|use_distributed_optimizer|"
	    "num_distributed_optimizer_instances" } },
	{ "checkpoint", { "ckpt_format" } },
	{ "optimizer",
	  { "optimizer|use_distributed_optimizer|optimizer_cpu_offload|main_params_dtype|"
	    "main_grads_dtype|exp_avg_dtype|exp_avg_sq_dtype|bf16|fp16" } },
};

/* What the sections say to Megatron Core, as one map; each key keeps its place. */
static struct node *flattened(struct arena *arena, struct node *root)
{
	struct node *map = node_container(arena, NODE_MAP, root->span), *copy;
	const struct node *section, *child;
	size_t i;

	for (i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		section = section_of(arena, root, told[i].map);
		for (child = section ? section->first : NULL; child; child = child->next) {
			copy = node_copy(arena, child);
			node_append(map, copy);
			copy->parent = child->parent;
		}
	}
	return map;
}

/*
 * A name of a precision, or its class (src/megatron/bridge/training/mixed_precision.py): gradients
 * are added up and reduced in fp32 unless it says otherwise.
 */
static void put_precision(struct decoder *decoder, const struct node *root)
{
	static const struct key_row reduce_row = { "mixed_precision.grad_reduce_in_fp32",
						   FIELD_REDUCE_DTYPE, KEY_VALUE,
						   "true=float32|false=bfloat16" };
	static const struct {
		const char *part, *format;
	} formats[] = { { "mxfp8", "mxfp8" }, { "nvfp4", "nvfp4" }, { "fp8", "fp8" } };
	const char *name = keys_text(root, "mixed_precision", "");
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strstr(name, formats[i].part)) {
			keys_put_word(decoder, FIELD_MATMUL_DTYPE, root, "mixed_precision",
				      formats[i].format);
			break;
		}
	if (!strncmp(name, "fp16_", 5))
		keys_put_word(decoder, FIELD_PARAM_DTYPE, root, "mixed_precision", "float16");
	keys_put(decoder, root, &reduce_row, 1);
}

/* Megatron Core's classes, as they are at 067f987d (training/config.py). */
static const struct key_row graph_row = { "model.cuda_graph_impl", FIELD_CUDA_GRAPH, KEY_VALUE,
					  NULL };

static const struct uncounted_row uncounted[] = {
	{ "model.cpu_offloading", "activations of layers wait in host memory" },
	{ "mixed_precision.fp8_param", "parameters are kept in 8 bits" },
	{ "ddp.use_megatron_fsdp", "Megatron-FSDP shares parameters" },
	{ "dist.use_megatron_fsdp", "Megatron-FSDP shares parameters" },
	{ "optimizer.use_precision_aware_optimizer", "gradients have no copy for the optimizer" },
	{ "optimizer.overlap_param_gather_with_optimizer_step",
	  "gathers overlap with the optimizer's step" },
};

static void nemo_bridge_settle(struct document *document, moment_t when, struct settings *settings,
			       struct findings *findings)
{
	static const struct megatron_habits habits = { .whose = "Megatron-Bridge",
						       .grouped = true };
	struct decoder decoder = { document->arena, settings, findings };
	struct node *root = document->root;

	(void)when;
	megatron_settle(&decoder, flattened(document->arena, root), &habits);
	keys_put(&decoder, root, rows, sizeof(rows) / sizeof(rows[0]));
	keys_optimizer(&decoder, node_member(root, "optimizer"));
	keys_put_word(&decoder, FIELD_TUNER, root, "peft", "lora");
	put_precision(&decoder, root);
	keys_put(&decoder, root, &graph_row, 1);
	uncounted_put(&decoder, root, NULL, uncounted, sizeof(uncounted) / sizeof(uncounted[0]));
	settings_put_text(settings, FIELD_ENGINE, "megatron", ORIGIN_DEFAULT)->note =
		"Megatron-Bridge";
	leave_open(settings, recipe_rows, sizeof(recipe_rows) / sizeof(recipe_rows[0]),
		   "the recipe that it overrides decides");
}

static void nemo_bridge_vocabulary(struct vocabulary *vocabulary)
{
	size_t i;

	megatron_vocabulary_in(vocabulary, told, sizeof(told) / sizeof(told[0]));
	/* config.py takes dataset.seq_length for dataset.sequence_length, and wants the model's to
	 * be the same */
	for (i = 1; i < sizeof(rows) / sizeof(rows[0]); i++) {
		vocabulary_rows(vocabulary, "", &rows[i], 1);
		vocabulary->keys.items[vocabulary->keys.count - 1].together = true;
	}
}

const struct dialect dialect_nemo_bridge = {
	.name = "nemo-bridge",
	.summary = "Megatron-Bridge's YAML: overrides of a recipe",
	.signs = "'model' with degrees of Megatron's beside 'train', 'dataset', 'ddp', ...",
	.framework = "megatron-bridge",
	.as_of = "067f987d",
	.command = COMMAND_HYDRA,
	.detect = nemo_bridge_detect,
	.compose = nemo_bridge_compose,
	.vocabulary = nemo_bridge_vocabulary,
	.settle = nemo_bridge_settle,
};
