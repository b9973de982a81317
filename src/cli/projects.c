#include "cli/projects.h"

#include "base/bounds.h"
#include "base/die.h"
#include "base/io.h"
#include "base/path.h"
#include "input/launch/launch.h"
#include "input/syntax/reader.h"
#include "report/report.h"
#include "rules/project.h"

#include <stdio.h>
#include <string.h>

static struct project *read_text(struct arena *arena, const char *path, const char *text,
				 size_t length)
{
	struct project *project = arena_new(arena, struct project);

	project_read(project, arena, path, text, length);
	project_judge(project);
	return project;
}

const struct project *projects_of_text(struct arena *arena, const char *path, const char *text,
				       size_t length)
{
	return read_text(arena, path, text, length);
}

/* Settings that were found beside a config, and not named, are of its repository. */
static struct project *read_file(struct arena *arena, const char *path, bool named)
{
	struct io_text text =
		named ? io_read(arena, path, READER_BYTES)
		      : bounds_read(arena, bounds_of(arena, path), path, READER_BYTES);

	if (!text.text)
		die("project settings: cannot read '%s': %s", path, text.error);
	return read_text(arena, path, text.text, text.length);
}

const struct project *projects_of(struct projects *projects, const char *config)
{
	const struct config_request *request = projects->request;
	const char *path = request->settings;
	struct project *project;
	size_t i;

	if (request->folder)
		config = path_moved(projects->arena, request->folder, config ? config : "-");
	if (!path && !request->no_settings)
		path = project_find(projects->arena, config);
	for (i = 0; path && i < projects->list.count; i++)
		if (!strcmp(projects->list.items[i]->source->path, path))
			return projects->list.items[i];
	if (!path)
		return NULL;
	project = read_file(projects->arena, path, request->settings || request->allow_outside);
	vec_push(projects->arena, &projects->list, project);
	return project;
}

/* What is wrong with the settings goes to stderr, as check would print it. */
static void complain(const struct invocation *invocation, bool quiet, const struct project *project)
{
	struct findings findings = project->findings;
	struct job unread = { .arena = invocation->arena, .findings = &findings };
	struct buf out;

	buf_init(&out);
	report_complaints(&unread, project->source->path, invocation->columns, quiet, &out);
	outward_complain(&out);
	buf_release(&out);
}

const struct project *config_project(const struct invocation *invocation,
				     const struct config_request *request, const char *config,
				     const struct overrides *overrides)
{
	struct projects projects = { .arena = invocation->arena, .request = request };
	const struct launch *launch = config ? NULL : launch_parse(invocation->arena, overrides);
	const struct project *project =
		projects_of(&projects, launch ? launch->config_file : config);

	if (project && project->findings.list.count)
		complain(invocation, request->quiet, project);
	return project;
}
