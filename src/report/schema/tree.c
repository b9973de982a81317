#include "report/schema/schema.h"

#include <string.h>

static struct schema_node *member_of(struct arena *arena, struct schema_node *map, const char *name)
{
	struct schema_node *node;
	size_t i;

	for (i = 0; i < map->members.count; i++)
		if (!strcmp(map->members.items[i]->name, name))
			return map->members.items[i];
	node = arena_new(arena, struct schema_node);
	node->name = name;
	node->path = *map->path ? arena_join(arena, map->path, ".", name) : name;
	vec_push(arena, &map->members, node);
	return node;
}

struct schema_node *schema_tree(const struct vocabulary *vocabulary)
{
	struct arena *arena = vocabulary->arena;
	struct schema_node *root = arena_new(arena, struct schema_node), *node;
	const char *path, *part;
	size_t i;

	root->path = "";
	for (i = 0; i < vocabulary->keys.count; i++) {
		path = vocabulary->keys.items[i].path;
		for (node = root; (part = node_path_part(arena, &path)); path += *path == '.')
			node = member_of(arena, node, part);
		vec_push(arena, &node->keys, &vocabulary->keys.items[i]);
	}
	return root;
}
