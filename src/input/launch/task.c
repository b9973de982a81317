#include "input/launch/task.h"

#include "base/text.h"
#include "input/shell/places.h"

#include <string.h>

static const struct node *run_of(const struct node *root)
{
	const struct node *run = node_member(root, "run");

	return run && run->kind == NODE_SCALAR && run->type == SCALAR_STRING ? run : NULL;
}

bool task_is(const struct node *root)
{
	static const char *const others[] = { "resources", "num_nodes", "setup", "file_mounts" };
	size_t i;

	if (!run_of(root))
		return false;
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (node_member(root, others[i]))
			return true;
	return false;
}

/* The first of a list of choices that are all as many devices; else NULL. */
static const struct node *alike(const struct node *list)
{
	const struct node *item;

	for (item = list->first; item; item = item->next) {
		const char *first = strchr(list->first->text ? list->first->text : "", ':');
		const char *colon =
			item->kind == NODE_SCALAR && item->text ? strchr(item->text, ':') : NULL;
		if (!first || !colon || strcmp(first, colon) != 0)
			return NULL;
	}
	return list->first;
}

/* "H100:8", {H100: 8}, or the first of a list of them: how many; NULL: not in one number. */
static const char *devices_of(struct arena *arena, const struct node *root,
			      const struct node **from)
{
	const struct node *node = node_find(root, "resources.accelerators");
	const char *colon;

	if (node && node->kind == NODE_LIST)
		node = alike(node);
	if (node && node->kind == NODE_MAP && node->first && !node->first->next) {
		*from = node->first;
		return node->first->kind == NODE_SCALAR ? node->first->text : NULL;
	}
	if (!node || node->kind != NODE_SCALAR || node->type == SCALAR_NULL || node->unresolved)
		return NULL;
	*from = node;
	colon = strchr(node->text, ':');
	return colon ? arena_strdup(arena, colon + 1) : "1";
}

/* Where the task's script finds its variables. */
struct surroundings {
	const struct document *document;
	const struct node *root;
	const char *nodes, *devices;
};

static const char *outside(const void *context, const char *name)
{
	const struct surroundings *s = context;
	const char *said = document_env(s->document, name);
	const struct node *own = node_member(node_member(s->root, "envs"), name);

	if (said)
		return said;
	if (!strcmp(name, "SKYPILOT_NUM_NODES"))
		return s->nodes;
	if (!strcmp(name, "SKYPILOT_NUM_GPUS_PER_NODE"))
		return s->devices;
	return own && own->kind == NODE_SCALAR && own->type != SCALAR_NULL ? own->text : NULL;
}

/* As an option of the scheduler's: what launches read of #SBATCH. */
static void put_option(struct shell_script *script, const char *name, const char *text,
		       struct span span)
{
	struct shell_assignment option = { .name = name };

	if (!text)
		return;
	option.value.text = text;
	option.value.span = option.value.used = span;
	vec_push(script->arena, &script->sbatch, option);
}

struct shell_script *task_script(const struct document *document, const struct node *root)
{
	const struct node *run = run_of(root), *count = node_member(root, "num_nodes");
	const struct node *devices = root;
	struct surroundings *s = arena_new(document->arena, struct surroundings);
	struct shell_script *script;

	s->document = document;
	s->root = root;
	s->nodes = count && count->kind == NODE_SCALAR && !count->unresolved ? count->text : "1";
	s->devices = devices_of(document->arena, root, &devices);
	script = shell_read(document->arena, run->span.source, &run->span, run->text,
			    strlen(run->text), outside, s);
	shell_place_words(script, run);
	put_option(script, "nodes", s->nodes, count ? count->span : run->span);
	put_option(script, "gpus-per-node", s->devices, devices->span);
	return script;
}
