#include "cli/search/write.h"

#include "base/die.h"
#include "base/io.h"
#include "base/outward.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/delivery.h"
#include "framework/requirements.h"
#include "input/project.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

static const char *file_name(const struct job *own)
{
	const char *path = own->document.source->path, *slash = strrchr(path, '/');

	return *path == '<' ? "plan.yaml" : slash ? slash + 1 : path;
}

/* A line "--set KEY=VALUE" that a shell and xargs take apart into the two words. */
static void put_option(struct buf *out, const char *option, const char *value)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_@%+=:,./-";
	const char *at;

	buf_text(out, option);
	if (*option && value)
		buf_char(out, ' ');
	if (value && *value && !value[strspn(value, plain)]) {
		buf_text(out, value);
	} else if (value) {
		buf_char(out, '\'');
		for (at = value; *at; at++)
			buf_text(out, *at == '\'' ? "'\"'\"'" : (char[]) { *at, '\0' });
		buf_char(out, '\'');
	}
	buf_char(out, '\n');
}

/* What is to be given beside the config, as options of ours, which check and sim take. */
static void put_flags(struct buf *out, const struct written *written)
{
	static const char world[] = "world=";
	size_t i;

	for (i = 0; i < written->beside.list.count; i++) {
		const char *said = written->beside.list.items[i];
		if (text_starts(said, world))
			put_option(out, "--world", said + strlen(world));
		else
			put_option(out, "--set", said);
	}
}

/* The options that it was read with. Of ranks, given again below, the last ones count. */
static void put_options(struct arena *arena, struct buf *out, const struct overrides *overrides)
{
	size_t i;

	for (i = 0; i < overrides->pins.count; i++)
		put_option(out, "--framework",
			   arena_printf(arena, "%s@%s", overrides->pins.items[i].framework,
					overrides->pins.items[i].version));
	if (overrides->dialect)
		put_option(out, "--dialect", overrides->dialect);
	if (overrides->launcher)
		put_option(out, "--launcher", overrides->launcher);
	if (overrides->allow_outside)
		put_option(out, "--allow-outside", NULL);
	for (i = 0; i < overrides->env.count; i++)
		put_option(out, "--env", overrides->env.items[i]);
	if (overrides->world && !overrides->world_by)
		buf_printf(out, "--world %" PRId64 "\n", overrides->world);
	for (i = 0; i < overrides->sets.count; i++)
		put_option(out, "--set", overrides->sets.items[i]);
}

/* What follows "--" comes last. */
static void put_words(struct buf *out, const struct overrides *overrides)
{
	size_t i;

	for (i = 0; i < overrides->words.count; i++) {
		if (!i)
			put_option(out, "--", NULL);
		put_option(out, "", overrides->words.items[i]);
	}
}

static void add_file(struct arena *arena, const char *path, const char *text, bool own,
		     struct search_files *files)
{
	const struct search_file file = { path, arena_strdup(arena, text), own };

	vec_push(arena, &files->list, file);
}

/* "hosts/four-nodes, ds.json": files that the config names and that are there. */
static const char *named_by(struct arena *arena, const struct job *own)
{
	const struct setting *hosts = &own->settings.items[FIELD_CLUSTER_HOSTS];
	const char *names = "";
	size_t i;

	for (i = 0; i < own->document.loaded.count; i++)
		if (io_exists(own->document.loaded.items[i])) /* else a name of a model, say */
			names = arena_join(arena, names, *names ? ", " : "",
					   own->document.loaded.items[i]);
	if (hosts->origin == ORIGIN_GIVEN && hosts->text)
		names = arena_join(arena, names, *names ? ", " : "", hosts->text);
	return names;
}

/* True where what lies beside the config, or above it, is read with it, and not with `path`. */
static bool has_neighbours(struct arena *arena, const struct job *own, const char *path)
{
	const char *place = own->document.source->place, *beside[REQUIREMENTS];
	const char *project = project_find(arena, place), *other = project_find(arena, path);
	bool there = *named_by(arena, own) != '\0';
	size_t i;

	if (!requirements_paths(&own->document, beside) ||
	    !strcmp(path_absolute(arena, path_folder(arena, place)),
		    path_absolute(arena, path_folder(arena, path))))
		return false;
	for (i = 0; i < REQUIREMENTS; i++)
		there = there || io_exists(beside[i]);
	return there || !project != !other || (project && !io_same(project, other));
}

