#include "sim/prices.h"

#include "cost/units.h"
#include "sim/call.h"

/* Data parallelism of each pipeline rank; those without trouble of their own share the first. */
static void fill_data(struct prices *prices, struct arena *arena, const struct profile *profile,
		      const struct workload *work)
{
	struct data_parallel *healthy = arena_new(arena, struct data_parallel), *data;
	int32_t i;

	*healthy = data_parallel_of(profile, work);
	prices->data = arena_array(arena, (size_t)work->pp, sizeof(*prices->data));
	for (i = 0; i < work->pp; i++) {
		const struct profile *here = workload_profile_at(arena, profile, work, i);
		prices->data[i] = healthy;
		if (here == profile)
			continue;
		data = arena_new(arena, struct data_parallel);
		*data = data_parallel_of(here, work);
		prices->data[i] = data;
	}
}

static void fill_sends(struct prices *prices, struct arena *arena, const struct profile *profile,
		       const struct workload *work)
{
	const struct call call = call_pipeline(work);
	const double healthy = call_seconds(work, profile, &call);
	int32_t i;

	prices->send_crossing =
		call_nodes(work, profile, &call) > 1 ? CROSSING_NETWORK : CROSSING_NODE;
	prices->send = arena_array(arena, (size_t)work->pp, sizeof(*prices->send));
	for (i = 0; i < work->pp; i++) {
		const struct profile *here = workload_profile_at(arena, profile, work, i);
		prices->send[i] = here == profile ? healthy : call_seconds(work, here, &call);
	}
}

static void fill_stage(struct stage_prices *prices, struct arena *arena,
		       const struct data_parallel *data, const struct stage_cost *stage)
{
	int32_t unit;

	prices->units = arena_array(arena, (size_t)stage->count + 1, sizeof(*prices->units));
	for (unit = 0; unit < stage->count; unit++) {
		const struct unit_cost *cost = &stage->units[unit];
		prices->has[cost->holding.lets_go] = true;
		prices->units[unit] = unit && data_alike(cost, cost - 1)
					      ? prices->units[unit - 1]
					      : data_times_of(data, cost);
	}
}

struct prices prices_of(struct arena *arena, const struct profile *profile,
			const struct workload *work, const struct stages *stages)
{
	struct prices prices = { 0 };
	int32_t i;

	fill_data(&prices, arena, profile, work);
	prices.stages = arena_array(arena, (size_t)stages->count, sizeof(*prices.stages));
	for (i = 0; i < stages->count; i++)
		fill_stage(&prices.stages[i], arena, prices.data[stages->items[i].rank],
			   &stages->items[i]);
	if (work->pp > 1)
		fill_sends(&prices, arena, profile, work);
	if (work->pp > 1 && work->waits_for_sends) /* and so does the host */
		prices.wait = MILLI * profile_get(profile, FIGURE_HOST_EXCHANGE) / 2;
	return prices;
}
