#include "input/settings/uncounted.h"

#include "base/text.h"
#include "input/node.h"

#include <string.h>

static bool asks(const struct node *node)
{
	if (!node)
		return false;
	if (node->kind == NODE_SCALAR && node->type == SCALAR_BOOL)
		return node->boolean;
	if (node->kind == NODE_SCALAR && node->type == SCALAR_STRING)
		return *node->text && strcmp(node->text, "none") != 0;
	return node->kind != NODE_SCALAR ||
	       (node->type != SCALAR_NULL && !(node->type == SCALAR_INT && !node->integer));
}

void uncounted_put(struct decoder *decoder, const struct node *map,
		   const struct node *(*find)(const struct node *map, const char *path),
		   const struct uncounted_row *rows, size_t count)
{
	const struct setting *said = settings_of(decoder->settings, FIELD_NOT_COUNTED);
	const struct node *before = setting_given(said) ? said->node : NULL, *word;
	struct node *list = NULL;
	size_t i;

	for (i = 0; i < count; i++) {
		const struct node *node =
			find ? find(map, rows[i].path) : node_find(map, rows[i].path);
		const char *text;
		if (!asks(node))
			continue;
		text = arena_join(decoder->arena,
				  node->key && !strchr(rows[i].path, '.') ? node->key
									  : rows[i].path,
				  ": ", rows[i].what);
		if (!list)
			list = node_container(decoder->arena, NODE_LIST, node->key_span);
		node_append(list, node_scalar(decoder->arena, SCALAR_STRING, text, node->key_span));
	}
	if (!list)
		return;
	for (word = before && before->kind == NODE_LIST ? before->first : NULL; word;
	     word = word->next)
		node_append(list, node_copy(decoder->arena, word));
	field_put(decoder, FIELD_NOT_COUNTED, list);
}
