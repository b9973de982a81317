#include "cli/repository.h"

#include "base/path.h"
#include "base/process.h"
#include "base/text.h"
#include "input/syntax/reader.h"

#include <string.h>

/* What `git diff --name-status` of a large merge may come to. */
enum { LIST_BYTES = 64 << 20 };

/* Words of a git command behind "git", ended by NULL. */
static struct process git(struct arena *arena, const char *const *words, size_t limit)
{
	VEC(const char *) argv = { 0 };

	vec_push(arena, &argv, "git");
	for (; *words; words++)
		vec_push(arena, &argv, *words);
	vec_push(arena, &argv, NULL);
	return process_run(arena, argv.items, limit);
}

static bool worked(const struct process *process)
{
	return !process->trouble && !process->status;
}

/* Its first line, without the line break. */
static char *line_of(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strcspn(text, "\r\n"));
}

/* ---- what stands in the way ---- */

static const char *no_repository(struct arena *arena, const struct process *process)
{
	if (process->trouble)
		return arena_printf(arena,
				    "git cannot be run (%s): install it, or compare two "
				    "files with parplan diff",
				    process->trouble);
	if (strstr(process->errors, "not a git repository"))
		return "this folder is in no git repository: run it in a checkout, or compare two "
		       "files with parplan diff";
	if (strstr(process->errors, "dubious ownership"))
		return "git refuses a checkout that belongs to somebody else: allow it with git "
		       "config --global --add safe.directory \"$PWD\"";
	return arena_printf(arena, "git rev-parse: %s", line_of(arena, process->errors));
}

static bool is_shallow(struct arena *arena)
{
	static const char *const words[] = { "rev-parse", "--is-shallow-repository", NULL };
	struct process process = git(arena, words, LIST_BYTES);

	return worked(&process) && text_starts(process.text, "true");
}

/* The commit that a name stands for, or NULL. */
static const char *resolve(struct arena *arena, const char *ref)
{
	const char *const words[] = { "rev-parse", "--verify", "--quiet",
				      arena_join(arena, ref, "^{commit}", ""), NULL };
	struct process process = git(arena, words, LIST_BYTES);

	return worked(&process) ? line_of(arena, process.text) : NULL;
}

static const char *fetch_more(struct arena *arena, const char *ref, const char *what)
{
	return arena_printf(arena,
			    "%s '%s' in this checkout, which is shallow: fetch the history "
			    "(actions/checkout with fetch-depth: 0; GIT_DEPTH: 0 in GitLab; else "
			    "git fetch --unshallow)",
			    what, ref);
}

static const char *no_commit(struct arena *arena, const char *ref)
{
	const char *remote = arena_join(arena, "origin/", ref, "");

	if (!text_starts(ref, "origin/") && resolve(arena, remote))
		return arena_printf(arena, "there is no commit '%s' here; did you mean %s?", ref,
				    remote);
	if (is_shallow(arena))
		return fetch_more(arena, ref, "there is no commit");
	return arena_printf(arena,
			    "there is no commit '%s' here: fetch it first (git fetch origin "
			    "BRANCH), or name another as in --base origin/main",
			    ref);
}

static const char *no_ancestor(struct arena *arena, const char *ref)
{
	if (is_shallow(arena))
		return fetch_more(arena, ref, "HEAD has no commit in common with");
	return arena_printf(
		arena, "HEAD has no commit in common with '%s': is it another repository's?", ref);
}

const char *repository_open(struct repository *repository, struct arena *arena, const char *ref)
{
	static const char *const words[] = { "rev-parse", "--show-cdup", NULL };
	const char *common[] = { "merge-base", NULL, "HEAD", NULL };
	struct process process = git(arena, words, LIST_BYTES);

	*repository = (struct repository) { .arena = arena, .ref = ref };
	if (!worked(&process))
		return no_repository(arena, &process);
	repository->up = line_of(arena, process.text);
	if (*ref == '-' || !*ref)
		return arena_printf(arena, "'%s' is no name of a commit", ref);
	common[1] = resolve(arena, ref);
	if (!common[1])
		return no_commit(arena, ref);
	repository->tip = common[1];
	process = git(arena, common, LIST_BYTES);
	if (!worked(&process))
		return no_ancestor(arena, ref);
	repository->commit = line_of(arena, process.text);
	return NULL;
}

