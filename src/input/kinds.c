#include "input/kinds.h"

#include "base/number.h"
#include "base/text.h"
#include "input/keys.h"

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

static void report(struct decoder *decoder, const struct key_kind *row, const struct node *node,
		   const char *what)
{
	struct finding *finding = finding_add(
		decoder->findings, &rule_wrong_type, node->span, "%s takes %s, not %s",
		node_path(decoder->arena, node), what, node_describe(decoder->arena, node));

	if (row->why)
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
	struct finding *finding;
	double number = 0;

	if (node->kind == NODE_SCALAR && node->type == SCALAR_BOOL)
		return;
	if (!is_number(node, &number)) {
		report(decoder, row, node, "a number");
		return;
	}
	if (row->kind != KIND_COUNT || number >= row->least)
		return;
	finding = finding_add(decoder->findings, &rule_out_of_range, node->span,
			      "%s takes a number from %d on, not %.40s",
			      node_path(decoder->arena, node), row->least, node->text);
	if (row->why)
		finding_actual(decoder->findings, finding, "%s", row->why);
	finding_fix(decoder->findings, finding, "give a number from %d on, or leave the key out",
		    row->least);
}

static void judge(struct decoder *decoder, const struct key_kind *row, const struct node *node)
{
	const bool text = node->kind == NODE_SCALAR && node->type == SCALAR_STRING;

	switch (row->kind) {
	case KIND_NUMBER:
	case KIND_COUNT:
		judge_number(decoder, row, node);
		return;
	case KIND_MAP:
	case KIND_MAP_OR_FILE:
		if (node->kind != NODE_MAP && (row->kind == KIND_MAP || !text))
			report(decoder, row, node, "a map");
		return;
	case KIND_LIST:
		if (node->kind != NODE_LIST)
			report(decoder, row, node, "a list");
		return;
	}
}

void keys_kinds(struct decoder *decoder, const struct node *root, const struct key_kind *rows,
		size_t count)
{
	const struct node *node;
	size_t i;

	for (i = 0; decoder->findings && i < count; i++) {
		node = node_find(root, rows[i].path);
		if (node && !is_left_open(node) && !keys_ask_nothing(node) &&
		    !findings_have(decoder->findings, node->span, NULL, NULL))
			judge(decoder, &rows[i], node);
	}
}
