#include "wings/axolotl/keys.h"

#include "base/text.h"
#include "input/keys.h"

#include <stdlib.h>
#include <string.h>

/*
 * A file becomes one of pydantic's models, none of which says what to do with further keys: they
 * are dropped without a word (axolotl-ai-cloud/axolotl from cc3cebfa, 2024-02-26, to 067b021c:
 * utils/config/__init__.py, validate_config). Before that, whatever nobody asked for stayed unread
 * in a dictionary (utils/dict.py, DictDefault).
 */

enum { NOW, ONCE };

struct key {
	const char *name, *plugin;
	int read;
};

static const struct key keys[] = {
#define KEY(name, plugin, read) { name, plugin, read },
#include "wings/axolotl/keys.def"
#undef KEY
};

enum { KEYS = sizeof(keys) / sizeof(*keys) };

#define INTEGRATIONS "axolotl.integrations."
#define LIGER	     "its plugin does that, told by liger_* keys: " INTEGRATIONS "liger.LigerPlugin"
#define BNB	     "bnb_config_kwargs.bnb_4bit_"
#define PIPELINE     "remove it: axolotl has no pipeline parallelism"

/*
 * Names of the Trainer's arguments, TRL's, LLaMA-Factory's, DeepSpeed's, Megatron's and
 * TorchTitan's whose meaning axolotl has by another name (core/builders/base.py@067b021c hands most
 * of them on), and what people write by mistake: axolotl's own examples and tests, too.
 */
