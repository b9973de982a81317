#include "report/findings/sarif.h"

#include "report/plain.h"
#include "report/findings/remarks.h"

#include <ctype.h>
#include <string.h>

size_t sarif_rule_index(struct sarif *sarif, const struct rule_id *rule)
{
	size_t i;

	for (i = 0; i < sarif->rules.count; i++)
		if (sarif->rules.items[i] == rule)
			return i;
	vec_push(sarif->report->arena, &sarif->rules, rule);
	return sarif->rules.count - 1;
}

void sarif_artifact(struct json_writer *json, const char *key, const char *path, bool file)
{
	const char *at;
	struct buf uri;

	buf_init(&uri);
	if (*path == '/')
		buf_text(&uri, "file://");
	for (at = path; *at; at++) {
		if (isalnum((unsigned char)*at) || strchr("/-._~", *at))
			buf_char(&uri, *at);
		else
			buf_printf(&uri, "%%%02X", (unsigned int)(unsigned char)*at);
	}
	json_object(json, key);
	json_string(json, "uri", uri.data);
	if (file && *path != '/')
		json_string(json, "uriBaseId", "%SRCROOT%");
	json_object_end(json);
	buf_release(&uri);
}

static void put_region(struct json_writer *json, const char *key, struct span span)
{
	json_object(json, key);
	json_int(json, "startLine", span.line);
	json_int(json, "startColumn", span.column);
	json_int(json, "endLine", span.end_line);
	json_int(json, "endColumn", span.end_column);
	json_object_end(json);
}

/*
 * "physicalLocation", and where the place is an option that as a logical location. Code scanning
 * wants a line for a result's main place: a file as a whole is shown at its first.
 */
static void put_location(struct json_writer *json, const struct spot *place, bool main)
{
	json_object(json, "physicalLocation");
	sarif_artifact(json, "artifactLocation", place->path, place->file);
	if (span_known(place->span)) {
		put_region(json, "region", place->span);
	} else if (main) {
		json_object(json, "region");
		json_int(json, "startLine", 1);
		json_object_end(json);
	}
	json_object_end(json);
	if (!place->elsewhere)
		return;
	json_array(json, "logicalLocations");
	json_object(json, NULL);
	json_string(json, "fullyQualifiedName", place->elsewhere);
	json_object_end(json);
	json_array_end(json);
}

static void put_message(struct json_writer *json, const char *text)
{
	json_object(json, "message");
	json_string(json, "text", text);
	json_object_end(json);
}

/* The text of a link: brackets and backslashes are escaped in it. */
static void put_link(struct buf *out, const char *text, size_t target)
{
	buf_char(out, '[');
	for (; *text; text++) {
		if (strchr("[]\\", *text))
			buf_char(out, '\\');
		buf_char(out, *text);
	}
	buf_printf(out, "](%zu)", target);
}

/* Text in which nothing may look like a link, "[a](1)". */
static void put_words(struct buf *out, const char *text)
{
	bool links = strstr(text, "](");

	for (; *text; text++) {
		if (links && *text == '[')
			buf_char(out, '\\');
		buf_char(out, *text);
	}
}

/* The sentence, then a line for each remark and each related place. */
static void put_text(struct sarif *sarif, struct arena *arena, const struct spot *place,
		     const struct finding *finding)
{
	struct remark remarks[REMARKS];
	size_t i, count = remarks_of(arena, finding, remarks);
	struct buf text;

	buf_init(&text);
	put_words(&text, spot_message(arena, place, finding));
	for (i = 0; i < count; i++) {
		buf_printf(&text, "\n%s: ", remarks[i].label);
		put_words(&text, remarks[i].text);
	}
	for (i = 0; i < finding->related.count; i++) {
		buf_text(&text, "\nsee: ");
		put_link(&text, plain_line(arena, finding->related.items[i].message), i + 1);
	}
	put_message(&sarif->json, plain_text(arena, text.data));
	buf_release(&text);
}

static void put_related(struct sarif *sarif, const struct checked *file,
			const struct finding *finding)
{
	struct json_writer *json = &sarif->json;
	size_t i;

	if (!finding->related.count)
		return;
	json_array(json, "relatedLocations");
	for (i = 0; i < finding->related.count; i++) {
		const struct related *related = &finding->related.items[i];
		const struct spot place = spot_of(file, related->span);
		json_object(json, NULL);
		json_int(json, "id", (int64_t)i + 1);
		put_location(json, &place, false);
		put_message(json, related->message);
		json_object_end(json);
	}
	json_array_end(json);
}

static void put_step(struct json_writer *json, const struct spot *place, const char *message)
{
	json_object(json, NULL);
	json_object(json, "location");
	put_location(json, place, false);
	put_message(json, message);
	json_object_end(json);
	json_object_end(json);
}

