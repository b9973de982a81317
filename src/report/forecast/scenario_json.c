#include "base/json.h"
#include "report/forecast/scenario.h"

static void put_changes(struct json_writer *json, const struct changes *changes)
{
	size_t i;

	json_array(json, "changes");
	for (i = 0; i < changes->list.count; i++) {
		json_object(json, NULL);
		json_string(json, "subject", changes->list.items[i].subject);
		json_string(json, "before", changes->list.items[i].before);
		json_string(json, "after", changes->list.items[i].after);
		json_object_end(json);
	}
	json_array_end(json);
}

static void put_speedup(struct json_writer *json, const struct speedup *speedup)
{
	json_object(json, "speedup");
	json_double(json, "value", speedup->value);
	json_array(json, "interval");
	json_double(json, NULL, speedup->low);
	json_double(json, NULL, speedup->high);
	json_array_end(json);
	json_string(json, "verdict", speedup_verdict(speedup));
	json_bool(json, "alike", speedup->alike);
	json_object_end(json);
}

static void put_moved(struct json_writer *json, const struct scenarios *scenarios, size_t i)
{
	const struct step *base = &scenarios->list.items[0].forecast->step;
	const struct step *other = &scenarios->list.items[i].forecast->step;
	const struct step_part *part;

	json_object(json, "moved_s");
	for (part = step_parts; part->name; part++)
		json_double(json, part->key, step_part_of(other, part) - step_part_of(base, part));
	json_object_end(json);
}

static void put_scenario(struct json_writer *json, const char *key,
			 const struct scenarios *scenarios, size_t i)
{
	const struct scenario *scenario = &scenarios->list.items[i];
	const struct speedup speedup = scenario_speedup(scenarios, i);

	json_object(json, key);
	if (scenario->name)
		json_string(json, "path", scenario->name);
	put_changes(json, scenario->changes);
	put_speedup(json, &speedup);
	put_moved(json, scenarios, i);
	json_object(json, "forecast");
	report_forecast_plan(json, scenario->forecast, scenario->asked, false);
	report_forecast_members(json, scenario->forecast, false);
	json_object_end(json);
	json_object_end(json);
}

void report_scenarios_json(const struct scenarios *scenarios, bool timelines, struct buf *out)
{
	const struct scenario *first = &scenarios->list.items[0];
	const bool what_if = !scenarios->list.items[1].name;
	struct json_writer json;
	size_t i;

	json_begin(&json, out);
	json_object(&json, NULL);
	json_string(&json, "schema", "parplan.sim/1");
	report_forecast_plan(&json, first->forecast, first->asked, timelines);
	report_forecast_members(&json, first->forecast, timelines);
	if (what_if) {
		put_scenario(&json, "what_if", scenarios, 1);
	} else {
		json_array(&json, "compare");
		for (i = 1; i < scenarios->list.count; i++)
			put_scenario(&json, NULL, scenarios, i);
		json_array_end(&json);
	}
	json_object_end(&json);
	buf_char(out, '\n');
}
