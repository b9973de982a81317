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
		text = arena_join(arena, text, judged_text(arena, &pull->judged), "; ");
	if (!totals->errors && !totals->warnings && !totals->notes)
		return arena_join(arena, text, "no new finding", "");
	text = counted(arena, text, totals->errors, "new error");
	text = counted(arena, arena_join(arena, text, ", ", ""), totals->warnings, "new warning");
	return counted(arena, arena_join(arena, text, ", ", ""), totals->notes, "new note");
}

char *pull_left_out(const struct pull *pull)
{
	struct arena *arena = pull->arena;
	char *text = arena_strdup(arena, "");
	size_t i;

	if (pull->others)
		text = arena_printf(arena, "%zu changed file%s no config.", pull->others,
				    pull->others == 1 ? " is" : "s are");
	for (i = 0; i < pull->unread.count; i++)
		text = arena_printf(arena, "%s%s%s", text,
				    i	    ? ", "
				    : *text ? " Not read, for their syntax: "
					    : "Not read, for their syntax: ",
				    pull->unread.items[i]);
	if (pull->unread.count)
		text = arena_join(arena, text, " (name them to have them checked all the same).",
				  "");
	return text;
}
