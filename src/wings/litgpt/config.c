#include "base/number.h"
#include "base/text.h"
#include "input/document.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "input/launch/form.h"
#include "input/settings/hf_model.h"
#include "input/vocabulary.h"
#include "wings/lightning/precision.h"
#include "wings/litgpt/keys.h"

/*
 * litgpt's YAML for its CLI (Lightning-AI/litgpt@26857050): pretrain and finetune shard over all
 * devices x num_nodes ranks with Lightning's FSDPStrategy, or run on one device alone.
 */

static const struct key_row rows[] = {
	{ "devices", FIELD_CLUSTER_GPUS_PER_NODE, KEY_POSITIVE, "auto=" },
	{ "num_nodes", FIELD_CLUSTER_NODES, KEY_VALUE, NULL },
	{ "train.global_batch_size", FIELD_GLOBAL_BATCH_SIZE, KEY_VALUE, NULL },
	{ "train.micro_batch_size", FIELD_MICRO_BATCH_SIZE, KEY_VALUE, NULL },
	{ "train.max_seq_length", FIELD_SEQ_LEN, KEY_VALUE, NULL },
	{ "train.max_steps", FIELD_STEPS, KEY_VALUE, NULL },
	{ "train.max_norm", FIELD_MAX_NORM, KEY_VALUE, NULL },
	{ "train.tie_embeddings", FIELD_MODEL_TIED_EMBEDDINGS, KEY_VALUE, NULL },
	{ "precision", FIELD_PARAM_DTYPE, KEY_VALUE,
	  "bf16-true=bfloat16|bf16-mixed=bfloat16|16-true=float16|16-mixed=float16|"
	  "32-true=float32|32=float32|transformer-engine=" },
};

/* A section of the model's sizes, as pretrain.py took it in its first months; or of ours, by --set.
 */
static bool is_section_of_others(const struct node *root)
{
	const struct node *model = node_member(root, "model");

	return model && model->origin != NODE_FROM_SET &&
	       !(node_find(root, "model.n_embd") && node_member(root, "devices"));
}

/* The model is a name or a folder: no other section of that name is litgpt's. */
static int litgpt_detect(const struct document *document)
{
	const struct node *root = document->root;

	if (!node_member(root, "train") || node_member(root, "trainer") ||
	    is_section_of_others(root))
		return 0;
	if (node_member(root, "devices") && node_member(root, "num_nodes"))
		return 80;
	return node_find(root, "train.lr_warmup_steps") || node_find(root, "train.micro_batch_size")
		       ? 60
		       : 0;
}

/* pretrain names the model, finetune the folder of its checkpoint. */
static const struct node *litgpt_model(const struct node *root)
{
	const struct node *name = node_member(root, "model_name");

	return name ? name : node_member(root, "checkpoint_dir");
}

/* pretrain.py names its model; the finetuning scripts begin from a checkpoint. */
static bool pretrains(const struct node *root)
{
	return !node_member(root, "checkpoint_dir") &&
	       (node_member(root, "model_name") || node_member(root, "initial_checkpoint_dir") ||
		node_member(root, "tokenizer_dir"));
}

/* Of the file, or those that so many ranks make; 0: not known. */
static int64_t nodes_of(const struct document *document, const struct settings *settings)
{
	const int64_t devices = setting_int(settings, FIELD_CLUSTER_GPUS_PER_NODE, 0);
	const int64_t world = document->overrides->world;

	if (!world)
		return setting_int(settings, FIELD_CLUSTER_NODES, 0);
	return devices > 0 && world % devices == 0 ? world / devices : 0;
}

/* pretrain.py asks for HYBRID_SHARD, which repeats what is shared inside a node. */
static void put_axes(const struct document *document, struct decoder *decoder)
{
	struct settings *settings = decoder->settings;
	const struct setting *devices = settings_of(settings, FIELD_CLUSTER_GPUS_PER_NODE);
	const struct setting *said = settings_of(settings, FIELD_CLUSTER_NODES);
	const bool asked = document->overrides->world > 0; /* for so many ranks */
	int64_t nodes;

	if (!asked && !setting_known(said) && !said->invalid)
		keys_default(decoder, FIELD_CLUSTER_NODES, 1, "litgpt's default");
	nodes = nodes_of(document, settings);
	if (!setting_known(devices) || nodes < 1 ||
	    (asked && (nodes == 1 || !pretrains(document->root)))) {
		keys_default(decoder, FIELD_DP_SHARD, -1, "FSDPStrategy shards over all ranks");
		return;
	}
	if (!pretrains(document->root) || nodes == 1) {
		keys_derive(decoder, FIELD_DP_SHARD, multiply(devices->integer, nodes), devices,
			    "FSDPStrategy shards over devices x num_nodes");
		return;
	}
	settings_put_text(settings, FIELD_SHARDING_MODE, "HYBRID_SHARD", ORIGIN_DEFAULT)->note =
		"litgpt's pretrain.py";
	keys_derive(decoder, FIELD_DP_REPLICATE, nodes, asked ? devices : said,
		    "HYBRID_SHARD repeats over nodes");
	keys_derive(decoder, FIELD_DP_SHARD, devices->integer, devices,
		    "HYBRID_SHARD shards inside a node");
}

