#include "input/unread.h"

#include "base/text.h"
#include "input/field.h"
#include "input/settings/native_keys.h"
#include "input/vocabulary.h"

#include <string.h>

/* A key of the tree that came by --set, each from a text of its own. */
static const struct node *given(const struct document *document, const char *text)
{
	const char *key = arena_strndup(document->arena, text, strcspn(text, "="));
	const struct node *node = node_find(document->root, key);

	if (!node && document->ours)
		node = node_find(document->ours, key);
	return node && node->origin == NODE_FROM_SET ? node : NULL;
}

static bool is_said_in(const struct source *source, struct span span)
{
	return span_known(span) && span.source == source;
}

/* Whether a setting comes of it, or somebody says what becomes of it. */
static bool is_taken(const struct source *source, const struct settings *settings,
		     const struct findings *findings)
{
	size_t i;
	int id;

	for (id = 0; id < FIELD_COUNT; id = field_next(id))
		if (is_said_in(source, settings->items[id].span))
			return true;
	for (i = 0; i < findings->list.count; i++)
		if (is_said_in(source, findings->list.items[i]->span))
			return true;
	return false;
}

/* Names of keys are flags, too: "--rotary-base" is rotary_base in a tree. */
static const char *plain_name(struct arena *arena, const char *path)
{
	const char *dot = strrchr(path, '.');
	char *name = arena_strdup(arena, dot ? dot + 1 : path), *at;

	while (*name == '-')
		name++;
	for (at = name; *at; at++)
		*at = *at == '-' ? '_' : *at;
	return name;
}

/* Whether files of the dialect have such a key, or one below it. */
static bool is_listed(const struct vocabulary *vocabulary, const char *path)
{
	const char *name = plain_name(vocabulary->arena, path);
	const size_t length = strlen(path);
	size_t i;

	if (vocabulary_find(vocabulary, path))
		return true;
	for (i = 0; i < vocabulary->keys.count; i++) {
		const char *key = vocabulary->keys.items[i].path;
		if ((!strncmp(key, path, length) && key[length] == '.') ||
		    !strcmp(plain_name(vocabulary->arena, key), name))
			return true;
	}
	return false;
}

/* Whether it lies in a map that is ours, and that the file has not itself. */
static bool is_in_section(const struct document *document, const char *path)
{
	const char *first = arena_strndup(document->arena, path, strcspn(path, "."));
	const struct node *map = node_find(document->root, first), *child;

	for (child = map ? map->first : NULL; child; child = child->next)
		if (child->origin != NODE_FROM_SET)
			return false;
	return path[strlen(first)] == '.' && native_is_section(first);
}

/* A dialect looks at keys that no setting comes of, too: who means one of ours is told alone. */
static void report(const struct document *document, const struct node *node, const char *path,
		   struct findings *findings)
{
	const char *near = native_nearest_key(document->arena, path);
	struct finding *finding;

	if (!near && !is_in_section(document, path))
		return;
	finding = finding_add(findings, &rule_unknown_key, node->key_span,
			      "no setting comes of %.60s in a %s config", path,
			      document->dialect->name);

	finding_cap(finding, SEVERITY_WARNING);
	finding_actual(findings, finding, "as without it");
	if (near)
		finding_fix(findings, finding, "did you mean %s?", near);
	else
		finding_fix(findings, finding,
			    "remove it, or correct it: parplan explain --keys lists all keys");
}

void unread_sets(const struct document *document, moment_t when, const struct settings *settings,
		 struct findings *findings)
{
	const struct overrides *overrides = document->overrides;
	struct vocabulary vocabulary = { 0 };
	size_t i;

	for (i = 0; i < overrides->sets.count; i++) {
		const struct node *node = given(document, overrides->sets.items[i]);
		const char *path = node ? node_path(document->arena, node) : NULL;
		if (!node || field_find(path) != FIELD_COUNT || native_is_section(path) ||
		    is_taken(node->key_span.source, settings, findings))
			continue;
		if (!vocabulary.arena)
			vocabulary_of(&vocabulary, document->arena,
				      vocabulary_speaker(document->dialect), when, when, document);
		if (!is_listed(&vocabulary, path))
			report(document, node, path, findings);
	}
}
