#include "base/text.h"
#include "input/document.h"
#include "input/node.h"
#include "wings/torchtitan/reader.h"

#include <string.h>

/*
 * From c5d93d109 (2026-06-15) on a config of main says by classes what words said before, and its
 * JSON has no names of classes: those of recomputation are told by their keys, others stand below
 * `classes` where the program of `explain --dump` wrote the file. Which class is which word:
 * pytorch/torchtitan@b5bcd76c6.
 */

static const struct {
	const char *begins, *key, *value;
} classes[] = {
	{ "FlexAttention", "model.attention", "flex" },
	{ "VarlenAttention", "model.attention", "varlen" },
	{ "ScaledDotProductAttention", "model.attention", "sdpa" },
	{ "DeepEPTokenDispatcher", "parallelism.expert_dispatcher", "deepep" },
	{ "HybridEPTokenDispatcher", "parallelism.expert_dispatcher", "hybridep" },
	{ "MinimalAsyncEP", "parallelism.expert_dispatcher", "minimal_async_ep" },
	{ "Float8Linear.", "training.float8.enabled", "true" },
	{ "Float8LinearConverter", "training.float8.enabled", "true" },
};

static void put(struct titan_reader *reader, const char *key, const char *value,
		const struct node *from)
{
	const enum field_id field = field_find(key);
	struct setting *setting = settings_of(reader->decoder.settings, field);
	struct node *node;

	if (setting_given(setting))
		return;
	node = node_copy(reader->decoder.arena, from);
	node->kind = NODE_SCALAR;
	node->first = node->last = NULL;
	node->text = value;
	node->boolean = *value == 't';
	node->type = node->boolean ? SCALAR_BOOL : SCALAR_STRING;
	setting = field_put(&reader->decoder, field, node);
	setting->origin = ORIGIN_DERIVED;
	setting->spelling = from->key ? from->key : key;
	setting->note = "the config's classes";
}

/* "FrozenFlexAttention": LoRA freezes what it does not train. */
static const char *thawed(const char *name)
{
	return text_starts(name, "Frozen") ? name + strlen("Frozen") : name;
}

static void put_named(struct titan_reader *reader, const struct node *list)
{
	const struct node *item;
	size_t i;

	for (i = 0; list && i < sizeof(classes) / sizeof(classes[0]); i++)
		for (item = list->kind == NODE_LIST ? list->first : NULL; item; item = item->next)
			if (item->kind == NODE_SCALAR &&
			    text_starts(thawed(item->text), classes[i].begins))
				put(reader, classes[i].key, classes[i].value, item);
}

/* Null, or the section's keys: each policy has its own. */
static void put_checkpointing(struct titan_reader *reader, const struct node *section)
{
	if (section->kind == NODE_SCALAR && section->type == SCALAR_NULL)
		put(reader, "training.activation_checkpoint.mode", "none", section);
	else if (section->kind == NODE_MAP && section->first)
		put(reader, "training.activation_checkpoint.mode",
		    node_member(section, "memory_budget")			? "memory_budget"
		    : node_member(section, "force_recompute_mm_shapes_by_fqns") ? "selective"
										: "full",
		    section);
}

/* The optimizer of all parameter groups, where they have one. */
static void put_optimizer(struct titan_reader *reader, const struct node *section)
{
	const struct node *groups = node_member(section, "param_groups"), *group, *name = NULL;
	const struct node *implementation = node_member(section, "implementation"), *next;

	if (implementation && implementation->kind == NODE_SCALAR && *implementation->text)
		put(reader, "training.optimizer.implementation", implementation->text,
		    implementation);
	for (group = groups && groups->kind == NODE_LIST ? groups->first : NULL; group;
	     group = group->next) {
		next = node_member(group, "optimizer_name");
		if (!next || next->kind != NODE_SCALAR ||
		    (name && strcmp(name->text, next->text) != 0))
			return;
		name = next;
	}
	if (name)
		put(reader, "training.optimizer.name", name->text, name);
}

void titan_classes(struct titan_reader *reader)
{
	const struct node *root = reader->document->root, *named = node_member(root, "classes");
	const struct node *recomputation = node_member(root, "activation_checkpoint");

	if (reader->reading != TITAN_PYTHON || reader->program)
		return;
	if (recomputation && !titan_key_at("activation_checkpoint.mode", reader->when))
		put_checkpointing(reader, recomputation);
	if (node_member(root, "optimizer"))
		put_optimizer(reader, node_member(root, "optimizer"));
	put_named(reader, node_member(named, "model_spec"));
	put_named(reader, node_member(named, "model_converters"));
}
