#include "framework/inputs.h"

#include "framework/checkpoint.h"
#include "framework/job_topology.h"
#include "framework/requirements.h"
#include "input/project.h"

#include <string.h>

static void add(struct inputs *inputs, const struct job *job, const char *path)
{
	if (path)
		vec_push(job->arena, &inputs->paths, path);
}

/* The settings that may come to lie beside the config. */
static void add_project(struct inputs *inputs, const struct job *job)
{
	const char *path = job->document.source->place, *slash = strrchr(path, '/');

	add(inputs, job,
	    arena_printf(job->arena, "%.*s" PROJECT_FILE, slash ? (int)(slash - path) + 1 : 0,
			 path));
}

void inputs_of_job(struct inputs *inputs, const struct job *job)
{
	const char *beside[REQUIREMENTS];
	size_t i;

	if (!requirements_paths(&job->document, beside))
		return;
	add(inputs, job, job->document.source->path);
	for (i = 0; i < REQUIREMENTS; i++)
		add(inputs, job, beside[i]);
	add_project(inputs, job);
	if (!job->readable)
		return;
	for (i = 0; i < job->document.loaded.count; i++)
		add(inputs, job, job->document.loaded.items[i]);
	add(inputs, job, job_hosts_path(job));
	if (job->checkpoint)
		add(inputs, job, job->checkpoint->path);
}
