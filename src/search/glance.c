#include "search/glance.h"

#include "sim/activations.h"
#include "sim/call.h"
#include "sim/stage.h"
#include "sim/states.h"
#include "sim/step.h"

#include <math.h>
#include <string.h>

/* What rounding to picoseconds, and adding up in another order, may take off. */
#define ROUNDING 1e-6

struct look {
	struct arena *arena;
	struct glance_plan *plan;
	const struct profile *profile;
	const struct workload *work;
	struct stages stages;
	struct states states;
	struct activations activations;
};

/* ---- time ---- */

/* Schedules that compute nothing beside something else; others may hide what they wait for. */
static bool adds_up(const struct workload *work)
{
	static const char *const names[] = { "1F1B",
					     "GPipe",
					     "Interleaved1F1B",
					     "InterleavedZeroBubble",
					     "ZBVZeroBubble",
					     "megatron-interleaved" };
	size_t i;

	for (i = 0; work->schedule && i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(work->schedule->name, names[i]))
			return true;
	return false;
}

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

static const struct data_times *times_of(const struct look *look, const struct stage_cost *stage)
{
	struct glance_plan *plan = look->plan;
	int32_t i;

	if (plan->times)
		return plan->times;
	plan->times = arena_array(plan->arena, (size_t)stage->count + 1, sizeof(*plan->times));
	for (i = 0; i < stage->count; i++) {
		const struct unit_cost *unit = &stage->units[i];
		plan->times[i] = i && data_alike(unit, unit - 1) ? plan->times[i - 1]
								 : data_times_of(&plan->data, unit);
	}
	return plan->times;
}

/*
 * Units one by one: a pass ends no sooner than their gathers, nor the step than their reductions,
 * which begin with the last pass in a pipeline. Without one each unit is gathered twice in a
 * microbatch, or once where it is kept.
 */
static void add_units(const struct look *look, struct beside *beside)
{
	const struct stage_cost *stage = &look->stages.items[0];
	const struct data_times *all = times_of(look, stage);
	double gathers = 0, reductions = 0, first = 0, last = 0;
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
		beside->traffic +=
			times.first + times.reduce + (unit->holding.lets_go ? times.last : 0);
	}
	beside->begins = fmax(first, gathers - stage->total.all.forward);
	beside->ends += fmax(last, reductions - stage->total.all.backward);
	beside->traffic *= look->work->pp > 1 ? 0 : (double)look->work->microbatches;
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
			int32_t rank)
{
	const bool back = !look->work->schedule->splits;
	const struct unit_cost all = stages_of_rank(&look->stages, rank);
	double time = (double)look->work->microbatches * (all.all.forward + all.all.backward);
	int32_t i;

	for (i = 0; i < look->stages.count && look->stages.items[i].rank != rank; i++) {
		const struct unit_cost *stage = &look->stages.items[i].total;
		time += stage->all.forward + hop + (back ? stage->all.backward + hop : 0);
	}
	return time + beside->begins + (back ? beside->ends : 0);
}

static double time_of(const struct look *look)
{
	const struct unit_cost *all = &look->stages.items[0].total;
	const struct beside beside = beside_of(look);
	const struct call send = call_pipeline(look->work);
	double time = 0, hop;
	int32_t rank;

	if (look->work->pp == 1)
		return fmax((double)look->work->microbatches *
					    (all->all.forward + all->all.backward) +
				    beside.begins + beside.ends,
			    beside.traffic);
	hop = call_seconds(look->work, look->profile, &send);
	for (rank = 0; adds_up(look->work) && rank < look->work->pp; rank++)
		time = fmax(time, rank_time(look, &beside, hop, rank));
	return time;
}

/* ---- memory ---- */

/* Bytes of one stage. */
struct portion {
	double kept;	  /* of a microbatch, from its forward to its backward pass */
	double begins;	  /* beside, when that begins */
	double added;	  /* from gradients of inputs to those of weights: less than none, where the
			     loss goes with the former */
	double gathered;  /* of units that stay gathered */
	double unreduced; /* of gradients that wait for the last microbatch */
	double graded;	  /* of gradients as they stay */
	bool passed, accumulates, counted;
	int64_t backwards;
};

static double of_blocks(const double each[2], const struct unit_cost *unit)
{
	return each[0] * unit->blocks[0] + each[1] * unit->blocks[1];
}

static bool is_block(const struct unit_cost *unit)
{
	return unit->blocks[0] + unit->blocks[1] > 0;
}

static double whole(const struct unit_cost *unit)
{
	return unit->holding.shares[DENSE].whole + unit->holding.shares[EXPERTS].whole;
}

static void add_unit(const struct look *look, const struct unit_cost *unit, struct portion *portion)
{
	const struct activations *sizes = &look->activations;
	const double *first = unit->holding.first;
	const double again = of_blocks(sizes->again, unit), kept = of_blocks(sizes->kept, unit);
	const double width =
		is_block(unit) ? look->states.gathered : (double)look->work->param_bytes;

	portion->kept += kept;
	portion->begins = again + of_blocks(sizes->working, unit);
	portion->added += fmax(again - kept, 0);
	if (look->states.gathered > 0 && !unit->holding.lets_go)
		portion->gathered += width * (first[DENSE] + first[EXPERTS]);
	if (look->states.gathered > 0)
		portion->unreduced += look->states.unreduced * whole(unit);
	portion->graded += states_bytes(&look->states, HELD_GRADIENT, unit);
}

static struct portion portion_of(const struct look *look, int32_t index)
{
	const struct stage_cost *stage = &look->stages.items[index];
	struct portion portion = { 0 };
	int32_t i;

