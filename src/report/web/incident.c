#include "draw/figure.h"
#include "report/evidence/causes.h"
#include "report/evidence/hang.h"
#include "report/web/web.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- causes ---- */

static void put_causes(struct sheet *sheet, const struct why *why)
{
	static const struct web_column columns[] = {
		{ "cause", false }, { "known by", false }, { "what", false }, { "next", false }
	};
	const struct why_causes causes = why_causes_of(why);
	size_t i;

	sheet_part(sheet, "causes", "Causes");
	if (!causes.list.count) {
		html_element(&sheet->html, "p", NULL, "The logs name none that is known.");
		sheet_end(sheet);
		return;
	}
	sheet_table(sheet, "causes-table", "The most plausible first", columns,
		    sizeof(columns) / sizeof(*columns), NULL);
	for (i = 0; i < causes.list.count; i++) {
		const struct why_cause *cause = &causes.list.items[i];
		sheet_row(sheet, cause->name);
		sheet_cell(sheet, cause_basis_name(cause->basis));
		sheet_cell(sheet, cause->says);
		sheet_cell(sheet, cause->next ? cause->next : "");
		sheet_row_end(sheet);
	}
	sheet_table_end(sheet);
	sheet_end(sheet);
}

/* ---- ranks and hosts ---- */

static const char *number_or(struct arena *arena, int64_t number)
{
	return number < 0 ? "not known" : arena_printf(arena, "%" PRId64, number);
}

static void put_culprits(struct sheet *sheet, const struct hang *hang)
{
	static const struct web_column columns[] = {
		{ "rank", false },  { "host", false },	     { "GPU", false },	{ "is", false },
		{ "group", false }, { "collective", false }, { "what", false },
	};
	size_t i;

	sheet_part(sheet, "ranks", "Ranks and hosts");
	if (!hang->culprits.count)
		html_element(&sheet->html, "p", NULL, "No rank is known that others wait for.");
	else
		sheet_table(sheet, "ranks-table", "Whom the others wait for", columns,
			    sizeof(columns) / sizeof(*columns), NULL);
	for (i = 0; i < hang->culprits.count; i++) {
		const struct culprit *culprit = &hang->culprits.items[i];
		sheet_row(sheet, number_or(sheet->arena, culprit->rank));
		sheet_cell(sheet, culprit->host ? culprit->host : "not known");
		sheet_cell(sheet, number_or(sheet->arena, culprit->gpu));
		sheet_cell(sheet, culprit_class_name(culprit->class));
		sheet_cell(sheet, culprit->group ? culprit->group : "");
		sheet_cell(sheet,
			   culprit->sequence < 0 ? "" : number_or(sheet->arena, culprit->sequence));
		sheet_cell(sheet, culprit->says);
		sheet_row_end(sheet);
	}
	if (hang->culprits.count)
		sheet_table_end(sheet);
	if (hang->where)
		html_element(&sheet->html, "p", NULL, hang->where);
	sheet_end(sheet);
}

/* ---- what came when ---- */

struct moment_of {
	double time; /* as logs have it: seconds since some day */
	const char *what, *ranks, *hosts, *where;
};

struct moments {
	VEC(struct moment_of) list;
};

static const char *hosts_of(struct arena *arena, const struct log_hit *hit)
{
	const char *text = "";
	size_t i;

	for (i = 0; i < hit->hosts.count; i++)
		text = arena_join(arena, text, *text ? ", " : "", hit->hosts.items[i]);
	return text;
}

static void add_hits(struct arena *arena, const struct joblog *log, struct moments *moments)
{
	const char *ranks;
	size_t i;

	for (i = 0; i < log->hits.count; i++) {
		const struct log_hit *hit = log->hits.items[i];
		ranks = rank_set_text(arena, &hit->ranks);
		if (hit->time >= 0)
			vec_push(arena, &moments->list,
				 ((struct moment_of) {
					 hit->time, hit->phrase->owners.items[0].id->summary,
					 ranks ? ranks : "", hosts_of(arena, hit),
					 arena_printf(arena, "%s:%zu", hit->path, hit->line) }));
	}
}

static void add_culprits(struct arena *arena, const struct hang *hang, struct moments *moments)
{
	size_t i;

	for (i = 0; i < hang->culprits.count; i++) {
		const struct culprit *culprit = &hang->culprits.items[i];
		if (culprit->time >= 0)
			vec_push(arena, &moments->list,
				 ((struct moment_of) { culprit->time, culprit->says,
						       number_or(arena, culprit->rank),
						       culprit->host ? culprit->host : "", "" }));
	}
}

static int by_time(const void *left, const void *right)
{
	const struct moment_of *a = left, *b = right;

	if (a->time < b->time || a->time > b->time)
		return a->time < b->time ? -1 : 1;
	return strcmp(a->what, b->what);
}

/* "18:44:12.7": of the day, whichever it was. */
static const char *clock_text(struct arena *arena, double time)
{
	const double day = fmod(time, 86400);
	const int64_t seconds = (int64_t)day;

	return arena_printf(arena, "%02" PRId64 ":%02" PRId64 ":%04.1f", seconds / 3600,
			    seconds / 60 % 60, fmod(day, 60));
}

