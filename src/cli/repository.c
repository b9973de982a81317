#include "cli/repository.h"

#include "base/path.h"
#include "base/process.h"
#include "base/text.h"
#include "input/syntax/reader.h"

#include <stdlib.h>
#include <string.h>

/* What `git diff --name-status` of a large merge may come to. */
enum { LIST_BYTES = 64 << 20 };

/* Seconds of one git command, and bytes of its own: a diff with renames holds both sides' files. */
enum { GIT_SECONDS = 120, GIT_MEMORY = 2000 << 20 };

/* The paths at a commit, in order. */
struct listing {
	const char *commit;
	bool known; /* else any may be there: git did not list them */
	VEC(const char *) paths;
};

struct repository_names {
	VEC(struct listing) listings;
};

/* In front of every command: keys that commands line up before those of the repository's file. */
static const char *const fixed[] = { "git",
				     "--no-pager",
				     "--no-optional-locks",
				     "--literal-pathspecs",
				     "-c",
				     "safe.bareRepository=explicit",
				     "-c",
				     "protocol.allow=never",
				     "-c",
				     "core.fsmonitor=false",
				     "-c",
				     "core.hooksPath=/dev/null",
				     "-c",
				     "core.packedGitLimit=256m",
				     "-c",
				     "core.packedGitWindowSize=32m",
				     "-c",
				     "diff.orderFile=/dev/null" };

/* git's variables. GIT_ALLOW_PROTOCOL, empty, wins over protocol.NAME.allow of any file; an older
 * git does not know GIT_NO_LAZY_FETCH (2.45), and fetches nothing for want of a protocol. */
static const char *const *variables_of(const struct repository *repository)
{
	struct arena *arena = repository->arena;
	const char *const variables[] = {
		arena_join(arena, "GIT_DIR=", repository->root, "/.git"),
		arena_join(arena, "GIT_WORK_TREE=", repository->root, ""),
		arena_join(arena, "GIT_CEILING_DIRECTORIES=", repository->root, ""),
		"GIT_ALLOW_PROTOCOL=",
		"GIT_PROTOCOL_FROM_USER=0",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_OPTIONAL_LOCKS=0",
		NULL,
	};
	const char **copy = arena_alloc(arena, sizeof(variables));

	memcpy(copy, variables, sizeof(variables));
	return copy;
}

