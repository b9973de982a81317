#include "input/syntax/anchor.h"

#include "base/text.h"
#include "input/syntax/reader.h"

int64_t anchors_open(struct anchors *anchors, const char *name, struct span span)
{
	struct anchor anchor = { .span = span };
	int64_t at;

	if (!name)
		return -1;
	anchors->index.arena = anchors->arena;
	at = map_find(&anchors->index, name);
	if (at >= 0) {
		anchors->list.items[at] = anchor;
		return at;
	}
	map_add(&anchors->index, arena_strdup(anchors->arena, name), (uint32_t)anchors->list.count);
	vec_push(anchors->arena, &anchors->list, anchor);
	return (int64_t)anchors->list.count - 1;
}

void anchors_close(struct anchors *anchors, int64_t handle, struct node *node)
{
	if (handle >= 0)
		anchors->list.items[handle].node = node;
}

const struct node *anchors_find(const struct anchors *anchors, const char *name, struct span alias)
{
	int64_t at = map_find(&anchors->index, name);
	struct finding *finding;

	if (at < 0) {
		finding = finding_add(anchors->findings, &rule_syntax, alias,
				      "the alias *%.80s names no anchor", name);
		finding_fix(anchors->findings, finding,
			    "define &%.80s before this line, or quote a value that starts with '*'",
			    name);
		return NULL;
	}
	if (anchors->list.items[at].node)
		return anchors->list.items[at].node;
	finding = finding_add(anchors->findings, &rule_syntax, alias,
			      "the alias *%.80s stands inside the node that it names", name);
	finding_relate(anchors->findings, finding, anchors->list.items[at].span,
		       "&%.80s starts here", name);
	finding_fix(anchors->findings, finding, "a config cannot contain itself: delete the alias");
	return NULL;
}

/* Counts a copied node; false after a finding when the budget is spent. */
static bool spend(struct anchors *anchors, struct span alias)
{
	if (++anchors->copies <= ANCHOR_BUDGET)
		return true;
	finding_add(anchors->findings, &rule_too_large, alias,
		    "aliases expand to more than %s nodes; no config does that",
		    text_count(anchors->arena, ANCHOR_BUDGET));
	return false;
}

struct node *anchors_copy(struct anchors *anchors, const struct node *from, struct span alias)
{
	struct node *copy = arena_new(anchors->arena, struct node), *child;
	const struct node *member;

	if (!spend(anchors, alias))
		return NULL;
	*copy = *from;
	copy->key = NULL;
	copy->key_span = (struct span) { 0 };
	copy->parent = copy->first = copy->last = copy->next = NULL;
	for (member = from->first; member; member = member->next) {
		child = anchors_copy(anchors, member, alias);
		if (!child)
			return NULL;
		child->key = member->key;
		child->key_span = member->key_span;
		node_append(copy, child);
	}
	return copy;
}
