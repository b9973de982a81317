#include "base/json.h"
#include "report/forecast/forecast.h"
#include "report/forecast/peak.h"
#include "report/plan/error.h"
#include "sim/speedup.h"

#include <math.h>

#define GIB 1073741824.0
#define DAY 86400.0

static void put_breakdown(struct json_writer *json, const struct step *step)
{
	double known = step->compute + step->tensor + step->context + step->expert + step->data +
		       step->bubble + step->optimizer;

	json_object(json, "breakdown_s");
	json_double(json, "compute", step->compute);
	json_double(json, "exposed_tp", step->tensor);
	json_double(json, "exposed_cp", step->context);
	json_double(json, "exposed_dp", step->data);
	json_double(json, "exposed_ep", step->expert);
	json_double(json, "bubble", step->bubble);
	json_double(json, "optimizer", step->optimizer);
	json_double(json, "other", step->total > known ? step->total - known : 0);
	json_object_end(json);
}

/* The schedule that is simulated, and the one that was asked for where it is another. */
static void put_schedule(struct json_writer *json, const struct workload *work)
{
	if (!work->schedule)
		return;
	json_object(json, "schedule");
	json_string(json, "simulated", work->schedule->name);
	if (work->asked) {
		json_string(json, "asked", work->asked);
		json_string(json, "refused", work->refused);
	}
	json_object_end(json);
}

/* Members of a class, and of each moment of its timeline: parts of memory that are one there. */
static const struct {
	const char *name;
	enum memory_part first, last;
} groups[] = {
	{ "parameters", MEMORY_PARAMETERS, MEMORY_PARAMETERS },
	{ "reference", MEMORY_REFERENCE, MEMORY_REFERENCE }, /* where there is one */
	{ "gradients", MEMORY_GRADIENTS, MEMORY_GRADIENTS },
	{ "optimizer", MEMORY_OPTIMIZER, MEMORY_OPTIMIZER },
	{ "unsharded", MEMORY_UNSHARDED, MEMORY_REDUCE },
	{ "activations", MEMORY_ACTIVATIONS, MEMORY_ACTIVATIONS },
	{ "temporary", MEMORY_RECOMPUTED, MEMORY_UPDATE },
	{ "runtime", MEMORY_WORKSPACES, MEMORY_COMMUNICATORS },
};

enum { GROUPS = sizeof(groups) / sizeof(*groups), RUNTIME = GROUPS - 1, STRETCHES = 128 };

static double group_of(const double *parts, int group)
{
	double sum = 0;
	int i;

	for (i = (int)groups[group].first; i <= (int)groups[group].last; i++)
		sum += parts[i];
	return sum / GIB;
}

static bool is_there(const struct memory_class *class, int group)
{
	return groups[group].first != MEMORY_REFERENCE || class->reference > 0;
}

/* One array of times and one for each group that changes. */
static void put_timeline(struct json_writer *json, const struct forecast *forecast,
			 const struct memory_class *class)
{
	const struct memory_timeline timeline =
		memory_over_time(forecast->run.program.arena, &forecast->profile, &forecast->work,
				 &forecast->run, class, STRETCHES);
	size_t i;
	int group;

	json_object(json, "timeline");
	json_array(json, "time_s");
	for (i = 0; i < timeline.moments.count; i++)
		json_double(
			json, NULL,
			program_seconds(&forecast->run.program, timeline.moments.items[i].time));
	json_array_end(json);
	for (group = 0; group < RUNTIME; group++) {
		if (!is_there(class, group))
			continue;
		json_array(json, groups[group].name);
		for (i = 0; i < timeline.moments.count; i++)
			json_double(json, NULL, group_of(timeline.moments.items[i].parts, group));
		json_array_end(json);
	}
	json_object_end(json);
}

/* What is held of parameters, gradients and optimizer state, in parts of `unit`. */
static void put_helds(struct json_writer *json, const char *key, const double helds[HELDS],
		      double unit)
{
	static const char *const names[HELDS] = { "parameters", "gradients", "optimizer" };
	int held;

	json_object(json, key);
	for (held = 0; held < HELDS; held++)
		json_double(json, names[held], helds[held] / unit);
	json_object_end(json);
}