/* Runs git with the words of a command, ended by NULL. */
static struct process git(const struct repository *repository, const char *const *words,
			  size_t limit)
{
	struct arena *arena = repository->arena;
	struct program program = { .input = -1, .seconds = GIT_SECONDS, .memory = GIT_MEMORY };
	VEC(const char *) argv = { 0 };
	size_t i;

	for (i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		vec_push(arena, &argv, fixed[i]);
	for (; *words; words++)
		vec_push(arena, &argv, *words);
	vec_push(arena, &argv, NULL);
	program.argv = argv.items;
	program.variables = variables_of(repository);
	return process_run(arena, &program, limit);
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

static const char no_repository[] =
	"this folder is in no git repository: run it in a checkout, or compare two files with "
	"parplan diff";

/* Why git cannot tell anything of it. */
static const char *unusable(struct arena *arena, const struct process *process)
{
	if (process->missing)
		return "git cannot be run (it is in no folder of PATH): install it, or compare "
		       "two files with parplan diff";
	if (process->trouble)
		return arena_printf(arena,
				    "git cannot be run (%s): compare two files with parplan diff",
				    process->trouble);
	if (strstr(process->errors, "not a git repository"))
		return no_repository;
	return arena_printf(arena, "git rev-parse: %s", line_of(arena, process->errors));
}

static bool is_shallow(const struct repository *repository)
{
	static const char *const words[] = { "rev-parse", "--is-shallow-repository", NULL };
	struct process process = git(repository, words, LIST_BYTES);

	return worked(&process) && text_starts(process.text, "true");
}

/* The commit that a name stands for, or NULL. */
static const char *resolve(const struct repository *repository, const char *ref)
{
	struct arena *arena = repository->arena;
	const char *const words[] = { "rev-parse", "--verify", "--quiet",
				      arena_join(arena, ref, "^{commit}", ""), NULL };
	struct process process = git(repository, words, LIST_BYTES);

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

static const char *no_commit(const struct repository *repository)
{
	struct arena *arena = repository->arena;
	const char *ref = repository->ref, *remote = arena_join(arena, "origin/", ref, "");

	if (!text_starts(ref, "origin/") && resolve(repository, remote))
		return arena_printf(arena, "there is no commit '%s' here; did you mean %s?", ref,
				    remote);
	if (is_shallow(repository))
		return fetch_more(arena, ref, "there is no commit");
	return arena_printf(arena,
			    "there is no commit '%s' here: fetch it first (git fetch origin "
			    "BRANCH), or name another as in --base origin/main",
			    ref);
}

static const char *no_ancestor(const struct repository *repository)
{
	if (is_shallow(repository))
		return fetch_more(repository->arena, repository->ref,
				  "HEAD has no commit in common with");
	return arena_printf(repository->arena,
			    "HEAD has no commit in common with '%s': is it another repository's?",
			    repository->ref);
}

/* Finds its root, where git itself would take any folder that looks like a bare repository. */
static bool find_root(struct repository *repository)
{
	struct arena *arena = repository->arena;
	const char *at = path_absolute(arena, ".");

	repository->up = "";
	while (!io_exists(path_join(arena, at, ".git"))) {
		if (!strcmp(at, "/"))
			return false;
		at = path_folder(arena, at);
		repository->up = arena_join(arena, repository->up, "../", "");
	}
	repository->root = at;
	return true;
}

const char *repository_open(struct repository *repository, struct arena *arena, const char *ref)
{
	static const char *const words[] = { "rev-parse", "--git-dir", NULL };
	const char *common[] = { "merge-base", NULL, "HEAD", NULL };
	struct process process;

	*repository = (struct repository) { .arena = arena, .ref = ref };
	repository->names = arena_new(arena, struct repository_names);
	if (!find_root(repository))
		return no_repository;
	process = git(repository, words, LIST_BYTES);
	if (!worked(&process))
		return unusable(arena, &process);
	if (*ref == '-' || !*ref)
		return arena_printf(arena, "'%s' is no name of a commit", ref);
	common[1] = resolve(repository, ref);
	if (!common[1])
		return no_commit(repository);
	repository->tip = common[1];
	process = git(repository, common, LIST_BYTES);
	if (!worked(&process))
		return no_ancestor(repository);
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

/* What git says it lacks: "fatal: ...", its first line. */
static const char *complaint(const struct repository *repository, const struct process *process)
{
	if (process->trouble)
		return process->trouble;
	if (strstr(process->errors, "promisor") || strstr(process->errors, "lazy fetching"))
		return "this checkout is a partial clone, and nothing is fetched: clone it without "
		       "--filter";
	return line_of(repository->arena, process->errors);
}

const char *repository_changes(const struct repository *repository, struct changed_files *files)
{
	const char *const words[] = { "diff-tree",
				      "-r",
				      "--raw",
				      "--abbrev=7",
				      "-z",
				      "--find-renames",
				      "--no-ext-diff",
				      "--no-textconv",
				      "--ignore-submodules=none",
				      "--diff-filter=ACDMRT",
				      repository->commit,
				      "HEAD",
				      "--",
				      NULL };
	struct process process = git(repository, words, LIST_BYTES);

	if (!worked(&process))
		return arena_printf(repository->arena, "git diff-tree: %s",
				    complaint(repository, &process));
	read_changes(repository, &process, files);
	return NULL;
}

/* ---- files at a commit ---- */

static int compare_paths(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Settings are asked for in every folder above a file: one list is less than as many commands. */
static const struct listing *list_at(const struct repository *repository, const char *commit)
{
	struct repository_names *names = repository->names;
	const char *const words[] = { "ls-tree",     "-r",   "-z", "--name-only",
				      "--full-tree", commit, NULL };
	struct listing listing = { .commit = commit };
	const char *at, *path;
	struct process process;
	size_t i;

	for (i = 0; i < names->listings.count; i++)
		if (!strcmp(names->listings.items[i].commit, commit))
			return &names->listings.items[i];
	process = git(repository, words, LIST_BYTES);
	listing.known = worked(&process);
	for (at = process.text;
	     listing.known && (path = next_text(&at, process.text + process.length));)
		vec_push(repository->arena, &listing.paths, path);
	if (listing.paths.count)
		qsort(listing.paths.items, listing.paths.count, sizeof(*listing.paths.items),
		      compare_paths);
	vec_push(repository->arena, &names->listings, listing);
	return &names->listings.items[names->listings.count - 1];
}

static bool is_absent(const struct repository *repository, const char *commit, const char *below)
{
	const struct listing *listing = list_at(repository, commit);

	return listing->known && (!listing->paths.count ||
				  !bsearch(&below, listing->paths.items, listing->paths.count,
					   sizeof(*listing->paths.items), compare_paths));
}

struct io_text repository_text(const struct repository *repository, const char *commit,
			       const char *path)
{
	struct arena *arena = repository->arena;
	const char *below = path_relative(arena, repository->root, path);
	const char *const words[] = { "cat-file", "blob", arena_join(arena, commit, ":", below),
				      NULL };
	struct process process;

	if (text_starts(below, "../"))
		return (struct io_text) { .error = "it lies outside the repository" };
	if (is_absent(repository, commit, below))
		return (struct io_text) { .error = "there is no such file at that commit" };
	process = git(repository, words, READER_BYTES);
	if (worked(&process))
		return (struct io_text) { .text = process.text, .length = process.length };
	return (struct io_text) { .error = complaint(repository, &process),
				  .too_large = process.too_large };
}
