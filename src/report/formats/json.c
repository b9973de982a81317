#include "base/json.h"
#include "base/text.h"
#include "report/report.h"

/* Members "line" to "end_column"; null when there is no place. */
static void put_span(struct json_writer *json, struct span span)
{
	if (!span_known(span)) {
		json_null(json, "span");
		return;
	}
	json_object(json, "span");
	json_int(json, "line", span.line);
	json_int(json, "column", span.column);
	json_int(json, "end_line", span.end_line);
	json_int(json, "end_column", span.end_column);
	json_object_end(json);
}

static const char *path_of(struct span span, const char *otherwise)
{
	return span_known(span) ? span.source->path : otherwise;
}

static void put_related(struct json_writer *json, const struct checked *file,
			const struct finding *finding)
{
	size_t i;

	json_array(json, "related");
	for (i = 0; i < finding->related.count; i++) {
		const struct related *related = &finding->related.items[i];

		json_object(json, NULL);
		json_string(json, "message", related->message);
		json_string(json, "path", path_of(related->span, file->path));
		put_span(json, related->span);
		json_object_end(json);
	}
	json_array_end(json);
}

static void put_fix(struct json_writer *json, const struct finding *finding)
{
	size_t i;

	json_object(json, "fix");
	json_string(json, "description", finding->fix ? finding->fix : finding->rule->remedy);
	json_array(json, "edits");
	for (i = 0; i < finding->edits.count; i++) {
		json_object(json, NULL);
		put_span(json, finding->edits.items[i].span);
		json_string(json, "text", finding->edits.items[i].text);
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
}

/* Where to read on: the source when it is a page, else the command that explains the rule. */
static void put_help(struct json_writer *json, const struct rule_id *rule)
{
	struct buf text;

	if (text_starts(rule->source, "https://")) {
		json_string(json, "help", rule->source);
		return;
	}
	buf_init(&text);
	buf_printf(&text, "parplan explain %s", rule->name);
	json_string(json, "help", text.data);
	buf_release(&text);
}

static void put_finding(struct json_writer *json, const struct checked *file,
			const struct finding *finding)
{
	json_object(json, NULL);
	json_string(json, "rule", finding->rule->name);
	json_string(json, "code", finding->rule->code);
	json_string(json, "severity", severity_name(finding->severity));
	json_string(json, "message", finding->message);
	json_string(json, "path", path_of(finding->span, file->path));
	put_span(json, finding->span);
	put_related(json, file, finding);
	json_string(json, "requested", finding->requested);
	json_string(json, "actual", finding->actual);
	json_string(json, "consequence", finding->consequence);
	json_string(json, "quote", finding->quote);
	put_fix(json, finding);
	put_help(json, finding->rule);
	json_object_end(json);
}

static const char *version_origin_name(enum version_origin origin)
{
	static const char *const names[] = { "pinned", "inferred", "companion" };

	return names[origin];
}

static void put_framework(struct json_writer *json, const struct job *job)
{
	size_t i;

	json_array(json, "framework");
	for (i = 0; i < job->versions.list.count; i++) {
		const struct version *version = &job->versions.list.items[i];

		json_object(json, NULL);
		json_string(json, "name", version->framework);
		json_string(json, "version", version->label);
		json_string(json, "origin", version_origin_name(version->origin));
		json_object_end(json);
	}
	json_array_end(json);
}

static void put_file(struct json_writer *json, const struct checked *file)
{
	const struct job *job = file->job;
	size_t i;

	json_object(json, NULL);
	json_string(json, "path", file->path);
	json_string(json, "dialect", job->document.dialect ? job->document.dialect->name : NULL);
	put_framework(json, job);
	if (job->world)
		json_int(json, "world_size", job->world);
	else
		json_null(json, "world_size");
	json_string(json, "model", job->model ? job->model->name : NULL);
	json_array(json, "findings");
	for (i = 0; i < file->findings->list.count; i++)
		put_finding(json, file, file->findings->list.items[i]);
	json_array_end(json);
	json_object_end(json);
}

static void begin(struct report *report, struct buf *out)
{
	struct json_writer *json = arena_new(report->arena, struct json_writer);

	report->state = json;
	json_begin(json, out);
	json_object(json, NULL);
	json_string(json, "schema", "parplan.check/1");
	json_array(json, "files");
}

static void add_file(struct report *report, const struct checked *file, struct buf *out)
{
	(void)out;
	put_file(report->state, file);
}

static void put_summary(struct json_writer *json, const struct report *report)
{
	size_t i;

	json_object(json, "summary");
	json_int(json, "errors", (int64_t)report->totals.errors);
	json_int(json, "warnings", (int64_t)report->totals.warnings);
	json_int(json, "notes", (int64_t)report->totals.notes);
	json_array(json, "skipped");
	for (i = 0; i < report->left_out.count; i++) {
		const struct left_out *left_out = &report->left_out.items[i];

		json_object(json, NULL);
		json_string(json, "path", left_out->path);
		json_string(json, "rule", left_out->rule->name);
		json_string(json, "needs", left_out->needs);
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
}

static void end(struct report *report, struct buf *out)
{
	struct json_writer *json = report->state;

	json_array_end(json);
	put_summary(json, report);
	json_object_end(json);
	buf_char(out, '\n');
}

const struct format format_json = {
	.name = "json",
	.summary = "parplan.check/1, for programs",
	.begin = begin,
	.file = add_file,
	.end = end,
};