/* The related places in a row, and the finding at its end: viewers let people step along it. */
static void put_flow(struct sarif *sarif, const struct checked *file, const struct spot *place,
		     const struct finding *finding)
{
	struct json_writer *json = &sarif->json;
	size_t i;

	if (!finding->related.count || !span_known(place->span))
		return;
	json_array(json, "codeFlows");
	json_object(json, NULL);
	json_array(json, "threadFlows");
	json_object(json, NULL);
	json_array(json, "locations");
	for (i = 0; i < finding->related.count; i++) {
		const struct related *related = &finding->related.items[i];
		const struct spot step = spot_of(file, related->span);
		put_step(json, &step, related->message);
	}
	put_step(json, place, finding->message);
	json_array_end(json);
	json_object_end(json);
	json_array_end(json);
	json_object_end(json);
	json_array_end(json);
}

static void put_replacement(struct json_writer *json, const struct edit *edit)
{
	json_object(json, NULL);
	put_region(json, "deletedRegion", edit->span);
	json_object(json, "insertedContent");
	json_string(json, "text", edit->text);
	json_object_end(json);
	json_object_end(json);
}

/* True when all edits are of one file that can be edited. */
static bool can_fix(const struct checked *file, const struct finding *finding)
{
	size_t i;

	for (i = 0; i < finding->edits.count; i++) {
		const struct span span = finding->edits.items[i].span;
		const struct spot place = spot_of(file, span);
		if (!span_known(place.span) || !place.file ||
		    span.source != finding->edits.items[0].span.source)
			return false;
	}
	return finding->edits.count;
}

static void put_fix(struct sarif *sarif, const struct checked *file, const struct finding *finding)
{
	struct json_writer *json = &sarif->json;
	struct spot place;
	size_t i;

	if (!can_fix(file, finding))
		return;
	place = spot_of(file, finding->edits.items[0].span);
	json_array(json, "fixes");
	json_object(json, NULL);
	json_object(json, "description");
	json_string(json, "text", finding->fix ? finding->fix : finding->rule->remedy);
	json_object_end(json);
	json_array(json, "artifactChanges");
	json_object(json, NULL);
	sarif_artifact(json, "artifactLocation", place.path, place.file);
	json_array(json, "replacements");
	for (i = 0; i < finding->edits.count; i++)
		put_replacement(json, &finding->edits.items[i]);
	json_array_end(json);
	json_object_end(json);
	json_array_end(json);
	json_object_end(json);
	json_array_end(json);
}

static void put_fingerprints(struct sarif *sarif, const struct checked *file,
			     struct line_hashes *hashes, const struct spot *place,
			     const struct finding *finding)
{
	struct json_writer *json = &sarif->json;
	bool known = span_known(place->span);
	const struct source *source = known ? place->span.source : file->job->document.source;
	const char *line = NULL;

	if (place->file)
		line = line_hash(hashes, source, known ? place->span.line : 1);
	json_object(json, "partialFingerprints");
	if (line)
		json_string(json, "primaryLocationLineHash", line);
	json_string(json, "parplan/v1",
		    fingerprints_name(&sarif->fingerprints, file, place, finding));
	json_object_end(json);
}

/* Once one result of a run says whether it was suppressed, all must. */
static void put_suppressions(struct sarif *sarif, const struct finding *finding)
{
	static const char *const kinds[] = {
		[SILENCED_BY_COMMENT] = "inSource",
		[SILENCED_BY_OPTION] = "external",
	};
	struct json_writer *json = &sarif->json;

	if (!sarif->report->silenced)
		return;
	json_array(json, "suppressions");
	if (finding->silence) {
		json_object(json, NULL);
		json_string(json, "kind", kinds[finding->silence]);
		json_object_end(json);
	}
	json_array_end(json);
}

void sarif_result(struct sarif *sarif, const struct checked *file, struct line_hashes *hashes,
		  const struct finding *finding)
{
	const struct spot place = spot_of(file, finding->span);
	struct json_writer *json = &sarif->json;

	json_object(json, NULL);
	json_string(json, "ruleId", finding->rule->name);
	json_int(json, "ruleIndex", (int64_t)sarif_rule_index(sarif, finding->rule));
	json_string(json, "level", severity_name(finding->severity));
	put_text(sarif, file->job->arena, &place, finding);
	json_array(json, "locations");
	json_object(json, NULL);
	put_location(json, &place, true);
	json_object_end(json);
	json_array_end(json);
	put_related(sarif, file, finding);
	put_flow(sarif, file, &place, finding);
	put_fix(sarif, file, finding);
	put_fingerprints(sarif, file, hashes, &place, finding);
	put_suppressions(sarif, finding);
	json_object_end(json);
}
