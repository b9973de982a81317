#include "input/preset_tree.h"

#include "base/die.h"
#include "base/preset.h"
#include "base/text.h"
#include "input/node.h"
#include "input/reader.h"

#include <stdlib.h>
#include <string.h>

static const char suffix[] = ".yaml";

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *const *preset_names(struct arena *arena, const char *folder)
{
	VEC(const char *) names = { 0 };
	const char *prefix = arena_join(arena, folder, "/", "");
	const size_t start = strlen(prefix), end = strlen(suffix);
	const struct preset *preset;

	for (preset = presets; preset->path; preset++)
		if (text_starts(preset->path, prefix) && text_ends(preset->path, suffix))
			vec_push(arena, &names,
				 arena_strndup(arena, preset->path + start,
					       strlen(preset->path) - start - end));
	if (names.count)
		qsort(names.items, names.count, sizeof(*names.items), by_name);
	vec_push(arena, &names, NULL);
	return names.items;
}

/* Presets are our own, so one that is no YAML is a bug. */
struct node *preset_tree(struct arena *arena, const char *folder, const char *name)
{
	const char *path = arena_printf(arena, "%s/%s%s", folder, name, suffix);
	const char *text = preset_text(path);
	struct findings findings;
	struct node *root;

	if (!text)
		return NULL;
	findings_init(&findings, arena);
	root = yaml_read(arena, source_new(arena, path, text, strlen(text)), &findings);
	if (!root || root->kind != NODE_MAP || findings.list.count)
		bug("preset %s: not a map", path);
	return root;
}
