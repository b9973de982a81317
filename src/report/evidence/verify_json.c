#include "report/evidence/measured.h"
#include "report/evidence/verify.h"

/* A path, or null where nothing was read. */
static void write_item(const struct observed *observed, const struct evidence_item *item,
		       struct json_writer *json)
{
	const struct capture *capture = observed->capture;
	int32_t file = item->witness.file;
	bool known = file >= 0 && (size_t)file < capture->files.count;

	json_object(json, NULL);
	json_string(json, "file", known ? capture->files.items[file].path : NULL);
	json_int(json, "record", item->witness.record);
	json_string(json, "what", item->what);
	json_object_end(json);
}

void report_effective(const struct observed *observed, struct json_writer *json)
{
	int role;

	json_object(json, "effective");
	for (role = 0; role < ROLES; role++) {
		int64_t degree = observed_degree(observed, (enum role)role);
		if (role == ROLE_EP && !degree)
			continue;
		if (degree)
			json_int(json, role_name((enum role)role), degree);
		else
			json_null(json, role_name((enum role)role));
	}
	json_object_end(json);
}

static void write_axis(const struct observed *observed, const struct axis_verdict *axis,
		       struct json_writer *json)
{
	size_t i;

	json_object(json, NULL);
	json_string(json, "axis", role_name(axis->axis));
	json_int(json, "planned", axis->planned);
	if (axis->seen)
		json_int(json, "effective", axis->seen);
	else
		json_null(json, "effective");
	json_string(json, "status", axis_status_name(axis->status));
	json_array(json, "evidence");
	for (i = 0; i < axis->evidence.count; i++)
		write_item(observed, &axis->evidence.items[i], json);
	json_array_end(json);
	json_object_end(json);
}

static void write_reasons(const struct verdict *verdict, struct json_writer *json)
{
	size_t i;

	json_array(json, "reasons");
	for (i = 0; i < verdict->reasons.count; i++) {
		json_object(json, NULL);
		json_string(json, "code", verdict->reasons.items[i].code);
		json_string(json, "text", verdict->reasons.items[i].text);
		json_object_end(json);
	}
	json_array_end(json);
}

void report_verdict_json(const struct verification *verification, struct buf *out)
{
	const struct observed *observed = verification->observed;
	const struct verdict *verdict = verification->verdict;
	struct json_writer json;
	size_t i;

	json_begin(&json, out);
	json_object(&json, NULL);
	json_string(&json, "schema", "parplan.verify/1");
	json_string(&json, "verdict", verdict_name(verdict->kind));
	json_string(&json, "code", verdict->code);
	json_string(&json, "text", verdict->text);
	json_double(&json, "confidence", verdict->confidence);
	report_effective(observed, &json);
	json_array(&json, "axes");
	for (i = 0; i < verdict->axes.count; i++)
		write_axis(observed, &verdict->axes.items[i], &json);
	json_array_end(&json);
	json_array(&json, "evidence");
	for (i = 0; i < verdict->evidence.count; i++)
		write_item(observed, &verdict->evidence.items[i], &json);
	json_array_end(&json);
	json_string(&json, "as_built", verdict->built);
	write_reasons(verdict, &json);
	json_string(&json, "next", verdict->next);
	report_measured_json(observed, verification->yardstick, verification->measured, &json);
	json_object_end(&json);
	buf_char(out, '\n');
}
