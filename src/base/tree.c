#define _DEFAULT_SOURCE /* fts; NOLINT(bugprone-reserved-identifier) */
#include "base/tree.h"

#include "base/ignored.h"
#include "base/path.h"

#include <fts.h>
#include <string.h>
#include <sys/stat.h>

enum { TREE_FILES = 1000 * 1000 };

struct walk {
	struct tree *tree;
	struct arena *arena;
	bool (*wanted)(const char *path);
	struct ignored *above;	   /* what holds where the walk starts */
	struct ignored *innermost; /* and where it is now */
	FTS *fts;
	const char *trouble;
};

static int by_name(const FTSENT **left, const FTSENT **right)
{
	return strcmp((*left)->fts_name, (*right)->fts_name);
}

static const char *shown(const FTSENT *entry)
{
	return strncmp(entry->fts_path, "./", 2) ? entry->fts_path : entry->fts_path + 2;
}

/* What holds for the entries of a folder: noted there when the walk came to it. */
static struct ignored *ignored_in(const struct walk *walk, const FTSENT *folder)
{
	return folder->fts_level < FTS_ROOTLEVEL ? walk->above : folder->fts_pointer;
}

static bool is_passed_over(const struct walk *walk, const FTSENT *entry)
{
	const bool folder = entry->fts_info == FTS_D;

	if (entry->fts_level == FTS_ROOTLEVEL)
		return false;
	return *entry->fts_name == '.' ||
	       ignored_holds(ignored_in(walk, entry->fts_parent), walk->arena,
			     path_absolute(walk->arena, entry->fts_path), folder);
}

static void enter(struct walk *walk, FTSENT *entry)
{
	struct ignored *above = ignored_in(walk, entry->fts_parent);

	entry->fts_pointer = above;
	if (is_passed_over(walk, entry)) {
		fts_set(walk->fts, entry, FTS_SKIP);
		return;
	}
	walk->innermost = ignored_of(walk->arena, above,
				     path_absolute(walk->arena, entry->fts_path), &walk->trouble);
	entry->fts_pointer = walk->innermost;
}

static void leave(struct walk *walk, FTSENT *entry)
{
	struct ignored *above = ignored_in(walk, entry->fts_parent);

	ignored_release(entry->fts_pointer, above);
	walk->innermost = above;
}

static void take(struct walk *walk, FTSENT *entry)
{
	if (!S_ISREG(entry->fts_statp->st_mode) || is_passed_over(walk, entry))
		return;
	if (!walk->wanted(entry->fts_path))
		walk->tree->others++;
	else if (walk->tree->files.count < TREE_FILES)
		vec_push(walk->arena, &walk->tree->files, arena_strdup(walk->arena, shown(entry)));
	else
		walk->trouble = arena_printf(walk->arena,
					     "there are more than %d files that may be configs; "
					     "name the folders that hold them",
					     TREE_FILES);
}

static void meet(struct walk *walk, FTSENT *entry)
{
	switch (entry->fts_info) {
	case FTS_D:
		enter(walk, entry);
		break;
	case FTS_DP:
		leave(walk, entry);
		break;
	case FTS_F:
		take(walk, entry);
		break;
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		walk->trouble = arena_printf(walk->arena, "cannot read '%s': %s", shown(entry),
					     strerror(entry->fts_errno));
		break;
	default:
		break;
	}
}

const char *tree_walk(struct tree *tree, struct arena *arena, const char *folder,
		      bool (*wanted)(const char *path))
{
	char *const roots[] = { arena_strdup(arena, folder), NULL };
	struct walk walk = { .tree = tree, .arena = arena, .wanted = wanted };
	FTSENT *entry;

	while (strlen(roots[0]) > 1 && roots[0][strlen(roots[0]) - 1] == '/')
		roots[0][strlen(roots[0]) - 1] = '\0';
	walk.above = walk.innermost =
		ignored_above(arena, path_absolute(arena, folder), &walk.trouble);
	walk.fts = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, by_name);
	if (!walk.fts)
		return arena_printf(arena, "cannot read '%s'", folder);
	while (!walk.trouble && (entry = fts_read(walk.fts)))
		meet(&walk, entry);
	fts_close(walk.fts);
	ignored_release(walk.innermost, NULL);
	return walk.trouble;
}
