#include "base/json.h"
#include "report/findings/headline.h"
#include "report/findings/remarks.h"

#include "base/text.h"

#include <string.h>

/*
 * Diagnostics for reviewdog, whose columns count bytes of UTF-8 from 1 and whose ends are
 * exclusive. Source: proto/rdf/reviewdog.proto of reviewdog/reviewdog.
 */
static const char *const severities[] = {
	[SEVERITY_NOTE] = "INFO",
	[SEVERITY_WARNING] = "WARNING",
	[SEVERITY_ERROR] = "ERROR",
};

static void put_position(struct json_writer *json, const char *key, const struct source *source,
			 uint32_t line, uint32_t column)
{
	json_object(json, key);
	json_int(json, "line", line);
	json_int(json, "column", (int64_t)spot_byte_column(source, line, column));
	json_object_end(json);
}

static void put_range(struct json_writer *json, struct span span)
{
	json_object(json, "range");
	put_position(json, "start", span.source, span.line, span.column);
	put_position(json, "end", span.source, span.end_line, span.end_column);
	json_object_end(json);
}

static void put_location(struct json_writer *json, const struct spot *place)
{
	json_object(json, "location");
	json_string(json, "path", place->path);
	if (span_known(place->span))
		put_range(json, place->span);
	json_object_end(json);
}

static void put_related(const struct report *report, const struct checked *file,
			const struct finding *finding)
{
	struct json_writer *json = report->state;
	size_t i;

	json_array(json, "related_locations");
	for (i = 0; i < finding->related.count; i++) {
		const struct related *related = &finding->related.items[i];
		const struct spot place = spot_of(file, related->span);
		json_object(json, NULL);
		json_string(json, "message", related->message);
		put_location(json, &place);
		json_object_end(json);
	}
	json_array_end(json);
}

/* The place of the last edit that begins after `from` and before all others; NULL: none is left. */
static const struct edit *next_edit(const struct finding *finding, const struct edit *last)
{
	const struct edit *next = NULL;
	size_t i;

	for (i = 0; i < finding->edits.count; i++) {
		const struct edit *edit = &finding->edits.items[i];
		if (last && (edit == last || span_compare(edit->span, last->span) <= 0))
			continue;
		if (!next || span_compare(edit->span, next->span) < 0)
			next = edit;
	}
	return next;
}

/*
 * All edits of a finding as one: from the start of the first to the end of the last, with the text
 * between them kept. Each suggestion of a diagnostic can be taken alone, and half a fix is none.
 * False when they do not stand in one file, one behind the other.
 */
static bool joined(struct arena *arena, const struct finding *finding, struct edit *whole)
{
	const struct edit *edit = next_edit(finding, NULL);
	size_t end = 0, count = 0;
	struct buf text;
	bool sound = edit;

	if (!edit)
		return false;
	buf_init(&text);
	*whole = *edit;
	for (; edit && sound; edit = next_edit(finding, edit), count++) {
		const struct source *source = edit->span.source;
		size_t start = source_offset(source, edit->span.line, edit->span.column);
		sound = source == whole->span.source && (!count || start >= end);
		if (sound && count)
			buf_bytes(&text, source->text + end, start - end);
		buf_text(&text, edit->text);
		end = source_offset(source, edit->span.end_line, edit->span.end_column);
		whole->span.end_line = edit->span.end_line;
		whole->span.end_column = edit->span.end_column;
	}
	whole->text = arena_strdup(arena, text.data);
	buf_release(&text);
	return sound && count == finding->edits.count;
}

static void put_suggestions(const struct report *report, const struct checked *file,
			    const struct finding *finding)
{
	struct json_writer *json = report->state;
	struct spot place;
	struct edit whole;

	json_array(json, "suggestions");
	if (joined(file->job->arena, finding, &whole)) {
		place = spot_of(file, whole.span);
		if (place.file && span_known(place.span)) {
			json_object(json, NULL);
			put_range(json, whole.span);
			json_string(json, "text", whole.text);
			json_object_end(json);
		}
	}
	json_array_end(json);
}

static const char *full_message(struct arena *arena, const struct spot *place,
				const struct finding *finding)
{
	struct remark remarks[REMARKS];
	size_t i, count = remarks_of(arena, finding, remarks);
	const char *text = spot_message(arena, place, finding);

	for (i = 0; i < count; i++)
		text = arena_printf(arena, "%s\n%s: %s", text, remarks[i].label, remarks[i].text);
	return plain_text(arena, text);
}

static void put_code(struct json_writer *json, const struct rule_id *rule)
{
	json_object(json, "code");
	json_string(json, "value", rule->name);
	if (text_starts(rule->source, "https://") && !strchr(rule->source, ' '))
		json_string(json, "url", rule->source);
	json_object_end(json);
}

static void put_finding(const struct report *report, const struct checked *file,
			const struct finding *finding)
{
	const struct spot place = spot_of(file, finding->span);
	struct json_writer *json = report->state;

	json_object(json, NULL);
	json_string(json, "message", full_message(file->job->arena, &place, finding));
	put_location(json, &place);
	json_string(json, "severity", severities[finding->severity]);
	put_code(json, finding->rule);
	put_suggestions(report, file, finding);
	put_related(report, file, finding);
	json_object_end(json);
}

/* How much of the file was judged, where that is not all. */
static void put_judged(const struct report *report, const struct checked *file)
{
	const struct spot place = spot_of(file, (struct span) { 0 });
	struct json_writer *json = report->state;
	const char *remark = judged_remark(file);

	if (!*remark)
		return;
	json_object(json, NULL);
	json_string(json, "message", plain_text(file->job->arena, remark));
	put_location(json, &place);
	json_string(json, "severity", severities[judged_severity(report)]);
	json_object(json, "code");
	json_string(json, "value", "judged");
	json_object_end(json);
	json_object_end(json);
}

static void begin(struct report *report, struct buf *out)
{
	struct json_writer *json = arena_new(report->arena, struct json_writer);

	report->state = json;
	json_begin(json, out);
	json_object(json, NULL);
	json_object(json, "source");
	json_string(json, "name", "parplan");
	json_object_end(json);
	json_array(json, "diagnostics");
}

static void add_file(struct report *report, const struct checked *file, struct buf *out)
{
	size_t i;

	(void)out;
	put_judged(report, file);
	for (i = 0; i < file->findings->list.count; i++)
		put_finding(report, file, file->findings->list.items[i]);
}

static void end(struct report *report, struct buf *out)
{
	struct json_writer *json = report->state;

	json_array_end(json);
	json_object_end(json);
	buf_char(out, '\n');
}

const struct format format_rdjson = {
	.name = "rdjson",
	.summary = "diagnostics with suggestions, for reviewdog",
	.begin = begin,
	.file = add_file,
	.end = end,
};
