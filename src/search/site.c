#include "search/site.h"

#include "base/number.h"
#include "base/text.h"
#include "framework/wing.h"
#include "input/field.h"
#include "sim/forecast.h"

#include <string.h>

static bool is_native(const struct job *job)
{
	return job->document.dialect->holds_expect;
}

/* The version whose keys the file has. */
static moment_t moment_of(const struct job *job)
{
	const char *framework = job->document.dialect->framework;
	const struct version *version = framework ? versions_find(&job->versions, framework) : NULL;

	return version ? version->when : MOMENT_LATEST;
}

/* Whether a value of the field can be put into the file: it has it, or its key is known. */
static bool can_say(const struct job *job, enum field_id field)
{
	const struct setting *setting = &job->settings.items[field];
	const struct dialect *dialect = job->document.dialect;

	if (setting->origin == ORIGIN_SET || setting->origin == ORIGIN_FLAG)
		return false; /* it wins over the file */
	if (is_native(job) || setting->origin == ORIGIN_GIVEN)
		return true;
	return dialect->key_of && dialect->key_of(field, moment_of(job));
}

/* Meshes that a script builds itself have their sizes, whatever else the config says. */
static void close_degrees(struct site *site)
{
	static const enum field_id closed[] = { FIELD_DP_REPLICATE, FIELD_DP_SHARD,   FIELD_CP,
						FIELD_TP,	    FIELD_PP,	      FIELD_EP,
						FIELD_ETP,	    FIELD_PP_SCHEDULE };
	size_t i;

	for (i = 0; i < sizeof(closed) / sizeof(closed[0]); i++)
		site->open[closed[i]] = false;
}

static void open_axes(struct site *site)
{
	static const enum field_id axes[] = { FIELD_DP_REPLICATE, FIELD_CP, FIELD_TP, FIELD_PP,
					      FIELD_EP };
	const struct framework *framework = site->job.framework;
	size_t i;
	int id;

	for (id = 0; id < HABITS; id++)
		site->does[id] = id != HABIT_END && job_does(&site->job, (enum habit)id);
	for (id = 0; id < FIELD_COUNT; id = field_next(id))
		site->open[id] = can_say(&site->job, (enum field_id)id);
	if (setting_known(&site->job.settings.items[FIELD_MESH]))
		close_degrees(site);
	for (i = 0; framework && framework->lacks && i < sizeof(axes) / sizeof(axes[0]); i++)
		if (framework->lacks(&site->job, axes[i]))
			site->open[axes[i]] = false;
	if (!site->open[FIELD_EP])
		site->open[FIELD_ETP] = false;
	site->derived_dp = site->does[HABIT_MEGATRON] || site->does[HABIT_ENGINE] ||
			   (!site->open[FIELD_DP_SHARD] && !site->open[FIELD_DP_REPLICATE]);
}

int64_t site_batch(const struct job *job)
{
	const int64_t global = setting_int(&job->settings, FIELD_GLOBAL_BATCH_SIZE, -1);
	const int64_t local = setting_int(&job->settings, FIELD_LOCAL_BATCH_SIZE,
					  setting_int(&job->settings, FIELD_MICRO_BATCH_SIZE, 0));
	const int64_t passes = setting_int(&job->settings, FIELD_GRADIENT_ACCUMULATION, 1);
	const struct degrees *degrees = job->intended ? &job->intended->degrees : NULL;
	int64_t model;

	if (global > 0 || !degrees || local < 1)
		return global > 0 ? global : 0;
	model = multiply(multiply(degrees->tp, degrees->pp), degrees->cp);
	if (model < 1 || job->world % model)
		return 0;
	return multiply(multiply(local, job->world / model), passes < 1 ? 1 : passes);
}

double site_tokens(const struct site *site)
{
	return (double)site->batch * (double)setting_int(&site->job.settings, FIELD_SEQ_LEN, 1);
}

/* What keeps every layout there from being forecast, or NULL. */
static const char *lacking(const struct job *job)
{
	struct profile profile;
	const char *trouble = workload_profile(&profile, job, NULL);
	const char *device = setting_text(&job->settings, FIELD_CLUSTER_GPU, "");

	if (!trouble)
		return workload_lacks_sequence(job);
	return *device ? arena_join(job->arena, device, ": ", trouble) : trouble;
}

const char *site_settle(struct site *site, int64_t kept)
{
	struct job *job = &site->job;
	const bool given = site->batch > 0;
	const char *trouble = lacking(job);

	site->world = job->world;
	if (!job->world)
		return "the number of ranks is not known (--gpus N)";
	if (!job->model)
		return job_lacks_model(job);
	if (trouble)
		return trouble;
	if (!site->batch)
		site->batch = kept ? kept : site_batch(job);
	if (site->batch < 1)
		return "how many sequences a step has is not known (--global-batch N)";
	open_axes(site);
	if (given) /* --global-batch, which goes into the file as the layout does */
		site->open[FIELD_GLOBAL_BATCH_SIZE] = true;
	return NULL;
}

/* ---- words ---- */

static void offer(struct space *space, struct choices *choices, const char *name,
		  enum field_id field, const char *value, enum field_id other, const char *beside)
{
	struct choice choice = { name, { { field, value }, { other, beside } }, beside ? 2 : 1 };

	vec_push(space->arena, &choices->list, choice);
}

static void add_silence(struct space *space, struct choices *choices)
{
	struct choice choice = { .name = "" };

	vec_push(space->arena, &choices->list, choice);
}

