#include "search/walk.h"

#include "sim/build.h"
#include "sim/step.h"

#include <math.h>

const struct data_times *look_times(const struct look *look, int32_t index)
{
	const struct stage_cost *stage = &look->stages.items[index];
	struct glance_plan *plan = look->plan;
	struct data_times *times;
	int32_t i;

	if (!plan->times)
		plan->times =
			arena_array(plan->arena, (size_t)look->stages.count, sizeof(*plan->times));
	if (plan->times[index])
		return plan->times[index];
	times = arena_array(plan->arena, (size_t)stage->count + 1, sizeof(*times));
	for (i = 0; i < stage->count; i++) {
		const struct unit_cost *unit = &stage->units[i];
		times[i] = i && data_alike(unit, unit - 1) ? times[i - 1]
							   : data_times_of(&plan->data, unit);
	}
	plan->times[index] = times;
	return times;
}

/* ---- memory ---- */

/* Bytes of one stage. */
struct portion {
	double kept;	    /* of a microbatch, from its forward to its backward pass */
	double begins;	    /* beside, when that begins */
	double added;	    /* from gradients of inputs to those of weights: less than none, where
			       the loss goes with the former */
	double gathered[2]; /* of units that stay gathered, and that let go */
	double unreduced;   /* of gradients that wait for the last microbatch */
	double graded;	    /* of gradients as they stay */
	struct data_gathered here;
	bool accumulates, counted;
	int64_t backwards;
};

/* How far a rank has come: bytes, and seconds that its own tasks take. */
struct course {
	const struct look *look;
	struct portion *portions; /* of each stage; another rank's are empty */
	int64_t batches;
	double bytes, peak;
	double computed[GATHER_BEHIND]; /* when units were, the newest first */
	double gathered;		/* when the last gather ended */
};

static void add_unit(const struct look *look, const struct unit_cost *unit, struct portion *portion)
{
	const struct activations *sizes = &look->activations;
	const double *first = unit->holding.first;
	const double again = unit_of_blocks(unit, sizes->again),
		     kept = unit_of_blocks(unit, sizes->kept);
	const double width =
		unit_is_block(unit) ? look->states.gathered : (double)look->work->param_bytes;

	portion->kept += kept;
	portion->begins = again + unit_of_blocks(unit, sizes->working);
	portion->added += fmax(again - kept, 0);
	portion->graded += states_waiting(&look->states, unit);
	if (look->states.gathered <= 0)
		return;
	portion->gathered[unit->holding.lets_go] += width * (first[DENSE] + first[EXPERTS]);
	portion->unreduced += look->states.unreduced * unit_elements(unit);
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
	    unit_is_block(&stage->units[stage->count - 1]))
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

	*update = states_update(states, &all);
	if (states->gradients_let_go)
		*update += states_waiting(states, &all);
	return states_bytes(states, HELD_PARAMETER, &all) +
	       states_bytes(states, HELD_OPTIMIZER, &all) +
	       (states->gradients_let_go ? 0 : states_bytes(states, HELD_GRADIENT, &all)) +
	       states_buffers(states, &all);
}

