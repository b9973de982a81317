#include "report/web/web.h"
#include "report/plan/words.h"
#include "rules/judge.h"
#include "sim/forecast.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

static const char *count_text(struct arena *arena, size_t count, const char *noun)
{
	return arena_printf(arena, "%zu %s%s", count, noun, count == 1 ? "" : "s");
}

/* "1 error, 2 warnings", what there is none of left out. */
static const char *totals_text(struct arena *arena, const struct totals *totals)
{
	const struct {
		size_t count;
		const char *noun;
	} parts[] = { { totals->errors, "error" },
		      { totals->warnings, "warning" },
		      { totals->notes, "note" } };
	const char *text = "";
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i].count)
			text = arena_printf(arena, "%s%s%s", text, *text ? ", " : "",
					    count_text(arena, parts[i].count, parts[i].noun));
	return *text ? text : "none";
}

/* ---- what the index says ---- */

/* Forecasts what is applied, and what is asked for where that is something else. */
static void forecast_sheet(struct sheet *sheet)
{
	struct job *job = sheet->job;
	struct forecast *asked;

	if (!job->readable)
		return;
	sheet->raised = judge_raised(job);
	sheet->doubt = judge_doubt(job);
	sheet->stops = sheet->doubt ? arena_join(sheet->arena, plan_doubt, sheet->doubt, ":")
				    : "The job stops before its first step has ended:";
	sheet->applied = sheet->raised ? NULL : forecast_of(job);
	if (!sheet->applied || !forecast_differs(job))
		return;
	asked = arena_new(sheet->arena, struct forecast);
	sheet->asked = forecast_read(asked, job, job_asked(job), NULL) ? NULL : asked;
}

static void read_forecast(struct arena *arena, struct web_entry *entry,
			  const struct forecast *forecast)
{
	static const char *const verdicts[] = { "fits", "tight", "does not fit" };

	if (!forecast)
		return;
	entry->step = web_seconds(arena, forecast->step.total);
	entry->bytes = web_share(arena, forecast->memory.device, forecast->memory.capacity);
	entry->verdict = verdicts[forecast_fits(forecast)];
}

/* "ValueError", of "ValueError: ...". */
static const char *type_of(struct arena *arena, const char *raised)
{
	return arena_strndup(arena, raised, strcspn(raised, ":\n"));
}

/*
 * "hsdp", "fsdp, not as asked for", "hsdp, stops with ValueError"; "" where it is not modelled.
 * What else differs is no matter of data parallelism.
 */
static const char *strategy_text(struct arena *arena, const struct sheet *sheet)
{
	const struct plan *plan = sheet->job->applied;
	const char *text = "", *stops = "";

	if (!plan->error && !plan->unmodelled)
		text = arena_printf(arena, "%s%s", strategy_name(plan->dense.strategy),
				    forecast_shares_otherwise(sheet->job) ? ", not as asked for"
									  : "");
	if (sheet->raised)
		stops = arena_printf(arena, "%s%s with %s", *text ? ", " : "",
				     sheet->doubt ? "may stop" : "stops",
				     type_of(arena, sheet->raised));
	return arena_join(arena, text, stops, "");
}

static struct web_entry entry_of(struct arena *arena, const struct sheet *sheet)
{
	const struct checked *file = sheet->file;
	const struct plan *plan = file->job->applied;
	struct web_entry entry = {
		.path = arena_strdup(arena, file->path),
		.totals = { findings_count(file->findings, SEVERITY_ERROR),
			    findings_count(file->findings, SEVERITY_WARNING),
			    findings_count(file->findings, SEVERITY_NOTE) },
		.world = file->job->world,
		.strategy = "",
		.step = "",
		.bytes = "",
		.verdict = "",
	};

	entry.found = totals_text(arena, &entry.totals);
	if (plan)
		entry.strategy = strategy_text(arena, sheet);
	read_forecast(arena, &entry, sheet->applied);
	return entry;
}

/* ---- the head of a section ---- */

static void put_assumptions(struct sheet *sheet)
{
	struct judged judged;
	struct buf text;

	buf_init(&text);
	report_assumptions(sheet->job, &text, false, 1 << 20);
	judged = judged_of(sheet->file->job);
	if (text.length)
		html_element(&sheet->html, "p", "assumed", text.data);
	if (judged.status != JUDGED)
		html_element(&sheet->html, "p", "assumed", judged_text(sheet->arena, &judged));
	buf_release(&text);
}

/* "1.368 s, 64.9 of 79.7 GiB": what a step would cost. */
static const char *cost_text(const struct forecast *forecast, const struct sheet *sheet)
{
	struct arena *arena = sheet->arena;

	return arena_printf(arena, "%s, %s", web_seconds(arena, forecast->step.total),
			    web_share(arena, forecast->memory.device, forecast->memory.capacity));
}

/* "92.1 of 79.7 GiB on the fullest GPU, probability of running out 99 %" */
static const char *room_text(struct arena *arena, const struct forecast *forecast)
{
	const struct memory *memory = &forecast->memory;

	return arena_printf(arena, "%s on the fullest GPU, probability of running out %s",
			    web_share(arena, memory->device, memory->capacity),
			    text_probability(arena, memory->probability));
}

