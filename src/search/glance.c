#include "search/glance.h"

#include "search/walk.h"
#include "sim/call.h"
#include "sim/engine.h"
#include "sim/step.h"

#include <math.h>

/* What rounding to picoseconds, and adding up in another order, may take off. */
#define ROUNDING 1e-6

/* ---- time ---- */

/* What data parallelism does beside the passes of the first rank. */
struct beside {
	double begins;	/* before the first pass ends, beyond that pass */
	double ends;	/* after the last pass, before the optimizer has ended */
	double traffic; /* of all, one after the other */
};

/* Reductions of all gradients that wait for the last pass, and parameters gathered at last. */
static double at_once(const struct look *look, const struct data_parallel *data,
		      const double elements[KINDS])
{
	const struct workload *work = look->work;
	double time = data_reduce(data, elements) + data_copies(data, elements);

	if (work->overlap_grads || !data_is_parallel(work))
		time = 0;
	if (work->zero != ZERO_NONE && !work->overlap_params && data_is_parallel(work))
		time += data_gather(data, elements, true);
	return data_serial(data) * time;
}

/*
 * Units one by one: a pass ends no sooner than their gathers, nor the step than their reductions,
 * which begin with the last pass in a pipeline. Without one each unit is gathered twice in a
 * microbatch, or once where it is kept.
 */
static void add_units(const struct look *look, struct beside *beside)
{
	const struct stage_cost *stage = &look->stages.items[0];
	const struct data_times *all = look_times(look, 0);
	double gathers = 0, reductions = 0, first = 0, last = 0, waiting;
	int32_t i;

	for (i = 0; i < stage->count; i++) {
		const struct unit_cost *unit = &stage->units[i];
		const struct data_times times = all[i];
		if (!i) {
			first = times.first;
			last = times.reduce + (times.reduce > 0 ? times.copies : 0);
		}
		gathers += times.first;
		reductions += times.reduce;
		beside->traffic += times.first + (unit->holding.lets_go ? times.last : 0);
	}
	beside->begins = fmax(first, gathers - stage->total.all.forward);
	beside->ends += fmax(last, reductions - stage->total.all.backward);
	waiting = workload_waits_whole(look->work) ? reductions : 0;
	beside->traffic += reductions - waiting;
	beside->traffic *= look->work->pp > 1 ? 0 : (double)look->work->microbatches;
	beside->traffic += waiting;
}

static struct beside beside_of(const struct look *look)
{
	const struct data_parallel *data = &look->plan->data;
	const struct unit_cost all = stages_of_rank(&look->stages, 0);
	struct beside beside = { .ends = data_optimizer(data, &all) };

	if (look->work->zero != ZERO_PARAMETERS)
		beside.ends += at_once(look, data, all.holding.first);
	else if (data_is_parallel(look->work))
		add_units(look, &beside);
	return beside;
}

/*
 * A rank begins when its first microbatch has come through the stages before its first one; and
 * where its last pass is a backward one of that stage, it goes back through them to the first rank,
 * whose optimizer comes then.
 */
static double rank_time(const struct look *look, const struct beside *beside, double hop,
			int32_t rank, const struct walk *walk)
{
	const int64_t batches = look->work->microbatches;
	const bool back = !look->work->schedule->splits;
	const struct unit_cost all = stages_of_rank(&look->stages, rank);
	const double pass = all.all.forward + all.all.backward;
	double time = (double)batches * pass + beside->begins;
	int32_t i;

	if (walk)
		time = fmax(time, walk->busy + (double)(batches - walk->batches) * pass);
	for (i = 0; i < look->stages.count && look->stages.items[i].rank != rank; i++) {
		const struct unit_cost *stage = &look->stages.items[i].total;
		time += stage->all.forward + hop + (back ? stage->all.backward + hop : 0);
	}
	return time + (back ? beside->ends : 0);
}

/*
 * The first microbatch goes through all stages, the last one makes all of them behind it on the
 * last stage, and goes back; weights' gradients may come later. What is not simulated of a step
 * computes at least.
 */