static void put_timeline(struct sheet *sheet, const struct why *why)
{
	static const struct web_column columns[] = {
		{ "time", false },  { "what", false },	{ "ranks", false },
		{ "hosts", false }, { "where", false },
	};
	struct moments moments = { 0 };
	size_t i;

	add_hits(sheet->arena, why->log, &moments);
	add_culprits(sheet->arena, &why->hang, &moments);
	sheet_part(sheet, "timeline", "Timeline");
	if (!moments.list.count) {
		html_element(&sheet->html, "p", NULL,
			     "None of the lines that tell something has a time.");
		sheet_end(sheet);
		return;
	}
	qsort(moments.list.items, moments.list.count, sizeof(*moments.list.items), by_time);
	sheet_table(sheet, "timeline-table", "What was first printed when", columns,
		    sizeof(columns) / sizeof(*columns), NULL);
	for (i = 0; i < moments.list.count; i++) {
		const struct moment_of *moment = &moments.list.items[i];
		sheet_row(sheet, clock_text(sheet->arena, moment->time));
		sheet_cell(sheet, moment->what);
		sheet_cell(sheet, moment->ranks);
		sheet_cell(sheet, moment->hosts);
		sheet_cell(sheet, moment->where);
		sheet_row_end(sheet);
	}
	sheet_table_end(sheet);
	sheet_end(sheet);
}

/* ---- texts ---- */

static void put_text(struct sheet *sheet, const struct log_hit *hit, size_t index)
{
	static const char *const kinds[] = { "cause", "possible cause", "follows" };
	static const char *const classes[] = { "error", "warning", "note" };
	const enum end_kind kind = phrase_kind(hit->phrase);
	const struct rule_id *id = hit->phrase->owners.items[0].id;
	struct html *html = &sheet->html;

	html_open(html, "article");
	html_attribute_printf(html, "class", "finding of-%s", classes[kind]);
	html_attribute_printf(html, "aria-labelledby", "f%d-text-%zu", sheet->number, index + 1);
	html_open(html, "h4");
	html_attribute_printf(html, "id", "f%d-text-%zu", sheet->number, index + 1);
	html_element(html, "span", arena_join(sheet->arena, "badge ", classes[kind], ""),
		     kinds[kind]);
	html_printf(html, " %s", id->summary);
	html_close(html, "h4");
	html_open(html, "p");
	html_attribute(html, "class", "place");
	html_element(html, "code", NULL,
		     arena_printf(sheet->arena, "%s:%zu", hit->path, hit->line));
	html_text(html, " ");
	html_element(html, "code", "rule-name", id->name);
	html_close(html, "p");
	sheet_excerpt(sheet, "What was printed", hit->printed);
	html_open(html, "dl");
	html_attribute(html, "class", "remarks");
	sheet_term(sheet, "cause", kind == END_FOLLOWS ? NULL : id->explanation);
	sheet_term(sheet, "next", kind == END_FOLLOWS ? NULL : id->remedy);
	sheet_term(sheet, "seen",
		   arena_printf(sheet->arena, "%" PRId64 " time%s", hit->count,
				hit->count == 1 ? "" : "s"));
	html_close(html, "dl");
	html_close(html, "article");
}

static void put_texts(struct sheet *sheet, const struct why *why)
{
	const struct log_exception *last = &why->log->tracebacks.last;
	size_t i;

	sheet_part(sheet, "texts", "Texts");
	if (!why->log->hits.count)
		html_element(&sheet->html, "p", NULL, "No text is known.");
	for (i = 0; i < why->log->hits.count; i++)
		put_text(sheet, why->log->hits.items[i], i);
	if (!why_has_cause(why) && last->text) {
		html_element(&sheet->html, "p", NULL,
			     arena_printf(sheet->arena, "The last exception, %s:%zu:", last->path,
					  last->line));
		sheet_excerpt(sheet, "The last exception", last->text);
	}
	sheet_end(sheet);
}

/* ---- all of it ---- */

static void put_glance(struct sheet *sheet, const struct why *why)
{
	const struct why_causes causes = why_causes_of(why);
	const struct why_cause *first = causes.list.count ? &causes.list.items[0] : NULL;
	const struct hang *hang = &why->hang;
	const char *next;

	html_open(&sheet->html, "dl");
	html_attribute(&sheet->html, "class", "glance");
	sheet_term(sheet, "most plausible cause", first ? first->name : "not known");
	sheet_term(sheet, "rank",
		   hang->culprits.count ? number_or(sheet->arena, hang->culprits.items[0].rank)
					: NULL);
	sheet_term(sheet, "host", hang->culprits.count ? hang->culprits.items[0].host : NULL);
	html_close(&sheet->html, "dl");
	next = first ? first->next : hang->culprits.count ? hang_next(hang) : NULL;
	if (next)
		html_element(&sheet->html, "p", NULL,
			     arena_join(sheet->arena, "Next step: ", next, ""));
}

void web_incident(struct web *web, const struct why *why, const struct subject *subject,
		  const char *path)
{
	struct sheet sheet = { .arena = web->arena };
	struct html *html = &sheet.html;

	web->incident = path;
	html_begin(html, web->body);
	html_open(html, "section");
	html_attribute(html, "class", "file");
	html_attribute(html, "aria-labelledby", "f0");
	html_open(html, "h2");
	html_attribute(html, "id", "f0");
	html_text(html, path);
	html_close(html, "h2");
	put_glance(&sheet, why);
	put_causes(&sheet, why);
	put_timeline(&sheet, why);
	put_culprits(&sheet, &why->hang);
	if (subject) {
		sheet_part(&sheet, "figures", "Where they are");
		if (!web_figure(&sheet, figure_find("mesh"), subject))
			html_element(html, "p", NULL, "It cannot be drawn.");
		sheet_end(&sheet);
	}
	put_texts(&sheet, why);
	html_close(html, "section");
	html_verbatim(html, "\n");
}
