#ifndef CLI_REPOSITORY_H
#define CLI_REPOSITORY_H

#include "base/io.h"
#include "base/vec.h"
#include "report/pull/pull.h"

/*
 * The git repository that the current folder is in, asked through git(1): what a pull request
 * changes is what lies between HEAD and the last commit that it has in common with its base.
 *
 * What was checked out may be anybody's, so git is told everything and finds nothing by itself: the
 * repository is the nearest folder with a .git, which no commit can hold, never a bare one, which
 * any commit can; no variable and no user's or system's file configures it, no protocol is allowed,
 * so that the repository's own file can make it fetch nothing and run nothing.
 */
struct repository_names;

struct repository {
	struct arena *arena;
	struct repository_names *names; /* of files at commits that were asked for */
	const char *root;		/* its folder, absolute */
	const char *up;			/* from here to its root: "", "../" */
	const char *ref;		/* as the caller named the base */
	const char *tip;		/* the commit that it is; 40 or 64 hexadecimal digits */
	const char *commit;		/* the last one in common with it */
};

/* Paths are relative to the current folder. */
struct changed_file {
	const char *path;
	const char *old_path; /* where it was; the same unless renamed */
	enum file_status status;
	bool no_file; /* another repository (a submodule), whose name is all that is here */
};

struct changed_files {
	VEC(struct changed_file) list;
};

/* NULL, or a sentence on why the base cannot be known, and what to do. */
const char *repository_open(struct repository *repository, struct arena *arena, const char *ref);

/* Files that HEAD has changed since the common commit, by path; NULL or a sentence. */
const char *repository_changes(const struct repository *repository, struct changed_files *files);

/* The text of a file at a commit; io_text.error when it has no such file, or too large a one. */
struct io_text repository_text(const struct repository *repository, const char *commit,
			       const char *path);

#endif