/* The first word behind `litgpt`, or NULL. */
static const struct launch_word *command_of(const struct document *document)
{
	const struct launch_word *command =
		document->launch ? launch_positional(document->launch, 0) : NULL;

	return command && !command->unresolved ? command : NULL;
}

/*
 * `finetune` is finetune_lora, whose YAML alone has lora_r; finetune_adapter and its second version
 * train adapters of their own (litgpt/__main__.py).
 */
static void put_tuner(const struct document *document, struct decoder *decoder)
{
	const struct launch_word *command = command_of(document);
	const char *name = command ? command->text : "";
	const char *tuner = words_have("finetune|finetune_lora", name) ? "lora"
			    : text_starts(name, "finetune_adapter")    ? "adapter"
								       : NULL;

	keys_put_word(decoder, FIELD_TUNER, document->root, "lora_r", "lora");
	if (tuner && command)
		settings_put_text(decoder->settings, FIELD_TUNER, tuner, ORIGIN_GIVEN)->span =
			command->span;
}

/* A rank by itself has no strategy, and nothing that comes with one. */
static bool is_alone(const struct document *document, const struct settings *settings)
{
	if (document->overrides->world)
		return document->overrides->world == 1;
	return setting_int(settings, FIELD_CLUSTER_GPUS_PER_NODE, 0) == 1 &&
	       setting_int(settings, FIELD_CLUSTER_NODES, 1) == 1;
}

/*
 * Lightning-AI/litgpt@0077627d: finetune/full.py and those beside it hand FSDPStrategy
 * activation_checkpointing_policy={Block} where there is more than one rank, lora.py of 0.5.13
 * wraps the blocks itself; pretrain.py recomputes nothing, and compiles the model.
 */
static void put_blocks(const struct document *document, struct decoder *decoder)
{
	const struct launch_word *command = command_of(document);
	struct settings *settings = decoder->settings;

	if (pretrains(document->root)) {
		settings_put_bool(settings, FIELD_COMPILE, true, ORIGIN_DEFAULT)->note =
			"litgpt's pretrain.py";
		return;
	}
	if (!node_member(document->root, "checkpoint_dir") &&
	    !(command && text_starts(command->text, "finetune")))
		return;
	settings_put_text(settings, FIELD_AC_MODE, is_alone(document, settings) ? "none" : "full",
			  ORIGIN_DEFAULT)
		->note = "litgpt's finetuning scripts";
}

/* litgpt/__main__.py: torch.set_float32_matmul_precision("high") */
static void put_types(struct decoder *decoder, const struct node *root)
{
	if (words_have("32-true|32", keys_text(root, "precision", "")))
		keys_put_word(decoder, FIELD_MATMUL_DTYPE, root, "precision", "tf32");
	lightning_put_stored(decoder, root);
}

static void litgpt_settle(struct document *document, moment_t when, struct settings *settings,
			  struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };

	(void)when;
	keys_put(&decoder, document->root, rows, sizeof(rows) / sizeof(rows[0]));
	keys_optimizer(&decoder, node_find(document->root, "optimizer.init_args"));
	hf_model_put(&decoder, document, litgpt_model(document->root));
	keys_put_class(&decoder, document->root,
		       node_find(document->root, "optimizer.class_path") ? "optimizer.class_path"
									 : "optimizer",
		       FIELD_OPTIMIZER_NAME);
	put_tuner(document, &decoder);
	settings_put_text(settings, FIELD_FSDP_VERSION, "1", ORIGIN_DEFAULT)->note =
		"Lightning's FSDPStrategy";
	settings_put_text(settings, FIELD_ENGINE, "fsdp", ORIGIN_DEFAULT);
	put_axes(document, &decoder);
	put_blocks(document, &decoder);
	put_types(&decoder, document->root);
	litgpt_refuse(&decoder, document->root);
}

static void litgpt_vocabulary(struct vocabulary *vocabulary)
{
	vocabulary_guarded(vocabulary, "", rows, sizeof(rows) / sizeof(rows[0]));
	litgpt_offer(vocabulary);
}

const struct dialect dialect_litgpt = {
	.name = "litgpt",
	.summary = "litgpt's YAML: FSDP over devices x num_nodes",
	.signs = "'devices', 'num_nodes' and 'train'",
	.framework = "litgpt",
	.as_of = "26857050",
	.command = COMMAND_FLAGS,
	.detect = litgpt_detect,
	.vocabulary = litgpt_vocabulary,
	.settle = litgpt_settle,
};
