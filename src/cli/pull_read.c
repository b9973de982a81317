#include "cli/pull_read.h"

#include "base/die.h"
#include "base/path.h"
#include "base/text.h"
#include "input/syntax/reader.h"
#include "rules/new_findings.h"
#include "rules/judge.h"
#include "rules/project.h"

#include <string.h>

/* One side of a file, read and judged. */
struct end {
	bool there;
	struct findings findings;
	struct job job;
	struct skips skips;
	const struct overrides *overrides;
};

/* What reading one file takes. */
struct reading {
	struct pull_reader *reader;
	const struct changed_file *file;
	struct end ends[2]; /* before, after */
};

/* ---- settings ---- */

const struct project *pull_project(struct pull_reader *reader, const char *path)
{
	return projects_of(&reader->projects, path);
}

/* The settings as they were at the base; the same where their file did not change. */
static const struct project *project_before(struct pull_reader *reader,
					    const struct project *project)
{
	struct io_text text;

	if (!project || reader->projects.request->settings)
		return project;
	text = repository_text(reader->repository, reader->repository->commit,
			       project->source->path);
	if (!text.text)
		return NULL;
	if (text.length == project->source->length &&
	    !memcmp(text.text, project->source->text, text.length))
		return project;
	return projects_of_text(reader->arena, project->source->path, text.text, text.length);
}

/* ---- one side ---- */

static struct io_text text_of(const struct reading *reading, int side)
{
	const struct repository *repository = reading->reader->repository;
	const struct changed_file *file = reading->file;

	if (!side)
		return repository_text(repository, repository->commit, file->old_path);
	if (reading->reader->from_disk)
		return io_read(reading->reader->arena, file->path, READER_BYTES);
	return repository_text(repository, "HEAD", file->path);
}

static void judge_end(struct end *end, const struct project *project)
{
	struct levels levels = { 0 };

	if (project)
		project_levels(project, end->job.arena, &levels);
	judge(&levels, &end->job, &end->skips);
}

static void read_end(struct reading *reading, int side, const struct project *project)
{
	struct pull_reader *reader = reading->reader;
	struct end *end = &reading->ends[side];
	struct overrides *overrides = arena_new(reader->arena, struct overrides);
	struct io_text text = text_of(reading, side);
	const char *error;

	if (!text.text && side)
		die("ci: cannot read '%s': %s", reading->file->path, text.error);
	if (!text.text)
		return;
	*overrides = *reader->overrides;
	overrides->text = text.text;
	overrides->project = project;
	end->overrides = overrides;
	findings_init(&end->findings, reader->arena);
	error = job_read(&end->job, reader->arena,
			 side ? reading->file->path : reading->file->old_path, overrides,
			 &end->findings);
	if (error)
		die("ci: %s", error);
	end->there = true;
	judge_end(end, project);
}

/* ---- what a side is ---- */

static bool is_readable(const struct end *end)
{
	return end->there && end->job.readable;
}

static bool has_syntax(const struct end *end)
{
	return end->there && end->job.document.root;
}

/* False after the file was counted among those that are no configs, or cannot be told from them. */
static bool is_config(const struct reading *reading, bool named)
{
	struct pull *pull = reading->reader->pull;
	const struct end *after = &reading->ends[1];

	if (named || is_readable(&reading->ends[0]) || is_readable(after))
		return true;
	if (after->there && !reading->ends[0].there && !has_syntax(after))
		vec_push(pull->arena, &pull->unread, reading->file->path);
	else
		pull->others++;
	return false;
}

/* ---- both sides ---- */

static const struct outlook *outlook_of_end(struct end *end)
{
	struct outlook *outlook;

	if (!is_readable(end))
		return NULL;
	outlook = arena_new(end->job.arena, struct outlook);
	*outlook = outlook_of(&end->job);
	return outlook;
}

static const struct diff *diff_of_ends(struct reading *reading)
{
	struct arena *arena = reading->reader->arena;
	const struct changed_file *file = reading->file;
	struct diff *diff = arena_new(arena, struct diff);
	int side;

	diff->arena = arena;
	diff->paths[0] =
		arena_printf(arena, "%s:%s", reading->reader->repository->ref, file->old_path);
	diff->paths[1] = file->path;
	for (side = 0; side < 2; side++)
		diff->sides[side] = (struct side) { diff->paths[side], &reading->ends[side].job,
						    &reading->ends[side].skips };
	diff->changes = changes_of(arena, &diff->sides[0], &diff->sides[1]);
	return diff;
}