static void put_class(struct json_writer *json, const struct forecast *forecast, int index,
		      bool timelines)
{
	const struct memory_class *class = &forecast->memory.classes[index];
	struct buf words;
	int group;

	json_object(json, NULL);
	json_string(json, "name", class->name);
	json_int(json, "ranks", class->ranks);
	json_int(json, "rank", class->of_world);
	put_helds(json, "resident", class->resident, GIB);
	for (group = 0; group < GROUPS; group++)
		if (is_there(class, group))
			json_double(json, groups[group].name, group_of(class->peak.parts, group));
	json_double(json, "peak", class->device / GIB);
	buf_init(&words);
	moment_put(&words, forecast, &class->peak);
	json_string(json, "peak_at", words.data);
	buf_release(&words);
	json_double(json, "peak_time_s", program_seconds(&forecast->run.program, class->peak.time));
	json_bool(json, "fullest", index == forecast->memory.fullest);
	if (timelines)
		put_timeline(json, forecast, class);
	json_object_end(json);
}

/* The engine that generates on the same cards, where there is one. */
static void put_rollout(struct json_writer *json, const struct rollout *rollout)
{
	if (rollout->share <= 0)
		return;
	json_object(json, "rollout");
	json_double(json, "share", rollout->share);
	json_double(json, "taken_gib", rollout->taken / GIB);
	json_double(json, "weights_gib", rollout->weights / GIB);
	json_double(json, "trainer_gib", rollout->trainer / GIB);
	json_double(json, "cache_tokens", floor(rollout->tokens));
	json_bool(json, "starts", rollout->end == ROLLOUT_STARTS);
	json_string(json, "quote", rollout_quote(rollout->end));
	json_object_end(json);
}

static void put_memory(struct json_writer *json, const struct forecast *forecast, bool timelines)
{
	const struct memory *memory = &forecast->memory;
	const struct memory_class *fullest = memory_fullest(memory);
	int i;

	json_object(json, "memory");
	json_double(json, "peak_gib", fullest->allocated / GIB);
	json_double(json, "reserved_gib", fullest->reserved / GIB);
	json_double(json, "device_gib", fullest->device / GIB);
	json_double(json, "needed_gib", memory->need / GIB);
	json_double(json, "probability_out_of_memory", memory->probability);
	json_array(json, "interval_gib");
	json_double(json, NULL, risk_low(memory) / GIB);
	json_double(json, NULL, risk_high(memory) / GIB);
	json_array_end(json);
	json_array(json, "open");
	for (i = 0; i < memory->open_count; i++)
		json_string(json, NULL, memory->open[i]);
	json_array_end(json);
	put_helds(json, "bytes_per_element", memory->widths, 1);
	json_double(json, "host_gib", fullest->host / GIB);
	json_double(json, "capacity_gib", memory->capacity / GIB);
	json_string(json, "fits", fits_name(forecast_fits(forecast)));
	put_rollout(json, &forecast->rollout);
	json_array(json, "classes");
	for (i = 0; i < memory->count; i++)
		put_class(json, forecast, i, timelines);
	json_array_end(json);
	json_object_end(json);
}

static void put_collective(struct json_writer *json, const struct traffic *row)
{
	json_object(json, NULL);
	json_string(json, "group", row->call.group->name);
	json_string(json, "op", row->call.op->name);
	json_string(json, "what", row->what);
	json_int(json, "ranks", row->call.group->ranks);
	json_int(json, "nodes", row->nodes);
	json_double(json, "bytes", row->call.bytes);
	json_double(json, "count", row->count);
	json_double(json, "received_bytes_per_step", traffic_received(row));
	json_string(json, "algorithm", collective_way(row->call.op, &row->time));
	json_string(json, "protocol", nccl_protocol_name(row->time.protocol));
	json_string(json, "source", row->time.calibrated ? "calibrated" : "model");
	json_double(json, "time_us", row->time.time);
	json_array(json, "interval_us");
	json_double(json, NULL, row->time.low);
	json_double(json, NULL, row->time.high);
	json_array_end(json);
	json_double(json, "busbw_gbps", traffic_bus(row));
	json_double(json, "exposed_us",
		    row->exposed < 0 ? (double)NAN : row->exposed * row->time.time);
	json_object_end(json);
}

static void put_collectives(struct json_writer *json, const struct traffics *traffics)
{
	size_t i;

	json_array(json, "collectives");
	for (i = 0; i < traffics->list.count; i++)
		put_collective(json, &traffics->list.items[i]);
	json_array_end(json);
}

