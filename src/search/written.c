#include "search/written.h"

#include "base/text.h"
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
	const bool *left; /* by field: those that stay as they are */
	struct written *written;
	struct wording wording;
};

/* Whether a word of the file, as -1, comes to the value on these ranks. */
static bool comes_to(const struct setting *setting, const char *value)
{
	return setting->origin == ORIGIN_DERIVED && setting->parent_count == 1 &&
	       setting->parents[0]->field == setting->field && !strcmp(setting->text, value);
}

static bool is_data_parallel(enum field_id field)
{
	return field == FIELD_DP_SHARD || field == FIELD_DP_REPLICATE;
}

/* Whether data parallelism of a script follows from its ranks, of which the layout has others. */
static bool follows_ranks(const struct site *site, const struct job *own, enum field_id field)
{
	return !patch_can(&own->document) && is_data_parallel(field) &&
	       own->settings.items[field].origin == ORIGIN_DERIVED && own->world != site->world;
}

/* Whether the file says it already, or leaves it to a default that is the same: in a framework's
 * own file a switch that nobody gives is off. */
static bool is_said(const struct writer *writer, const struct variation *variation)
{
	const struct setting *setting = &writer->own->settings.items[variation->field];

	if (!variation->value)
		return !setting_known(setting);
	if (variation->field == FIELD_AC_MODE && !setting_given(setting) &&
	    !job_says_all(writer->own))
		return false; /* what a config of ours leaves out is open, to its memory */
	if (follows_ranks(writer->site, writer->own, variation->field))
		return false;
	if (comes_to(&writer->site->job.settings.items[variation->field], variation->value))
		return true;
	if (setting->origin == ORIGIN_UNSET)
		return job_says_all(writer->own) &&
		       !writer->site->does[HABIT_RECOMPUTES_OPERATORS] &&
		       words_have("none|false", variation->value);
	return setting_known(setting) && !strcmp(setting->text, variation->value) &&
	       (wording_lists(&writer->wording, variation->field) ||
		setting->origin == ORIGIN_GIVEN || setting->origin == ORIGIN_FLAG ||
		setting->origin == ORIGIN_DEFAULT);
}

/* Puts it into the file's text at a path; false: there is no place. */
static bool patch(struct writer *writer, const struct variation *variation, const char *path)
{
	struct written *written = writer->written;
	const char *word =
		wording_value(&writer->wording, variation->field, path, variation->value);
	const struct source *source = source_new(writer->arena, writer->own->document.source->path,
						 written->text, strlen(written->text));
	const char *text = word ? patch_text(writer->arena, source, path, word,
					     wording_takes_text(&writer->wording, path))
				: NULL;

	if (text)
		written->text = text;
	return text != NULL;
}

/* Puts it into the file's text; false: nothing there says it. */
static bool say_in_file(struct writer *writer, const struct variation *variation)
{
	const char *path = wording_path(&writer->wording, variation->field, variation->value);
	const char *other;
	size_t at = 0;

	if (!path || !wording_can(&writer->wording, variation->field, variation->value) ||
	    !patch(writer, variation, path))
		return false;
	while ((other = wording_together(&writer->wording, variation->field, &at)))
		(void)patch(writer, variation, other);
	return true;
}

/* The flag of a script that gives the setting, or NULL. */
static const char *flag_of(const struct writer *writer, enum field_id field)
{
	const struct setting *setting = &writer->own->settings.items[field];
	const bool said_there = setting->origin == ORIGIN_GIVEN || setting->origin == ORIGIN_FLAG;

	return !writer->wording.data && said_there && setting->spelling &&
			       text_starts(setting->spelling, "--")
		       ? setting->spelling
		       : NULL;
}

static void put_argument(struct writer *writer, const char *argument)
{
	struct texts_said *arguments = &writer->written->arguments;
	size_t i;

	for (i = 0; i < arguments->list.count; i++)
		if (!strcmp(arguments->list.items[i], argument))
			return;
	vec_push(writer->arena, &arguments->list, argument);
}

static bool takes_away(const char *argument)
{
	return text_starts(argument, "no --");
}

/* Whether an argument gives that flag, or takes it away. */
static bool is_about(const char *argument, const char *flag)
{
	const char *name = takes_away(argument) ? argument + strlen("no ") : argument;
	const size_t length = strlen(flag);

	return text_starts(name, flag) && (!name[length] || name[length] == ' ');
}

