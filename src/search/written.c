#include "search/written.h"

#include "input/field.h"
#include "rules/judge.h"
#include "rules/judged.h"
#include "search/candidate.h"
#include "search/patch.h"
#include "search/wording.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A candidate that is being written. */
struct writer {
	struct arena *arena;
	const struct job *own;
	const struct site *site;
	struct written *written;
	struct wording wording;
};

/* Whether a word of the file, as -1, comes to the value on these ranks. */
static bool comes_to(const struct setting *setting, const char *value)
{
	return setting->origin == ORIGIN_DERIVED && setting->parent_count == 1 &&
	       setting->parents[0]->field == setting->field && !strcmp(setting->text, value);
}

/* Whether the file says it already, or leaves it to a default that is the same: in a framework's
 * own file a switch that nobody gives is off. */
static bool is_said(const struct writer *writer, const struct variation *variation)
{
	const struct setting *setting = &writer->own->settings.items[variation->field];

	if (!variation->value)
		return !setting_known(setting);
	if (comes_to(&writer->site->job.settings.items[variation->field], variation->value))
		return true;
	if (setting->origin == ORIGIN_UNSET)
		return job_says_all(writer->own) &&
		       !writer->site->does[HABIT_RECOMPUTES_OPERATORS] &&
		       words_have("none|false", variation->value);
	return setting_known(setting) && !strcmp(setting->text, variation->value) &&
	       (setting->origin == ORIGIN_GIVEN || setting->origin == ORIGIN_FLAG ||
		setting->origin == ORIGIN_DEFAULT);
}

/* Puts it into the file's text; false: nothing there says it. */
static bool say_in_file(struct writer *writer, const struct variation *variation)
{
	struct written *written = writer->written;
	const char *path = wording_path(&writer->wording, variation->field);
	const char *word =
		path && wording_can(&writer->wording, variation->field, variation->value)
			? wording_value(&writer->wording, variation->field, path, variation->value)
			: NULL;
	const struct source *source;
	const char *text;

	if (!word)
		return false;
	source = source_new(writer->arena, writer->own->document.source->path, written->text,
			    strlen(written->text));
	text = patch_text(writer->arena, source, path, word,
			  wording_takes_text(&writer->wording, path));
	if (text)
		written->text = text;
	return text != NULL;
}

static const char *said_text(const struct writer *writer, const struct variation *variation)
{
	return arena_join(writer->arena, field_of(variation->field)->key, "=",
			  variation->value ? variation->value : "null");
}

static void say(struct writer *writer, const struct variation *variation)
{
	const char *flag;

	if (is_said(writer, variation))
		return;
	vec_push(writer->arena, &writer->written->changes, *variation);
	flag = writer->wording.data
		       ? NULL
		       : wording_words(&writer->wording, variation->field, variation->value);
	if (flag)
		vec_push(writer->arena, &writer->written->arguments.list, flag);
	if (!say_in_file(writer, variation))
		vec_push(writer->arena, &writer->written->beside.list,
			 said_text(writer, variation));
}

/* Beside a script, data parallelism that it makes of the other degrees is to be said as well. */
static void say_data_parallel(struct writer *writer, int64_t ranks)
{
	static const enum field_id fields[] = { FIELD_DP_SHARD, FIELD_DP_REPLICATE };
	struct variation variation = { FIELD_DP_REPLICATE,
				       arena_printf(writer->arena, "%" PRId64, ranks) };
	size_t i;

	if (writer->wording.data || !writer->site->derived_dp)
		return;
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		const struct setting *setting = &writer->own->settings.items[fields[i]];
		if (setting->origin == ORIGIN_DEFAULT && setting->integer == -1)
			return; /* it is what is left, whatever the others are */
		if (setting->origin == ORIGIN_DERIVED && setting->integer != 1)
			variation.field = fields[i];
	}
	say(writer, &variation);
}

/* Ranks that only the search was told of are to be said beside the file. */
static void say_world(struct writer *writer)
{
	const int64_t given = writer->own->document.overrides->world, world = writer->site->world;

	if ((given || writer->site->world_beside) && given != world)
		vec_push(writer->arena, &writer->written->beside.list,
			 arena_printf(writer->arena, "%s=%" PRId64, field_of(FIELD_WORLD)->key,
				      world));
}

/* What the user gave, with the text in the file's place and the rest beside it. */
static const struct overrides *overlay(const struct writer *writer)
{
	struct overrides *overrides =
		overrides_copy(writer->arena, writer->own->document.overrides);
	const struct texts_said *beside = &writer->written->beside;
	size_t i;

	for (i = 0; i < beside->list.count; i++) {
		struct option_text option = { "--set", beside->list.items[i] };
		vec_push(writer->arena, &overrides->options, option);
	}
	if (writer->written->text) {
		if (!overrides->text)
			overrides->in_folder = true;
		overrides->text = writer->written->text;
	}
	if (overrides->world || writer->site->world_beside)
		overrides->world = writer->site->world;
	return overrides;
}

