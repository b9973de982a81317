#include "input/keys.h"

#include "base/text.h"
#include "input/field.h"
#include "input/settings/native_keys.h"

#include <string.h>

/* Keys of a map that a framework, whose names are all listed, does not have. */

/* Shorter names are near to too many others. */
enum { SHORTEST = 5 };

static void refuse(struct decoder *decoder, const struct node *node, const char *near,
		   const struct refusal *refusal)
{
	struct finding *finding;

	finding = finding_add(decoder->findings, &rule_unknown_key, node->key_span,
			      "%s has no key '%.60s'", refusal->speaker,
			      node_path(decoder->arena, node));
	if (!near || (refusal->tolerated && words_have(refusal->tolerated, node->key))) {
		finding_cap(finding, SEVERITY_NOTE);
		finding_fix(decoder->findings, finding,
			    "remove it, unless the version that runs has it");
		return;
	}
	finding_quote(decoder->findings, finding, "%s%s%s", refusal->before, node->key,
		      refusal->after);
	finding->speaker = refusal->speaker;
	finding_fix(decoder->findings, finding, "did you mean %s?", near);
	keys_rename(decoder, finding, node, near);
}

bool keys_is_ours(const struct node *node, const char *path)
{
	return node->origin == NODE_FROM_SET && field_find(path) != FIELD_COUNT;
}

bool keys_holds_ours(struct arena *arena, const struct node *node)
{
	const char *path = node_path(arena, node);

	return keys_is_ours(node, path) ||
	       (node->origin == NODE_FROM_SET && native_is_section(path));
}

/* Whether the framework lacks a member of a map; not, where it is a key of ours. */
static bool is_stranger(struct decoder *decoder, const struct node *node, const char *const known[],
			size_t count)
{
	size_t i;

	for (i = 0; i < count && strcmp(known[i], node->key) != 0; i++)
		;
	return i == count && !keys_holds_ours(decoder->arena, node);
}

void keys_refused(struct decoder *decoder, const struct node *map, const char *const known[],
		  size_t count, const struct refusal *refusal)
{
	const struct node *child = map && map->kind == NODE_MAP ? map->first : NULL;

	for (; decoder->findings && child; child = child->next)
		if (is_stranger(decoder, child, known, count))
			refuse(decoder, child, text_nearest(child->key, known, count), refusal);
}

/* ---- where it says nothing ---- */

static const struct key_alias *alias_of(const struct ignoring *ignoring, const char *key)
{
	size_t i;

	for (i = 0; i < ignoring->count; i++)
		if (!strcmp(ignoring->aliases[i].theirs, key))
			return &ignoring->aliases[i];
	return NULL;
}

bool keys_ask_nothing(const struct node *node)
{
	if (node->kind != NODE_SCALAR)
		return !node->first;
	return !node->unresolved && (node->type == SCALAR_NULL || !*node->text ||
				     (node->type == SCALAR_BOOL && !node->boolean));
}

/* A name that is no key on purpose: YAML's merges, and maps that anchors stand in. */
static bool is_aside(const struct node *node)
{
	return node->origin == NODE_FROM_FLAG || strchr("_.<", *node->key) ||
	       !strncmp(node->key, "x-", 2);
}

static struct finding *report(struct decoder *decoder, const struct node *node,
			      const struct ignoring *ignoring)
{
	return finding_add(decoder->findings, &rule_unknown_key, node->key_span,
			   "%s has no key '%.60s' and silently ignores it", ignoring->framework,
			   node_path(decoder->arena, node));
}

/* What the key would be where it is written as the framework calls it. */
static void say_lost(struct decoder *decoder, struct finding *finding, const char *name)
{
	finding_actual(decoder->findings, finding, "as without it: %s keeps its default", name);
}