static const char *said_text(const struct writer *writer, const struct variation *variation)
{
	return arena_join(writer->arena, field_of(variation->field)->key, "=",
			  variation->value ? variation->value : "null");
}

/* The same by all keys that have to say it together. */
static void put_together(struct writer *writer, const struct variation *variation)
{
	const char *path, *argument;
	size_t at = 0;

	while ((path = wording_together(&writer->wording, variation->field, &at))) {
		argument = wording_words_at(&writer->wording, variation->field, path,
					    variation->value);
		if (argument)
			put_argument(writer, argument);
	}
}

/* Whether it is known by another thing than a word of the command line: the machine, the ranks. */
static bool follows(const struct writer *writer, enum field_id field)
{
	return text_starts(field_of(field)->key, "cluster.") ||
	       follows_ranks(writer->site, writer->own, field) ||
	       (writer->site->derived_dp && is_data_parallel(field));
}

/* In flags of its framework, without one that says it in another way. */
static void say_in_flags(struct writer *writer, const struct variation *variation)
{
	const char *given = flag_of(writer, variation->field);
	const char *argument = wording_words(&writer->wording, variation->field, variation->value);
	bool another;

	if (given && !argument && variation->value) /* of a script, and of no file */
		argument = arena_join(writer->arena, given, " ", variation->value);
	if (!argument && !given && !follows(writer, variation->field))
		vec_push(writer->arena, &writer->written->wordless.list,
			 said_text(writer, variation));
	another = given && !(argument && is_about(argument, given));
	if (argument && !(another && takes_away(argument)))
		put_argument(writer, argument);
	put_together(writer, variation);
	if (another)
		put_argument(writer, arena_join(writer->arena, "no ", given, ""));
}

/* What --set says is laid over the script, so that words for it are sought as if it were not. */
static void say_sets(struct writer *writer)
{
	struct overrides *without = overrides_copy(writer->arena, writer->own->document.overrides);
	struct findings silent;
	struct wording wording;
	const struct job *script;
	int id;

	if (writer->wording.data || !without->sets.count)
		return;
	findings_init(&silent, writer->arena);
	without->sets.count = 0;
	script = wording_read_back(writer->arena, writer->own, without, &silent);
	if (!script)
		return;
	wording_begin(&wording, script, writer->arena);
	for (id = 0; id < FIELD_COUNT; id = field_next(id)) {
		const struct setting *set = &writer->own->settings.items[id];
		const char *there = setting_text(&script->settings, (enum field_id)id, "");
		const char *argument =
			set->origin == ORIGIN_SET && strcmp(there, set->text) != 0 &&
					!follows(writer, (enum field_id)id)
				? wording_words(&wording, (enum field_id)id, set->text)
				: NULL;
		if (argument)
			put_argument(writer, argument);
	}
}

/* Whether a script says it by a flag that its framework no longer has. */
static bool is_outdated(const struct writer *writer, enum field_id field)
{
	const char *given = flag_of(writer, field);
	const char *argument = given ? wording_words(&writer->wording, field,
						     writer->own->settings.items[field].text)
				     : NULL;

	return argument && !is_about(argument, given);
}

static void say(struct writer *writer, const struct variation *variation)
{
	if (writer->left[variation->field] ||
	    (is_said(writer, variation) && !is_outdated(writer, variation->field)))
		return;
	vec_push(writer->arena, &writer->written->changes, *variation);
	if (!writer->wording.data)
		say_in_flags(writer, variation);
	if (!say_in_file(writer, variation))
		vec_push(writer->arena, &writer->written->beside.list,
			 said_text(writer, variation));
}

static bool is_among(const struct said *said, enum field_id field)
{
	size_t i;

	for (i = 0; i < said->list.count; i++)
		if (said->list.items[i].field == field)
			return true;
	return false;
}

/*
 * Beside a script, data parallelism that it makes of the other degrees is to be said as well, but
 * for what is left, whatever the others are, and what the candidate has `said`.
 */
