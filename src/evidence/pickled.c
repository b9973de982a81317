#include "evidence/pickled.h"

#include "input/node.h"

#include <inttypes.h>
#include <string.h>

/* An entry of a dump has four levels, the groups of a rank some thousand members. */
enum { LEVELS = 8, NODES = 1 << 20 };

struct pickled {
	struct arena *arena;
	const char *except;
	int32_t left; /* nodes that may still be made */
};

static struct node *convert(struct pickled *pickled, const struct pickle_value *value, int level);

static struct node *scalar(struct pickled *pickled, enum scalar_type type, const char *text)
{
	return node_scalar(pickled->arena, type, text, (struct span) { 0 });
}

static struct node *integer(struct pickled *pickled, int64_t number)
{
	struct node *node =
		scalar(pickled, SCALAR_INT, arena_printf(pickled->arena, "%" PRId64, number));

	node->integer = number;
	node->number = (double)number;
	return node;
}

static struct node *text(struct pickled *pickled, const struct pickle_value *value)
{
	const char *copy = pickle_string(pickled->arena, value);
	struct node *node = scalar(pickled, SCALAR_STRING, copy ? copy : "");

	node->quoted = true;
	return node;
}

static struct node *plain(struct pickled *pickled, const struct pickle_value *value)
{
	struct node *node;

	switch (value->kind) {
	case PICKLE_STRING:
		return text(pickled, value);
	case PICKLE_INT:
		return integer(pickled, value->as.integer);
	case PICKLE_BOOL:
		node = scalar(pickled, SCALAR_BOOL, value->as.integer ? "true" : "false");
		node->boolean = value->as.integer != 0;
		return node;
	case PICKLE_FLOAT:
		node = scalar(pickled, SCALAR_FLOAT,
			      arena_printf(pickled->arena, "%.17g", value->as.number));
		node->number = value->as.number;
		return node;
	default:
		return scalar(pickled, SCALAR_NULL, "null");
	}
}

static struct node *list(struct pickled *pickled, const struct pickle_value *value, int level)
{
	struct node *node = node_container(pickled->arena, NODE_LIST, (struct span) { 0 });
	const struct pickle_value *items;
	size_t count, i;

	items = pickle_items(value, &count);
	for (i = 0; i < count && pickled->left > 0; i++)
		node_append(node, convert(pickled, &items[i], level + 1));
	return node;
}

static struct node *map(struct pickled *pickled, const struct pickle_value *value, int level)
{
	struct node *node = node_container(pickled->arena, NODE_MAP, (struct span) { 0 });
	struct members members = { .arena = pickled->arena };
	const struct pickle_value *items;
	size_t count, i;

	items = pickle_items(value, &count);
	for (i = 0; i + 1 < count && pickled->left > 0; i += 2) {
		const char *key = pickle_string(pickled->arena, &items[i]);
		struct node *child;
		if (!key || (!level && pickled->except && !strcmp(key, pickled->except)))
			continue;
		child = convert(pickled, &items[i + 1], level + 1);
		child->key = key;
		members_put(&members, child);
	}
	members_finish(&members, node);
	return node;
}

static struct node *convert(struct pickled *pickled, const struct pickle_value *value, int level)
{
	pickled->left--;
	if (level < LEVELS && value->kind == PICKLE_DICT)
		return map(pickled, value, level);
	if (level < LEVELS && (value->kind == PICKLE_LIST || value->kind == PICKLE_TUPLE))
		return list(pickled, value, level);
	return plain(pickled, value);
}

const struct node *pickled_tree(struct arena *arena, const struct pickle_value *value,
				const char *except)
{
	struct pickled pickled = { arena, except, NODES };

	return convert(&pickled, value, 0);
}
