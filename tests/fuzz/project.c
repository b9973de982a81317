/*
 * Settings of a project: reading and judging them never crashes, hangs or leaks, whatever they
 * settle can be laid under a config, and every pattern can be held against a path.
 */
#include "tree.h"

#include "framework/job.h"
#include "rules/project.h"

#include <string.h>

static void use(const struct project *project, struct arena *arena)
{
	struct overrides overrides = { .text = "parplan: 1\nmodel: llama3-8b\n",
				       .project = project };
	const struct project_word *by;
	struct levels levels = { 0 };
	struct findings findings;
	struct job job;

	findings_init(&findings, arena);
	project_levels(project, arena, &levels);
	if (project_excludes(project, arena, "train/a.yaml", &by))
		check_span(by->span);
	if (job_read(&job, arena, "train/a.yaml", &overrides, &findings) ||
	    (!job.readable && !job.versions.refused))
		bug("a config cannot be read for its project's settings");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct project project;
	struct arena arena;
	char *text;
	size_t i;

	arena_init(&arena);
	text = arena_alloc(&arena, size + 1);
	memcpy(text, data, size);
	project_read(&project, &arena, "train/.parplan.yaml", text, size);
	project_judge(&project);
	for (i = 0; i < project.findings.list.count; i++)
		check_span(project.findings.list.items[i]->span);
	use(&project, &arena);
	arena_release(&arena);
	return 0;
}
