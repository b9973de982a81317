#include "report/search/search.h"

#include "base/json.h"
#include "base/text.h"
#include "cost/units.h"
#include "input/field.h"
#include "report/forecast/forecast.h"
#include "report/ranks/text.h"
#include "report/ranks/view.h"
#include "search/candidate.h"
#include "search/site.h"

#include <string.h>

static void put_value(struct json_writer *json, const struct variation *variation)
{
	const char *key = field_of(variation->field)->key;
	int64_t number;

	if (!variation->value)
		json_null(json, key);
	else if (text_to_int(variation->value, &number))
		json_int(json, key, number);
	else if (!strcmp(variation->value, "true") || !strcmp(variation->value, "false"))
		json_bool(json, key, *variation->value == 't');
	else
		json_string(json, key, variation->value);
}

static void put_settings(struct json_writer *json, const struct search *search, uint64_t number)
{
	const struct candidate candidate = space_candidate(&search->space, number);
	struct said said = { .arena = search->arena };
	size_t i;

	candidate_settings(&search->space, &candidate, &said);
	json_object(json, "settings");
	for (i = 0; i < said.list.count; i++)
		put_value(json, &said.list.items[i]);
	json_object_end(json);
}

static void put_outcome(struct json_writer *json, const struct outcome *outcome)
{
	json_double(json, "step_time_s", outcome->time);
	json_array(json, "interval_s");
	json_double(json, NULL, outcome->low);
	json_double(json, NULL, outcome->high);
	json_array_end(json);
	json_object(json, "memory");
	json_double(json, "device_gib", outcome->memory / GIB);
	json_double(json, "capacity_gib", outcome->capacity / GIB);
	json_double(json, "probability_out_of_memory", outcome->risk);
	json_object_end(json);
	json_double(json, "mfu", outcome->mfu);
	json_double(json, "tokens_per_second_and_gpu", outcome->tokens);
	json_string(json, "limited_by", outcome->limit);
}

static void put_texts(struct json_writer *json, const char *name, const struct texts_said *texts)
{
	size_t i;

	if (!texts->list.count)
		return;
	json_array(json, name);
	for (i = 0; i < texts->list.count; i++)
		json_string(json, NULL, texts->list.items[i]);
	json_array_end(json);
}

static void put_position(struct json_writer *json, size_t position)
{
	if (position)
		json_int(json, "position", (int64_t)position);
	else
		json_null(json, "position");
}

static void put_plans(struct json_writer *json, const struct search *search,
		      const struct result *result)
{
	size_t i;

	json_array(json, "plans");
	for (i = 0; i < result->proposals.count; i++) {
		const struct proposal *proposal = &result->proposals.items[i];
		json_object(json, NULL);
		put_position(json, proposal->position);
		put_settings(json, search, proposal->outcome.number);
		put_texts(json, "beside_the_file", &proposal->written.beside);
		put_texts(json, "arguments", &proposal->written.arguments);
		put_texts(json, "not_in_arguments", &proposal->written.wordless);
		put_outcome(json, &proposal->outcome);
		if (search->aim.objective == OBJECTIVE_COST)
			json_double(json,
				    search->priced ? "price_per_1e9_tokens"
						   : "gpu_hours_per_1e9_tokens",
				    outcome_cost(&search->space, &proposal->outcome));
		json_bool(json, "same_as_best", proposal->same);
		json_object_end(json);
	}
	json_array_end(json);
}

static void put_nearest(struct json_writer *json, const struct search *search,
			const struct outcome *nearest)
{
	if (!(nearest->time > 0))
		return;
	json_object(json, "nearest");
	put_settings(json, search, nearest->number);
	put_outcome(json, nearest);
	if (nearest->rule)
		json_string(json, "rule", nearest->rule->name);
	json_object_end(json);
}

static void put_fate(struct json_writer *json, const struct outcome *outcome)
{
	static const char *const fates[] = { [OUTCOME_RUNS] = "runs",
					     [OUTCOME_REFUSED] = "refused",
					     [OUTCOME_MEMORY] = "out of memory",
					     [OUTCOME_SLOW] = "too slow" };

	json_string(json, "fate", fates[outcome->fate]);
	if (outcome->fate == OUTCOME_REFUSED)
		json_string(json, "rule", outcome->rule ? outcome->rule->name : NULL);
}

/* Which options keep it from what was searched, where any do. */
static void put_excluded(struct json_writer *json, const struct search *search)
{
	size_t i;

	if (!search->excluded.count)
		return;
	json_array(json, "excluded_by");
	for (i = 0; i < search->excluded.count; i++)
		json_string(json, NULL, search->excluded.items[i]);
	json_array_end(json);
}

static void put_current(struct json_writer *json, const struct search *search,
			const struct result *result)
{
	const struct outcome *current = &search->current;

	if (!(current->time > 0) && current->fate != OUTCOME_REFUSED) {
		json_null(json, "current");
		return;
	}
	json_object(json, "current");
	put_fate(json, current);
	if (site_batch(search->yours) > 0)
		json_int(json, "global_batch_size", site_batch(search->yours));
	put_position(json, result->current);
	put_excluded(json, search);
	if (result->ahead && !result->current)
		json_int(json, "at_least_ahead", (int64_t)result->ahead);
	if (current->time > 0)
		put_outcome(json, current);
	json_object_end(json);
}

