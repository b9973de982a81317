#include "cli/pull_terms.h"

#include "base/die.h"
#include "base/path.h"
#include "input/syntax/reader.h"

#include <string.h>

/* Settings as they are at a commit (NULL: on disk); without a project there are none. */
struct pull_setting {
	const char *commit, *path;
	const struct project *project;
};

static const struct project *read_at(struct pull_settings *settings, const char *commit,
				     const char *path)
{
	struct io_text text = commit ? repository_text(settings->repository, commit, path)
				     : io_read(settings->arena, path, READER_BYTES);

	if (text.too_large)
		die("project settings: cannot read '%s': %s", path, text.error);
	return text.text ? projects_of_text(settings->arena, path, text.text, text.length) : NULL;
}

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static const struct project *settings_at(struct pull_settings *settings, const char *commit,
					 const char *path)
{
	struct pull_setting setting = { commit, path, NULL };
	size_t i;

	for (i = 0; i < settings->seen.count; i++)
		if (is_same(settings->seen.items[i].commit, commit) &&
		    !strcmp(settings->seen.items[i].path, path))
			return settings->seen.items[i].project;
	setting.project = read_at(settings, commit, path);
	vec_push(settings->arena, &settings->seen, setting);
	return setting.project;
}

/* Those of the config's folder or of the nearest one above, up to the root of the repository. */
static const struct project *nearest(struct pull_settings *settings, const char *commit,
				     const char *config)
{
	struct arena *arena = settings->arena;
	const char *up = *settings->repository->up ? settings->repository->up : ".";
	const char *root = path_absolute(arena, up);
	const char *at = path_absolute(arena, path_folder(arena, config));
	const struct project *project = NULL;

	while (path_within(root, at)) {
		project =
			settings_at(settings, commit,
				    path_relative(arena, ".", path_join(arena, at, PROJECT_FILE)));
		if (project || !strcmp(at, root))
			return project;
		at = path_folder(arena, at);
	}
	return NULL;
}

/* True when git knows a file of that name on either side. */
static bool is_tracked(const struct repository *repository, const char *path)
{
	return repository_text(repository, repository->tip, path).text ||
	       repository_text(repository, "HEAD", path).text;
}

struct io_text pull_policy_text(const struct repository *repository, const char *path)
{
	if (!is_tracked(repository, path))
		return io_read(repository->arena, path, READER_BYTES);
	return repository_text(repository, repository->tip, path);
}

/* --config names one file for all; what the workflow has made itself is in no commit. */
static struct pull_terms terms_named(struct pull_settings *settings, const char *path)
{
	const struct repository *repository = settings->repository;
	const struct project *made;
	struct pull_terms terms;

	if (!is_tracked(repository, path)) {
		made = settings_at(settings, NULL, path);
		if (!made)
			die("project settings: cannot read '%s'", path);
		return (struct pull_terms) { made, made, made };
	}
	terms.policy = settings_at(settings, repository->tip, path);
	terms.before = settings_at(settings, repository->commit, path);
	terms.after = settings_at(settings, settings->from_disk ? NULL : "HEAD", path);
	return terms;
}

struct pull_terms pull_terms_of(struct pull_settings *settings, const struct changed_file *file)
{
	const struct repository *repository = settings->repository;
	struct pull_terms terms = { 0 };

	if (settings->request->settings)
		return terms_named(settings, settings->request->settings);
	if (settings->request->no_settings)
		return terms;
	terms.policy = nearest(settings, repository->tip, file->path);
	terms.before = nearest(settings, repository->commit, file->old_path);
	terms.after = nearest(settings, settings->from_disk ? NULL : "HEAD", file->path);
	return terms;
}
