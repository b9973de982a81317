#include "input/project_parts.h"

#include "base/glob.h"
#include "base/path.h"
#include "input/field.h"
#include "input/node.h"

#include <string.h>

/* What a project's settings say of one config, by its path. */

enum field_id project_field(struct arena *arena, const struct node *node)
{
	return field_find(arena_join(arena, PROJECT_CLUSTER, node->key, ""));
}

bool project_is_strict(const struct project *project, bool strict, const char *fail_on)
{
	return strict || (project && project->strict && !(fail_on && !strcmp(fail_on, "never")));
}

bool project_excludes(const struct project *project, struct arena *arena, const char *path,
		      const struct project_word **which)
{
	const char *relative = path_relative(arena, project->folder, path);
	size_t i;

	for (i = 0; i < project->exclude.count; i++) {
		*which = &project->exclude.items[i];
		if (glob_matches(arena, (*which)->text, relative))
			return true;
	}
	return false;
}

/* True when a part holds for that config; what has no path ("<stdin>") is of no pattern. */
static bool concerns(const struct project *project, struct arena *arena,
		     const struct project_part *part, const char *path)
{
	return !part->glob ||
	       (path && *path != '<' &&
		glob_matches(arena, part->glob, path_relative(arena, project->folder, path)));
}

static void settle_cluster(const struct node *cluster, struct decoder *decoder)
{
	const struct node *child;
	struct setting *setting;
	enum field_id field;

	for (child = cluster->first; child; child = child->next) {
		field = project_field(decoder->arena, child);
		if (field == FIELD_COUNT)
			continue;
		setting = &decoder->settings->items[field];
		if (setting->origin != ORIGIN_UNSET && setting->origin != ORIGIN_DEFAULT)
			continue;
		field_put(decoder, field, child);
		if (setting->invalid)
			setting->origin = ORIGIN_UNSET;
	}
}

void project_settle(const struct project *project, struct arena *arena, const char *path,
		    struct settings *settings)
{
	struct decoder silent = { .arena = arena, .settings = settings };
	size_t i;

	for (i = project ? project->clusters.count : 0; i > 0; i--)
		if (concerns(project, arena, &project->clusters.items[i - 1], path))
			settle_cluster(project->clusters.items[i - 1].node, &silent);
}

bool project_world(const struct project *project, struct arena *arena, const char *path,
		   struct settings *settings)
{
	struct decoder silent = { .arena = arena, .settings = settings };
	struct node world;
	size_t i;

	for (i = project ? project->worlds.count : 0; i > 0; i--) {
		if (!concerns(project, arena, &project->worlds.items[i - 1], path))
			continue;
		world = *project->worlds.items[i - 1].node;
		world.origin = NODE_FROM_PROJECT;
		return field_put(&silent, FIELD_WORLD, &world) != NULL;
	}
	return false;
}
