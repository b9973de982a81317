#include "base/text.h"
#include "input/field.h"
#include "wings/megatron/keys.h"
#include "input/shell/text.h"

#include <string.h>

/* Flags of a command line as a map of arguments. */

/* Arguments without a value that a word may follow in a script, by their names. */
static const char *const switches[] = {
	"account_for_embedding_in_pipeline_split",
	"account_for_loss_in_pipeline_split",
	"apply_layernorm_1p",
	"bf16",
	"calculate_per_token_loss",
	"checkpoint_activations",
	"decrease_batch_size_if_needed",
	"disable_bias_linear",
	"finetune",
	"fp16",
	"grad_reduce_in_bf16",
	"group_query_attention",
	"is_hybrid_model",
	"manual_gc",
	"mock_data",
	"moe_grouped_gemm",
	"multi_latent_attention",
	"overlap_grad_reduce",
	"overlap_param_gather",
	"qk_layernorm",
	"recompute_activations",
	"sequence_parallel",
	"swiglu",
	"tp_comm_overlap",
	"untie_embeddings_and_output_weights",
	"use_custom_fsdp",
	"use_distributed_optimizer",
	"use_flash_attn",
	"use_mcore_models",
	"use_megatron_fsdp",
	"use_rotary_position_embeddings",
	"use_torch_fsdp2",
	"use_tp_pp_dp_mapping",
};

static bool is_switch(const char *flag)
{
	size_t i;

	for (i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
		if (megatron_names(flag, switches[i]))
			return true;
	return text_starts(flag, "--no-");
}

/* "--name", not "-5" and not the bare "--" before positional words. */
static bool is_flag(const struct flag_word *word)
{
	return word->text[0] == '-' && word->text[1] == '-' && word->text[2];
}

/* A scalar typed as argparse's int, float and str would take it; true and false are booleans. */
static struct node *typed(struct arena *arena, const char *text, struct span span)
{
	struct node *node = node_scalar(arena, SCALAR_STRING, text, span);

	if (text_to_int(text, &node->integer)) {
		node->type = SCALAR_INT;
		node->number = (double)node->integer;
	} else if (text_to_double(text, &node->number)) {
		node->type = SCALAR_FLOAT;
	} else if (words_have("true|True|TRUE|false|False|FALSE", text)) {
		node->type = SCALAR_BOOL;
		node->boolean = words_have("true|True|TRUE", text);
	}
	return node;
}

static bool is_by_condition(const char *unresolved)
{
	return unresolved && !strcmp(unresolved, shell_by_condition);
}

/* One of several values, by a condition that nothing decides: both are told. */
static void tell_both(struct arena *arena, struct node *value, const char *other)
{
	if (value->kind == NODE_SCALAR && strcmp(value->text, other) != 0)
		value->unresolved =
			arena_printf(arena, "%.40s or %.40s, by a condition", other, value->text);
}

static struct node *of_word(struct arena *arena, const struct flag_word *word)
{
	struct node *node = typed(arena, word->text, word->span);

	node->unresolved = word->unresolved;
	return node;
}

/* A flag that stands alone. */
static struct node *switched_on(struct arena *arena, const struct flag_word *word)
{
	struct node *node = node_scalar(arena, SCALAR_BOOL, "true", word->span);

	node->boolean = true;
	node->unresolved = word->unresolved;
	return node;
}

/* Words from *at on that are the flag's, as one value; *at moves behind them. */
static struct node *value_at(struct arena *arena, const struct flag_word *words, size_t count,
			     size_t *at)
{
	const struct flag_word *flag = &words[*at - 1];
	size_t end = *at;
	struct node *list;

	while (end < count && !is_flag(&words[end]))
		end++;
	if (is_switch(flag->text) && end > *at &&
	    !words_have("true|True|false|False", words[*at].text))
		end = *at;
	if (end > *at + 1 && is_by_condition(words[*at].unresolved) &&
	    is_by_condition(words[*at + 1].unresolved)) {
		struct node *value = of_word(arena, &words[*at]);
		tell_both(arena, value, words[*at + 1].text);
		*at = end;
		return value;
	}
	/* What is open at the end may come to nothing or to further flags. */
	while (end > *at + 1 && words[end - 1].unresolved)
		end--;
	if (end == *at)
		return switched_on(arena, flag);
	if (end == *at + 1)
		return of_word(arena, &words[(*at)++]);
	list = node_container(arena, NODE_LIST, words[*at].span);
	while (*at < end)
		node_append(list, of_word(arena, &words[(*at)++]));
	return list;
}

struct node *flags_map(struct arena *arena, const struct flag_word *words, size_t count)
{
	struct members members = { .arena = arena };
	struct span nowhere = { 0 };
	struct node *map = node_container(arena, NODE_MAP, count ? words[0].span : nowhere), *value,
		    *old;
	size_t at = 0;

	while (at < count) {
		const struct flag_word *flag = &words[at++];
		const char *equals = strchr(flag->text, '=');
		if (!is_flag(flag))
			continue;
		if (equals) {
			value = typed(arena, equals + 1, flag->span);
			value->unresolved = flag->unresolved;
			value->key =
				arena_strndup(arena, flag->text, (size_t)(equals - flag->text));
		} else {
			value = value_at(arena, words, count, &at);
			value->key = flag->text;
		}
		value->key_span = flag->span;
		old = members_put(&members, value);
		if (old && old->kind == NODE_SCALAR && is_by_condition(value->unresolved))
			tell_both(arena, value, old->text);
	}
	members_finish(&members, map);
	return map;
}

/* "[a b]" without its brackets, as Megatron-LM's _run_training.sh takes them off; else the text. */
static const char *unbracketed(struct arena *arena, const char *text)
{
	const size_t length = strlen(text);

	if (length < 3 || text[0] != '[' || strcspn(text, "]") != length - 1)
		return text;
	return arena_strndup(arena, text + 1, length - 2);
}

/* A value of a map as the command line that is made of it holds it. */
static struct node *spread(struct arena *arena, const struct node *node)
{
	struct node *value;
	const char *at;

	if (node->kind != NODE_SCALAR || node->type != SCALAR_STRING || node->unresolved)
		return node_copy(arena, node);
	at = unbracketed(arena, node->text + strspn(node->text, " \t"));
	if (!at[strcspn(at, " \t")])
		return typed(arena, at, node->span);
	value = node_container(arena, NODE_LIST, node->span);
	while (*at) {
		const size_t length = strcspn(at, " \t");
		node_append(value, typed(arena, arena_strndup(arena, at, length), node->span));
		at += length;
		at += strspn(at, " \t");
	}
	return value;
}

struct node *flags_of_map(struct arena *arena, const struct node *map)
{
	struct node *copy = node_container(arena, NODE_MAP, map->span), *value;
	const struct node *child;

	for (child = map->first; child; child = child->next) {
		value = spread(arena, child);
		value->key = child->key;
		value->key_span = child->key_span;
		value->origin = child->origin;
		value->overridden = child->overridden;
		node_append(copy, value);
	}
	copy->key = map->key;
	copy->key_span = map->key_span;
	copy->parent = map->parent;
	return copy;
}
