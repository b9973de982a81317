#include "input/kinds.h"

#include "base/number.h"
#include "base/text.h"
#include "input/keys.h"
#include "input/range.h"

#include <string.h>

/* Null in other spellings, and what somebody else resolves: ${...}, {{ ... }}, $NAME, <...>. */
static bool is_left_open(const struct node *node)
{
	return node->unresolved ||
	       (node->kind == NODE_SCALAR &&
		(strpbrk(node->text, "$<{") || words_have("none|None|null|NULL", node->text)));
}

static bool is_number(const struct node *node, double *number)
{
	if (node->kind != NODE_SCALAR || node->type == SCALAR_BOOL)
		return false;
	if (node->type == SCALAR_INT || node->type == SCALAR_FLOAT)
		*number = node->number;
	return node->type != SCALAR_STRING || text_to_double(node->text, number);
}

/* As Python's libraries read one: OmegaConf, pydantic, HfArgumentParser. */
static bool is_flag(struct arena *arena, const struct node *node)
{
	if (node->kind != NODE_SCALAR || node->type == SCALAR_FLOAT)
		return false;
	return node->type != SCALAR_STRING ||
	       words_have("true|false|yes|no|on|off|y|n|t|f|1|0", text_lower(arena, node->text));
}

static void report(struct decoder *decoder, const struct key_kind *row, const struct node *node,
		   const char *what)
{
	struct finding *finding = finding_add(
		decoder->findings, &rule_wrong_type, node->span, "%s takes %s, not %s",
		node_path(decoder->arena, node), what, node_describe(decoder->arena, node));

	if (row->why && !row->range) /* which says why a number is out of it */
		finding_actual(decoder->findings, finding, "%s", row->why);
	if (row->kind == KIND_LIST)
		finding_fix(decoder->findings, finding,
			    "make it the one item of a list, with \"- \" before it");
	else
		finding_fix(decoder->findings, finding, "write %s, or leave the key out", what);
}

static void judge_number(struct decoder *decoder, const struct key_kind *row,
			 const struct node *node)
{
	const char *words = range_words(decoder->arena, row->range, false);
	struct finding *finding;
	double number = 0;

	if (node->kind == NODE_SCALAR && node->type == SCALAR_BOOL)
		return;
	if (!is_number(node, &number)) {
		report(decoder, row, node, "a number");
		return;
	}
	if (range_has(row->range, number))
		return;
	finding = finding_add(decoder->findings, &rule_out_of_range, node->span,
			      "%s takes a %s, not %.40s", node_path(decoder->arena, node), words,
			      node->text);
	if (row->why)
		finding_actual(decoder->findings, finding, "%s", row->why);
	finding_fix(decoder->findings, finding, "give a %s, or leave the key out", words);
}

/* Of all kinds but numbers. */
static bool is_of_kind(struct decoder *decoder, const struct key_kind *row, const struct node *node)
{
	switch (row->kind) {
	case KIND_FLAG:
		return is_flag(decoder->arena, node);
	case KIND_TEXT:
		return node->kind == NODE_SCALAR;
	case KIND_MAP_OR_FILE:
		return node->kind == NODE_MAP ||
		       (node->kind == NODE_SCALAR && node->type == SCALAR_STRING);
	case KIND_LIST:
		return node->kind == NODE_LIST;
	default:
		return node->kind == NODE_MAP;
	}
}

static void judge(struct decoder *decoder, const struct key_kind *row, const struct node *node)
{
	static const char *const words[] = {
		[KIND_FLAG] = "true or false", [KIND_TEXT] = "a single value", [KIND_MAP] = "a map",
		[KIND_MAP_OR_FILE] = "a map",  [KIND_LIST] = "a list",
	};
	const bool list = node->kind == NODE_LIST;
	const bool either = row->kind == KIND_NUMBER_OR_LIST;
	const struct node *item =
		list && (either || row->kind == KIND_NUMBERS) ? node->first : NULL;

	if (row->kind == KIND_NUMBER || (either && !list))
		judge_number(decoder, row, node);
	else if (!either && row->kind != KIND_NUMBERS && !is_of_kind(decoder, row, node))
		report(decoder, row, node, words[row->kind]);
	for (; item; item = item->next)
		judge_number(decoder, row, item);
}

void keys_kinds_node(struct decoder *decoder, const struct key_kind *row, const struct node *node)
{
	if (decoder->findings && node && !is_left_open(node) && !keys_ask_nothing(node) &&
	    !findings_have(decoder->findings, node->span, NULL, NULL))
		judge(decoder, row, node);
}

void keys_kinds(struct decoder *decoder, const struct node *root, const struct key_kind *rows,
		size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		keys_kinds_node(decoder, &rows[i], node_find(root, rows[i].path));
}

#define CLIMBS "torch's optimizers raise a ValueError; one that does not climbs"
#define RAISES "torch's optimizers raise a ValueError"

/* torch.optim (Adam.__init__ and its likes, v2.9), whose words others took over. */
static const struct key_kind optimizer_kinds[] = {
	{ "lr", KIND_NUMBER, "0..", CLIMBS },
	{ "learning_rate", KIND_NUMBER, "0..", CLIMBS },
	{ "weight_decay", KIND_NUMBER, "0..", RAISES },
	{ "momentum", KIND_NUMBER, "0..", RAISES },
	{ "eps", KIND_NUMBER_OR_LIST, "0..", RAISES }, /* Adafactor and CAME take two */
	{ "adam_eps", KIND_NUMBER, "0..", RAISES },
	{ "adam_epsilon", KIND_NUMBER, "0..", RAISES },
	{ "betas", KIND_NUMBERS, "0..1", RAISES },
	{ "beta1", KIND_NUMBER, "0..1", RAISES },
	{ "beta2", KIND_NUMBER, "0..1", RAISES },
	{ "adam_beta1", KIND_NUMBER, "0..1", RAISES },
	{ "adam_beta2", KIND_NUMBER, "0..1", RAISES },
};

void keys_optimizer(struct decoder *decoder, const struct node *map)
{
	const size_t count = sizeof(optimizer_kinds) / sizeof(optimizer_kinds[0]);
	size_t i;

	for (i = 0; map && i < count; i++)
		if (strcmp(keys_text(map, optimizer_kinds[i].path, ""), "auto") != 0)
			keys_kinds(decoder, map, &optimizer_kinds[i], 1);
}
