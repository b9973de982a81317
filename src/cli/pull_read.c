#include "cli/pull_read.h"

#include "base/die.h"
#include "base/path.h"
#include "base/text.h"
#include "input/syntax/flow.h"
#include "input/syntax/reader.h"
#include "rules/new_findings.h"
#include "rules/judge.h"
#include "rules/project.h"
#include "rules/settings_change.h"

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
	struct pull_terms terms;
	struct end ends[2]; /* before, after */
	bool too_large;	    /* the text after is more than a config may be */
	bool folder;	    /* after, a folder has its name: another repository, a submodule */
};

/* ---- one side ---- */

static struct io_text text_of(const struct reading *reading, int side)
{
	const struct repository *repository = reading->reader->repository;
	const struct changed_file *file = reading->file;

	if (!side)
		return repository_text(repository, repository->commit, file->old_path);
	if (reading->reader->settings.from_disk)
		return io_read(reading->reader->arena, file->path, READER_BYTES);
	return repository_text(repository, "HEAD", file->path);
}

static void judge_end(struct end *end, const struct project *policy)
{
	struct levels levels = { 0 };

	end->skips = (struct skips) { 0 };
	if (policy)
		project_levels(policy, end->job.arena, &levels);
	judge_file(&levels, &end->job, &end->skips);
}

/* Reads a side from its text, or where that is NULL from the disk, and judges it. */
static void make_end(struct reading *reading, int side, const char *text)
{
	struct pull_reader *reader = reading->reader;
	struct end *end = &reading->ends[side];
	struct overrides *overrides = overrides_copy(reader->arena, reader->overrides);
	const char *error;

	overrides->text = text;
	overrides->project = side ? reading->terms.after : reading->terms.before;
	if (end->overrides)
		overrides->expects = end->overrides->expects;
	end->overrides = overrides;
	findings_init(&end->findings, reader->arena);
	error = job_read(&end->job, reader->arena,
			 side ? reading->file->path : reading->file->old_path, overrides,
			 &end->findings);
	if (error)
		die("ci: %s", error);
	end->there = true;
	judge_end(end, reading->terms.policy);
}

static void read_end(struct reading *reading, int side)
{
	struct io_text text = text_of(reading, side);

	if (text.text) {
		make_end(reading, side, text.text);
		return;
	}
	reading->too_large = side && text.too_large;
	reading->folder = side && text.folder;
	if (side && !reading->too_large && !reading->folder)
		die("ci: cannot read '%s': %s", reading->file->path, text.error);
}

/* ---- what a side is ---- */

static bool is_readable(const struct end *end)
{
	return end->there && end->job.readable;
}

