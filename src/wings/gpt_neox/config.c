#include "base/text.h"
#include "wings/deepspeed/keys.h"
#include "input/document.h"
#include "input/keys.h"
#include "input/kinds.h"
#include "input/launch/launch.h"
#include "input/syntax/reader.h"
#include "input/vocabulary.h"

#include <string.h>

/*
 * GPT-NeoX's YAML (EleutherAI/gpt-neox@ea7aefd8 megatron/neox_arguments): one flat map, DeepSpeed's
 * keys among its own, dashes as good as underscores; several files are merged into one.
 */

static const struct key_row rows[] = {
	{ "pipe_parallel_size", FIELD_PP, KEY_POSITIVE, NULL },
	{ "model_parallel_size", FIELD_TP, KEY_POSITIVE, NULL },
	{ "context_parallel_size", FIELD_CP, KEY_POSITIVE, NULL },
	{ "moe_expert_parallel_size", FIELD_EP, KEY_POSITIVE, NULL },
	{ "sequence_parallel", FIELD_SEQUENCE_PARALLEL, KEY_VALUE, NULL },
	{ "global_num_gpus", FIELD_WORLD, KEY_VALUE, NULL },
	{ "num_gpus", FIELD_CLUSTER_GPUS_PER_NODE, KEY_POSITIVE, NULL },
	{ "num_nodes", FIELD_CLUSTER_NODES, KEY_POSITIVE, NULL },
	{ "train_micro_batch_size_per_gpu", FIELD_MICRO_BATCH_SIZE, KEY_VALUE, "auto=" },
	{ "gradient_accumulation_steps", FIELD_GRADIENT_ACCUMULATION, KEY_VALUE, "auto=" },
	{ "num_layers", FIELD_MODEL_LAYERS, KEY_VALUE, NULL },
	{ "hidden_size", FIELD_MODEL_HIDDEN, KEY_VALUE, NULL },
	{ "num_attention_heads", FIELD_MODEL_HEADS, KEY_VALUE, NULL },
	{ "num_kv_heads", FIELD_MODEL_KV_HEADS, KEY_VALUE, NULL },
	{ "hidden_dropout", FIELD_MODEL_HIDDEN_DROPOUT, KEY_VALUE, NULL },
	{ "attention_dropout", FIELD_MODEL_ATTENTION_DROPOUT, KEY_VALUE, NULL },
	{ "seq_length", FIELD_SEQ_LEN, KEY_VALUE, NULL },
	{ "train_iters", FIELD_STEPS, KEY_VALUE, NULL },
	{ "precision", FIELD_PARAM_DTYPE, KEY_VALUE,
	  "fp16=float16|bfloat16=bfloat16|fp32=float32" },
	{ "checkpoint_activations", FIELD_AC_MODE, KEY_VALUE, "true=full|false=none" },
};

static bool has(const struct node *root, const char *name)
{
	const struct node *child;
	const char *a, *b;

	for (child = root->kind == NODE_MAP ? root->first : NULL; child; child = child->next) {
		for (a = child->key, b = name; *a && (*a == *b || (*a == '-' && *b == '_'));
		     a++, b++)
			;
		if (!*a && !*b)
			return true;
	}
	return false;
}

/* Files without degrees that are merged with one that has them: paths, logging, launchers. */
static int overlay(const struct node *root)
{
	static const char *const hints[] = {
		"vocab_file",	      "merge_file",	   "data_path",	      "train_data_paths",
		"tokenizer_type",     "tensorboard_dir",   "log_dir",	      "checkpoint_factor",
		"lr_decay_style",     "attention_config",  "sparsity_config", "text_gen_type",
		"deepspeed_slurm",    "deepspeed_mpi",	   "hostfile",	      "pos_emb",
		"use_wandb",	      "wandb_project",	   "eval_iters",      "data_impl",
		"train_data_weights", "sample_input_file", "maximum_tokens",
	};
	size_t i;
	int found = 0;

	if (has(root, "base_model") || has(root, "model_name_or_path") || has(root, "parplan"))
		return 0;
	for (i = 0; i < sizeof(hints) / sizeof(*hints); i++)
		found += has(root, hints[i]);
	return found > 1 ? 35 : 0;
}

/* A file that says how the model is cut, rather than a part beside one. */
static bool neox_degrees(const struct node *root)
{
	return has(root, "pipe_parallel_size") ||
	       (has(root, "model_parallel_size") && has(root, "num_layers"));
}

static int neox_detect(const struct document *document)
{
	const struct node *root = document->root;

	if (neox_degrees(root))
		return 80;
	return has(root, "global_num_gpus") ? 70 : overlay(root);
}