static struct job *read_written(const struct writer *writer, struct findings *findings)
{
	struct job *job = arena_new(writer->arena, struct job);
	const char *path = writer->own->document.source->path;

	return job_read(job, writer->arena, !strcmp(path, "<stdin>") ? "-" : path, overlay(writer),
			findings) ||
			       !job->readable
		       ? NULL
		       : job;
}

/* Takes the text out; false: it is not there. */
static bool drop(struct texts_said *texts, const char *text)
{
	size_t i, kept = 0;

	for (i = 0; i < texts->list.count; i++)
		if (strcmp(texts->list.items[i], text) != 0)
			texts->list.items[kept++] = texts->list.items[i];
	texts->list.count = kept;
	return kept < i;
}

static bool is_among(const struct said *said, enum field_id field)
{
	size_t i;

	for (i = 0; i < said->list.count; i++)
		if (said->list.items[i].field == field)
			return true;
	return false;
}

static bool has(const struct job *job, const struct variation *variation)
{
	const struct setting *setting = job ? &job->settings.items[variation->field] : NULL;

	return setting && setting_known(setting) && variation->value &&
	       !strcmp(setting->text, variation->value);
}

/* Data parallelism that follows from what the file says by now is not to be said beside it. */
static void leave_derived(struct writer *writer)
{
	struct written *written = writer->written;
	struct said dropped = { .arena = writer->arena };
	struct findings silent;
	const struct job *job;
	size_t i, kept = 0;

	for (i = 0; written->text && i < written->changes.count; i++) {
		const struct variation change = written->changes.items[i];
		if (change.field != FIELD_DP_REPLICATE && change.field != FIELD_DP_SHARD)
			continue;
		if (drop(&written->beside, said_text(writer, &change)))
			vec_push(writer->arena, &dropped.list, change);
	}
	if (!dropped.list.count)
		return;
	findings_init(&silent, writer->arena);
	job = read_written(writer, &silent);
	for (i = 0; i < dropped.list.count; i++)
		if (!has(job, &dropped.list.items[i]))
			vec_push(writer->arena, &written->beside.list,
				 said_text(writer, &dropped.list.items[i]));
	for (i = 0; i < written->changes.count; i++)
		if (!is_among(&dropped, written->changes.items[i].field) ||
		    !has(job, &written->changes.items[i]))
			written->changes.items[kept++] = written->changes.items[i];
	written->changes.count = kept;
}

static bool same(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fabs(b);
}

/* Reads it back. */
static void prove(const struct writer *writer, const struct space *space, const struct aim *aim,
		  const struct outcome *outcome)
{
	struct written *written = writer->written;
	struct findings findings;
	struct skips skips = { 0 };
	struct job *job;
	struct outcome again;
	size_t i;

	findings_init(&findings, writer->arena);
	job = read_written(writer, &findings);
	if (!job)
		return;
	written->job = job;
	judge(&space->levels, job, &skips);
	for (i = 0; i < findings.list.count && !written->rule; i++)
		if (findings.list.items[i]->severity == SEVERITY_ERROR)
			written->rule = findings.list.items[i]->rule;
	if (written->rule || judged_of(job).status != JUDGED)
		return;
	again = outcome_of_job(space, aim, writer->site, job);
	written->passes = again.fate == OUTCOME_RUNS && same(again.time, outcome->time) &&
			  same(again.memory, outcome->memory);
}

void written_make(struct written *written, const struct space *space, const struct aim *aim,
		  const struct job *own, const struct outcome *outcome, struct arena *arena)
{
	const struct candidate candidate = space_candidate(space, outcome->number);
	struct writer writer = { .arena = arena,
				 .own = own,
				 .site = space->sites.items[candidate.at[AXIS_SITE]],
				 .written = written };
	struct said said = { .arena = arena };
	size_t i;

	memset(written, 0, sizeof(*written));
	wording_begin(&writer.wording, own, arena);
	writer.wording.world = writer.site->world;
	if (writer.wording.data)
		written->text = own->document.source->text;
	candidate_settings(space, &candidate, &said);
	for (i = 0; i < said.list.count; i++)
		say(&writer, &said.list.items[i]);
	say_data_parallel(&writer, candidate_dp(space, &candidate));
	say_world(&writer);
	leave_derived(&writer);
	prove(&writer, space, aim, outcome);
}
