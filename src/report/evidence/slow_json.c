#include "base/json.h"
#include "report/evidence/measured.h"
#include "report/evidence/slow.h"
#include "report/evidence/verify.h"

/* "" of nothing is null. */
static void write_where(const struct observed *observed, struct json_writer *json,
			struct witness witness)
{
	const char *where = witness_text(observed, witness);

	json_string(json, "where", *where ? where : NULL);
}

static void write_cause(const struct observed *observed, const struct slow_cause *cause,
			struct json_writer *json)
{
	json_object(json, NULL);
	json_string(json, "name", cause->name);
	json_string(json, "title", cause->title);
	json_string(json, "basis", slow_basis_name(cause->basis));
	write_number(json, "seconds", cause->seconds, true);
	json_string(json, "says", cause->says);
	json_string(json, "need", cause->need);
	json_string(json, "next", cause->next);
	write_where(observed, json, cause->witness);
	json_object_end(json);
}

void report_slow_json(const struct observed *observed, const struct slow *slow, struct buf *out)
{
	const struct capture *capture = observed->capture;
	const bool forecast = slow->expected > 0;
	struct json_writer json;
	size_t i;

	json_begin(&json, out);
	json_object(&json, NULL);
	json_string(&json, "schema", "parplan.slow/1");
	json_string(&json, "verdict", slow_kind_name(slow->kind));
	json_string(&json, "missing", slow->missing);
	write_number(&json, "measured", slow->measured, slow->measured > 0);
	json_string(&json, "source", slow->source);
	json_int(&json, "values", (int64_t)slow->samples);
	write_where(observed, &json, slow->witness);
	write_number(&json, "expected", slow->expected, forecast);
	if (forecast) {
		json_array(&json, "interval");
		json_double(&json, NULL, slow->low);
		json_double(&json, NULL, slow->high);
		json_array_end(&json);
	} else {
		json_null(&json, "interval");
	}
	write_number(&json, "explained", slow->explained, slow->explained > 0);
	json_array(&json, "causes");
	for (i = 0; i < slow->causes.count; i++)
		write_cause(observed, &slow->causes.items[i], &json);
	json_array_end(&json);
	json_string(&json, "next", slow->next);
	json_array(&json, "limits");
	for (i = 0; i < capture->limits.count; i++) {
		json_object(&json, NULL);
		json_string(&json, "code", capture->limits.items[i].code);
		json_string(&json, "text", capture->limits.items[i].text);
		write_where(observed, &json, capture->limits.items[i].witness);
		json_object_end(&json);
	}
	json_array_end(&json);
	json_object_end(&json);
	buf_char(out, '\n');
}
