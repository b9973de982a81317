#include "sim/workload/framework.h"

#include "framework/torch/job_torch.h"

#include <string.h>

static void take_pin(struct workload *work, const struct pin *pin)
{
	const struct wing *fork = pin->version ? wing_joined(pin->version) : NULL;

	work->framework = pin->framework;
	work->deepspeed = wing_does(wing_find(pin->framework), HABIT_ENGINE, NULL) ||
			  wing_does(fork, HABIT_ENGINE, NULL);
}

/* The date that a pin names, of a version known or not; else that of the pinned PyTorch, or 0. */
static moment_t since_of(const struct workload *work, const struct job *job)
{
	struct version version;
	size_t i;

	for (i = 0; i < job->document.pins.count; i++) {
		const struct pin *pin = &job->document.pins.items[i];
		if (strcmp(pin->framework, work->framework) != 0 || !pin->version)
			continue;
		if (version_parse(job->arena, "", pin->version, &version) && version.when)
			return version.when;
	}
	return versions_find(&job->versions, "torch") ? torch_released(torch_of_job(job)) : 0;
}

/* Whose habits the steps have: the framework's, or those of Megatron Core, where it drives that. */
static const struct wing *wing_of(const char *framework, const char *engine)
{
	const struct wing *wing = wing_find(framework), *driven = wing_find(engine);

	return !wing_does(wing, HABIT_MEGATRON_STEP, NULL) &&
			       wing_does(driven, HABIT_MEGATRON_STEP, NULL)
		       ? driven
		       : wing;
}

/* The framework that trains, and since when it is as it is; one of no known version counts, too. */
static void read_framework(struct workload *work, const struct job *job)
{
	const struct version *version;
	size_t i;

	work->framework = "torch";
	work->version = "";
	for (i = 0; i < job->document.pins.count; i++)
		if (!version_is_library(job->document.pins.items[i].framework))
			take_pin(work, &job->document.pins.items[i]);
	for (i = 0; i < job->versions.list.count; i++)
		if (!version_is_library(job->versions.list.items[i].framework))
			work->framework = job->versions.list.items[i].framework;
	work->wing = wing_of(work->framework, setting_text(&job->settings, FIELD_ENGINE, ""));
	work->megatron = wing_does(work->wing, HABIT_MEGATRON_STEP, NULL);
	work->deepspeed = work->deepspeed || wing_does(work->wing, HABIT_ENGINE, NULL) ||
			  wing_does(wing_find(setting_text(&job->settings, FIELD_ENGINE, "")),
				    HABIT_ENGINE, NULL);
	work->since = since_of(work, job);
	version = versions_find(&job->versions, work->framework);
	if (!version)
		return;
	work->version = version->label;
	work->when = version->when;
	if (work->when)
		work->since = work->when;
}

static struct version version_at(const struct workload *work, moment_t when)
{
	return (struct version) { .label = work->version, .when = when };
}

bool workload_does(const struct workload *work, enum habit habit)
{
	return habits_have(&work->does, habit);
}

bool workload_does_since(const struct workload *work, enum habit habit)
{
	return habits_have(&work->does_since, habit);
}

/* What the framework's steps and PyTorch's do at a date. */
static struct habits habits_at(const struct workload *work, moment_t when)
{
	const struct version version = version_at(work, when);
	struct habits does = { 0 };

	wing_add_habits(&does, work->wing, &version);
	wing_add_habits(&does, wing_find("torch"), &version);
	return does;
}

void workload_put_habits(struct workload *work)
{
	work->does = habits_at(work, work->when);
	work->does_since = work->since == work->when ? work->does : habits_at(work, work->since);
}

void workload_framework(struct workload *work, const struct job *job)
{
	struct version version;

	read_framework(work, job);
	version = version_at(work, work->when);
	work->casting = casting_of(work->wing, &version, work->plan);
	workload_put_habits(work);
}
