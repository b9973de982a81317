#include "search/places.h"

#include "base/text.h"

#include <string.h>

static bool holds_settings(const struct wording *wording, const struct node *map, const char *path)
{
	const struct node *child;

	for (child = map->first; child; child = child->next) {
		const char *below =
			*path ? arena_join(wording->vocabulary.arena, path, ".", child->key)
			      : child->key;
		const struct vocabulary_key *key = vocabulary_find(&wording->vocabulary, below);
		if (key && key->field != FIELD_COUNT)
			return true;
	}
	return false;
}

static void find_maps(struct wording *wording, const struct node *map, const char *path)
{
	struct arena *arena = wording->vocabulary.arena;
	const struct node *child;

	if (!map || map->kind != NODE_MAP)
		return;
	if (holds_settings(wording, map, path))
		vec_push(arena, &wording->maps, path);
	for (child = map->first; child; child = child->next)
		find_maps(wording, child,
			  *path ? arena_join(arena, path, ".", child->key) : child->key);
}

void places_begin(struct wording *wording)
{
	find_maps(wording, wording->job->document.root, "");
}

/* Whether the key belongs into that map. */
static bool is_below(const char *path, const char *map)
{
	const char *dot = strrchr(path, '.');
	const size_t length = dot ? (size_t)(dot - path) : 0;

	return strlen(map) == length && !strncmp(path, map, length);
}

const struct vocabulary_key *places_key(const struct wording *wording, enum field_id field,
					const char *value)
{
	const struct vocabulary_key *last = NULL, *read = NULL;
	const char *where = NULL;
	size_t i, k;

	for (i = wording->vocabulary.keys.count; i-- > 0;) {
		const struct vocabulary_key *key = &wording->vocabulary.keys.items[i];
		for (k = 0; wording_may_use(wording, key, field) && k < wording->maps.count; k++) {
			if (!is_below(key->path, wording->maps.items[k]))
				continue;
			if (where && strcmp(where, wording->maps.items[k]) != 0)
				return NULL;
			where = wording->maps.items[k];
			last = last ? last : key;
			if (value && !read && wording_is_read(wording, field, key->path, value))
				read = key;
		}
	}
	return read ? read : last;
}

/*
 * Whether a key may be put into a map that holds no setting yet: one that the config has, or that
 * is as good absent as empty.
 */
static bool may_fill(const struct wording *wording, const char *path)
{
	const struct dialect *dialect = wording->job->document.dialect;
	const char *dot = strrchr(path, '.');
	const char *map =
		arena_strndup(wording->vocabulary.arena, path, dot ? (size_t)(dot - path) : 0);
	const struct node *root = wording->job->document.root;
	const struct node *node = *map ? node_find(root, map) : root;
	size_t i;

	for (i = 0; i < wording->maps.count; i++)
		if (!strcmp(wording->maps.items[i], map))
			return false;
	if (!node)
		return dialect->adds && words_have(dialect->adds, map);
	return node->kind == NODE_MAP && node->span.source == wording->job->document.source;
}

const struct vocabulary_key *places_new_key(const struct wording *wording, enum field_id field,
					    const char *value)
{
	const struct vocabulary_key *only = NULL;
	size_t i;

	for (i = 0; i < wording->vocabulary.keys.count; i++) {
		const struct vocabulary_key *key = &wording->vocabulary.keys.items[i];
		if (!wording_may_use(wording, key, field) || !may_fill(wording, key->path) ||
		    (value && !wording_is_said(wording, field, key->path, value)))
			continue;
		if (only && strcmp(only->path, key->path) != 0)
			return NULL;
		only = key;
	}
	return only;
}
