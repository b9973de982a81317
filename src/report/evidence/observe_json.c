#include "evidence/observed/roles.h"
#include "evidence/table.h"
#include "report/evidence/measured.h"
#include "report/evidence/verify.h"
#include "report/evidence/hang.h"

static void write_traffic(const struct seen_traffic *row, double model, struct json_writer *json)
{
	const struct seen_call *call = &row->first->call;

	json_object(json, NULL);
	json_string(json, "op", seen_op_name(call->op));
	json_string(json, "role", seen_role_name(row->first->role));
	write_number(json, "bytes", row->bytes, row->bytes >= 0);
	json_bool(json, "varies", row->differs);
	write_number(json, "in", (double)call->in, call->in >= 0);
	write_number(json, "out", (double)call->out, call->out >= 0);
	json_string(json, "dtype", *call->dtype ? call->dtype : NULL);
	json_double(json, "count", row->count);
	json_bool(json, "per_step", row->per_step);
	write_number(json, "time_us", row->shortest, row->shortest > 0);
	write_number(json, "mean_us", row->mean, row->mean > 0);
	write_number(json, "busbw_gbps", row->bus, row->bus > 0);
	write_number(json, "model_us", model, model > 0);
	json_object_end(json);
}

static void write_straggler(const struct observed *observed, int32_t index,
			    struct json_writer *json)
{
	const struct seen_straggler last = straggler_of(observed, index);

	if (last.rank < 0) {
		json_null(json, "straggler");
		return;
	}
	json_object(json, "straggler");
	json_int(json, "rank", last.rank);
	json_int(json, "calls", last.calls);
	json_double(json, "wait_us", last.wait);
	json_object_end(json);
}

static void write_group(const struct observed *observed, const struct yardstick *yardstick,
			int32_t index, struct json_writer *json)
{
	const struct group_family *family = &observed->families.list.items[index];
	struct seen_table table = table_of(observed, index);
	size_t i;

	json_object(json, NULL);
	json_array(json, "names");
	for (i = 0; i < family->names.count; i++)
		json_string(json, NULL, family->names.items[i]);
	json_array_end(json);
	write_number(json, "size", (double)family->size, family->size > 0);
	json_string(json, "members", family->members ? family_groups(observed, family) : NULL);
	json_int(json, "seen", (int64_t)family->starts.count);
	json_bool(json, "extrapolated", family->extrapolated);
	json_bool(json, "used", table.rows.count > 0);
	json_array(json, "traffic");
	for (i = 0; i < table.rows.count; i++)
		write_traffic(&table.rows.items[i],
			      model_of_call(yardstick, family, &table.rows.items[i]), json);
	json_array_end(json);
	write_straggler(observed, index, json);
	json_object_end(json);
}

static void write_files(const struct capture *capture, struct json_writer *json)
{
	size_t i;

	json_array(json, "files");
	for (i = 0; i < capture->files.count; i++) {
		const struct evidence_file *file = &capture->files.items[i];
		json_object(json, NULL);
		json_string(json, "path", file->path);
		json_string(json, "kind", file->source ? file->source->name : NULL);
		write_number(json, "rank", (double)file->rank, file->rank >= 0);
		json_int(json, "records", file->records);
		json_int(json, "unreadable", file->unreadable);
		json_int(json, "left_out", file->left_out);
		json_int(json, "steps", file->steps);
		json_object_end(json);
	}
	json_array_end(json);
}

static void write_limits(const struct capture *capture, struct json_writer *json)
{
	size_t i;

	json_array(json, "limits");
	for (i = 0; i < capture->limits.count; i++) {
		json_object(json, NULL);
		json_string(json, "code", capture->limits.items[i].code);
		json_string(json, "text", capture->limits.items[i].text);
		json_object_end(json);
	}
	json_array_end(json);
	json_array(json, "versions");
	for (i = 0; i < capture->versions.count; i++)
		json_string(json, NULL, capture->versions.items[i]);
	json_array_end(json);
	json_string(json, "device", capture->device);
}

static void write_claims(const struct observed *observed, struct json_writer *json)
{
	const struct capture *capture = observed->capture;
	size_t i;

	json_array(json, "claims");
	for (i = 0; i < capture->claims.count; i++) {
		const struct seen_claim *claim = &capture->claims.items[i];
		json_object(json, NULL);
		json_string(json, "axis", claim->axis);
		json_int(json, "degree", claim->degree);
		json_bool(json, "stored", claim->stored);
		json_string(json, "where", witness_text(observed, claim->witness));
		json_object_end(json);
	}
	json_array_end(json);
}

static void write_measures(const struct observed *observed, struct json_writer *json)
{
	const struct capture *capture = observed->capture;
	size_t i;

	json_array(json, "measures");
	for (i = 0; i < capture->measures.count; i++) {
		const struct seen_measure *measure = &capture->measures.items[i];
		json_object(json, NULL);
		json_string(json, "quantity", quantity_name(measure->quantity));
		json_double(json, "value", measure->value);
		write_number(json, "rank", (double)measure->rank, measure->rank >= 0);
		write_number(json, "step", (double)measure->step, measure->step >= 0);
		json_string(json, "where", witness_text(observed, measure->witness));
		json_object_end(json);
	}
	json_array_end(json);
}

void report_observed_json(const struct observed *observed, const struct yardstick *yardstick,
			  struct buf *out)
{
	const struct families *families = &observed->families;
	struct json_writer json;
	size_t i;

	json_begin(&json, out);
	json_object(&json, NULL);
	json_string(&json, "schema", "parplan.observe/1");
	write_number(&json, "world_size", (double)families->world, families->world > 0);
	json_array(&json, "ranks");
	for (i = 0; i < families->ranks.count; i++)
		json_int(&json, NULL, families->ranks.items[i]);
	json_array_end(&json);
	json_int(&json, "steps", observed->steps);
	json_double(&json, "confidence", confidence_of(observed));
	report_effective(observed, &json);
	json_bool(&json, "solved", observed->axes.solved);
	json_array(&json, "groups");
	for (i = 0; i < families->list.count; i++)
		write_group(observed, yardstick, (int32_t)i, &json);
	json_array_end(&json);
	write_files(observed->capture, &json);
	write_claims(observed, &json);
	write_measures(observed, &json);
	write_limits(observed->capture, &json);
	hang_json(&json, &observed->hang);
	json_object_end(&json);
	buf_char(out, '\n');
}
