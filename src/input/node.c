#include "input/node.h"

#include "base/buf.h"

#include <string.h>

struct node *node_scalar(struct arena *arena, enum scalar_type type, const char *text,
			 struct span span)
{
	struct node *node = arena_new(arena, struct node);

	node->kind = NODE_SCALAR;
	node->type = type;
	node->text = text;
	node->span = span;
	return node;
}

struct node *node_container(struct arena *arena, enum node_kind kind, struct span span)
{
	struct node *node = arena_new(arena, struct node);

	node->kind = kind;
	node->span = span;
	return node;
}

void node_append(struct node *parent, struct node *child)
{
	child->parent = parent;
	child->next = NULL;
	if (parent->last)
		parent->last->next = child;
	else
		parent->first = child;
	parent->last = child;
}

void node_remove(struct node *child)
{
	struct node **link = &child->parent->first, *last = NULL;

	for (; *link != child; link = &(*link)->next)
		last = *link;
	*link = child->next;
	if (child->parent->last == child)
		child->parent->last = last;
	child->parent = NULL;
}

/* Up to this many members a map is searched one by one. */
enum { MEMBERS_FEW = 8 };

static int64_t members_find(const struct members *members, const char *key)
{
	size_t i;

	if (members->nodes.count > MEMBERS_FEW)
		return map_find(&members->index, key);
	for (i = 0; i < members->nodes.count; i++)
		if (!strcmp(members->nodes.items[i]->key, key))
			return (int64_t)i;
	return -1;
}

struct node *members_put(struct members *members, struct node *child)
{
	int64_t at = members_find(members, child->key);
	struct node *old;
	size_t i;

	if (at >= 0) {
		old = members->nodes.items[at];
		members->nodes.items[at] = child;
		return old;
	}
	vec_push(members->arena, &members->nodes, child);
	if (members->nodes.count <= MEMBERS_FEW)
		return NULL;
	members->index.arena = members->arena;
	for (i = members->index.count; i < members->nodes.count; i++)
		map_add(&members->index, members->nodes.items[i]->key, (uint32_t)i);
	return NULL;
}

void members_finish(struct members *members, struct node *map)
{
	size_t i;

	for (i = 0; i < members->nodes.count; i++)
		node_append(map, members->nodes.items[i]);
}

struct node *node_member(const struct node *map, const char *key)
{
	struct node *child;

	if (!map || map->kind != NODE_MAP)
		return NULL;
	for (child = map->first; child; child = child->next)
		if (!strcmp(child->key, key))
			return child;
	return NULL;
}

struct node *node_find(const struct node *root, const char *path)
{
	const struct node *at = root;
	struct node *child = NULL;

	while (at) {
		size_t length = strcspn(path, ".");
		if (at->kind != NODE_MAP)
			return NULL;
		for (child = at->first; child; child = child->next)
			if (!strncmp(child->key, path, length) && !child->key[length])
				break;
		if (!child || !path[length])
			return child;
		path += length + 1;
		at = child;
	}
	return NULL;
}

static void replace(struct node *old, struct node *value)
{
	struct node *parent = old->parent, **link = &parent->first;

	while (*link != old)
		link = &(*link)->next;
	*link = value;
	value->next = old->next;
	value->parent = parent;
	if (parent->last == old)
		parent->last = value;
	value->overridden = old;
}

char *node_path_part(struct arena *arena, const char **path)
{
	const char *start = *path, quote = *start == '"' || *start == '\'' ? *start : '\0';
	const char *end = quote ? strchr(start + 1, quote) : start + strcspn(start, ".");

	start += quote != '\0';
	if (!end || end == start)
		return NULL;
	*path = end + (quote != '\0');
	return **path && **path != '.' ? NULL : arena_strndup(arena, start, (size_t)(end - start));
}

/* Puts the value under its key, in place of what is there. */
static void put_last(struct node *map, struct node *child, struct node *value)
{
	if (!child) {
		node_append(map, value);
		return;
	}
	if (!span_known(value->key_span))
		value->key_span = child->key_span;
	replace(child, value);
}

struct node *node_put(struct arena *arena, struct node *root, const char *path, struct node *value)
{
	struct node *at = root;

	for (;;) {
		char *key = node_path_part(arena, &path);
		struct node *child = node_member(at, key);
		if (!*path) {
			value->key = key;
			put_last(at, child, value);
			return NULL;
		}
		if (!child) {
			child = node_container(arena, NODE_MAP, value->span);
			child->key = key;
			child->key_span = value->key_span;
			child->origin = value->origin;
			node_append(at, child);
		} else if (child->kind == NODE_SCALAR && child->type == SCALAR_NULL) {
			child->kind = NODE_MAP; /* "section:" with nothing below it */
		} else if (child->kind != NODE_MAP) {
			return child;
		}
		at = child;
		path++;
	}
}

struct node *node_copy(struct arena *arena, const struct node *node)
{
	struct node *copy = arena_new(arena, struct node);
	const struct node *child;

	*copy = *node;
	copy->parent = copy->first = copy->last = copy->next = NULL;
	for (child = node->first; child; child = child->next)
		node_append(copy, node_copy(arena, child));
	return copy;
}

void node_merge(struct arena *arena, struct node *above, const struct node *below)
{
	const struct node *child;
	struct node *mine;

	if (above->kind != NODE_MAP || below->kind != NODE_MAP)
		return;
	for (child = below->first; child; child = child->next) {
		mine = node_member(above, child->key);
		if (mine)
			node_merge(arena, mine, child);
		else
			node_append(above, node_copy(arena, child));
	}
}

char *node_path(struct arena *arena, const struct node *node)
{
	const struct node *child;
	size_t index = 0;
	char *above;

	if (!node->parent)
		return arena_strdup(arena, "");
	above = node_path(arena, node->parent);
	if (node->parent->kind == NODE_MAP)
		return *above ? arena_printf(arena, "%s.%s", above, node->key)
			      : arena_strdup(arena, node->key);
	for (child = node->parent->first; child && child != node; child = child->next)
		index++;
	return arena_printf(arena, "%s[%zu]", above, index);
}

char *node_describe(struct arena *arena, const struct node *node)
{
	static const char *const types[] = { "null", "the boolean", "the integer", "the number",
					     "the string" };

	if (node->kind == NODE_MAP)
		return arena_strdup(arena, "a map");
	if (node->kind == NODE_LIST)
		return arena_strdup(arena, "a list");
	if (node->type == SCALAR_NULL)
		return arena_strdup(arena, "null");
	if (node->type == SCALAR_STRING)
		return arena_printf(arena, "the string \"%.60s\"", node->text);
	return arena_printf(arena, "%s %.60s", types[node->type], node->text);
}
