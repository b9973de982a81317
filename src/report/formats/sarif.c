#include "report/findings/sarif.h"

#include <string.h>

static void begin(struct report *report, struct buf *out)
{
	struct sarif *sarif = arena_new(report->arena, struct sarif);

	report->state = sarif;
	sarif->report = report;
	sarif->fingerprints.arena = report->arena;
	sarif_open(&sarif->json, out);
}

static void add_file(struct report *report, const struct checked *file, struct buf *out)
{
	struct line_hashes hashes = { .arena = file->job->arena };
	const struct findings *findings = file->findings;
	const struct spot whole = spot_of(file, (struct span) { 0 });
	struct sarif *sarif = report->state;
	size_t i;

	(void)out;
	for (i = 0; i < findings->list.count; i++)
		sarif_result(sarif, file, &hashes, findings->list.items[i]);
	for (i = 0; report->silenced && i < findings->silenced.count; i++)
		sarif_result(sarif, file, &hashes, findings->silenced.items[i]);
	vec_push(report->arena, &sarif->paths,
		 whole.file ? arena_strdup(report->arena, whole.path) : NULL);
}

static void put_artifacts(struct sarif *sarif)
{
	struct json_writer *json = &sarif->json;
	size_t i;

	json_array(json, "artifacts");
	for (i = 0; i < sarif->paths.count; i++) {
		if (!sarif->paths.items[i])
			continue;
		json_object(json, NULL);
		sarif_artifact(json, "location", sarif->paths.items[i], true);
		json_array(json, "roles");
		json_string(json, NULL, "analysisTarget");
		json_array_end(json);
		json_object_end(json);
	}
	json_array_end(json);
}

/* The members "level", "message" and "locations" of a notification. */
static void put_notice(struct sarif *sarif, const char *level, const char *text, const char *path)
{
	struct json_writer *json = &sarif->json;
	struct arena *arena = sarif->report->arena;
	bool file = *path != '<';

	json_string(json, "level", level);
	json_object(json, "message");
	json_string(json, "text", text);
	json_object_end(json);
	json_array(json, "locations");
	json_object(json, NULL);
	json_object(json, "physicalLocation");
	sarif_artifact(json, "artifactLocation", file ? spot_path(arena, path) : path, file);
	json_object_end(json);
	json_object_end(json);
	json_array_end(json);
}

static void put_left_out(struct sarif *sarif, const struct left_out *left_out)
{
	struct json_writer *json = &sarif->json;
	const char *text = arena_printf(sarif->report->arena, "%s is not judged: it needs %s",
					left_out->rule->name, left_out->needs);

	json_object(json, NULL);
	json_object(json, "associatedRule");
	json_string(json, "id", left_out->rule->name);
	json_int(json, "index", (int64_t)sarif_rule_index(sarif, left_out->rule));
	json_object_end(json);
	put_notice(sarif, "note", text, left_out->path);
	json_object_end(json);
}

/* What was not judged, and which files could not be read. */
static void put_invocation(struct sarif *sarif)
{
	const struct report *report = sarif->report;
	struct json_writer *json = &sarif->json;
	size_t i;

	json_array(json, "invocations");
	json_object(json, NULL);
	json_bool(json, "executionSuccessful", !report->unread.count);
	json_array(json, "toolExecutionNotifications");
	for (i = 0; i < report->unread.count; i++) {
		const struct unread *unread = &report->unread.items[i];
		json_object(json, NULL);
		put_notice(sarif, "error", unread->error, unread->path);
		json_object_end(json);
	}
	for (i = 0; i < report->left_out.count; i++)
		if (!report->left_out.items[i].optional)
			put_left_out(sarif, &report->left_out.items[i]);
	json_array_end(json);
	json_object(json, "properties");
	json_string(json, "judged", judged_name(report->judged.status));
	json_int(json, "rulesUndecided", (int64_t)report->judged.undecided);
	json_object_end(json);
	json_object_end(json);
	json_array_end(json);
}

static void end(struct report *report, struct buf *out)
{
	struct sarif *sarif = report->state;

	(void)out;
	json_array_end(&sarif->json);
	put_artifacts(sarif);
	put_invocation(sarif);
	sarif_tool(&sarif->json, report->version, sarif->rules.items, sarif->rules.count);
	sarif_close(&sarif->json);
}

const struct format format_sarif = {
	.name = "sarif",
	.summary = "SARIF 2.1.0, for code scanning and editors",
	.begin = begin,
	.file = add_file,
	.end = end,
};
