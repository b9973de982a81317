#include "base/json.h"
#include "report/findings/json.h"
#include "report/report.h"
#include "report/version_json.h"

static void put_file(struct json_writer *json, const struct checked *file)
{
	const struct job *job = file->job;
	const struct judged judged = judged_of(file->job);
	size_t i;

	json_object(json, NULL);
	json_string(json, "path", file->path);
	json_string(json, "dialect", job->document.dialect ? job->document.dialect->name : NULL);
	versions_json(json, &job->versions);
	if (job->world)
		json_int(json, "world_size", job->world);
	else
		json_null(json, "world_size");
	json_string(json, "model", job->model ? job->model->name : NULL);
	judged_json(json, &judged);
	json_array(json, "findings");
	for (i = 0; i < file->findings->list.count; i++)
		finding_json(json, file->path, file->findings->list.items[i]);
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
	judged_json(json, &report->judged);
	json_array(json, "skipped");
	for (i = 0; i < report->left_out.count; i++) {
		const struct left_out *left_out = &report->left_out.items[i];

		json_object(json, NULL);
		json_string(json, "path", left_out->path);
		json_string(json, "rule", left_out->rule->name);
		json_string(json, "needs", left_out->needs);
		json_bool(json, "optional", left_out->optional);
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
}

static void end(struct report *report, struct buf *out)
{
	struct json_writer *json = report->state;

	json_array_end(json);
	passed_over_json(json, &report->passed_over);
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
