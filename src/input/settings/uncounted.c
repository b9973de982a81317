#include "input/settings/uncounted.h"

#include "base/text.h"
#include "input/node.h"

#include <string.h>
#include <strings.h>

static bool asks(const struct node *node)
{
	if (node->kind != NODE_SCALAR)
		return node->first != NULL;
	switch (node->type) {
	case SCALAR_BOOL:
		return node->boolean;
	case SCALAR_STRING:
		return *node->text && strcasecmp(node->text, "none") != 0;
	case SCALAR_INT:
	case SCALAR_FLOAT:
		return node->number < 0 || node->number > 0;
	default:
		return false;
	}
}

/* What a row says behind its key: "=WORD|WORD", ">NUMBER". */
static bool meets(struct arena *arena, const struct node *node, const char *condition)
{
	int64_t bound;

	if (node->kind != NODE_SCALAR || node->unresolved)
		return false;
	if (*condition == '=')
		return words_have(condition + 1, node->type == SCALAR_BOOL
							 ? node->boolean ? "true" : "false"
							 : text_lower(arena, node->text));
	return (node->type == SCALAR_INT || node->type == SCALAR_FLOAT) &&
	       text_to_int(condition + 1, &bound) && node->number > (double)bound;
}

void uncounted_add(struct decoder *decoder, struct span span, const char *text)
{
	const struct setting *said = settings_of(decoder->settings, FIELD_NOT_COUNTED);
	const struct node *before = setting_given(said) ? said->node : NULL, *word;
	struct node *list = node_container(decoder->arena, NODE_LIST, before ? before->span : span);

	for (word = before ? before->first : NULL; word; word = word->next)
		node_append(list, node_copy(decoder->arena, word));
	node_append(list, node_scalar(decoder->arena, SCALAR_STRING, text, span));
	field_put(decoder, FIELD_NOT_COUNTED, list);
}

void uncounted_put(struct decoder *decoder, const struct node *map,
		   const struct node *(*find)(const struct node *map, const char *path),
		   const struct uncounted_row *rows, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		const char *condition = rows[i].path + strcspn(rows[i].path, "=>");
		const char *path = arena_strndup(decoder->arena, rows[i].path,
						 (size_t)(condition - rows[i].path));
		const struct node *node = find ? find(map, path) : node_find(map, path);
		if (!node || !(*condition ? meets(decoder->arena, node, condition) : asks(node)))
			continue;
		uncounted_add(decoder, node->key_span,
			      arena_join(decoder->arena,
					 node->key && !strchr(path, '.') ? node->key : path, ": ",
					 rows[i].what));
	}
}