/* What the first error says; there is one. */
static const char *first_error(const struct findings *findings)
{
	size_t i = 0;

	while (findings->list.items[i]->severity != SEVERITY_ERROR)
		i++;
	return findings->list.items[i]->message;
}

/* What will happen, in one sentence; *severity is how bad that is: "error", "warning" or NULL. */
static const char *outcome_text(const struct sheet *sheet, const struct web_entry *entry,
				const char **severity)
{
	struct arena *arena = sheet->arena;
	const enum fits fits = sheet->applied ? forecast_fits(sheet->applied) : FITS_YES;
	const char *nothing = job_trains_nothing(sheet->job);

	*severity = "error";
	if (!sheet->job->readable)
		return "This could not be read as a config.";
	if (sheet->raised) {
		*severity = sheet->doubt ? "warning" : "error";
		return arena_join(arena, sheet->stops, " ", sheet->raised);
	}
	if (fits == FITS_NO)
		return arena_printf(arena, "The job runs out of memory: %s.",
				    room_text(arena, sheet->applied));
	if (entry->totals.errors)
		return arena_printf(arena, "%s: %s.", entry->found,
				    first_error(sheet->file->findings));
	*severity = "warning";
	if (fits == FITS_TIGHT)
		return arena_printf(arena, "The job may run out of memory: %s.",
				    room_text(arena, sheet->applied));
	*severity = NULL;
	if (nothing)
		return nothing;
	if (!sheet->applied)
		return "Nothing was found that stops the job; what it costs is not known.";
	return arena_printf(arena,
			    "Nothing was found that stops the job: a step takes %s, with %s.",
			    entry->step, room_text(arena, sheet->applied));
}

static void put_outcome(struct sheet *sheet, const struct web_entry *entry)
{
	const char *severity, *text = outcome_text(sheet, entry, &severity);

	html_element(&sheet->html, "p",
		     severity ? arena_join(sheet->arena, "outcome ", severity, "") : "outcome",
		     text);
}

/* What most readers want to know, before anything else. */
static void put_glance(struct sheet *sheet, const struct web_entry *entry)
{
	html_open(&sheet->html, "dl");
	html_attribute(&sheet->html, "class", "glance");
	sheet_term(sheet, "findings", entry->found);
	sheet_term(sheet, "ranks",
		   entry->world ? text_count(sheet->arena, entry->world) : "not known");
	sheet_term(sheet, "data parallel", *entry->strategy ? entry->strategy : "not modelled");
	sheet_term(sheet, "step", *entry->step ? entry->step : NULL);
	sheet_term(sheet, "memory per GPU",
		   *entry->bytes
			   ? arena_printf(sheet->arena, "%s, %s", entry->bytes, entry->verdict)
			   : NULL);
	sheet_term(sheet, "as asked for", sheet->asked ? cost_text(sheet->asked, sheet) : NULL);
	html_close(&sheet->html, "dl");
}

static void put_link(struct sheet *sheet, const char *id, const char *text)
{
	struct html *html = &sheet->html;

	html_open(html, "li");
	html_open(html, "a");
	html_attribute_printf(html, "href", "#f%d-%s", sheet->number, id);
	html_text(html, text);
	html_close(html, "a");
	html_close(html, "li");
}

static void put_contents(struct sheet *sheet)
{
	struct html *html = &sheet->html;

	html_open(html, "nav");
	html_attribute(html, "class", "contents");
	html_attribute_printf(html, "aria-label", "Parts of %s", sheet->file->path);
	html_open(html, "ul");
	put_link(sheet, "findings", "Findings");
	if (sheet->job->readable) {
		if (sheet->job->intended || sheet->job->applied)
			put_link(sheet, "plan", "Plan");
		put_link(sheet, "figures", "Figures");
		put_link(sheet, "forecast", "Forecast");
		if (sheet->search->found)
			put_link(sheet, "search", "Search");
		if (sheet->applied)
			put_link(sheet, "changes", "What if");
		put_link(sheet, "settings", "Settings");
	}
	html_close(html, "ul");
	html_close(html, "nav");
}

static void put_parts(struct sheet *sheet)
{
	web_findings(sheet);
	if (!sheet->job->readable)
		return;
	web_plan(sheet);
	web_figures(sheet);
	web_forecast(sheet);
	web_search(sheet);
	web_changes(sheet);
	web_settings(sheet);
}

void web_file(struct web *web, const struct checked *file, const struct web_search *search)
{
	struct sheet sheet = {
		.arena = file->job->arena, .file = file, .job = file->job, .search = search
	};
	struct web_entry entry;
	struct html *html = &sheet.html;

	forecast_sheet(&sheet);
	entry = entry_of(web->arena, &sheet);
	vec_push(web->arena, &web->entries, entry);
	sheet.number = (int)web->entries.count;
	html_begin(html, web->body);
	html_open(html, "section");
	html_attribute(html, "class", "file");
	html_attribute_printf(html, "aria-labelledby", "f%d", sheet.number);
	html_open(html, "h2");
	html_attribute_printf(html, "id", "f%d", sheet.number);
	html_text(html, file->path);
	html_close(html, "h2");
	put_outcome(&sheet, &entry);
	put_assumptions(&sheet);
	put_glance(&sheet, &entry);
	put_contents(&sheet);
	put_parts(&sheet);
	html_close(html, "section");
	html_verbatim(html, "\n");
}
