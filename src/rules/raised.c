#include "rules/raised.h"

#include "base/text.h"
#include "framework/wing.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *raised_rule(const struct plan_error *error)
{
	return error->rule ? error->rule : "framework-raises";
}

/* What ends the plan, else what is raised beside it. */
static const struct plan_error *first_error(const struct plan *applied)
{
	if (!applied)
		return NULL;
	return applied->error ? applied->error : applied->later;
}

const struct plan_error *raised(const struct rule *rule, const struct job *job)
{
	const struct plan_error *error = first_error(job->applied);

	return error && !strcmp(raised_rule(error), rule->id->name) ? error : NULL;
}

static bool is_blamed(const struct plan_error *error, enum field_id field)
{
	int i;

	for (i = 0; i < error->because_count; i++)
		if (error->because[i]->field == field)
			return true;
	return false;
}

bool raised_of(const struct job *job, enum field_id field)
{
	const struct plan_error *error = first_error(job->applied);

	return error && is_blamed(error, field);
}

/* Nothing but a trainer that is read whole, and those that weigh them, takes other numbers. */
static bool cuts_layers_evenly(const struct job *job)
{
	return !job_does(job, HABIT_TRAINER) && !job_does(job, HABIT_WEIGHS_LAYERS);
}

bool passes_with(const struct rule *rule, const struct job *job, enum field_id field, int64_t value,
		 enum field_id free)
{
	const struct variation variations[] = {
		{ field, arena_printf(job->arena, "%lld", (long long)value) }, { free, "-1" }
	};
	struct job *other = arena_new(job->arena, struct job);
	const struct plan_error *error;

	if (job->model &&
	    (field == FIELD_TP	 ? job->model->heads % value
	     : field == FIELD_PP ? cuts_layers_evenly(job) && job->model->layers % value
				 : 0))
		return false;
	job_vary(other, job->arena, job, variations, free == field ? 1 : 2, 0);
	error = first_error(other->applied);
	return !error ||
	       (strcmp(raised_rule(error), rule->id->name) != 0 && !is_blamed(error, field));
}

const char *speaker(const struct job *job, const char *framework)
{
	const struct version *version = versions_find(&job->versions, framework);

	return version ? arena_printf(job->arena, "%s %s", framework, version->label) : framework;
}

const char *raiser(const struct job *job)
{
	return speaker(job, job->framework ? job->framework->name : "torch");
}

static struct span blame(const struct plan_error *error)
{
	struct span nowhere = { 0 };
	int i;

	for (i = 0; i < error->because_count; i++)
		if (span_known(error->because[i]->span))
			return error->because[i]->span;
	return nowhere;
}

struct finding *raised_finding(const struct rule *rule, struct job *job, const char *format, ...)
{
	const struct plan_error *error = first_error(job->applied);
	struct finding *finding;
	va_list args;
	int i;

	va_start(args, format);
	finding = finding_add(job->findings, rule->id, blame(error), "%s",
			      arena_vprintf(job->arena, format, args));
	va_end(args);
	if (strcmp(error->type, "Error") != 0) { /* that one is ours: no framework prints it */
		finding_quote(job->findings, finding, "%s%s%s", error->type,
			      *error->message ? ": " : "", error->message);
		finding->speaker = raiser(job);
	}
	for (i = 0; i < error->because_count; i++)
		relate_setting(job, finding, error->because[i]->field);
	return finding;
}

void quote_raised(struct job *job, struct finding *finding)
{
	const struct plan_error *error = first_error(job->applied);

	finding_quote(job->findings, finding, "%s: %s", error->type, error->message);
	finding->speaker = raiser(job);
}

/* The first line of an exception with runs of blanks closed, as one sentence. */
static char *sentence(struct arena *arena, const char *message)
{
	char *text = arena_strdup(arena, message), *to = text;
	const char *from;

	for (from = text; *from; from++)
		if (!strchr(" \t\n", *from))
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	while (to > text && strchr(" .", to[-1]))
		to--;
	*to = '\0';
	return text;
}

void raised_check(const struct rule *rule, struct job *job)
{
	const struct plan_error *error = raised(rule, job);
	const char *what;

	if (!error)
		return;
	what = sentence(job->arena, error->message);
	if (*what)
		raised_finding(rule, job, "%s will not start: %s", raiser(job), what);
	else
		raised_finding(rule, job, "%s will not start: %s in %s", raiser(job), error->type,
			       error->where);
}

/* A value that a shell puts together from others: no number can stand in its place. */
static bool is_expanded(struct span span)
{
	return span.source->text[source_offset(span.source, span.line, span.column)] == '$';
}

void edit_setting(struct job *job, struct finding *finding, const struct setting *setting,
		  int64_t value)
{
	if (setting->origin != ORIGIN_GIVEN || !span_known(setting->span) ||
	    setting->span.source != job->document.source || is_expanded(setting->span))
		return;
	finding_edit(job->findings, finding, setting->span, "%lld", (long long)value);
}

void edit_torch(struct job *job, struct finding *finding, const char *version)
{
	const struct version *torch = versions_find(&job->versions, "torch");

	if (torch && torch->origin == VERSION_PINNED && span_known(torch->span) &&
	    torch->span.source == job->document.source)
		finding_edit(job->findings, finding, torch->span, "%s", version);
}

void relate_setting(struct job *job, struct finding *finding, enum field_id field)
{
	const struct setting *setting = settings_of(&job->settings, field);
	const char *key = field_of(field)->key, *dot = strrchr(key, '.');

	if (!setting_given(setting) || !span_known(setting->span) ||
	    !span_compare(setting->span, finding->span))
		return;
	finding_relate(job->findings, finding, setting->span, "%s=%s", dot ? dot + 1 : key,
		       setting->text ? setting->text : "?");
}