	for (i = 0; i < stage->count; i++)
		add_unit(look, &stage->units[i], &portion);
	portion.kept += look->activations.input;
	if (index < look->stages.count - 1 || !stage->count ||
	    is_block(&stage->units[stage->count - 1]))
		return portion;
	portion.kept += look->activations.head + look->activations.logits;
	portion.begins = look->activations.loss - look->activations.logits;
	portion.added -= look->activations.logits;
	return portion;
}

/* What is there before the step; and, beside, when the optimizer makes what it lets go. */
static double fixed_of(const struct look *look, int32_t rank, double *update)
{
	const struct states *states = &look->states;
	const struct unit_cost all = stages_of_rank(&look->stages, rank);
	const struct share *shares = all.holding.shares;

	*update = states->update *
		  (shares[DENSE].kept[HELD_OPTIMIZER] + shares[EXPERTS].kept[HELD_OPTIMIZER]);
	if (states->gradients_let_go)
		*update += states_bytes(states, HELD_GRADIENT, &all);
	return states_bytes(states, HELD_PARAMETER, &all) +
	       states_bytes(states, HELD_OPTIMIZER, &all) +
	       (states->gradients_let_go ? 0 : states_bytes(states, HELD_GRADIENT, &all)) +
	       states->copied * whole(&all) + fmin(states->bucket, 2 * whole(&all));
}

/*
 * What a stage's backward pass adds: gradients that wait for the last microbatch, or stay. The last
 * one, and without a pipeline each, lets go what was gathered.
 */
static double gradients(const struct look *look, struct portion *portion, int64_t batches)
{
	const bool pipeline = look->work->pp > 1, last = ++portion->backwards == batches;
	const bool waits = pipeline && look->states.gathered > 0;
	double bytes = 0;

	if (last || !pipeline) {
		bytes -= portion->gathered;
		portion->passed = false;
	}
	if (waits && !last && !portion->accumulates) {
		portion->accumulates = true;
		bytes += portion->unreduced;
	} else if (waits && last && portion->accumulates) {
		bytes -= portion->unreduced;
	} else if (!waits && !portion->counted && look->states.gradients_let_go) {
		portion->counted = true;
		bytes += portion->graded;
	}
	return bytes;
}

/* Bytes that an action leaves behind; `peak` is raised by what is there while it runs. */
static double after(const struct look *look, struct portion *portion, const struct action *action,
		    int64_t batches, double bytes, double *peak)
{
	switch (action->kind) {
	case ACTION_FORWARD:
		bytes += portion->kept + (portion->passed ? 0 : portion->gathered);
		portion->passed = true;
		break;
	case ACTION_INPUT:
		*peak = fmax(*peak, bytes + portion->begins);
		return bytes + portion->added;
	case ACTION_BACKWARD:
		*peak = fmax(*peak, bytes + portion->begins);
		bytes -= portion->kept;
		bytes += gradients(look, portion, batches);
		break;
	case ACTION_WEIGHT:
		*peak = fmax(*peak, bytes);
		bytes -= portion->kept + portion->added;
		bytes += gradients(look, portion, batches);
		break;
	}
	*peak = fmax(*peak, bytes);
	return bytes;
}

static void put_actions(const struct look *look, int64_t batches, int32_t rank,
			struct actions *actions)
{
	const struct pipeline_shape shape = workload_shape(look->work, batches);
	int64_t i;

	if (look->work->pp > 1) {
		look->work->schedule->order(look->arena, &shape, rank, actions);
		return;
	}
	for (i = 0; i < batches; i++) {
		actions_add(look->arena, actions, ACTION_FORWARD, 0, i);
		actions_add(look->arena, actions, ACTION_BACKWARD, 0, i);
	}
}

static double peak_of(const struct look *look, int32_t rank)
{
	const int64_t batches = step_batches(look->work);
	struct portion *portions =
		arena_array(look->arena, (size_t)look->stages.count, sizeof(*portions));
	struct actions actions = { 0 };
	double update, bytes = fixed_of(look, rank, &update), peak = bytes + update;
	size_t i;

	for (i = 0; i < (size_t)look->stages.count; i++)
		if (look->stages.items[i].rank == rank)
			portions[i] = portion_of(look, (int32_t)i);
	put_actions(look, batches, rank, &actions);
	for (i = 0; i < actions.list.count; i++) {
		const struct action *action = &actions.list.items[i];
		bytes = after(look, &portions[action->stage], action, batches, bytes, &peak);
	}
	return peak;
}

static double memory_of(const struct look *look)
{
	const struct overhead *overhead = &look->plan->overhead;
	double peak = peak_of(look, 0);

	if (look->work->pp > 1)
		peak = fmax(peak, peak_of(look, (int32_t)look->work->pp - 1));
	return (1 + overhead->slack) * (peak + overhead->workspaces) + overhead->context +
	       overhead->communicators;
}

struct glance_plan glance_begin(struct arena *arena, const struct profile *profile,
				const struct workload *work)
{
	return (struct glance_plan) { .arena = arena,
				      .data = data_parallel_of(profile, work),
				      .overhead = overhead_of(profile, work) };
}

struct glance glance_of(struct arena *arena, struct glance_plan *plan,
			const struct profile *profile, const struct workload *work)
{
	const struct look look = { .arena = arena,
				   .plan = plan,
				   .profile = profile,
				   .work = work,
				   .stages = stages_cost(arena, profile, work),
				   .states = states_of(work),
				   .activations = activations_of(work) };

	return (struct glance) { (1 - ROUNDING) * time_of(&look),
				 (1 - ROUNDING) * memory_of(&look) };
}