static void put_neighbours(struct json_writer *json, const struct search *search,
			   const struct result *result)
{
	size_t i;

	json_array(json, "neighbours");
	for (i = 0; i < result->neighbours.count; i++) {
		const struct neighbour *neighbour = &result->neighbours.items[i];
		const char *value = result_value(&search->space, neighbour->axis, neighbour->value,
						 search->arena);
		int64_t number;
		json_object(json, NULL);
		json_string(json, "setting", space_axis_name(neighbour->axis));
		if (text_to_int(value, &number))
			json_int(json, "value", number);
		else
			json_string(json, "value", value);
		put_fate(json, &neighbour->outcome);
		if (neighbour->unsaid)
			json_bool(json, "writable", false);
		if (neighbour->outcome.time > 0)
			put_outcome(json, &neighbour->outcome);
		json_object_end(json);
	}
	json_array_end(json);
}

static void put_space(struct json_writer *json, const struct search *search,
		      const struct result *result)
{
	const struct tally *tally = &search->tally;
	const uint64_t count = space_count(&search->space);

	json_object(json, "space");
	json_int(json, "layouts", (int64_t)(search->space.layouts.count - search->space.uneven));
	json_int(json, "candidates", (int64_t)count);
	json_int(json, "illegal",
		 (int64_t)cuts_of(tally,
				  1U << CUT_RULE | 1U << CUT_UNFORECAST | 1U << CUT_UNWRITTEN));
	json_int(json, "out_of_memory",
		 (int64_t)cuts_of(tally, 1U << CUT_MEMORY | 1U << CUT_MEMORY_BOUND));
	json_int(json, "bounded", (int64_t)cuts_of(tally, 1U << CUT_BOUND));
	json_int(json, "slower", (int64_t)cuts_of(tally, 1U << CUT_WORSE));
	json_int(json, "simulated", (int64_t)tally->simulated);
	json_int(json, "layouts_uneven", (int64_t)search->space.uneven);
	json_bool(json, "proven", result->proven);
	json_object_end(json);
}

static void put_uncounted(struct json_writer *json, const struct search *search)
{
	if (search->space.sites.count)
		report_uncounted_json(workload_not_counted(&search->space.sites.items[0]->job),
				      json);
}

static void put_cuts(struct json_writer *json, const struct search *search)
{
	size_t i;

	json_array(json, "cuts");
	for (i = 0; i < search->tally.cuts.count; i++) {
		json_object(json, NULL);
		json_string(json, "why", cut_text(search->arena, &search->tally.cuts.items[i]));
		json_int(json, "count", (int64_t)search->tally.cuts.items[i].count);
		json_object_end(json);
	}
	json_array_end(json);
}

static void put_lost(struct json_writer *json, const struct lost *lost)
{
	size_t i;

	if (!lost->list.count)
		return;
	json_object(json, "lost");
	json_array(json, "nodes");
	for (i = 0; i < lost->list.count; i++)
		json_string(json, NULL, lost->list.items[i]);
	json_array_end(json);
	json_int(json, "left", lost->left);
	json_object_end(json);
}

/* Where the groups of the best lie. */
static void put_placement(struct json_writer *json, const struct result *result)
{
	struct ranks_view view;
	size_t i;

	json_array(json, "placement");
	if (result->proposals.count)
		ranks_view_init(&view, result->proposals.items[0].written.job);
	for (i = 0; result->proposals.count && i < view.axes.count; i++) {
		const struct communicator *axis = &view.axes.items[i];
		if (!axis->placed || !axis->parallel)
			continue;
		json_object(json, NULL);
		json_string(json, "axes", ranks_axis_names(view.arena, axis));
		json_int(json, "ranks", layout_size(&axis->layout));
		json_int(json, "most_nodes", axis->spans.nodes_max);
		json_string(json, "in_node", within_name(axis->spans.node));
		json_object_end(json);
	}
	json_array_end(json);
}

void report_search_json(const struct search *search, const struct result *result, struct buf *out)
{
	struct json_writer json;
	size_t i;

	json_begin(&json, out);
	json_object(&json, NULL);
	json_string(&json, "schema", "parplan.search/1");
	put_lost(&json, &search->lost);
	put_space(&json, search, result);
	put_plans(&json, search, result);
	put_nearest(&json, search, &result->nearest);
	put_current(&json, search, result);
	json_array(&json, "pareto");
	for (i = 0; i < result->proposals.count; i++)
		if (result->proposals.items[i].front)
			json_int(&json, NULL, (int64_t)i);
	json_array_end(&json);
	if (result->proposals.count)
		json_int(&json, "simplest", (int64_t)result->simplest);
	put_placement(&json, result);
	put_neighbours(&json, search, result);
	put_uncounted(&json, search);
	put_cuts(&json, search);
	json_object_end(&json);
	buf_char(out, '\n');
}
