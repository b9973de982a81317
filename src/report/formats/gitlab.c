#include "base/json.h"
#include "report/findings/fingerprints.h"
#include "report/plain.h"

/* What the merge request shows: https://docs.gitlab.com/ci/testing/code_quality/ */
struct gitlab {
	struct json_writer json;
	struct fingerprints fingerprints;
};

/* An error is no "blocker": that is for a finding that nobody may overrule. */
static const char *const severities[] = {
	[SEVERITY_NOTE] = "info",
	[SEVERITY_WARNING] = "minor",
	[SEVERITY_ERROR] = "major",
};

static void begin(struct report *report, struct buf *out)
{
	struct gitlab *gitlab = arena_new(report->arena, struct gitlab);

	report->state = gitlab;
	gitlab->fingerprints.arena = report->arena;
	json_begin(&gitlab->json, out);
	json_array(&gitlab->json, NULL);
}

static void put_location(struct json_writer *json, const struct spot *place)
{
	bool known = span_known(place->span);

	json_object(json, "location");
	json_string(json, "path", place->path);
	json_object(json, "lines");
	json_int(json, "begin", known ? place->span.line : 1);
	json_int(json, "end", known ? place->span.end_line : 1);
	json_object_end(json);
	json_object_end(json);
}

static void put_finding(const struct report *report, const struct checked *file,
			const struct finding *finding)
{
	const struct spot place = spot_of(file, finding->span);
	struct gitlab *gitlab = report->state;
	struct arena *arena = file->job->arena;
	struct json_writer *json = &gitlab->json;
	const char *message = plain_line(arena, spot_message(arena, &place, finding));

	json_object(json, NULL);
	json_string(json, "type", "issue");
	json_string(json, "check_name", finding->rule->name);
	json_string(json, "description",
		    arena_printf(arena, "%s: %s", finding->rule->name, message));
	json_string(json, "severity", severities[finding->severity]);
	json_string(json, "fingerprint",
		    fingerprints_name(&gitlab->fingerprints, file, &place, finding));
	put_location(json, &place);
	json_object_end(json);
}

/* How much of the file was judged, where that is not all. */
static void put_judged(const struct report *report, const struct checked *file)
{
	static const struct rule_id rule = { .name = "judged" };
	const struct spot place = spot_of(file, (struct span) { 0 });
	struct gitlab *gitlab = report->state;
	const char *remark = judged_remark(file);
	const struct finding finding = { .rule = &rule, .message = "" };

	if (!*remark)
		return;
	json_object(&gitlab->json, NULL);
	json_string(&gitlab->json, "type", "issue");
	json_string(&gitlab->json, "check_name", rule.name);
	json_string(&gitlab->json, "description", plain_line(file->job->arena, remark));
	json_string(&gitlab->json, "severity", severities[judged_severity(report)]);
	json_string(&gitlab->json, "fingerprint",
		    fingerprints_name(&gitlab->fingerprints, file, &place, &finding));
	put_location(&gitlab->json, &place);
	json_object_end(&gitlab->json);
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
	struct gitlab *gitlab = report->state;

	json_array_end(&gitlab->json);
	buf_char(out, '\n');
}

const struct format format_gitlab = {
	.name = "gitlab",
	.summary = "a code quality report, for merge requests",
	.begin = begin,
	.file = add_file,
	.end = end,
};
