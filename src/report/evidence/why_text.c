#include "report/evidence/why.h"

#include "base/text.h"
#include "report/evidence/causes.h"
#include "report/evidence/hang.h"

#include <inttypes.h>
#include <string.h>

/* What is being written. */
struct page {
	const struct why *why;
	const struct style *style;
	struct buf *out;
};

static void put_remark(const struct page *page, const char *label, const char *text)
{
	const int indent = 4;

	if (!text || !*text)
		return;
	style_put(page->style, page->out, COLOR_DIM);
	buf_text(page->out, "  = ");
	style_put(page->style, page->out, COLOR_PLAIN);
	style_put(page->style, page->out, COLOR_BOLD);
	buf_printf(page->out, "%s:", label);
	style_put(page->style, page->out, COLOR_PLAIN);
	buf_char(page->out, ' ');
	wrap_text(page->out, text, indent + (int)strlen(label) + 2, indent + 2,
		  page->style->columns);
	buf_char(page->out, '\n');
}

/* "train.log:7: cause: summary [name]" */
static void put_headline(const struct page *page, const char *path, size_t line, const char *kind,
			 int color, const char *text)
{
	const char *place = arena_printf(page->why->arena, "%s:%zu: ", path, line);

	style_put(page->style, page->out, COLOR_BOLD);
	buf_text(page->out, place);
	style_put(page->style, page->out, COLOR_PLAIN);
	style_put(page->style, page->out, color);
	buf_printf(page->out, "%s: ", kind);
	style_put(page->style, page->out, COLOR_PLAIN);
	wrap_text(page->out, text, display_width(place, strlen(place)) + (int)strlen(kind) + 2, 4,
		  page->style->columns);
	buf_char(page->out, '\n');
}

/* "512 times, by ranks 0-511"; NULL where there is nothing to say. */
static const char *seen(struct arena *arena, int64_t count, const struct rank_set *ranks)
{
	const char *list = rank_set_text(arena, ranks), *by;

	by = list ? arena_printf(arena, "by rank%s %s", ranks->count == 1 ? "" : "s", list) : "";
	if (count <= 1)
		return by;
	return arena_printf(arena, "%s times%s%s", text_count(arena, count), list ? ", " : "", by);
}

/* "gpu-a03, gpu-a05" */
static const char *hosts_of(struct arena *arena, const struct log_hit *hit)
{
	const char *text = "";
	size_t i;

	for (i = 0; i < hit->hosts.count; i++)
		text = arena_join(arena, text, *text ? ", " : "", hit->hosts.items[i]);
	return text;
}

/* What a hit is called: of several causes, those that may have others behind them come last. */
static const char *kind_of(const struct log_hit *hit)
{
	static const char *const kinds[] = { "cause", "possible cause", "follows" };

	return kinds[phrase_kind(hit->phrase)];
}

/* "tried 2.00 GiB, free 1.06 GiB": only an end's variable parts have names that tell something. */
static const char *values_of(struct arena *arena, const struct log_hit *hit)
{
	const char *text = "";
	size_t i;

	if (!hit->phrase->owners.items[0].end)
		return NULL;
	for (i = 0; i < hit->values.count; i++)
		if (strlen(hit->values.items[i].name) > 2)
			text = arena_printf(arena, "%s%s%s %s", text, *text ? "; " : "",
					    hit->values.items[i].name, hit->values.items[i].text);
	return text;
}

/* Where check finds the same, with its excerpt and edit. */
static void put_findings(const struct page *page, const struct rule_id *id)
{
	struct report report = { .arena = page->why->arena,
				 .count = 1,
				 .color = page->style->color,
				 .columns = page->style->columns,
				 .quiet = true };
	struct checked file = *page->why->config;
	const char *lacking = why_lacking(page->why, id);
	struct findings findings;

	why_findings(page->why, id, &findings);
	file.findings = &findings;
	if (findings.list.count) {
		put_remark(page, "config", "check finds it, too:");
		report_file(&report, format_find("text"), &file, page->out);
		return;
	}
	put_remark(
		page, "config",
		lacking ? arena_printf(page->why->arena,
				       "check cannot judge this rule in %s without %s", file.path,
				       lacking)
			: arena_printf(page->why->arena,
				       "check does not find it in %s: the job had other settings, "
				       "versions or ranks than that file says, or another cause",
				       file.path));
}