/* False for what starts no training, too: a ConfigMap, a Service. */
static bool starts_job(const struct end *end)
{
	return is_readable(end) && !end->job.document.no_job;
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

	if (named || starts_job(&reading->ends[0]) || starts_job(after))
		return true;
	if (reading->too_large)
		vec_push(pull->arena, &pull->passed_over.large, reading->file->path);
	else if (after->there && !reading->ends[0].there && !has_syntax(after))
		vec_push(pull->arena, &pull->passed_over.unread, reading->file->path);
	else
		pull->passed_over.others++;
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

/* ---- what is expected ---- */

static const struct node *expected(const struct end *end)
{
	const struct setting *setting = &end->job.settings.items[FIELD_EXPECT];

	return is_readable(end) && setting_known(setting) ? setting->node : NULL;
}

/* Lays what the config before expects over a side. */
static void expect_again(struct reading *reading, int side, const struct node *expect)
{
	struct arena *arena = reading->reader->arena;
	struct end *end = &reading->ends[side];
	struct overrides *overrides = overrides_copy(arena, end->overrides);
	const struct node *child;
	struct buf text;

	buf_init(&text);
	for (child = expect->first; child; child = child->next) {
		buf_clear(&text);
		buf_printf(&text, "%s=", child->key);
		flow_node(&text, child);
		vec_push(arena, &overrides->expects, arena_strdup(arena, text.data));
	}
	buf_release(&text);
	end->overrides = overrides;
	make_end(reading, side, end->overrides->text);
}

static struct settings_change change_of(const struct reading *reading, struct findings *findings,
					const struct source *after)
{
	return (struct settings_change) { reading->reader->repository->ref,
					  source_span(after, 0, 0), findings };
}

/* A config is held to what it expected before: both sides, so that what was unmet is not new. */
static void keep_expectations(struct reading *reading, struct findings *told)
{
	const struct node *before = expected(&reading->ends[0]);
	const struct node *after = expected(&reading->ends[1]);
	struct settings_change change;
	int side;

	if (!before || !is_readable(&reading->ends[1]))
		return;
	change = change_of(reading, told, reading->ends[1].job.document.source);
	expectations_changed(&change, before, after);
	for (side = 0; told->list.count && side < 2; side++)
		expect_again(reading, side, before);
}

static bool silences(const struct end *end, const char *rule)
{
	const struct document *document = &end->job.document;
	size_t i;

	for (i = 0; end->there && i < document->suppressions.count; i++)
		if (!strcmp(document->suppressions.items[i].rule, rule))
			return true;
	return false;
}

static void tell_silences(struct reading *reading, struct findings *told)
{
	const struct document *document = &reading->ends[1].job.document;
	const struct settings_change change = change_of(reading, told, document->source);
	size_t i;

	for (i = 0; i < document->suppressions.count; i++)
		if (document->suppressions.items[i].used &&
		    !silences(&reading->ends[0], document->suppressions.items[i].rule))
			silence_added(&change, document->suppressions.items[i].rule,
				      document->suppressions.items[i].span);
}

/* ---- the new findings ---- */

/* A baseline is policy: that of the base counts. */
static struct io_text baseline_text(const void *reader, const char *path)
{
	return pull_policy_text(((const struct pull_reader *)reader)->repository, path);
}

static void take_fresh(struct reading *reading, struct pull_file *file, const struct findings *told)
{
	struct pull_reader *reader = reading->reader;
	struct findings *fresh = arena_new(reader->arena, struct findings);
	struct end *before = &reading->ends[0], *after = &reading->ends[1];
	struct baseline *baseline;
	struct job *judged = arena_new(reader->arena, struct job);
	size_t i;

	reader->baselines.read = baseline_text;
	reader->baselines.from = reader;
	baseline = baselines_of(&reader->baselines, reader->baseline, reading->terms.policy);
	findings_init(fresh, reader->arena);
	file->same =
		findings_fresh(fresh, before->there ? &before->job : NULL, &after->job, file->path);
	*judged = after->job;
	judged->findings = fresh;
	if (baseline)
		file->known = baseline_filter(baseline, judged, file->path, &after->skips);
	for (i = 0; i < told->list.count; i++)
		vec_push(reader->arena, &fresh->list, told->list.items[i]);
	findings_sort(fresh);
	file->policy = reading->terms.policy;
	file->fresh = (struct checked) { file->path, judged, fresh, after->skips };
}

/* One side of settings: what is wrong with them. */
static const struct project *read_settings_end(struct reading *reading, int side)
{
	struct arena *arena = reading->reader->arena;
	struct end *end = &reading->ends[side];
	const char *path = reading->file->path;
	const struct project *project;
	struct io_text text = { 0 };

	if (reading->file->status != (side ? FILE_DELETED : FILE_ADDED))
		text = text_of(reading, side);
	if (!text.text && !side)
		return NULL;
	project = projects_of_text(arena, path, text.text ? text.text : "", text.length);
	end->there = true;
	end->findings = project->findings;
	end->job.arena = arena;
	end->job.findings = &end->findings;
	end->job.document.source = arena_new(arena, struct source);
	*end->job.document.source = *project->source;
	return project;
}

/* What is wrong with the settings themselves, where they changed, and what it changes. */
static void read_settings(struct reading *reading)
{
	struct pull_reader *reader = reading->reader;
	struct pull_file file = { reading->file->path, reading->file->old_path,
				  reading->file->status, .same = 0 };
	const struct project *before = read_settings_end(reading, 0);
	const struct project *after = read_settings_end(reading, 1);
	struct findings told;
	struct settings_change change;

	findings_init(&told, reader->arena);
	change = change_of(reading, &told, reading->ends[1].job.document.source);
	settings_changed(&change, before ? before->root : NULL, after->root);
	take_fresh(reading, &file, &told);
	vec_push(reader->pull->arena, &reader->pull->files, file);
}

static void add_file(struct reading *reading)
{
	struct pull *pull = reading->reader->pull;
	struct end *before = &reading->ends[0], *after = &reading->ends[1];
	struct pull_file file = { reading->file->path, reading->file->old_path,
				  reading->file->status, .same = 0 };
	struct findings told;

	findings_init(&told, reading->reader->arena);
	keep_expectations(reading, &told);
	if (after->there) {
		tell_silences(reading, &told);
		take_fresh(reading, &file, &told);
	}
	file.before = outlook_of_end(before);
	file.after = outlook_of_end(after);
	if (is_readable(before) && is_readable(after)) {
		file.diff = diff_of_ends(reading);
		file.handover = handover_of_ends(reading);
	}
	vec_push(pull->arena, &pull->files, file);
}

/* What is too large for a config was one, or is to be one: check says why, from the disk. */
static void refuse_large(struct reading *reading)
{
	if (reading->too_large)
		make_end(reading, 1, NULL);
}

bool pull_is_settings(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strcmp(slash ? slash + 1 : path, PROJECT_FILE);
}

void pull_read(struct pull_reader *reader, const struct changed_file *file, bool named)
{
	struct reading *reading = arena_new(reader->arena, struct reading);

	reading->reader = reader;
	reading->file = file;
	reading->terms = pull_terms_of(&reader->settings, file);
	if (pull_is_settings(file->path)) {
		read_settings(reading);
		return;
	}
	if (file->status != FILE_ADDED)
		read_end(reading, 0);
	if (file->status != FILE_DELETED)
		read_end(reading, 1);
	if (!is_config(reading, named))
		return;
	refuse_large(reading);
	add_file(reading);
}