static void say_data_parallel(struct writer *writer, const struct space *space,
			      const struct candidate *candidate, const struct said *said)
{
	const bool repeats = candidate_repeats(space, candidate);
	const enum field_id field = repeats ? FIELD_DP_REPLICATE : FIELD_DP_SHARD,
			    other = repeats ? FIELD_DP_SHARD : FIELD_DP_REPLICATE;
	const struct settings *settings = &writer->own->settings;
	const struct variation ranks = { field, arena_printf(writer->arena, "%" PRId64,
							     candidate_dp(space, candidate)) },
			       one = { other, "1" };
	const bool alone = setting_int(settings, other, 1) == 1;

	if (writer->wording.data || !writer->site->derived_dp ||
	    candidate_keeps_dp(space, candidate, settings) ||
	    (alone && !setting_given(&settings->items[field]) &&
	     settings->items[field].integer == -1))
		return;
	if (!is_among(said, field))
		say(writer, &ranks);
	if (!alone && !is_among(said, other))
		say(writer, &one);
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
	return wording_read_back(writer->arena, writer->own, overlay(writer), findings);
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
		if (!is_data_parallel(change.field))
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

	findings_init(&findings, writer->arena);
	job = read_written(writer, &findings);
	if (!job)
		return;
	written->job = job;
	judge(&space->levels, job, &skips);
	written->rule = outcome_objection(space, &findings);
	if (written->rule || judged_of(job).status != JUDGED)
		return;
	again = outcome_of_job(space, aim, writer->site, job);
	written->passes = again.fate == OUTCOME_RUNS && same(again.time, outcome->time) &&
			  same(again.memory, outcome->memory) && same(again.risk, outcome->risk);
}

static void make(struct written *written, const struct space *space, const struct aim *aim,
		 const struct job *own, const struct outcome *outcome, struct arena *arena,
		 const bool *left)
{
	const struct candidate candidate = space_candidate(space, outcome->number);
	struct writer writer = { .arena = arena,
				 .own = own,
				 .site = space->sites.items[candidate.at[AXIS_SITE]],
				 .left = left,
				 .written = written };
	struct said said = { .arena = arena };
	size_t i;

	memset(written, 0, sizeof(*written));
	wording_begin(&writer.wording, own, arena);
	writer.wording.world = writer.site->world;
	if (writer.wording.data)
		written->text = own->document.source->text;
	say_sets(&writer);
	candidate_settings(space, &candidate, &said);
	for (i = 0; i < said.list.count; i++)
		say(&writer, &said.list.items[i]);
	say_data_parallel(&writer, space, &candidate, &said);
	say_world(&writer);
	leave_derived(&writer);
	prove(&writer, space, aim, outcome);
}

void written_make(struct written *written, const struct space *space, const struct aim *aim,
		  const struct job *own, const struct outcome *outcome, struct arena *arena)
{
	const bool none[FIELD_COUNT] = { false };

	make(written, space, aim, own, outcome, arena, none);
}

/* ---- what need not be said ---- */

/* Whether the config leaves it to a default or to what the ranks come to, and nobody asks for it.
 */
static bool is_spare(const struct site *site, const struct job *own, enum field_id field)
{
	const struct setting *setting = &own->settings.items[field];

	/* TransformerConfig refuses full recomputation without both (Megatron-LM@d98e8a64) */
	if (site->does[HABIT_MEGATRON] && (field == FIELD_AC_METHOD || field == FIELD_AC_LAYERS))
		return false;
	if (follows_ranks(site, own, field))
		return false;
	return !candidate_varies(site, field) &&
	       (!setting_given(setting) || setting->integer == -1);
}

static bool is_same_without(const struct written *written, const struct space *space,
			    const struct aim *aim, const struct job *own,
			    const struct outcome *outcome, const bool *left)
{
	struct written shorter;
	struct arena arena;
	bool same;

	arena_init(&arena);
	make(&shorter, space, aim, own, outcome, &arena, left);
	same = shorter.passes &&
	       !memcmp(&shorter.job->applied->degrees, &written->job->applied->degrees,
		       sizeof(struct degrees)) &&
	       !memcmp(&shorter.job->intended->degrees, &written->job->intended->degrees,
		       sizeof(struct degrees));
	arena_release(&arena);
	return same;
}

void written_shorten(struct written *written, const struct space *space, const struct aim *aim,
		     const struct job *own, const struct outcome *outcome, struct arena *arena)
{
	const struct candidate candidate = space_candidate(space, outcome->number);
	const struct site *site = space->sites.items[candidate.at[AXIS_SITE]];
	bool left[FIELD_COUNT] = { false };
	size_t i, count = 0;

	for (i = 0; i < written->changes.count; i++) {
		const enum field_id field = written->changes.items[i].field;
		left[field] = is_spare(site, own, field);
		if (left[field])
			left[field] = is_same_without(written, space, aim, own, outcome, left);
		count += left[field];
	}
	if (count)
		make(written, space, aim, own, outcome, arena, left);
}
