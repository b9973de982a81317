#include "report/pull/pull.h"

const char *file_status_name(enum file_status status)
{
	static const char *const names[] = { "added", "changed", "renamed", "deleted" };

	return names[status];
}

static char *counted(struct arena *arena, const char *text, size_t count, const char *noun)
{
	return arena_printf(arena, "%s%zu %s%s", text, count, noun, count == 1 ? "" : "s");
}

char *pull_headline(const struct pull *pull)
{
	const struct totals *totals = &pull->totals;
	struct arena *arena = pull->arena;
	char *text = counted(arena, "", pull->files.count, "config");

	text = arena_join(arena, text, " changed, ", "");
	if (pull->judged.status != JUDGED)
		text = arena_printf(arena, "%s%s%s; ", text, judged_text(arena, &pull->judged),
				    pull->unjudged_fails ? JUDGED_STRICTLY : "");
	if (!totals->errors && !totals->warnings && !totals->notes)
		return arena_join(arena, text, "no new finding", "");
	text = counted(arena, text, totals->errors, "new error");
	text = counted(arena, arena_join(arena, text, ", ", ""), totals->warnings, "new warning");
	return counted(arena, arena_join(arena, text, ", ", ""), totals->notes, "new note");
}

static char *listed(struct arena *arena, char *text, const char *head, const char *const *paths,
		    size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		text = arena_printf(arena, "%s%s%s%s", text, i || !*text ? "" : " ",
				    i ? ", " : head, paths[i]);
	return text;
}

char *pull_left_out(const struct pull *pull)
{
	struct arena *arena = pull->arena;
	char *text = arena_strdup(arena, "");

	if (pull->others)
		text = arena_printf(arena, "%zu changed file%s no config.", pull->others,
				    pull->others == 1 ? " is" : "s are");
	if (pull->excluded)
		text = arena_printf(arena, "%s%s%zu changed file%s excluded by the settings of %s.",
				    text, *text ? " " : "", pull->excluded,
				    pull->excluded == 1 ? " is" : "s are", pull->ref);
	if (pull->large.count)
		text = arena_join(arena,
				  listed(arena, text, "Not read, for their size: ",
					 pull->large.items, pull->large.count),
				  ".", "");
	if (pull->unread.count)
		text = arena_join(arena,
				  listed(arena, text, "Not read, for their syntax: ",
					 pull->unread.items, pull->unread.count),
				  " (name them to have them checked all the same).", "");
	return text;
}