static const struct key_alias aliases[] = {
	{ .theirs = "rlhf", .ours = "rl" },
	{ .theirs = "beta", .ours = "rl_beta" },
	{ .theirs = "per_device_train_batch_size", .ours = "micro_batch_size" },
	{ .theirs = "per_gpu_train_batch_size", .ours = "micro_batch_size" },
	{ .theirs = "per_device_batch_size", .ours = "micro_batch_size" },
	{ .theirs = "train_micro_batch_size_per_gpu", .ours = "micro_batch_size" },
	{ .theirs = "per_device_eval_batch_size", .ours = "eval_batch_size" },
	{ .theirs = "gradient_accumulation", .ours = "gradient_accumulation_steps" },
	{ .theirs = "grad_accum_steps", .ours = "gradient_accumulation_steps" },
	{ .theirs = "max_seq_length", .ours = "sequence_len" },
	{ .theirs = "max_seq_len", .ours = "sequence_len" },
	{ .theirs = "max_length", .ours = "sequence_len" },
	{ .theirs = "model_max_length", .ours = "sequence_len" },
	{ .theirs = "cutoff_len", .ours = "sequence_len" },
	{ .theirs = "seq_length", .ours = "sequence_len" },
	{ .theirs = "seq_len", .ours = "sequence_len" },
	{ .theirs = "flash_attn", .ours = "flash_attention", .flag = true },
	{ .theirs = "use_flash_attn", .ours = "flash_attention", .flag = true },
	{ .theirs = "use_flash_attention", .ours = "flash_attention", .flag = true },
	{ .theirs = "use_flash_attention_2", .ours = "flash_attention", .flag = true },
	{ .theirs = "attn_impl", .ours = "attn_implementation" },
	{ .theirs = "use_gradient_checkpointing", .ours = "gradient_checkpointing", .flag = true },
	{ .theirs = "activation_checkpointing", .ours = "gradient_checkpointing", .flag = true },
	{ .theirs = "packing", .ours = "sample_packing", .flag = true },
	{ .theirs = "use_packing", .ours = "sample_packing", .flag = true },
	{ .theirs = "lr", .ours = "learning_rate" },
	{ .theirs = "lr_scheduler_type", .ours = "lr_scheduler" },
	{ .theirs = "optim", .ours = "optimizer" },
	{ .theirs = "adam_eps", .ours = "adam_epsilon" },
	{ .theirs = "num_train_epochs", .ours = "num_epochs" },
	{ .theirs = "epochs", .ours = "num_epochs" },
	{ .theirs = "max_epochs", .ours = "num_epochs" },
	{ .theirs = "max_train_steps", .ours = "max_steps" },
	{ .theirs = "train_steps", .ours = "max_steps" },
	{ .theirs = "gradient_clipping", .ours = "max_grad_norm" },
	{ .theirs = "gradient_clip_val", .ours = "max_grad_norm" },
	{ .theirs = "clip_grad", .ours = "max_grad_norm" },
	{ .theirs = "max_norm", .ours = "max_grad_norm" },
	{ .theirs = "lora_rank", .ours = "lora_r" },
	{ .theirs = "lora_target",
	  .ours = "lora_target_modules",
	  .way = "list it as lora_target_modules" },
	{ .theirs = "finetuning_type",
	  .ours = "adapter",
	  .way = "write adapter: lora, or none at all" },
	{ .theirs = "use_peft", .ours = "adapter", .way = "write adapter: lora" },
	{ .theirs = "use_lora", .ours = "adapter", .way = "write adapter: lora" },
	{ .theirs = "lora_use_dora", .ours = "peft_use_dora" },
	{ .theirs = "lora_use_rslora", .ours = "peft_use_rslora" },
	{ .theirs = "ref_model", .way = "remove it: the reference is base_model" },
	{ .theirs = "tokenizer_path", .ours = "tokenizer_config" },
	{ .theirs = "tokenizer_name", .ours = "tokenizer_config" },
	{ .theirs = "random_init_weights", .ours = "reinit_weights" },
	{ .theirs = "pad_to_seq_len", .ours = "pad_to_sequence_len" },
	/* load_in_4bit makes it nf4 twice, computed in the job's type */
	{ .theirs = "bnb_4bit_quant_type", .ours = BNB "quant_type", .minor = true },
	{ .theirs = "bnb_4bit_use_double_quant", .ours = BNB "use_double_quant", .minor = true },
	{ .theirs = "bnb_4bit_compute_dtype", .ours = BNB "compute_dtype", .minor = true },
	{ .theirs = "deepspeed_config", .ours = "deepspeed" },
	{ .theirs = "torch_dtype", .ours = "bf16", .way = "write bf16: true or fp16: true" },
	{ .theirs = "mixed_precision", .ours = "bf16", .way = "write bf16: true or fp16: true" },
	{ .theirs = "use_cut_cross_entropy", .ours = "cut_cross_entropy", .flag = true },
	{ .theirs = "use_liger_kernel", .way = LIGER },
	{ .theirs = "enable_liger_kernel", .way = LIGER },
	{ .theirs = "use_liger", .way = LIGER },
	{ .theirs = "tp_size", .ours = "tensor_parallel_size" },
	{ .theirs = "tensor_model_parallel_size", .ours = "tensor_parallel_size" },
	{ .theirs = "tensor_parallel_degree", .ours = "tensor_parallel_size" },
	{ .theirs = "cp_size", .ours = "context_parallel_size" },
	{ .theirs = "context_parallel_degree", .ours = "context_parallel_size" },
	{ .theirs = "sequence_parallel_size", .ours = "context_parallel_size" },
	{ .theirs = "ep_size", .ours = "expert_parallel_size" },
	{ .theirs = "expert_model_parallel_size", .ours = "expert_parallel_size" },
	{ .theirs = "data_parallel_shard_degree", .ours = "dp_shard_size" },
	{ .theirs = "data_parallel_replicate_degree", .ours = "dp_replicate_size" },
	{ .theirs = "pipeline_model_parallel_size", .way = PIPELINE },
	{ .theirs = "pipeline_parallel_size", .way = PIPELINE },
	{ .theirs = "pp_size", .way = PIPELINE },
};

enum { ALIASES = sizeof(aliases) / sizeof(*aliases) };

/* What is below the map at `prefix`: "" for the file, "trl.", "datasets.*."; or NULL. */
static const char *name_below(size_t key, const char *prefix)
{
	const size_t length = strlen(prefix);
	const char *name = keys[key].name + length;

	return !strncmp(keys[key].name, prefix, length) && !strchr(name, '.') ? name : NULL;
}

/* The names of a map's keys that are read so into names[]; how many. */
static size_t names_read(const char *prefix, int read, const char **names)
{
	size_t i, count = 0;

	for (i = 0; i < KEYS; i++)
		if (keys[i].read == read && name_below(i, prefix))
			names[count++] = name_below(i, prefix);
	return count;
}

/* The names of a map's keys into names[KEYS], the dead ones last; how many. */
static size_t names_below(const char *prefix, const char **names, size_t *dead)
{
	const size_t count = names_read(prefix, NOW, names);

	*dead = names_read(prefix, ONCE, names + count);
	return count + *dead;
}