/* ---- what changed ---- */

/* The next of the texts that end in NUL; NULL at the end. */
static const char *next_text(const char **at, const char *end)
{
	const char *text = *at;

	if (text >= end)
		return NULL;
	*at += strlen(text) + 1;
	return text;
}

static enum file_status status_of(char letter)
{
	switch (letter) {
	case 'A':
	case 'C':
		return FILE_ADDED;
	case 'D':
		return FILE_DELETED;
	case 'R':
		return FILE_RENAMED;
	default:
		return FILE_CHANGED;
	}
}

/* A path below the root, as seen from here. */
static const char *from_here(const struct repository *repository, const char *path)
{
	return path_relative(repository->arena, ".",
			     arena_join(repository->arena, repository->up, path, ""));
}

/* True for one of the two modes of ":100644 160000 ...", if it is that of another repository. */
static bool is_link(const char *status, size_t mode)
{
	return strlen(status) > 14 && text_starts(status + 1 + 7 * mode, "160000");
}

/* What becomes of the file itself, where another repository is put in its place or gives way. */
static void settle_link(struct changed_file *file, const char *status)
{
	const bool before = is_link(status, 0), after = is_link(status, 1);

	if (before && file->status != FILE_DELETED && !after)
		file->status = FILE_ADDED;
	else if (after && !before && file->status != FILE_ADDED)
		file->status = FILE_DELETED;
	else
		file->no_file = before || after;
}

/* ":100644 100644 SHA SHA M\0path\0", "... R090\0old\0new\0", ... */
static void read_changes(const struct repository *repository, const struct process *process,
			 struct changed_files *files)
{
	const char *at = process->text, *end = at + process->length, *status, *path, *second;

	while ((status = next_text(&at, end)) && (path = next_text(&at, end))) {
		const char *letter = strrchr(status, ' ');
		struct changed_file file = { .status = status_of(letter ? letter[1] : 'M') };
		second = letter && (letter[1] == 'R' || letter[1] == 'C') ? next_text(&at, end)
									  : NULL;
		file.path = from_here(repository, second ? second : path);
		file.old_path = from_here(repository, path);
		settle_link(&file, status);
		vec_push(repository->arena, &files->list, file);
	}
}

const char *repository_changes(const struct repository *repository, struct changed_files *files)
{
	const char *const words[] = { "diff",
				      "--raw",
				      "--abbrev=7",
				      "-z",
				      "--find-renames",
				      "--no-ext-diff",
				      "--diff-filter=ACDMRT",
				      arena_join(repository->arena, repository->commit, "...",
						 "HEAD"),
				      "--",
				      NULL };
	struct process process = git(repository->arena, words, LIST_BYTES);

	if (process.trouble)
		return arena_printf(repository->arena, "git diff: %s", process.trouble);
	if (process.status)
		return arena_printf(repository->arena, "git diff: %s",
				    line_of(repository->arena, process.errors));
	read_changes(repository, &process, files);
	return NULL;
}

struct io_text repository_text(const struct repository *repository, const char *commit,
			       const char *path)
{
	struct arena *arena = repository->arena;
	const char *near = path_relative(arena, ".", path);
	const char *const words[] = { "show", "--no-textconv",
				      arena_join(arena, commit, ":./", near), NULL };
	struct process process = git(arena, words, READER_BYTES);

	if (worked(&process))
		return (struct io_text) { .text = process.text, .length = process.length };
	return (struct io_text) { .error = process.trouble ? process.trouble
							   : line_of(arena, process.errors),
				  .too_large = process.too_large };
}