static double chain(const struct look *look, double hop, int64_t batches)
{
	const bool splits = look->work->schedule->splits;
	const struct unit_cost all = stages_of_rank(&look->stages, 0);
	double time =
		(double)(look->work->microbatches - batches) * (all.all.forward + all.all.backward);
	int32_t i;

	for (i = 0; i < look->stages.count; i++) {
		const struct stage_cost *stage = &look->stages.items[i];
		const double pass = stage->total.all.forward + stage->total.all.backward -
				    (splits ? stage->total.weight : 0);
		time += pass * (double)(i < look->stages.count - 1 ? 1 : batches);
		if (i && stage->rank != stage[-1].rank)
			time += 2 * hop;
	}
	return time;
}

/* The first two ranks and the last one, of which some have fewer layers than all others. */
struct walks {
	struct walk items[3];
	int count;
};

static struct walks walks_of(const struct look *look)
{
	const int32_t ranks = (int32_t)look->work->pp;
	struct walks walks = { .count = ranks < 3 ? ranks : 3 };
	int i;

	for (i = 0; i < walks.count; i++)
		walks.items[i] = walk_of(look, i < 2 ? i : ranks - 1);
	return walks;
}

static const struct walk *walk_at(const struct walks *walks, int32_t rank)
{
	int i;

	for (i = 0; i < walks->count; i++)
		if (walks->items[i].rank == rank)
			return &walks->items[i];
	return NULL;
}

static double pipeline_time(const struct look *look, const struct beside *beside,
			    const struct walks *walks)
{
	const struct call send = call_pipeline(look->work);
	const double hop = call_seconds(look->work, look->profile, &send);
	int32_t rank;
	double time;

	if (look->work->schedule->pairs)
		return walks->items[0].busy;
	time = chain(look, hop, walks->items[0].batches);
	for (rank = 0; rank < look->work->pp; rank++)
		time = fmax(time, rank_time(look, beside, hop, rank, walk_at(walks, rank)));
	return time;
}

static double time_of(const struct look *look, const struct walks *walks)
{
	const struct unit_cost *all = &look->stages.items[0].total;
	const struct walk *walk = &walks->items[0];
	const double pass = all->all.forward + all->all.backward;
	const int64_t batches = look->work->microbatches;
	const struct beside beside = beside_of(look);
	double time;

	if (look->work->pp > 1)
		return pipeline_time(look, &beside, walks);
	time = fmax((double)batches * pass + beside.begins,
		    walk->busy + (double)(batches - walk->batches) * pass);
	return fmax(time + beside.ends, beside.traffic);
}

static void put_memory(const struct look *look, const struct walks *walks, struct glance *glance)
{
	const struct overhead *overhead = &look->plan->overhead;
	double peak = 0, tensors;
	int i;

	for (i = 0; i < walks->count; i++)
		peak = fmax(peak, walks->items[i].peak);
	tensors = (1 - ROUNDING) * (peak + overhead->workspaces);
	glance->need = tensors + (1 - ROUNDING) * (overhead->context + overhead->communicators);
	glance->memory = glance->need + overhead->slack * tensors;
}

struct glance_plan glance_begin(struct arena *arena, const struct profile *profile,
				const struct workload *work)
{
	return (struct glance_plan) { .arena = arena,
				      .data = data_parallel_of(profile, work),
				      .overhead = overhead_of(profile, work) };
}

struct glance glance_of(struct arena *arena, struct glance_plan *plan,
			const struct profile *profile, const struct workload *work,
			const struct stages *stages)
{
	const struct look look = { .arena = arena,
				   .plan = plan,
				   .profile = profile,
				   .work = work,
				   .stages = *stages,
				   .states = states_of(work),
				   .activations = activations_of(work) };
	const struct walks walks = walks_of(&look);
	struct glance glance = { .time = (1 - ROUNDING) * time_of(&look, &walks) };

	put_memory(&look, &walks, &glance);
	return glance;
}
