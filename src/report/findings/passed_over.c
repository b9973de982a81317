#include "report/findings/passed_over.h"

#include "base/json.h"

/* "... Not read, for their size: a.json, b.json" */
static char *listed(struct arena *arena, char *text, const char *head, const char *const *paths,
		    size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		text = arena_printf(arena, "%s%s%s%s", text, i || !*text ? "" : " ",
				    i ? ", " : head, paths[i]);
	return text;
}

char *passed_over_text(struct arena *arena, const struct passed_over *files, const char *noun,
		       const char *settings)
{
	char *text = arena_strdup(arena, "");

	if (files->others)
		text = arena_printf(arena, "%zu %s%s no config%s.", files->others, noun,
				    files->others == 1 ? " is" : "s are",
				    files->others == 1 ? "" : "s");
	if (files->excluded)
		text = arena_printf(arena, "%s%s%zu %s%s excluded by %s.", text, *text ? " " : "",
				    files->excluded, noun, files->excluded == 1 ? " is" : "s are",
				    settings);
	if (files->large.count)
		text = arena_join(arena,
				  listed(arena, text, "Not read, for their size: ",
					 files->large.items, files->large.count),
				  ".", "");
	if (files->unread.count)
		text = arena_join(arena,
				  listed(arena, text, "Not read, for their syntax: ",
					 files->unread.items, files->unread.count),
				  " (name them to have them checked all the same).", "");
	return text;
}

static void put_paths(struct json_writer *json, const char *name, const char *const *paths,
		      size_t count)
{
	size_t i;

	json_array(json, name);
	for (i = 0; i < count; i++)
		json_string(json, NULL, paths[i]);
	json_array_end(json);
}

void passed_over_json(struct json_writer *json, const struct passed_over *files)
{
	put_paths(json, "unread", files->unread.items, files->unread.count);
	put_paths(json, "too_large", files->large.items, files->large.count);
	json_int(json, "excluded_files", (int64_t)files->excluded);
	json_int(json, "other_files", (int64_t)files->others);
}