/* The numbers that are no datasheet's: where each is from. */
static void put_calibration(struct json_writer *json, const struct profile *profile)
{
	int i;

	json_array(json, "calibration");
	for (i = 0; i < FIGURE_COUNT; i++) {
		const struct number *number = &profile->numbers[i];
		if (number->basis != BASIS_FITTED && number->basis != BASIS_MEASURED &&
		    number->basis != BASIS_GIVEN)
			continue;
		json_object(json, NULL);
		json_string(json, "key", figure_of((enum figure_id)i)->key);
		json_double(json, "value", number->value);
		json_string(json, "unit", figure_of((enum figure_id)i)->unit);
		json_string(json, "basis", basis_name(number->basis));
		json_string(json, "source", number->source);
		json_object_end(json);
	}
	json_array_end(json);
}

/* What a whole training takes, where that was asked. */
static void put_budget(struct json_writer *json, const struct budget *budget)
{
	if (!budget)
		return;
	json_object(json, "budget");
	json_double(json, "tokens", budget->asked.tokens);
	json_double(json, "steps", budget->steps);
	if (budget->useful > 0) {
		json_double(json, "days", budget->seconds / DAY);
		json_array(json, "interval_days");
		json_double(json, NULL, budget->low / DAY);
		json_double(json, NULL, budget->high / DAY);
		json_array_end(json);
		json_double(json, "gpu_hours", budget->device_hours);
		if (budget->asked.price > 0)
			json_double(json, "cost", budget->cost);
	}
	json_double(json, "useful", budget->useful);
	if (budget->interval > 0)
		json_double(json, "checkpoint_every_s", budget->interval);
	json_object_end(json);
}

void report_forecast_members(struct json_writer *json, const struct forecast *forecast,
			     bool timelines)
{
	json_double(json, "step_time_s", forecast->step.total);
	json_array(json, "interval_s");
	json_double(json, NULL, forecast->low);
	json_double(json, NULL, forecast->high);
	json_array_end(json);
	json_double(json, "tokens_per_s_per_gpu", forecast->tokens);
	json_double(json, "model_tflops_per_gpu", forecast->flops / 1e12);
	json_double(json, "mfu", forecast->mfu);
	put_budget(json, forecast->budget);
	put_schedule(json, &forecast->work);
	put_breakdown(json, &forecast->step);
	json_double(json, "host_s", forecast->step.host);
	put_memory(json, forecast, timelines);
	put_collectives(json, &forecast->traffic);
	report_uncounted_json(forecast->work.not_counted, json);
	put_calibration(json, &forecast->profile);
}

/* How many times as long a step takes under the applied plan as under the one asked for. */
static void put_ratio(struct json_writer *json, const struct forecast *applied,
		      const struct forecast *asked)
{
	const struct speedup speed = speedup_of(asked, applied, 1);

	json_object(json, "step_ratio");
	json_double(json, "value", 1 / speed.value);
	json_array(json, "interval");
	json_double(json, NULL, 1 / speed.high);
	json_double(json, NULL, 1 / speed.low);
	json_array_end(json);
	json_object_end(json);
}

void report_forecast_plan(struct json_writer *json, const struct forecast *forecast,
			  const struct forecast *asked, bool timelines)
{
	bool applied = forecast->work.plan->origin == PLAN_APPLIED;

	json_string(json, "plan", applied ? "applied" : "asked");
	if (asked) {
		json_object(json, "asked");
		put_ratio(json, forecast, asked);
		report_forecast_members(json, asked, timelines);
		json_object_end(json);
	} else {
		json_null(json, "asked");
	}
	json_null(json, "error");
}

void report_forecast_json(const struct forecast *forecast, const struct forecast *asked,
			  bool timelines, struct buf *out)
{
	struct json_writer json;

	json_begin(&json, out);
	json_object(&json, NULL);
	json_string(&json, "schema", "parplan.sim/1");
	report_forecast_plan(&json, forecast, asked, timelines);
	report_forecast_members(&json, forecast, timelines);
	json_object_end(&json);
	buf_char(out, '\n');
}

void report_forecast_stopped(const struct plan_error *error, struct buf *out)
{
	struct json_writer json;

	json_begin(&json, out);
	json_object(&json, NULL);
	json_string(&json, "schema", "parplan.sim/1");
	json_string(&json, "plan", "applied");
	json_null(&json, "asked");
	plan_error_member(&json, "error", error);
	json_object_end(&json);
	buf_char(out, '\n');
}