static void add_recompute(struct space *space, const struct site *site)
{
	struct choices *choices = &space->recompute;
	const bool option = site->open[FIELD_AC_OPTION];

	if (!site->open[FIELD_AC_MODE]) {
		add_silence(space, choices);
		return;
	}
	offer(space, choices, "none", FIELD_AC_MODE, "none", FIELD_COUNT, NULL);
	if (site->does[HABIT_MEGATRON]) {
		offer(space, choices, "selective", FIELD_AC_MODE, "selective", FIELD_COUNT, NULL);
	} else if (option) {
		offer(space, choices, "op", FIELD_AC_MODE, "selective", FIELD_AC_OPTION, "op");
		offer(space, choices, "every 2nd", FIELD_AC_MODE, "selective", FIELD_AC_OPTION,
		      "2");
	}
	offer(space, choices, "full", FIELD_AC_MODE, "full", FIELD_COUNT, NULL);
}

static void add_zero(struct space *space, const struct site *site)
{
	struct choices *choices = &space->zero;

	if (site->does[HABIT_MEGATRON] && site->open[FIELD_OPTIMIZER_DISTRIBUTED]) {
		offer(space, choices, "zero 0", FIELD_OPTIMIZER_DISTRIBUTED, "false", FIELD_COUNT,
		      NULL);
		offer(space, choices, "zero 1", FIELD_OPTIMIZER_DISTRIBUTED, "true", FIELD_COUNT,
		      NULL);
	} else if (site->does[HABIT_ENGINE] && site->open[FIELD_ZERO_STAGE]) {
		offer(space, choices, "zero 0", FIELD_ZERO_STAGE, "0", FIELD_COUNT, NULL);
		offer(space, choices, "zero 1", FIELD_ZERO_STAGE, "1", FIELD_COUNT, NULL);
		offer(space, choices, "zero 2", FIELD_ZERO_STAGE, "2", FIELD_COUNT, NULL);
		offer(space, choices, "zero 3", FIELD_ZERO_STAGE, "3", FIELD_COUNT, NULL);
	} else {
		add_silence(space, choices);
	}
}

static void add_sequence(struct space *space, const struct site *site)
{
	struct choices *choices = &space->sequence;

	if (!site->does[HABIT_MEGATRON] || !site->open[FIELD_SEQUENCE_PARALLEL]) {
		add_silence(space, choices);
		return;
	}
	offer(space, choices, "sp", FIELD_SEQUENCE_PARALLEL, "true", FIELD_COUNT, NULL);
	offer(space, choices, "no sp", FIELD_SEQUENCE_PARALLEL, "false", FIELD_COUNT, NULL);
}

static void add_schedules(struct space *space, const struct site *site)
{
	static const char *const names[] = { "1F1B", "Interleaved1F1B", "InterleavedZeroBubble",
					     "ZBVZeroBubble" };
	struct choices *choices = &space->schedule;
	size_t i;

	if (site->derived_dp || !site->open[FIELD_PP_SCHEDULE]) {
		add_silence(space, choices);
		return;
	}
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		offer(space, choices, names[i], FIELD_PP_SCHEDULE, names[i], FIELD_COUNT, NULL);
}

static void add_reshard(struct space *space, const struct site *site)
{
	struct choices *choices = &space->reshard;

	if (site->derived_dp || !site->open[FIELD_RESHARD_AFTER_FORWARD]) {
		add_silence(space, choices);
		return;
	}
	offer(space, choices, "always", FIELD_RESHARD_AFTER_FORWARD, "always", FIELD_COUNT, NULL);
	offer(space, choices, "never", FIELD_RESHARD_AFTER_FORWARD, "never", FIELD_COUNT, NULL);
}

/* The words of a field that are tried, "a, b", or whether `wanted` is one of them. */
static const char *words_of(const struct space *space, enum field_id field, const char *wanted,
			    bool *found)
{
	const struct choices *const all[] = { &space->recompute, &space->zero, &space->sequence,
					      &space->schedule, &space->reshard };
	const char *words = "", *last = "";
	size_t i, k;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (k = 0; k < all[i]->list.count; k++) {
			const struct choice *choice = &all[i]->list.items[k];
			const char *word = choice->said[0].value;
			if (!choice->count || choice->said[0].field != field || !strcmp(word, last))
				continue;
			*found = *found || !strcmp(word, wanted);
			words = arena_join(space->arena, words, *words ? ", " : "", word);
			last = word;
		}
	return words;
}

static const char *word_trouble(const struct space *space, enum field_id field, const char *value)
{
	bool found = false;
	const char *words = words_of(space, field, value, &found);

	if (found)
		return NULL;
	return *words ? arena_printf(space->arena, "%s is one of %s here, not '%s'",
				     field_of(field)->key, words, value)
		      : arena_join(space->arena, "the config cannot be told ", field_of(field)->key,
				   ": leave --fix and --vary of it out");
}

static const char *number_trouble(const struct space *space, enum field_id field, const char *value)
{
	int64_t number;

	if (text_to_int(value, &number) && number > 0)
		return NULL;
	return arena_printf(space->arena, "%s takes whole numbers from 1 on, not '%s'",
			    field_of(field)->key, value);
}

/* What is wrong with the values that the user allows, or NULL. */
static const char *restrictions_trouble(const struct space *space)
{
	const char *trouble = NULL;
	size_t i, k;

	for (i = 0; i < space->restrictions.list.count; i++) {
		const struct restriction *only = &space->restrictions.list.items[i];
		const bool number = field_of(only->field)->type == FIELD_INT;
		for (k = 0; k < only->values.count && !trouble; k++)
			trouble = (number ? number_trouble : word_trouble)(space, only->field,
									   only->values.items[k]);
	}
	return trouble;
}

const char *site_choices(struct space *space)
{
	const struct site *site = space->sites.items[0];

	add_recompute(space, site);
	add_zero(space, site);
	add_sequence(space, site);
	add_schedules(space, site);
	add_reshard(space, site);
	return restrictions_trouble(space);
}