static void put_owner(const struct page *page, const struct phrase_owner *owner,
		      const struct finding *found)
{
	put_remark(page, "printed by", owner->saying->speaker);
	put_remark(page, "cause", owner->id->explanation);
	put_remark(page, owner->end ? "next" : "fix", owner->id->remedy);
	if (page->why->config && (!owner->end || found))
		put_findings(page, owner->end ? found->rule : owner->id);
}

static const char *title(struct arena *arena, const struct phrase_owner *owner)
{
	return arena_printf(arena, "%s [%s]", owner->id->summary, owner->id->name);
}

/* Whether check finds this one in the config. */
static bool finds(const struct why *why, const struct phrase_owner *owner)
{
	struct findings findings;

	why_findings(why, owner->id, &findings);
	return !owner->end && findings.list.count > 0;
}

/* The rule that check finds, where several are known by one text; NULL: it finds none of them. */
static const struct phrase_owner *found_owner(const struct why *why, const struct phrase *phrase)
{
	size_t i;

	for (i = 0; i < phrase->owners.count; i++)
		if (finds(why, &phrase->owners.items[i]))
			return &phrase->owners.items[i];
	return NULL;
}

/* A text that several rules are known by is told once, with each of them. */
static void put_hit(const struct page *page, const struct log_hit *hit)
{
	struct arena *arena = page->why->arena;
	const struct phrase *phrase = hit->phrase;
	const struct phrase_owner *owner = found_owner(page->why, phrase);
	const struct finding *found = why_confirms(page->why, hit);
	const bool follows = phrase_follows(phrase);
	size_t i;

	buf_char(page->out, '\n');
	put_headline(page, hit->path, hit->line, kind_of(hit), follows ? COLOR_NOTE : COLOR_ERROR,
		     title(arena, owner ? owner : &phrase->owners.items[0]));
	put_remark(page, "printed", hit->printed);
	put_remark(page, "seen", seen(arena, hit->count, &hit->ranks));
	put_remark(page, hit->hosts.count == 1 ? "host" : "hosts", hosts_of(arena, hit));
	put_remark(page, "values", values_of(arena, hit));
	if (follows && why_has_cause(page->why))
		return;
	if (owner)
		put_owner(page, owner, found);
	for (i = 0; !owner && i < phrase->owners.count; i++) {
		if (i)
			put_remark(page, "or", title(arena, &phrase->owners.items[i]));
		put_owner(page, &phrase->owners.items[i], found);
	}
}

/* What nobody knows is shown where no cause was found. */
static void put_exception(const struct page *page)
{
	const struct log_exception *last = &page->why->log->tracebacks.last;

	if (why_has_cause(page->why) || (!last->text && page->why->hang.culprits.count))
		return;
	buf_char(page->out, '\n');
	if (!last->text) {
		buf_text(page->out,
			 "No Python exception was found, either. Look at the lines before the "
			 "first error.\n");
		return;
	}
	put_headline(page, last->path, last->line, "last exception", COLOR_WARNING, last->text);
	put_remark(page, "seen", seen(page->why->arena, last->count, &last->ranks));
	put_remark(page, "next",
		   "no rule is known by this text; `parplan rules` lists what check can find, and "
		   "`parplan rules | grep -i WORD` those about a word of it");
}

/* "2 known texts in 214 lines", or that there is none. */
static void put_summary(const struct page *page)
{
	const struct joblog *log = page->why->log;
	const char *first = log->files.items[0].path;
	size_t i, lines = 0;

	for (i = 0; i < log->files.count; i++)
		lines += log->files.items[i].lines;
	style_put(page->style, page->out, COLOR_BOLD);
	if (log->files.count > 1)
		buf_printf(page->out, "%zu files: ", log->files.count);
	else
		buf_printf(page->out, "%s: ", first);
	style_put(page->style, page->out, COLOR_PLAIN);
	if (log->hits.count)
		buf_printf(page->out, "%zu known text%s in ", log->hits.count,
			   log->hits.count == 1 ? "" : "s");
	else
		buf_text(page->out, "no known text in ");
	buf_printf(page->out, "%s line%s%s\n", text_count(page->why->arena, (int64_t)lines),
		   lines == 1 ? "" : "s", log->hits.count > 1 ? ", the likeliest cause first" : "");
}

void why_text(const struct why *why, const struct style *style, struct buf *out)
{
	const struct page page = { why, style, out };
	size_t i;

	put_summary(&page);
	why_causes_text(why, style, out);
	hang_text(why->arena, &why->hang, style, out);
	for (i = 0; i < why->log->hits.count; i++)
		put_hit(&page, why->log->hits.items[i]);
	put_exception(&page);
}
