#include "rules/mesh_block.h"

#include "rules/facts.h"

#include <string.h>

const struct node *block_member(const struct job *job, const char *key)
{
	const struct setting *mesh = fact(job, FIELD_MESH);

	return setting_known(mesh) ? node_member(mesh->node, key) : NULL;
}

int block_index(const struct node *map, const char *name)
{
	const struct node *item;
	int i = 0;

	for (item = map ? map->first : NULL; item; item = item->next, i++)
		if (item->key && !strcmp(item->key, name))
			return i;
	return -1;
}

struct block_list block_list(const struct node *value)
{
	struct block_list list = { 0 };
	const struct node *item = value && value->kind == NODE_LIST ? value->first : value;

	for (; item && list.count < BLOCK_AXES; item = value->kind == NODE_LIST ? item->next : NULL)
		if (item->kind == NODE_SCALAR)
			list.items[list.count++] = item;
	return list;
}

/* The last axis of the root that a name stands for: what DeviceMesh orders slices by. */
static int position(const struct job *job, const char *name)
{
	const struct node *root = block_member(job, "root");
	struct block_list of = block_list(node_member(block_member(job, "flatten"), name));
	int last = of.count ? -1 : block_index(root, name), i, at;

	for (i = 0; i < of.count; i++) {
		at = block_index(root, of.items[i]->text);
		last = at > last ? at : last;
	}
	return last;
}

struct block_list block_placed(const struct job *job, const struct node *value)
{
	struct block_list list = block_list(value);
	int i;

	for (i = 0; i < list.count; i++)
		list.at[i] = position(job, list.items[i]->text);
	return list;
}

/* Points the finding at a member of the block and relates the root's axes. */
void block_point(struct job *job, struct finding *finding, const struct node *at)
{
	const struct node *root = block_member(job, "root");

	if (at && span_known(at->span))
		finding->span = at->span;
	if (root && root != at && span_known(root->span))
		finding_relate(job->findings, finding, root->span, "the root's axes");
}

/* The root with the tensor-parallel axis last, as edits of its keys and sizes. */
void block_tensor_last(struct job *job, struct finding *finding)
{
	const struct node *root = block_member(job, "root"), *item, *order[BLOCK_AXES] = { NULL },
			  *tensor = NULL;
	struct block_list names = block_list(block_member(job, "tensor_parallel"));
	int count = 0, i = 0;

	for (item = root ? root->first : NULL; item && count < BLOCK_AXES; item = item->next)
		if (names.count == 1 && !strcmp(item->key, names.items[0]->text))
			tensor = item;
		else
			order[count++] = item;
	if (!tensor || count == BLOCK_AXES)
		return;
	order[count++] = tensor;
	for (item = root->first; item && i < count; item = item->next, i++) {
		if (!order[i] || order[i] == item || item->origin != NODE_FROM_FILE)
			continue;
		finding_edit(job->findings, finding, item->key_span, "%s", order[i]->key);
		finding_edit(job->findings, finding, item->span, "%s", order[i]->text);
	}
}
