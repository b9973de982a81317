#include "base/json.h"
#include "report/findings/json.h"
#include "report/pull/pull.h"

/* A number that is not known is null. */
static void put_count(struct json_writer *json, const char *key, int64_t count)
{
	if (count > 0)
		json_int(json, key, count);
	else
		json_null(json, key);
}

static void put_groups(struct json_writer *json, const struct outlook *outlook)
{
	int axis;

	json_array(json, "groups");
	for (axis = 0; axis < OUTLOOK_AXES; axis++) {
		const struct outlook_group *group = &outlook->groups[axis];
		if (!group->size)
			continue;
		json_object(json, NULL);
		json_string(json, "name", outlook_axis_name((enum outlook_axis)axis));
		json_int(json, "size", group->size);
		json_int(json, "count", group->groups);
		json_string(json, "ranks", group->text);
		if (group->received > 0)
			json_double(json, "received_bytes_per_step", group->received);
		else
			json_null(json, "received_bytes_per_step");
		json_object_end(json);
	}
	json_array_end(json);
}

static void put_range(struct json_writer *json, const char *key, double value, double low,
		      double high)
{
	json_object(json, key);
	json_double(json, "value", value);
	json_double(json, "low", low);
	json_double(json, "high", high);
	json_object_end(json);
}

static void put_forecast(struct json_writer *json, const struct outlook *outlook)
{
	json_string(json, "missing", outlook->missing);
	if (!outlook->forecast) {
		json_null(json, "memory_bytes");
		json_null(json, "capacity_bytes");
		json_null(json, "fits");
		json_null(json, "step_seconds");
		return;
	}
	put_range(json, "memory_bytes", outlook->memory, outlook->memory_low, outlook->memory_high);
	json_double(json, "capacity_bytes", outlook->capacity);
	json_string(json, "fits", outlook->fits);
	put_range(json, "step_seconds", outlook->step, outlook->step_low, outlook->step_high);
}

static void put_outlook(struct json_writer *json, const char *key, const struct outlook *outlook)
{
	if (!outlook) {
		json_null(json, key);
		return;
	}
	json_object(json, key);
	json_string(json, "error", outlook->error);
	put_count(json, "world_size", outlook->world);
	json_string(json, "strategy", outlook->strategy);
	put_groups(json, outlook);
	put_count(json, "global_batch", outlook->batch);
	put_count(json, "tokens_per_step", outlook->tokens);
	put_forecast(json, outlook);
	json_object_end(json);
}

static void put_components(struct json_writer *json, const struct resume *resume)
{
	const struct obstacle *obstacle;
	int i;

	json_array(json, "components");
	for (i = 0; resume && i < COMPONENTS; i++) {
		obstacle = resume_obstacle(resume, (enum component)i);
		json_object(json, NULL);
		json_string(json, "name", component_name((enum component)i));
		json_string(json, "fate", fate_name(resume->fates[i]));
		json_string(json, "what", obstacle ? obstacle->what : NULL);
		json_string(json, "error", obstacle ? obstacle->error : NULL);
		json_string(json, "way", obstacle ? obstacle->way : NULL);
		json_object_end(json);
	}
	json_array_end(json);
}

static void put_handover(struct json_writer *json, const struct handover *handover)
{
	if (!handover) {
		json_null(json, "checkpoint");
		return;
	}
	json_object(json, "checkpoint");
	json_string(json, "verdict", handover_verdict(handover));
	json_string(json, "why_not", handover->why_not);
	put_components(json, handover->resume);
	json_object_end(json);
}

/* Of the file as it is now. */
static void put_judged(struct json_writer *json, const struct pull_file *file)
{
	struct judged judged;

	if (!file->fresh.job) {
		json_null(json, "judged");
		return;
	}
	judged = judged_of(file->fresh.job);
	judged_json(json, &judged);
}

static void put_file(struct json_writer *json, const struct pull_file *file)
{
	size_t i, count = file->fresh.job ? file->fresh.findings->list.count : 0;

	json_object(json, NULL);
	json_string(json, "path", file->path);
	json_string(json, "old_path", file->old_path);
	json_string(json, "status", file_status_name(file->status));
	put_judged(json, file);
	json_array(json, "findings");
	for (i = 0; i < count; i++)
		finding_json(json, file->path, file->fresh.findings->list.items[i]);
	json_array_end(json);
	json_int(json, "same_findings", (int64_t)file->same);
	json_int(json, "known_findings", (int64_t)file->known);
	put_outlook(json, "before", file->before);
	put_outlook(json, "after", file->after);
	put_handover(json, file->handover);
	if (file->diff)
		diff_json_member(file->diff, json, "diff");
	else
		json_null(json, "diff");
	json_object_end(json);
}

static void put_summary(struct json_writer *json, const struct pull *pull)
{
	const struct totals *totals = &pull->totals;

	json_object(json, "summary");
	judged_json(json, &pull->judged);
	json_int(json, "errors", (int64_t)totals->errors);
	json_int(json, "warnings", (int64_t)totals->warnings);
	json_int(json, "notes", (int64_t)totals->notes);
	json_object_end(json);
}

void pull_json(const struct pull *pull, const struct style *style, struct buf *out)
{
	struct json_writer json;
	size_t i;

	(void)style;
	json_begin(&json, out);
	json_object(&json, NULL);
	json_string(&json, "schema", "parplan.ci/1");
	json_string(&json, "base", pull->ref);
	json_string(&json, "commit", pull->commit);
	json_array(&json, "files");
	for (i = 0; i < pull->files.count; i++)
		put_file(&json, &pull->files.items[i]);
	json_array_end(&json);
	passed_over_json(&json, &pull->passed_over);
	put_summary(&json, pull);
	json_object_end(&json);
	buf_char(out, '\n');
}