/* from_ymls() replaces dashes in the keys of the outermost map. */
static void replace_dashes(struct document *document, struct node *root)
{
	struct node *child;
	char *key, *at;

	for (child = root->first; child; child = child->next) {
		if (!strchr(child->key, '-'))
			continue;
		child->key = key = arena_strdup(document->arena, child->key);
		while ((at = strchr(key, '-')))
			*at = '_';
	}
}

/* A key that a file before has, too; one with dashes is compared before they are replaced. */
static void check_twice(struct document *document, const struct node *more,
			struct findings *findings)
{
	const struct node *child;
	struct finding *finding;

	for (child = more->first; child; child = child->next) {
		if (!node_member(document->root, child->key))
			continue;
		finding = finding_add(findings, &rule_duplicate_key, child->key_span,
				      "%s stands in a file before this one, too", child->key);
		finding_quote(findings, finding,
			      "ValueError: Conf file %s has the following duplicate keys with "
			      "previously loaded file: %s",
			      child->key_span.source->path, child->key);
		finding->speaker = "gpt-neox";
		finding_fix(findings, finding, "leave it in one of the files");
	}
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* deepy.py's words: a script, -d FOLDER, and files to be merged, `.yml` left out or not. */
static void merge_files(struct document *document, struct findings *findings)
{
	const struct launch *launch = document->launch;
	const char *name;
	struct node *more;
	size_t i;

	for (i = 0; launch && i < launch->arguments.count; i++) {
		name = base_of(launch->arguments.items[i].text);
		if (!strcmp(name, "-d") || !strcmp(name, "--conf_dir"))
			i++;
		if (*name == '-' || text_ends(name, ".py"))
			continue;
		if (!text_ends(name, ".yml") && !text_ends(name, ".json"))
			name = arena_join(document->arena, name, "", ".yml");
		if (!strcmp(name, base_of(document->source->path)))
			continue;
		more = document_load(document, NULL, name, findings);
		if (!more)
			continue;
		check_twice(document, more, findings);
		replace_dashes(document, more);
		node_merge(document->arena, document->root, more);
	}
}

static void neox_compose(struct document *document, struct findings *findings)
{
	if (document->root->kind != NODE_MAP)
		return;
	replace_dashes(document, document->root);
	merge_files(document, findings);
}

/*
 * attention_config: [[["flash"], 32]] names kinds of attention and how many layers have them; of
 * several only the first is looked at (megatron/neox_arguments/neox_args.py).
 */
static void put_attention(struct settings *settings, const struct node *root)
{
	const struct node *kind = node_member(root, "attention_config");
	struct setting *flash;

	while (kind && kind->kind == NODE_LIST)
		kind = kind->first;
	if (!kind || kind->kind != NODE_SCALAR)
		return;
	flash = settings_put_bool(settings, FIELD_FLASH_ATTENTION, strstr(kind->text, "flash"),
				  ORIGIN_GIVEN);
	flash->span = kind->span;
}

/*
 * fp32 without a word of it (EleutherAI/gpt-neox@ea7aefd8 megatron/neox_arguments/arguments.py,
 * calculate_derived); files without degrees are parts, and another may have it.
 */
static void put_precision(struct decoder *decoder, const struct node *root)
{
	if (neox_degrees(root))
		deepspeed_precision(decoder, root, "GPT-NeoX without precision");
}

static void neox_settle(struct document *document, moment_t when, struct settings *settings,
			struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const size_t count = sizeof(rows) / sizeof(*rows);

	(void)when;
	deepspeed_put(&decoder, document->root);
	keys_put(&decoder, document->root, rows, count);
	put_precision(&decoder, document->root);
	put_attention(settings, document->root);
	keys_optimizer(&decoder, node_find(document->root, "optimizer.params"));
	keys_misspelt(&decoder, document->root, rows, count, "gpt-neox",
		      "stops with TypeError: __init__() got an unexpected keyword argument");
}

static enum field_id gpt_neox_field_of(const char *leaf)
{
	return keys_field_of(rows, sizeof(rows) / sizeof(*rows), leaf);
}

static void gpt_neox_vocabulary(struct vocabulary *vocabulary)
{
	deepspeed_vocabulary(vocabulary, "");
	vocabulary_guarded(vocabulary, "", rows, sizeof(rows) / sizeof(rows[0]));
}

const struct dialect dialect_gpt_neox = {
	.name = "gpt-neox",
	.summary = "GPT-NeoX's YAML: pipe and model parallel beside DeepSpeed's keys",
	.signs = "'pipe_parallel_size' or 'model_parallel_size', also with dashes",
	.framework = "gpt-neox",
	.as_of = "ea7aefd8",
	.loose_json = true,
	.adds = "zero_optimization",
	.detect = neox_detect,
	.compose = neox_compose,
	.field_of = gpt_neox_field_of,
	.vocabulary = gpt_neox_vocabulary,
	.settle = neox_settle,
};
