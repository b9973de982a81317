#include "base/json.h"
#include "report/diff/diff.h"
#include "report/version_json.h"

#include <string.h>

static void put_span(struct json_writer *json, const char *key, struct span span)
{
	if (!span_known(span)) {
		json_null(json, key);
		return;
	}
	json_object(json, key);
	json_string(json, "path", span.source->path);
	json_int(json, "line", span.line);
	json_int(json, "column", span.column);
	json_int(json, "end_line", span.end_line);
	json_int(json, "end_column", span.end_column);
	json_object_end(json);
}

static void put_side(struct json_writer *json, const struct diff *diff, int side)
{
	const struct job *job = diff->sides[side].job;

	json_object(json, side ? "after" : "before");
	json_string(json, "path", diff->paths[side]);
	json_string(json, "dialect", job->document.dialect->name);
	versions_json(json, &job->versions);
	if (job->world)
		json_int(json, "world_size", job->world);
	else
		json_null(json, "world_size");
	json_string(json, "model", job->model ? job->model->name : NULL);
	json_object_end(json);
}

/* Members that only one kind of change has. */
static void put_more(struct json_writer *json, const struct change *change)
{
	switch (change->kind) {
	case CHANGE_SETTING:
		json_string(json, "field", change->field);
		return;
	case CHANGE_PLACEMENT:
		json_string(json, "before_local", change->before_local);
		json_string(json, "after_local", change->after_local);
		return;
	case CHANGE_FINDING:
		json_string(json, "severity", severity_name(change->severity));
		put_span(json, "before_span", change->before_span);
		put_span(json, "after_span", change->after_span);
		json_string(json, "before_quote", change->before_quote);
		json_string(json, "after_quote", change->after_quote);
		return;
	default:
		return;
	}
}

static void put_changes(struct json_writer *json, const struct changes *changes)
{
	size_t i;

	json_array(json, "changes");
	for (i = 0; i < changes->list.count; i++) {
		const struct change *change = &changes->list.items[i];
		json_object(json, NULL);
		json_string(json, "kind", change_kind_name(change->kind));
		json_string(json, "subject", change->subject);
		json_string(json, "before", change->before);
		json_string(json, "after", change->after);
		json_int(json, "count", change->count);
		put_more(json, change);
		json_object_end(json);
	}
	json_array_end(json);
}

static void put_epoch(struct json_writer *json, const struct diff *diff, const struct epoch *epoch)
{
	const char *day = diff_day(diff->arena, epoch->point);

	json_object(json, NULL);
	json_string(json, "framework", epoch->point->framework);
	json_string(json, "version", epoch->point->version);
	json_string(json, "date", *day ? day : NULL);
	json_string(json, "what", epoch->point->what);
	json_string(json, "line", changes_line(&epoch->changes));
	put_changes(json, &epoch->changes);
	json_object_end(json);
}

static void put_range(struct json_writer *json, const struct diff *diff)
{
	size_t i;

	if (!diff->epochs) {
		json_null(json, "range");
		return;
	}
	json_object(json, "range");
	json_string(json, "framework", diff->framework);
	json_array(json, "epochs");
	for (i = 0; i < diff->epochs->list.count; i++)
		put_epoch(json, diff, &diff->epochs->list.items[i]);
	json_array_end(json);
	json_int(json, "quiet", (int64_t)diff->epochs->quiet);
	json_object_end(json);
}

void diff_json_member(const struct diff *diff, struct json_writer *json, const char *key)
{
	size_t i;

	json_object(json, key);
	json_string(json, "schema", "parplan.diff/1");
	json_bool(json, "same", !diff_any(diff));
	put_side(json, diff, 0);
	put_side(json, diff, 1);
	put_changes(json, &diff->changes);
	json_int(json, "same_findings", (int64_t)diff->changes.same_findings);
	json_array(json, "limits");
	for (i = 0; i < diff->changes.limits.count; i++)
		json_string(json, NULL, diff->changes.limits.items[i]);
	json_array_end(json);
	put_range(json, diff);
	json_object_end(json);
}

void diff_json(const struct diff *diff, const struct style *style, struct buf *out)
{
	struct json_writer json;

	(void)style;
	json_begin(&json, out);
	diff_json_member(diff, &json, NULL);
	buf_char(out, '\n');
}