/* What the end of a stage's backward pass adds: gradients that wait for the last one, or stay. */
static double gradients(const struct course *course, struct portion *portion, bool last)
{
	const struct look *look = course->look;
	const bool waits = (look->work->pp > 1 || workload_waits_whole(look->work)) &&
			   look->states.gathered > 0;
	double bytes = 0;

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

static void note(struct course *course, double beside)
{
	course->peak = fmax(course->peak, course->bytes + beside);
}

static double here(const struct portion *portion)
{
	return portion->gathered[0] * portion->here.here[0] +
	       portion->gathered[1] * portion->here.here[1];
}

/* What a pass leaves gathered; the last one of a stage lets all go. */
static void pass_parameters(struct course *course, struct portion *portion, enum action_kind kind,
			    bool last)
{
	const double before = here(portion);

	if (kind != ACTION_WEIGHT)
		data_passed(course->look->work, &portion->here, kind == ACTION_FORWARD);
	if (last)
		portion->here = (struct data_gathered) { 0 };
	course->bytes += here(portion) - before;
}

static void pass_bytes(struct course *course, const struct action *action)
{
	struct portion *portion = &course->portions[action->stage];
	const bool ends = action->kind == ACTION_BACKWARD || action->kind == ACTION_WEIGHT;
	const bool last = ends && ++portion->backwards == course->batches;

	if (action->kind == ACTION_BACKWARD || action->kind == ACTION_INPUT)
		note(course, portion->begins);
	pass_parameters(course, portion, action->kind, last);
	switch (action->kind) {
	case ACTION_FORWARD:
		course->bytes += portion->kept;
		break;
	case ACTION_INPUT:
		course->bytes += portion->added;
		break;
	case ACTION_BACKWARD:
		course->bytes -= portion->kept;
		break;
	case ACTION_WEIGHT:
		course->bytes -= portion->kept + portion->added;
		break;
	}
	if (ends)
		course->bytes += gradients(course, portion, last);
	note(course, 0);
}

/* ---- time ---- */

static double seconds_of(const struct action *action, const struct unit_cost *unit)
{
	switch (action->kind) {
	case ACTION_FORWARD:
		return unit->all.forward;
	case ACTION_INPUT:
		return unit->all.backward - unit->weight;
	case ACTION_BACKWARD:
		return unit->all.backward;
	default:
		return unit->weight;
	}
}

/* Computes for some seconds, behind a gather that waits for what was computed before (build.c). */
static void compute(struct course *course, double gather, double seconds)
{
	double start = course->computed[0];
	int i;

	if (gather > 0) {
		course->gathered =
			fmax(course->gathered, course->computed[GATHER_BEHIND - 1]) + gather;
		start = fmax(start, course->gathered);
	}
	for (i = GATHER_BEHIND - 1; i > 0; i--)
		course->computed[i] = course->computed[i - 1];
	course->computed[0] =
		start +
		(course->look->work->pp > 1 && course->look->work->schedule->pairs ? 0 : seconds);
}

/* A pass by units where some of them are gathered for it, or as one. */
static void pass_time(struct course *course, const struct action *action)
{
	const struct look *look = course->look;
	const struct stage_cost *stage = &look->stages.items[action->stage];
	const struct data_gathered *here = &course->portions[action->stage].here;
	const bool forward = action->kind == ACTION_FORWARD;
	const struct data_times *times;
	int32_t i;

	if (action->kind == ACTION_WEIGHT || (here->here[0] && here->here[1]) ||
	    look->work->zero != ZERO_PARAMETERS || !data_is_parallel(look->work)) {
		compute(course, 0, seconds_of(action, &stage->total));
		return;
	}
	times = look_times(look, action->stage);
	for (i = 0; i < stage->count; i++) {
		const int32_t unit = forward ? i : stage->count - 1 - i;
		const struct unit_cost *cost = &stage->units[unit];
		const double gather = here->here[cost->holding.lets_go] ? 0
				      : forward				? times[unit].first
									: times[unit].last;
		compute(course, gather, seconds_of(action, cost));
	}
}

/* ---- both ---- */

struct walk walk_of(const struct look *look, int32_t rank)
{
	const size_t count = (size_t)look->stages.count;
	struct course course = { .look = look, .batches = step_batches(look->work) };
	struct actions actions = { 0 };
	double update;
	size_t i;

	course.portions = arena_array(look->arena, count, sizeof(*course.portions));
	for (i = 0; i < count; i++)
		if (look->stages.items[i].rank == rank)
			course.portions[i] = portion_of(look, (int32_t)i);
	course.bytes = fixed_of(look, rank, &update);
	note(&course, update);
	workload_order(look->arena, look->work, course.batches, rank, &actions);
	for (i = 0; i < actions.list.count; i++) {
		pass_time(&course, &actions.list.items[i]);
		pass_bytes(&course, &actions.list.items[i]);
	}
	return (struct walk) { rank, course.batches, course.computed[0], course.peak };
}