/* The way to what is asked for, and the edit where another name is all that it takes. */
static void fix_alias(struct decoder *decoder, struct finding *finding, const struct node *node,
		      const struct key_alias *alias)
{
	const char *dot = alias->ours ? strrchr(alias->ours, '.') : NULL;

	if (alias->way) {
		finding_fix(decoder->findings, finding, "%s", alias->way);
	} else if (dot) {
		finding_fix(decoder->findings, finding, "write it below %.*s",
			    (int)(dot - alias->ours), alias->ours);
	} else if (alias->flag && node->type != SCALAR_BOOL) {
		finding_fix(decoder->findings, finding, "write it as %s, which is true or false",
			    alias->ours);
	} else {
		finding_fix(decoder->findings, finding, "write it as %s", alias->ours);
		keys_rename(decoder, finding, node, alias->ours);
	}
}

static void report_alias(struct decoder *decoder, const struct node *node,
			 const struct key_alias *alias, const struct ignoring *ignoring)
{
	struct finding *finding;

	if (keys_ask_nothing(node))
		return;
	finding = report(decoder, node, ignoring);
	finding_cap(finding, alias->minor ? SEVERITY_NOTE : SEVERITY_WARNING);
	if (alias->ours && node_find(node->parent, alias->ours)) {
		finding_cap(finding, SEVERITY_NOTE);
		finding_fix(decoder->findings, finding, "remove it: %s is what counts",
			    alias->ours);
		return;
	}
	if (alias->ours)
		say_lost(decoder, finding, alias->ours);
	fix_alias(decoder, finding, node, alias);
}

static void report_unread(struct decoder *decoder, const struct node *node,
			  const struct ignoring *ignoring)
{
	struct finding *finding;

	if (keys_ask_nothing(node))
		return;
	finding = report(decoder, node, ignoring);
	finding_cap(finding, SEVERITY_NOTE);
	finding_fix(decoder->findings, finding, "remove it, unless the version that runs has it");
}

/* What a plugin that is not known may read. */
static void report_doubtful(struct decoder *decoder, const struct node *node, const char *meant,
			    const struct ignoring *ignoring)
{
	struct finding *finding;

	finding = finding_add(decoder->findings, &rule_unknown_key, node->key_span,
			      "%s has no key '%.60s'; %.60s may read it", ignoring->framework,
			      node_path(decoder->arena, node), ignoring->reader);
	finding_cap(finding, SEVERITY_NOTE);
	finding_fix(decoder->findings, finding, "nothing, unless %s",
		    meant ? arena_join(decoder->arena, meant, " is meant", "") : "it is misspelt");
}

static void report_stranger(struct decoder *decoder, const struct node *node, const char *near,
			    const struct ignoring *ignoring)
{
	struct finding *finding;

	if (!near || node_member(node->parent, near)) {
		report_unread(decoder, node, ignoring);
		return;
	}
	finding = keys_report_misspelt(decoder, node, near, ignoring->framework,
				       "silently ignores it");
	if (finding && keys_ask_nothing(node))
		finding_cap(finding, SEVERITY_NOTE);
	else if (finding)
		say_lost(decoder, finding, near);
}

/* A member of a map, unless it is one on purpose that is no key. */
static void judge(struct decoder *decoder, const struct node *node, const char *const known[],
		  size_t count, const struct ignoring *ignoring)
{
	const struct key_alias *alias = alias_of(ignoring, node->key);
	const char *near = NULL;

	if (!alias && !is_stranger(decoder, node, known, count))
		return;
	if (!alias && strlen(node->key) >= SHORTEST)
		near = text_nearest(node->key, known, count - ignoring->dead);
	if (ignoring->reader)
		report_doubtful(decoder, node, alias ? alias->ours : near, ignoring);
	else if (alias)
		report_alias(decoder, node, alias, ignoring);
	else
		report_stranger(decoder, node, near, ignoring);
}

void keys_ignored(struct decoder *decoder, const struct node *map, const char *const known[],
		  size_t count, const struct ignoring *ignoring)
{
	const struct node *child = map && map->kind == NODE_MAP ? map->first : NULL;

	for (; decoder->findings && child; child = child->next)
		if (!is_aside(child))
			judge(decoder, child, known, count, ignoring);
}
