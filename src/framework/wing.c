#include "framework/wing.h"

#include "base/number.h"
#include "framework/timeline.h"
#include "input/field.h"

#include <limits.h>
#include <string.h>

#define X(name) extern const struct wing wing_##name;
#include "wings.inc"
#undef X

const struct wing *const wings[] = {
#define X(name) &wing_##name,
#include "wings.inc"
#undef X
	NULL
};

const struct wing *wing_find(const char *name)
{
	const struct wing *const *wing = wings;

	/* The first letter spares most calls, of which a search makes millions. */
	while (*wing && ((*wing)->name[0] != *name || strcmp((*wing)->name, name) != 0))
		wing++;
	return *wing;
}

static bool is_dated(const struct habit_row *row)
{
	return row->since || row->until || row->from || row->before || row->values;
}

/* As the timeline has it. */
static bool holds_there(const struct wing *wing, const struct habit_row *row, moment_t when)
{
	const struct timeline *timeline = timeline_of(wing->name);

	return timeline_within(timeline, when, row->from, row->before) &&
	       (!row->values || row->values >> timeline_trait(timeline, when, row->trait) & 1);
}

static bool holds(const struct wing *wing, const struct habit_row *row,
		  const struct version *version)
{
	const moment_t when = version ? version->when : 0;

	const bool numbered = version && !version_reaches(version, INT_MAX, 0);

	if ((row->major || row->minor) && (numbered || !row->until))
		return version && !version_reaches(version, row->major, row->minor);
	if (!is_dated(row))
		return true;
	if (!when)
		return row->undated;
	return when >= row->since && (!row->until || when < row->until) &&
	       holds_there(wing, row, when);
}

bool wing_does(const struct wing *wing, enum habit habit, const struct version *version)
{
	const struct habit_row *row;

	for (; wing; wing = wing->on)
		for (row = wing->habits; row && row->habit != HABIT_END; row++)
			if (row->habit == habit && holds(wing, row, version))
				return true;
	return false;
}

void wing_add_habits(struct habits *habits, const struct wing *wing, const struct version *version)
{
	const struct habit_row *row;

	for (; wing; wing = wing->on)
		for (row = wing->habits; row && row->habit != HABIT_END; row++)
			if (!habits_have(habits, row->habit) && holds(wing, row, version))
				habits_put(habits, row->habit);
}

const struct lacking_family *wing_lacks(const struct wing *wing, const char *family,
					const struct version *version)
{
	const struct lacking_family *row = wing->lacks_families;

	for (; row && row->family; row++)
		if (!strcmp(row->family, family) &&
		    timeline_within(timeline_of(wing->name), version->when, row->from, row->before))
			return row;
	return NULL;
}

/* A fork is pinned by the name of what it joins: "megatron: deepspeed", "megatron:
 * deepspeed@2024-05". */
const struct wing *wing_joined(const char *version)
{
	const struct wing *const *wing;

	for (wing = wings; *wing; wing++) {
		const size_t length = strlen((*wing)->name);
		if (!strncmp((*wing)->name, version, length) &&
		    (!version[length] || version[length] == '@'))
			return *wing;
	}
	return NULL;
}

bool file_does(const struct job *job, enum habit habit)
{
	const char *framework = job->document.dialect->framework;

	return framework && wing_does(wing_find(framework), habit, NULL);
}

const struct version *job_does(const struct job *job, enum habit habit)
{
	size_t i;

	for (i = 0; i < job->versions.list.count; i++)
		if (habits_have(&job->versions.list.items[i].does, habit))
			return &job->versions.list.items[i];
	return NULL;
}

bool job_has_axis(const struct job *job, enum field_id field)
{
	if (!job_does(job, HABIT_TRAINER))
		return true;
	switch (field) {
	case FIELD_DP_REPLICATE:
		return job_does(job, HABIT_HAS_REPLICAS);
	case FIELD_CP:
		return job_does(job, HABIT_HAS_CP);
	case FIELD_EP:
		return job_does(job, HABIT_HAS_EP);
	case FIELD_ETP:
		return job_does(job, HABIT_HAS_ETP);
	default:
		return true;
	}
}

bool job_waits_for_host(const struct job *job)
{
	return words_have("standard|deepep",
			  setting_text(&job->settings, FIELD_EXPERT_DISPATCHER, "standard"));
}

bool job_counts_all(const struct job *job)
{
	const struct degrees *d = job->intended ? &job->intended->degrees : NULL;
	const int64_t micro = setting_int(&job->settings, FIELD_MICRO_BATCH_SIZE, 0);
	const int64_t local = setting_int(&job->settings, FIELD_LOCAL_BATCH_SIZE, 0);
	const int64_t each = multiply(micro ? micro : local,
				      setting_int(&job->settings, FIELD_GRADIENT_ACCUMULATION, 0));
	int64_t dp;

	if (!d || d->dp_replicate < 1 || d->dp_shard < 1 || each < 1 ||
	    job_does(job, HABIT_TRAINER))
		return false;
	dp = multiply(d->dp_replicate, d->dp_shard);
	return dp < job->world &&
	       multiply(dp, multiply(d->tp, multiply(d->cp, d->pp))) == job->world &&
	       multiply(each, job->world) ==
		       setting_int(&job->settings, FIELD_GLOBAL_BATCH_SIZE, 0);
}

int64_t job_sequences(const struct job *job, int64_t dp, int64_t each)
{
	const bool once = job_does(job, HABIT_STEPS_AT_ONCE);
	const int64_t global = setting_int(&job->settings, FIELD_GLOBAL_BATCH_SIZE, 0);
	const int64_t passes = setting_int(&job->settings, FIELD_GRADIENT_ACCUMULATION, 1);

	if (global < 1 || once)
		return multiply(multiply(each, dp), once || passes < 1 ? 1 : passes);
	return job_counts_all(job) ? multiply(global / job->world, dp) : global;
}

/* A kernel that is not known may be one that exchanges, but for a framework's own file. */
bool job_attends_alone(const struct job *job)
{
	return job_does(job, HABIT_CUTS_ALONE) &&
	       !strstr(setting_text(&job->settings, FIELD_KERNELS, ""), "ring") &&
	       (setting_known(&job->settings.items[FIELD_KERNELS]) || job_says_all(job));
}

bool job_loops(const struct job *job, const char *schedule)
{
	return job_does(job, strcmp(schedule, "DualPipeV") ? HABIT_LOOPS_V : HABIT_LOOPS_DUAL_PIPE);
}
