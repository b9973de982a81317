#include "input/compose/interpolation.h"

#include "base/text.h"

#include <string.h>

/* The name and default of a "${NAME:default}", whose end is `end`. */
struct variable {
	const char *name, *otherwise; /* NULL: there must be a value */
	const char *end;
};

/* Reads what stands at `text`, "${[^:{}]+(:[^}]*)?}"; false when it is no such thing. */
static bool read_variable(struct arena *arena, const char *text, struct variable *variable)
{
	size_t name = strcspn(text + 2, ":{}"), rest;
	const char *at = text + 2 + name;

	if (!text_starts(text, "${") || !name || (*at != ':' && *at != '}'))
		return false;
	variable->name = arena_strndup(arena, text + 2, name);
	variable->otherwise = NULL;
	if (*at == ':') {
		rest = strcspn(at + 1, "}");
		variable->otherwise = arena_strndup(arena, at + 1, rest);
		at += 1 + rest;
	}
	variable->end = at + 1;
	return *at == '}';
}

/* The text with its variables replaced, or NULL after node->unresolved was set. */
static char *replaced(struct document *document, struct node *node)
{
	struct arena *arena = document->arena;
	char *text = arena_strdup(arena, "");
	const char *at = node->text, *value;
	struct variable variable;

	while (*at) {
		size_t length = strcspn(at + 1, "$") + 1;
		if (*at != '$' || !read_variable(arena, at, &variable)) {
			text = arena_join(arena, text, arena_strndup(arena, at, length), "");
			at += length;
			continue;
		}
		value = document_env(document, variable.name);
		value = value ? value : variable.otherwise;
		if (!value) {
			node->unresolved = arena_join(arena, "$", variable.name, "");
			return NULL;
		}
		text = arena_join(arena, text, value, "");
		at = variable.end;
	}
	return text;
}

static void resolve(struct document *document, struct node *node)
{
	char *text = replaced(document, node);
	struct node *value;

	if (!text)
		return;
	node->text = text;
	node->quoted = false;
	/* `null`, `true` and `false` are made what they say by who reads the presets. */
	value = decoded_text(document->arena, text, node->span);
	node->type = value->type;
	node->integer = value->integer;
	node->number = value->number;
	node->boolean = value->boolean;
}

void interpolate_environment(struct document *document, struct node *root)
{
	struct node *child;

	if (root->kind == NODE_SCALAR && root->type == SCALAR_STRING && strstr(root->text, "${"))
		resolve(document, root);
	for (child = root->first; child; child = child->next)
		interpolate_environment(document, child);
}
