#define _DEFAULT_SOURCE /* MAP_ANONYMOUS; NOLINT(bugprone-reserved-identifier) */
#include "cli/recognised.h"

#include "base/die.h"
#include "base/text.h"
#include "base/tree.h"
#include "cli/meter.h"
#include "framework/job.h"
#include "input/project.h"
#include "input/syntax/reader.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Reading is spread over processes, as a search is (search/workers.c): file i is the i-th modulo
 * their number, and what it is goes into a byte that all of them share. */
enum kind { KIND_CONFIG, KIND_OTHER, KIND_EXCLUDED, KIND_UNREAD, KIND_LARGE };

enum { PROCESSES_MOST = 64, FILES_PER_PROCESS = 32 };

bool recognised_by_name(const char *path)
{
	static const char *const suffixes[] = { ".yaml", ".yml", ".toml", ".json" };
	size_t i;

	for (i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (text_ends(path, suffixes[i]))
			return true;
	return false;
}

static bool is_broken(const struct findings *findings)
{
	size_t i;

	for (i = 0; i < findings->list.count; i++)
		if (findings->list.items[i]->rule == &rule_syntax)
			return true;
	return false;
}

/* What a document is; one that says who starts the processes is known once it is settled. */
static enum kind kind_of_text(const struct recognised *recognised, const struct project *project,
			      const char *path)
{
	struct overrides overrides = *recognised->overrides;
	struct findings findings;
	struct job job = { 0 };
	struct arena arena;
	enum kind kind = KIND_CONFIG;
	const char *error;

	arena_init(&arena);
	findings_init(&findings, &arena);
	overrides.project = project;
	overrides.dialect = NULL; /* it says whose the configs are, not what is one */
	error = document_read(&job.document, &arena, path, &overrides, &findings);
	if (!error && job.document.dialect && job.document.dialect->starts)
		error = job_read(&job, &arena, path, &overrides, &findings);
	if (!error && !job.document.dialect)
		kind = !job.document.root || is_broken(&findings) ? KIND_UNREAD : KIND_OTHER;
	else if (!error && job.document.no_job)
		kind = KIND_OTHER;
	arena_release(&arena);
	return kind;
}

static enum kind kind_of(const struct recognised *recognised, const struct project *project,
			 const char *path)
{
	const struct project_word *by;
	struct stat status;

	if (project && project_excludes(project, recognised->arena, path, &by))
		return KIND_EXCLUDED;
	if (!stat(path, &status) && status.st_size > READER_BYTES)
		return KIND_LARGE;
	return kind_of_text(recognised, project, path);
}

/* One file in so many, from `first` on. */
static void look(const struct recognised *recognised, const struct project *const *projects,
		 const struct tree *tree, size_t first, size_t jobs, unsigned char *kinds)
{
	size_t i;

	for (i = first; i < tree->files.count; i += jobs) {
		if (!first)
			meter_step(recognised->meter, i, tree->files.count);
		kinds[i] = (unsigned char)kind_of(recognised, projects[i], tree->files.items[i]);
	}
}

static void take(struct recognised *recognised, const char *path, enum kind kind)
{
	struct passed_over *passed_over = &recognised->passed_over;

	switch (kind) {
	case KIND_CONFIG:
		vec_push(recognised->arena, &recognised->configs, path);
		break;
	case KIND_OTHER:
		passed_over->others++;
		break;
	case KIND_EXCLUDED:
		passed_over->excluded++;
		break;
	case KIND_UNREAD:
		vec_push(recognised->arena, &passed_over->unread, path);
		break;
	case KIND_LARGE:
		vec_push(recognised->arena, &passed_over->large, path);
		break;
	}
}

/* As many processes as are asked for, or worth their start. */
static size_t jobs_for(const struct recognised *recognised, size_t count)
{
	const long cores = sysconf(_SC_NPROCESSORS_ONLN);
	const size_t most = count / FILES_PER_PROCESS + 1;
	const size_t jobs = recognised->jobs ? (size_t)recognised->jobs
			    : cores > 0	     ? (size_t)cores
					     : 1;

	return jobs > PROCESSES_MOST ? PROCESSES_MOST : jobs > most ? most : jobs;
}

/* Looks at all of them: this process and others, which it waits for. */
static void look_together(const struct recognised *recognised,
			  const struct project *const *projects, const struct tree *tree,
			  unsigned char *kinds)
{
	const size_t jobs = jobs_for(recognised, tree->files.count);
	pid_t processes[PROCESSES_MOST];
	size_t i;
	int status;

	for (i = 1; i < jobs; i++) {
		processes[i] = fork();
		if (processes[i] < 0)
			die("cannot start a process: %s (--jobs 1 needs none)", strerror(errno));
		if (!processes[i]) {
			look(recognised, projects, tree, i, jobs, kinds);
			_exit(0);
		}
	}
	look(recognised, projects, tree, 0, jobs, kinds);
	for (i = 1; i < jobs; i++)
		if (waitpid(processes[i], &status, 0) < 0 || status)
			die("a process that looked for configs ended before its time");
}

void recognised_folder(struct recognised *recognised, const char *folder)
{
	struct arena *arena = recognised->arena;
	struct tree tree = { 0 };
	const char *error = tree_walk(&tree, arena, folder, recognised_by_name);
	const struct project **projects;
	unsigned char *kinds;
	size_t i;

	if (error)
		die("%s", error);
	recognised->passed_over.others += tree.others;
	if (!tree.files.count)
		return;
	projects = arena_array(arena, tree.files.count, sizeof(*projects));
	for (i = 0; i < tree.files.count; i++)
		projects[i] = projects_of(recognised->projects, tree.files.items[i]);
	kinds = mmap(NULL, tree.files.count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (kinds == MAP_FAILED)
		die_out_of_memory();
	look_together(recognised, projects, &tree, kinds);
	for (i = 0; i < tree.files.count; i++)
		take(recognised, tree.files.items[i], kinds[i]);
	munmap(kinds, tree.files.count);
}
