#include "cli/dead.h"

#include "base/die.h"
#include "base/outward.h"
#include "base/text.h"
#include "base/unpacked.h"
#include "evidence/folder.h"
#include "framework/job.h"
#include "rules/judge.h"
#include "rules/project.h"

#include <string.h>

/* What the other files say counts all the same. */
static bool read_file(struct joblog *log, const char *command, const char *path)
{
	struct unpacked unpacked;
	struct arena arena; /* of the window alone */
	const char *error, *how = "cannot read";

	arena_init(&arena);
	error = unpacked_open(&unpacked, &arena, path);
	if (!error) {
		joblog_read(log, &unpacked.text, strcmp(path, "-") ? path : "<stdin>");
		error = unpacked_close(&unpacked);
		how = "cannot read all of";
	}
	if (error)
		outward_say("%s: %s '%s': %s", command, how, path, error);
	arena_release(&arena);
	return !error;
}

bool dead_read(struct joblog *log, const char *command, const char *path)
{
	struct folder folder = { 0 };
	bool whole = true;
	const char *error;
	size_t i;

	if (!folder_is(path))
		return read_file(log, command, path);
	error = folder_tree(&folder, log->arena, path);
	if (error)
		die("%s: cannot read '%s': %s", command, path, error);
	if (!folder.files.count)
		die("%s: the folder '%s' holds no files", command, path);
	for (i = 0; i < folder.files.count; i++)
		whole = read_file(log, command, folder.files.items[i]) && whole;
	return whole;
}

struct checked *dead_config(const struct invocation *invocation, const char *command,
			    const struct config_request *config, const char *path)
{
	struct arena *arena = invocation->arena;
	struct overrides *overrides = arena_new(arena, struct overrides);
	struct checked *file = arena_new(arena, struct checked);
	struct levels levels = { 0 };
	const char *error;

	config_overrides(invocation, config, overrides);
	overrides->project = config_project(invocation, config, path, overrides);
	file->job = arena_new(arena, struct job);
	file->findings = arena_new(arena, struct findings);
	findings_init(file->findings, arena);
	error = job_read(file->job, arena, path, overrides, file->findings);
	if (error)
		die("%s: %s", command, error);
	if (overrides->project)
		project_levels(overrides->project, arena, &levels);
	judge(&levels, file->job, &file->skips);
	file->path = text_on_line(arena, file->job->document.source->path);
	return file;
}