/* Why a checkpoint cannot be judged; NULL when it can. */
static const char *cannot_resume(const struct job *before, const struct job *after)
{
	if (before->applied->error)
		return "the config before does not start";
	if (after->applied->error)
		return "the config after does not start";
	if (!before->world || !after->world)
		return "the number of ranks is not known (--world N)";
	return NULL;
}

/* Comes last: afterwards the job resumes from the checkpoint, whatever its config says. */
static const struct handover *handover_of_ends(struct reading *reading)
{
	struct arena *arena = reading->reader->arena;
	struct handover *handover = arena_new(arena, struct handover);
	struct checkpoint *checkpoint = arena_new(arena, struct checkpoint);
	struct findings *findings = arena_new(arena, struct findings);
	struct job *after = &reading->ends[1].job;

	handover->why_not = cannot_resume(&reading->ends[0].job, after);
	if (handover->why_not)
		return handover;
	findings_init(findings, arena);
	checkpoint_read(checkpoint, arena, reading->file->old_path, reading->ends[0].overrides,
			findings);
	resume_from(after, checkpoint);
	handover->resume = checkpoint->trouble ? NULL : resume_of(after);
	if (!handover->resume)
		handover->why_not =
			checkpoint->trouble ? checkpoint->trouble : "the plan after is not whole";
	return handover;
}

/* ---- the new findings ---- */

static void take_fresh(struct reading *reading, struct pull_file *file,
		       const struct project *project)
{
	struct pull_reader *reader = reading->reader;
	struct findings *fresh = arena_new(reader->arena, struct findings);
	struct end *before = &reading->ends[0], *after = &reading->ends[1];
	struct baseline *baseline = baselines_of(&reader->baselines, reader->baseline, project);
	struct job *judged = arena_new(reader->arena, struct job);

	findings_init(fresh, reader->arena);
	file->same =
		findings_fresh(fresh, before->there ? &before->job : NULL, &after->job, file->path);
	*judged = after->job;
	judged->findings = fresh;
	if (baseline)
		file->known = baseline_filter(baseline, judged, file->path, &after->skips);
	file->fresh = (struct checked) { file->path, judged, fresh, after->skips };
}

/* What is wrong with the settings themselves, where they changed. */
static void read_settings(struct reading *reading)
{
	struct pull_reader *reader = reading->reader;
	struct pull_file file = { reading->file->path, reading->file->old_path,
				  reading->file->status, .same = 0 };
	struct io_text text[2] = { { 0 } };
	struct end *end;
	int side;

	for (side = 0; side < 2; side++) {
		if (file.status != (side ? FILE_DELETED : FILE_ADDED))
			text[side] = text_of(reading, side);
		if (!text[side].text)
			continue;
		end = &reading->ends[side];
		end->there = true;
		end->findings = projects_of_text(reader->arena, file.path, text[side].text,
						 text[side].length)
					->findings;
		end->job.arena = reader->arena;
		end->job.findings = &end->findings;
		end->job.document.source =
			source_new(reader->arena, file.path, text[side].text, text[side].length);
	}
	if (reading->ends[1].there)
		take_fresh(reading, &file, NULL);
	vec_push(reader->pull->arena, &reader->pull->files, file);
}

static void add_file(struct reading *reading, const struct project *project)
{
	struct pull *pull = reading->reader->pull;
	struct end *before = &reading->ends[0], *after = &reading->ends[1];
	struct pull_file file = { reading->file->path, reading->file->old_path,
				  reading->file->status, .same = 0 };

	if (after->there)
		take_fresh(reading, &file, project);
	file.before = outlook_of_end(before);
	file.after = outlook_of_end(after);
	if (is_readable(before) && is_readable(after)) {
		file.diff = diff_of_ends(reading);
		file.handover = handover_of_ends(reading);
	}
	vec_push(pull->arena, &pull->files, file);
}

void pull_read(struct pull_reader *reader, const struct changed_file *file, bool named)
{
	struct reading *reading = arena_new(reader->arena, struct reading);
	const struct project *project;
	const char *slash = strrchr(file->path, '/');

	reading->reader = reader;
	reading->file = file;
	if (!strcmp(slash ? slash + 1 : file->path, PROJECT_FILE)) {
		read_settings(reading);
		return;
	}
	project = pull_project(reader, file->path);
	if (file->status != FILE_ADDED)
		read_end(reading, 0, project_before(reader, project));
	if (file->status != FILE_DELETED)
		read_end(reading, 1, project);
	if (is_config(reading, named))
		add_file(reading, project);
}
