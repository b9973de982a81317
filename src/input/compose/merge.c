#include "input/compose/merge.h"

#include "input/syntax/reader.h"

static bool report(struct anchors *anchors, const struct node *value)
{
	struct finding *finding =
		finding_add(anchors->findings, &rule_syntax, value->span,
			    "the merge key '<<' needs a map or a list of maps, not %s",
			    node_describe(anchors->arena, value));

	finding_fix(anchors->findings, finding,
		    "write '<<: *name' with an anchored map, or quote the key");
	return false;
}

/* Turns round the maps from `first` on. */
static void reverse(struct merges *merges, size_t first)
{
	size_t last = merges->maps.count;

	while (first + 1 < last) {
		const struct node *swapped = merges->maps.items[first];
		merges->maps.items[first++] = merges->maps.items[--last];
		merges->maps.items[last] = swapped;
	}
}

bool merges_add(struct merges *merges, struct anchors *anchors, const struct node *value)
{
	size_t first = merges->maps.count;
	const struct node *item;

	if (value->kind == NODE_MAP) {
		vec_push(anchors->arena, &merges->maps, value);
		return true;
	}
	if (value->kind != NODE_LIST)
		return report(anchors, value);
	for (item = value->first; item; item = item->next) {
		if (item->kind != NODE_MAP)
			return report(anchors, item);
		vec_push(anchors->arena, &merges->maps, item);
	}
	reverse(merges, first);
	return true;
}

bool merges_apply(const struct merges *merges, struct anchors *anchors, const struct members *own,
		  struct node *map)
{
	struct members all = { .arena = anchors->arena };
	const struct node *member;
	struct node *copy;
	size_t i;

	for (i = 0; i < merges->maps.count; i++)
		for (member = merges->maps.items[i]->first; member; member = member->next) {
			copy = anchors_copy(anchors, member, map->span);
			if (!copy)
				return false;
			copy->key = member->key;
			copy->key_span = member->key_span;
			members_put(&all, copy);
		}
	for (i = 0; i < own->nodes.count; i++)
		members_put(&all, own->nodes.items[i]);
	members_finish(&all, map);
	return true;
}