static int compare(const void *name, const void *key)
{
	return strcmp(name, ((const struct key *)key)->name);
}

/* The list is sorted. */
static const struct key *find(const char *name)
{
	return bsearch(name, keys, KEYS, sizeof(*keys), compare);
}

static bool is_alias(const char *name)
{
	size_t i;

	for (i = 0; i < ALIASES; i++)
		if (!strcmp(aliases[i].theirs, name))
			return true;
	return false;
}

/*
 * Names that the file has at its top: the aliases, and keys of two maps that people write beside
 * them. At most ALIASES + KEYS.
 */
static size_t aliases_at_top(struct key_alias *found)
{
	static const char *const maps[] = { "fsdp_config.", "trl." };
	size_t count = ALIASES, i, k;

	memcpy(found, aliases, sizeof(aliases));
	for (k = 0; k < sizeof(maps) / sizeof(*maps); k++)
		for (i = 0; i < KEYS; i++) {
			const struct key_alias below = { .theirs = name_below(i, maps[k]),
							 .ours = keys[i].name };
			if (below.theirs && !find(below.theirs) && !is_alias(below.theirs))
				found[count++] = below;
		}
	return count;
}

bool axolotl_has_plugin(const struct node *root, const char *class)
{
	const struct node *plugins = node_member(root, "plugins"), *item;

	for (item = plugins ? plugins->first : NULL; item; item = item->next)
		if (item->kind == NODE_SCALAR && text_ends(item->text, class))
			return true;
	return false;
}

/* A plugin's name without the package that may be left out (integrations/base.py, load_plugin). */
static const char *short_name(const char *plugin)
{
	const size_t length = strlen(INTEGRATIONS);

	return strncmp(plugin, INTEGRATIONS, length) ? plugin : plugin + length;
}

/* Whether two plugins lie in one folder. */
static bool is_of(const char *plugin, const char *other)
{
	const size_t length = strcspn(other, ".") + 1;

	return !strncmp(short_name(plugin), other, length);
}

/* Whether axolotl has a plugin: where its name is not known, nobody knows whose it is. */
static bool is_own(const struct node *plugin)
{
	size_t i;

	if (plugin->kind != NODE_SCALAR || plugin->unresolved)
		return false;
	for (i = 0; i < KEYS; i++)
		if (keys[i].plugin && is_of(plugin->text, keys[i].plugin))
			return true;
	return !strncmp(plugin->text, "axolotl.", 8);
}

/* The plugin of somebody else that a file names, which may have keys; or NULL. */
static const char *foreign_plugin(const struct node *root)
{
	const struct node *plugins = node_member(root, "plugins"), *item;

	if (plugins && plugins->kind == NODE_SCALAR && plugins->type != SCALAR_NULL)
		return plugins->text;
	for (item = plugins ? plugins->first : NULL; item; item = item->next)
		if (!is_own(item))
			return item->text ? item->text : "a plugin";
	return NULL;
}

static bool names_plugin(const struct node *root, const char *plugin)
{
	const struct node *plugins = node_member(root, "plugins"), *item;

	for (item = plugins ? plugins->first : NULL; item; item = item->next)
		if (item->kind == NODE_SCALAR && is_of(item->text, plugin))
			return true;
	return false;
}

/* Keys of a plugin that the file does not name; of those that set a degree the plan tells. */
static void judge_unplugged(struct decoder *decoder, const struct node *root)
{
	const struct node *node;
	struct finding *finding;
	size_t i;

	for (i = 0; i < KEYS; i++) {
		node = keys[i].plugin && keys[i].read == NOW ? node_member(root, keys[i].name)
							     : NULL;
		if (!node || !strcmp(node->key, "expert_parallel_size") ||
		    names_plugin(root, keys[i].plugin) || keys_ask_nothing(node))
			continue;
		finding = finding_add(decoder->findings, &rule_unknown_key, node->key_span,
				      "axolotl silently ignores %s: its plugin %s is not named",
				      node->key, keys[i].plugin);
		finding_cap(finding, SEVERITY_WARNING);
		finding_actual(decoder->findings, finding, "as without it");
		finding_fix(decoder->findings, finding, "name it in plugins: - " INTEGRATIONS "%s",
			    keys[i].plugin);
	}
}

