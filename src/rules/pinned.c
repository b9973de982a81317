#include "rules/pinned.h"

#include "input/field.h"
#include "rules/raised.h"

#include <string.h>

bool may_run_megatron(const struct job *job)
{
	const char *engine = setting_text(&job->settings, FIELD_ENGINE, NULL);

	return !engine || wing_does(wing_find(engine), HABIT_MEGATRON, NULL);
}

const char *runs_megatron(const struct job *job)
{
	const char *engine = setting_text(&job->settings, FIELD_ENGINE, NULL);
	const struct version *version = job_does(job, HABIT_MEGATRON);

	if (!may_run_megatron(job))
		return NULL;
	return version ? version->framework : engine; /* the engine: driven by another */
}

const struct wing *wing_of_pipelines(const struct job *job)
{
	const char *name = runs_megatron(job);
	const struct wing *wing = name ? wing_find(name) : NULL;

	while (wing && !wing->virtual_stages)
		wing = wing->on;
	return wing;
}

int64_t virtual_stages_of(const struct job *job, int64_t pp)
{
	const struct wing *wing = wing_of_pipelines(job);

	return wing ? wing->virtual_stages(&job->settings, pp) : 0;
}

static bool belongs(const struct exception *row, const struct rule *rule)
{
	return !strcmp(row->rule, rule->id->name) ||
	       (row->also && !strcmp(row->also, rule->id->name));
}

static bool quote_row(struct job *job, struct finding *finding, const struct exception *row,
		      const char *framework, const struct exception_name *values)
{
	const struct told told = exception_tell_named(job->arena, row, values);

	if (!told.type)
		return false;
	finding_quote(job->findings, finding, "%s%s%s", told.type, *told.message ? ": " : "",
		      told.message);
	finding->speaker = speaker(job, framework);
	return true;
}

/* In the words of a framework or of what it stands on. */
static bool quote_of(const struct rule *rule, struct job *job, struct finding *finding,
		     const char *framework, const struct exception_name *values)
{
	const struct wing *wing;
	size_t i;

	for (wing = wing_find(framework); wing; wing = wing->on)
		for (i = 0; wing->tells && i < wing->tells->count; i++)
			if (belongs(&wing->tells->rows[i], rule) &&
			    quote_row(job, finding, &wing->tells->rows[i], framework, values))
				return true;
	return false;
}

/* By those that are an engine of others, or by those that are not. */
static bool quote_by(const struct rule *rule, struct job *job, struct finding *finding,
		     bool engines, const struct exception_name *values)
{
	size_t i;

	for (i = 0; i < job->versions.list.count; i++) {
		const char *name = job->versions.list.items[i].framework;
		if (wing_does(wing_find(name), HABIT_ENGINE, NULL) == engines &&
		    quote_of(rule, job, finding, name, values))
			return true;
	}
	return false;
}

bool quote_told(const struct rule *rule, struct job *job, struct finding *finding,
		const struct exception_name *values)
{
	const char *engine = runs_megatron(job);

	return quote_by(rule, job, finding, false, values) ||
	       quote_by(rule, job, finding, true, values) ||
	       (engine && quote_of(rule, job, finding, engine, values));
}

bool quote_by_any(const struct rule *rule, struct job *job, struct finding *finding,
		  const struct exception_name *values)
{
	const struct wing *const *wing = wings;

	while (*wing && ((*wing)->on || !quote_of(rule, job, finding, (*wing)->name, values)))
		wing++;
	return *wing != NULL;
}
