#include "input/homes.h"

#include "base/text.h"
#include "input/keys.h"
#include "input/kinds.h"

#include <string.h>

/* A home that is looked at. */
struct visit {
	struct decoder *decoder;
	const struct key_homes *homes;
	const struct key_home *home;
	const char **names; /* of its class */
	size_t count;
};

static bool is_item(const struct key_home *home)
{
	const size_t length = strlen(home->path);

	return length > 2 && !strcmp(home->path + length - 2, "[]");
}

static size_t names_of(const struct key_homes *homes, unsigned whose, const char **names)
{
	size_t i, count = 0;

	for (i = 0; i < homes->key_count; i++)
		if (homes->keys[i].whose & whose)
			names[count++] = homes->keys[i].name;
	return count;
}

static unsigned owners_of(const struct key_homes *homes, const char *name)
{
	unsigned owners = 0;
	size_t i;

	for (i = 0; i < homes->key_count; i++)
		if (!strcmp(homes->keys[i].name, name))
			owners |= homes->keys[i].whose;
	return owners;
}

/* The key of that name that a class has, or NULL. */
static const struct key_owned *key_of(const struct key_homes *homes, unsigned whose,
				      const char *name)
{
	size_t i;

	for (i = 0; i < homes->key_count; i++)
		if ((homes->keys[i].whose & whose) && !strcmp(homes->keys[i].name, name))
			return &homes->keys[i];
	return NULL;
}

/* Whether one map lies in another: "data.train" in "data". */
static bool is_inside(const char *path, const char *outer)
{
	const size_t length = strlen(outer);

	return length && !strncmp(path, outer, length) && path[length] == '.';
}

/* The one map that a key would be read in, or of several the one around; NULL: which is not plain.
 */
static const struct key_home *right_home(const struct visit *visit, const char *name)
{
	const struct key_homes *homes = visit->homes;
	const unsigned owners = owners_of(homes, name);
	const struct key_home *found = NULL;
	bool several = false;
	size_t i;

	for (i = 0; i < homes->home_count; i++) {
		if (!(homes->homes[i].whose & owners))
			continue;
		if (is_inside(visit->home->path, homes->homes[i].path))
			return &homes->homes[i];
		several |= found || is_item(&homes->homes[i]);
		found = &homes->homes[i];
	}
	return several ? NULL : found;
}

static void fix(struct visit *visit, struct finding *finding, const struct node *key,
		const struct key_home *right, const char *near)
{
	struct findings *findings = visit->decoder->findings;

	if (right && *right->path)
		finding_fix(findings, finding, "write it below %s", right->path);
	else if (right)
		finding_fix(findings, finding, "write it at the top of the file");
	else
		finding_fix(findings, finding, "did you mean %s?", near);
	if (!right)
		keys_rename(visit->decoder, finding, key, near);
}

static void report(struct visit *visit, const struct node *key)
{
	const struct key_homes *homes = visit->homes;
	struct decoder *decoder = visit->decoder;
	const struct key_home *right = right_home(visit, key->key);
	const char *near = text_nearest(key->key, visit->names, visit->count);
	struct finding *finding;

	finding = finding_add(decoder->findings, &rule_unknown_key, key->key_span,
			      "%s has no key '%.60s'", homes->speaker,
			      node_path(decoder->arena, key));
	if (!right && !near && !owners_of(homes, key->key)) {
		finding_cap(finding, SEVERITY_NOTE);
		finding_fix(decoder->findings, finding,
			    "remove it, unless the version that runs has it");
		return;
	}
	if (homes->unnamed)
		finding_quote(decoder->findings, finding, "%s%s%s", homes->before,
			      visit->home->owner, homes->after);
	else
		finding_quote(decoder->findings, finding, "%s%s%s%s%s", homes->before, key->key,
			      homes->between, visit->home->owner, homes->after);
	finding->speaker = homes->speaker;
	if (right || near)
		fix(visit, finding, key, right, near);
	else
		finding_fix(decoder->findings, finding, "remove it: it is a key of other maps");
}

static void judge_kind(struct visit *visit, const struct key_owned *key, const struct node *node)
{
	static const struct key_kind kinds[] = {
		[TAKES_FLAG] = { .kind = KIND_FLAG }, [TAKES_NUMBER] = { .kind = KIND_NUMBER },
		[TAKES_TEXT] = { .kind = KIND_TEXT }, [TAKES_MAP] = { .kind = KIND_MAP },
		[TAKES_LIST] = { .kind = KIND_LIST },
	};

	if (key->takes != TAKES_ANY)
		keys_kinds_node(visit->decoder, &kinds[key->takes], node);
}

static void look_at(struct visit *visit, const struct node *map)
{
	const struct node *node = map->kind == NODE_MAP ? map->first : NULL;
	const struct key_owned *key;

	for (; node; node = node->next) {
		key = key_of(visit->homes, visit->home->whose, node->key);
		if (key)
			judge_kind(visit, key, node);
		else if (!keys_holds_ours(visit->decoder->arena, node) &&
			 node->origin != NODE_FROM_FLAG &&
			 !findings_have(visit->decoder->findings, node->key_span, NULL, NULL))
			report(visit, node);
	}
}

static void look_in(struct visit *visit, const struct node *root)
{
	const char *path = visit->home->path;
	const struct node *map = root;

	if (is_item(visit->home))
		path = arena_strndup(visit->decoder->arena, path, strlen(path) - 2);
	if (*path)
		map = node_find(root, path);
	if (!map)
		return;
	if (!is_item(visit->home)) {
		look_at(visit, map);
		return;
	}
	for (map = map->kind == NODE_LIST ? map->first : NULL; map; map = map->next)
		look_at(visit, map);
}

void keys_at_home(struct decoder *decoder, const struct node *root, const struct key_homes *homes)
{
	struct visit visit = { .decoder = decoder, .homes = homes };
	size_t i;

	if (!decoder->findings)
		return;
	visit.names = arena_array(decoder->arena, homes->key_count, sizeof(*visit.names));
	for (i = 0; i < homes->home_count; i++) {
		visit.home = &homes->homes[i];
		visit.count = names_of(homes, visit.home->whose, visit.names);
		look_in(&visit, root);
	}
}

static void offer(struct vocabulary *vocabulary, const struct key_homes *homes, bool refuses)
{
	static const struct refusal refusal = { 0 };
	const char **names = arena_array(vocabulary->arena, homes->key_count, sizeof(*names));
	size_t i, count;

	for (i = 0; i < homes->home_count; i++) {
		count = names_of(homes, homes->homes[i].whose, names);
		if (is_item(&homes->homes[i]))
			continue;
		if (refuses)
			vocabulary_refused(vocabulary, homes->homes[i].path, names, count,
					   &refusal);
		else
			vocabulary_names(vocabulary, homes->homes[i].path, names, count);
	}
}

void keys_offer(struct vocabulary *vocabulary, const struct key_homes *homes)
{
	offer(vocabulary, homes, true);
}

void keys_offer_open(struct vocabulary *vocabulary, const struct key_homes *homes)
{
	offer(vocabulary, homes, false);
}
