#include "wings/megatron/keys.h"

#include "input/field.h"

#include <string.h>

/* What arguments come to beside what their rows say. */

static bool is_on(const struct node *flag)
{
	return flag && flag->kind == NODE_SCALAR && flag->type == SCALAR_BOOL && flag->boolean;
}

/* Unless flags say otherwise the output projection is the embedding, and linear layers have biases
 * (NVIDIA/Megatron-LM@d98e8a64 megatron/training/arguments.py). */
void megatron_settle_itself(struct decoder *decoder, const struct node *map)
{
	struct settings *settings = decoder->settings;

	if (settings_of(settings, FIELD_MODEL_TIED_EMBEDDINGS)->origin == ORIGIN_UNSET)
		settings_put_bool(settings, FIELD_MODEL_TIED_EMBEDDINGS, true, ORIGIN_DEFAULT)
			->note = "Megatron-LM";
	if (settings_of(settings, FIELD_MODEL_ARCH)->origin == ORIGIN_UNSET &&
	    !is_on(megatron_argument(map, "disable_bias_linear")))
		settings_put_text(settings, FIELD_MODEL_ARCH, "gpt", ORIGIN_DEFAULT)->note =
			"Megatron-LM's linear layers have biases";
}

static struct node *word_at(struct arena *arena, const char *word, struct span span)
{
	return node_scalar(arena, SCALAR_STRING, word, span);
}

/*
 * --moe-layer-recompute is one module more than those that are named, or than the one that
 * selective recomputation takes unasked (NVIDIA/Megatron-LM@d98e8a64
 * megatron/core/transformer/transformer_config.py).
 */
void megatron_settle_recompute(struct decoder *decoder, const struct node *map)
{
	const struct node *flag = megatron_argument(map, "moe_layer_recompute");
	const struct node *named = megatron_argument(map, "recompute_modules"), *word;
	struct node *list;

	if (!is_on(flag) || flag->unresolved ||
	    !strcmp(setting_text(decoder->settings, FIELD_AC_MODE, ""), "full"))
		return;
	list = node_container(decoder->arena, NODE_LIST, flag->span);
	word = named && named->kind == NODE_LIST ? named->first : named;
	if (!word)
		node_append(list, word_at(decoder->arena, "core_attn", flag->span));
	for (; word; word = named->kind == NODE_LIST ? word->next : NULL)
		node_append(list, word_at(decoder->arena, word->text, word->span));
	node_append(list, word_at(decoder->arena, "moe", flag->span));
	settings_put_text(decoder->settings, FIELD_AC_MODE, "selective", ORIGIN_DERIVED)->span =
		flag->span;
	field_put(decoder, FIELD_AC_MODULES, list);
}
