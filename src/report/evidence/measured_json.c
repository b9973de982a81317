#include "report/evidence/measured.h"
#include "report/evidence/verify.h"

#include <math.h>

const char *quantity_name(enum seen_quantity quantity)
{
	static const char *const names[SEEN_QUANTITIES] = {
		[SEEN_STEP_SECONDS] = "step_s",
		[SEEN_MEMORY_RESERVED] = "memory_reserved_bytes",
		[SEEN_MEMORY_DEVICE] = "memory_device_bytes",
		[SEEN_TOKENS_PER_SECOND] = "tokens_per_second",
		[SEEN_FLOPS] = "model_flops_per_second",
		[SEEN_MFU] = "mfu",
		[SEEN_COMPUTING_SECONDS] = "computing_s",
		[SEEN_IDLE_SECONDS] = "idle_s",
		[SEEN_LOADING_SECONDS] = "loading_s",
		[SEEN_ATTENTION_PASSES] = "attention_passes",
		[SEEN_RETRIES] = "allocator_retries",
	};

	return names[quantity];
}

void write_number(struct json_writer *json, const char *key, double value, bool known)
{
	if (known && isfinite(value))
		json_double(json, key, value);
	else
		json_null(json, key);
}

static void write_step(const struct observed *observed, const struct step_deviation *row,
		       struct json_writer *json)
{
	const bool known = row->expected > 0;

	json_object(json, NULL);
	json_string(json, "quantity", quantity_name(row->quantity));
	json_double(json, "measured", row->measured);
	write_number(json, "expected", row->expected, known);
	write_number(json, "low", row->low, known);
	write_number(json, "high", row->high, known);
	write_number(json, "deviation", deviation_of(row->measured, row->expected), known);
	json_int(json, "values", (int64_t)row->samples);
	json_string(json, "source", row->source);
	json_string(json, "where", witness_text(observed, row->witness));
	json_string(json, "why", row->why);
	json_object_end(json);
}

static void write_call(const struct observed *observed, const struct call_deviation *row,
		       struct json_writer *json)
{
	const struct group_family *family = &observed->families.list.items[row->family];
	const bool planned = row->planned_calls >= 0;

	json_object(json, NULL);
	json_string(json, "group", family_name(observed->arena, family));
	json_string(json, "members", family->members ? family_groups(observed, family) : NULL);
	json_string(json, "op", seen_op_name(row->first->call.op));
	json_bool(json, "per_step", row->per_step);
	json_double(json, "count", row->calls);
	write_number(json, "bytes", row->bytes, row->bytes >= 0);
	write_number(json, "time_us", row->time, row->time > 0);
	write_number(json, "quickest_us", row->quickest, row->quickest > 0);
	write_number(json, "expected_us", row->expected, row->expected > 0);
	write_number(json, "deviation", deviation_of(row->time, row->expected), true);
	write_number(json, "planned_count", row->planned_calls, planned);
	write_number(json, "planned_bytes", row->planned_bytes, planned);
	write_number(json, "planned_us", row->planned_time, planned);
	json_string(json, "why", row->why);
	json_object_end(json);
}

void report_measured_json(const struct observed *observed, const struct yardstick *yardstick,
			  const struct measured *measured, struct json_writer *json)
{
	size_t i;

	json_object(json, "forecast");
	json_string(json, "device", yardstick->profile ? yardstick->profile->gpu : NULL);
	json_string(json, "missing", yardstick->missing);
	json_array(json, "quantities");
	for (i = 0; i < measured->steps.count; i++)
		write_step(observed, &measured->steps.items[i], json);
	json_array_end(json);
	json_array(json, "collectives");
	for (i = 0; i < measured->calls.count; i++)
		write_call(observed, &measured->calls.items[i], json);
	json_array_end(json);
	json_string(json, "advice", measured->advice);
	json_object_end(json);
}