static void add(struct arena *arena, const char *path, const struct job *own,
		const struct written *written, struct search_files *files)
{
	struct buf lines;
	size_t i;

	if (written->text)
		add_file(arena, path, written->text, true, files);
	buf_init(&lines);
	for (i = 0; i < written->arguments.list.count; i++)
		buf_printf(&lines, "%s\n", written->arguments.list.items[i]);
	if (lines.length)
		add_file(arena, arena_join(arena, path, ".args", ""), lines.data, false, files);
	buf_clear(&lines);
	if (written->text && has_neighbours(arena, own, path))
		put_option(&lines, "--in",
			   path_absolute(arena, path_folder(arena, own->document.source->place)));
	put_options(arena, &lines, own->document.overrides);
	put_flags(&lines, written);
	put_words(&lines, own->document.overrides);
	if (lines.length)
		add_file(arena, arena_join(arena, path, ".flags", ""), lines.data, false, files);
	buf_release(&lines);
}

/* What whoever takes the files is to know. */
static void remind(struct arena *arena, const char *folder, const struct search *search,
		   const struct job *own, const struct written *best, struct search_files *files)
{
	const bool patched = best->text != NULL;
	const char *names = named_by(arena, own);
	const char *here = path_folder(arena, own->document.source->place);

	if (!patched)
		vec_push(arena, &files->reminders,
			 arena_printf(
				 arena,
				 "%s is a program, which is left as it is: the files in %s say "
				 "what to change, %s.flags as options that parplan check takes "
				 "with it",
				 file_name(own), folder,
				 best->arguments.list.count ? ".args in its framework's words and "
							    : ""));
	if (patched && *names && strcmp(here, folder) != 0)
		vec_push(arena, &files->reminders,
			 arena_printf(arena,
				      "what is in %s names other files (%s): start it where the "
				      "config is, in %s; .flags say so to parplan (--in)",
				      folder, names, here));
	if (search->lost.left)
		vec_push(arena, &files->reminders,
			 arena_printf(arena,
				      "what is in %s does not know that nodes are lost: take them "
				      "out of its hosts",
				      folder));
}

void search_files(struct arena *arena, const char *folder, const struct search *search,
		  const struct result *result, const struct job *own, struct search_files *files)
{
	size_t i, count = 0;

	for (i = 0; i < result->proposals.count; i++) {
		const struct proposal *proposal = &result->proposals.items[i];
		if (proposal->top)
			add(arena,
			    path_join(arena, folder,
				      arena_printf(arena, "%02zu-%s", ++count, file_name(own))),
			    own, &proposal->written, files);
	}
	if (count)
		remind(arena, folder, search, own, &result->proposals.items[0].written, files);
}

void search_folder(const char *path, bool fresh)
{
	struct stat status;

	if (!mkdir(path, 0777))
		return;
	if (fresh || errno != EEXIST)
		die("search: cannot make the folder '%s': %s", path, strerror(errno));
	if (stat(path, &status) || !S_ISDIR(status.st_mode))
		die("search: '%s' is no folder", path);
}

void search_refuse(const char *path)
{
	struct stat status;

	if (!lstat(path, &status))
		die("search: %s exists already; remove it first", path);
}

void search_write(const struct invocation *invocation, const struct search_files *files)
{
	struct buf text;
	size_t i;

	for (i = 0; i < files->list.count; i++)
		search_refuse(files->list.items[i].path);
	buf_init(&text);
	for (i = 0; i < files->list.count; i++) {
		buf_clear(&text);
		buf_text(&text, files->list.items[i].text);
		delivery_new(invocation, "search", files->list.items[i].path, &text,
			     files->list.items[i].own ? OUTWARD_OWN : OUTWARD_TEXT);
	}
	buf_release(&text);
	for (i = 0; i < files->reminders.count && !invocation->quiet; i++)
		outward_say("search: %s", files->reminders.items[i]);
}