/* Keys that versions before this one read; those that have an alias are reported by that. */
static void judge_gone(struct decoder *decoder, const struct node *root)
{
	const struct node *node;
	struct finding *finding;
	size_t i;

	for (i = 0; i < KEYS; i++) {
		node = keys[i].read == ONCE ? node_find(root, keys[i].name) : NULL;
		if (!node || is_alias(keys[i].name) || keys_ask_nothing(node))
			continue;
		finding = finding_add(decoder->findings, &rule_renamed_key, node->key_span,
				      "axolotl no longer reads %s, and silently ignores it",
				      keys[i].name);
		finding_cap(finding, SEVERITY_NOTE);
		finding_fix(decoder->findings, finding,
			    "remove it, unless the version that runs has it");
	}
}

/* The keys of a map, or of the maps in a list, that is itself a key. */
static void judge_below(struct decoder *decoder, const struct node *node, const char *prefix,
			struct ignoring ignoring)
{
	const char *names[KEYS];
	const size_t count = names_below(prefix, names, &ignoring.dead);
	const struct node *item = node->kind == NODE_LIST ? node->first : NULL;

	if (!count)
		return;
	keys_ignored(decoder, node->kind == NODE_MAP ? node : NULL, names, count, &ignoring);
	for (; item; item = item->next)
		keys_ignored(decoder, item, names, count, &ignoring);
}

/* Whether axolotl itself has all keys of a map. */
static bool is_plain(struct arena *arena, const struct node *map, const char *prefix)
{
	const struct node *child = map->kind == NODE_MAP ? map->first : NULL;
	const struct key *key;

	for (; child; child = child->next) {
		key = find(*prefix ? arena_join(arena, prefix, child->key, "") : child->key);
		if (!key || key->read != NOW || key->plugin || is_alias(key->name))
			return false;
	}
	return true;
}

/* "trl." of a map, "datasets.*." of a list. */
static const char *prefix_of(struct arena *arena, const struct node *node)
{
	return arena_join(arena, node->key, node->kind == NODE_LIST ? ".*." : ".", "");
}

/* The same of all that lies in the map or list `node`. */
static bool is_plain_below(struct arena *arena, const struct node *node)
{
	const char *prefix = prefix_of(arena, node);
	const struct node *item = node->kind == NODE_LIST ? node->first : NULL;

	if (!is_plain(arena, node, prefix))
		return false;
	while (item && is_plain(arena, item, prefix))
		item = item->next;
	return !item;
}

/* Most files have no other keys; a search reads one thousands of times. */
static bool is_plain_file(struct arena *arena, const struct node *root)
{
	const struct node *child = root->first;

	if (!is_plain(arena, root, ""))
		return false;
	while (child && (child->kind == NODE_SCALAR || is_plain_below(arena, child)))
		child = child->next;
	return !child;
}

void axolotl_keys_judge(struct decoder *decoder, const struct node *root)
{
	struct key_alias at_top[ALIASES + KEYS];
	const char *names[KEYS];
	struct ignoring ignoring = { .framework = "axolotl" };
	const struct node *child;
	size_t count;

	if (!decoder->findings || is_plain_file(decoder->arena, root))
		return;
	ignoring.reader = foreign_plugin(root);
	for (child = root->first; child; child = child->next)
		if (child->kind != NODE_SCALAR)
			judge_below(decoder, child, prefix_of(decoder->arena, child), ignoring);
	judge_unplugged(decoder, root);
	if (!ignoring.reader)
		judge_gone(decoder, root);
	ignoring.aliases = at_top;
	ignoring.count = aliases_at_top(at_top);
	count = names_below("", names, &ignoring.dead);
	keys_ignored(decoder, root, names, count, &ignoring);
}

void axolotl_keys_vocabulary(struct vocabulary *vocabulary)
{
	struct key_alias at_top[ALIASES + KEYS];
	struct ignoring ignoring = { .aliases = at_top, .count = aliases_at_top(at_top) };
	struct vocabulary_key key = { .field = FIELD_COUNT, .gone = "067b021c" };
	const char *names[KEYS];
	size_t count = names_below("", names, &ignoring.dead), i;

	for (i = count - ignoring.dead; i < count; i++) {
		key.path = names[i];
		vocabulary_add(vocabulary, &key);
	}
	vocabulary_ignored(vocabulary, "", names, count, &ignoring);
}
