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

char *pull_left_out(const struct pull *pull)
{
	return passed_over_text(pull->arena, &pull->passed_over, "changed file",
				arena_join(pull->arena, "the settings of ", pull->ref, ""));
}
