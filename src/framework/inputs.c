#include "framework/inputs.h"

#include "framework/checkpoint.h"
#include "framework/job_topology.h"
#include "framework/requirements.h"

static void add(struct inputs *inputs, const struct job *job, const char *path)
{
	if (path)
		vec_push(job->arena, &inputs->paths, path);
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
	if (!job->readable)
		return;
	add(inputs, job, job_hosts_path(job));
	if (job->checkpoint)
		add(inputs, job, job->checkpoint->path);
}
