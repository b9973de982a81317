#include "sim/memory_timeline.h"

#include "sim/logits.h"

#include <math.h>

/* How far a unit's parameters have come. */
enum gathered { GATHERED_NOT, GATHERED_FLAT, GATHERED_BOTH, GATHERED };

struct unit_state {
	enum gathered gathered;
	double elements;  /* gathered */
	double kept;	  /* bytes of a part that stays until the backward pass */
	bool accumulates; /* an unsharded gradient is kept for the last microbatch */
	bool graded;	  /* its gradient is there */
};

/* The next of a rank's tasks of one kind that is for a unit; `end`: there is none. */
struct pending {
	enum task_kind kind;
	int32_t next, end;
};

/* A unit in a pass over a microbatch. */
struct visit {
	const struct task *task;
	const struct unit_cost *cost;
	struct unit_state *state;
	int32_t unit;
	bool alone; /* the task is this unit's alone */
};

struct walk {
	struct arena *arena;
	const struct memory_sizes *sizes;
	const struct run *run;
	int32_t rank;
	struct unit_state **units; /* of each stage; NULL: another rank's */
	struct pending gathers, reductions;
	struct memory_moment now;
	struct memory_timeline timeline;
	int32_t stretches;
	double fixed;	    /* bytes that are always there */
	int64_t *backwards; /* passes of each stage that have ended */
};

static void put(struct walk *walk, enum memory_part part, double bytes)
{
	walk->now.parts[part] += bytes;
	walk->now.total += bytes;
}

static bool is_head(const struct walk *walk, const struct visit *visit)
{
	return !unit_is_block(visit->cost) && visit->task->stage == walk->run->stages.count - 1 &&
	       visit->unit == walk->run->stages.items[visit->task->stage].count - 1;
}

static bool is_embedding(const struct visit *visit)
{
	return !unit_is_block(visit->cost) && visit->task->stage == 0 && visit->unit == 0;
}

/* The fullest moment of each stretch of the step is kept, and the fullest of all. */
static void note(struct walk *walk, const struct visit *visit, int64_t time)
{
	struct memory_timeline *timeline = &walk->timeline;
	int64_t length = walk->stretches ? walk->run->end / walk->stretches + 1 : 1;
	struct memory_moment *last = NULL;

	walk->now.time = time;
	walk->now.task = (int32_t)(visit->task - walk->run->program.tasks.items);
	walk->now.unit = visit->unit;
	if (walk->now.total > timeline->peak.total)
		timeline->peak = walk->now;
	if (!walk->stretches)
		return;
	if (timeline->moments.count)
		last = &timeline->moments.items[timeline->moments.count - 1];
	if (!last || last->time / length != time / length)
		vec_push(walk->arena, &timeline->moments, walk->now);
	else if (walk->now.total > last->total)
		*last = walk->now;
}

/* ---- parameters of units that are gathered ---- */

/* Bytes of one gathered element; `each` is those of a block's. */
static double width(const struct walk *walk, const struct visit *visit, double each)
{
	return unit_is_block(visit->cost) || each <= 0 ? each
						       : (double)walk->sizes->work->param_bytes;
}

/* The buffer that a unit is gathered into comes or goes. */
static void put_flat(struct walk *walk, const struct visit *visit, double sign)
{
	double bytes = sign * width(walk, visit, walk->sizes->states.flat) * visit->state->elements;

	put(walk, MEMORY_UNSHARDED, bytes);
	walk->now.flat += bytes;
	walk->timeline.flat = fmax(walk->timeline.flat, walk->now.flat);
}

/* A unit's gather begins: its buffer is there. */
static void begin_gather(struct walk *walk, const struct visit *visit)
{
	const struct holding *holding = &visit->cost->holding;
	double first = kinds_sum(holding->first), last = kinds_sum(holding->last);

	if (visit->state->gathered != GATHERED_NOT)
		return;
	visit->state->elements = visit->task->kind == TASK_GATHER    ? fmax(first, last)
				 : visit->task->kind == TASK_FORWARD ? first
								     : last;
	put_flat(walk, visit, 1);
	visit->state->gathered = GATHERED_FLAT;
}

/* What was gathered while the same unit's last pass still held it is gathered now. */
static void copy_out(struct walk *walk, const struct visit *visit)
{
	if (visit->alone && visit->state->gathered == GATHERED_NOT)
		begin_gather(walk, visit);
	if (visit->state->gathered != GATHERED_FLAT)
		return;
	put(walk, MEMORY_UNSHARDED, -visit->state->kept);
	visit->state->kept = 0;
	put(walk, MEMORY_UNSHARDED,
	    width(walk, visit, walk->sizes->states.gathered) * visit->state->elements);
	visit->state->gathered = GATHERED_BOTH;
}

static void let_buffer_go(struct walk *walk, const struct visit *visit)
{
	if (visit->state->gathered != GATHERED_BOTH)
		return;
	put_flat(walk, visit, -1);
	visit->state->gathered = GATHERED;
}

static void let_parameters_go(struct walk *walk, const struct visit *visit)
{
	let_buffer_go(walk, visit);
	if (visit->state->gathered == GATHERED)
		put(walk, MEMORY_UNSHARDED,
		    -width(walk, visit, walk->sizes->states.gathered) * visit->state->elements);
	visit->state->gathered = GATHERED_NOT;
}

/* Whether what a forward pass gathered is there for the backward pass. */
static bool keeps_parameters(const struct walk *walk, const struct visit *visit)
{
	return walk->sizes->work->zero != ZERO_PARAMETERS || !visit->cost->holding.lets_go;
}

/* ---- gradients ---- */

static bool is_sharded(const struct walk *walk)
{
	return walk->sizes->states.gathered > 0;
}

static void put_gradient(struct walk *walk, const struct visit *visit)
{
	const struct states *states = &walk->sizes->states;
	double bytes = states_bytes(states, HELD_GRADIENT, visit->cost);

	if (visit->state->graded || !states->gradients_let_go)
		return;
	visit->state->graded = !states->updates_at_once;
	if (visit->state->graded) {
		put(walk, MEMORY_GRADIENTS, bytes);
		return;
	}
	bytes = states_passing(states, walk->sizes->work, visit->cost);
	put(walk, MEMORY_GRADIENTS, bytes);
	note(walk, visit, walk->now.time);
	put(walk, MEMORY_GRADIENTS, -bytes);
}

static void begin_gradient(struct walk *walk, const struct visit *visit)
{
	if (!is_sharded(walk) || visit->state->accumulates)
		return;
	put(walk, MEMORY_REDUCE, walk->sizes->states.unreduced * unit_elements(visit->cost));
	visit->state->accumulates = true;
}

/* The units whose gradients are reduced with this one's: of a root unit those of the head, too. */
static void reduced_with(struct walk *walk, const struct visit *visit,
			 void (*each)(struct walk *walk, const struct visit *visit))
{
	const struct stage_cost *stage = &walk->run->stages.items[visit->task->stage];
	struct visit other = *visit;

	each(walk, visit);
	if (kinds_sum(visit->cost->holding.first) <= unit_elements(visit->cost))
		return;
	for (other.unit = 0; other.unit < stage->count; other.unit++) {
		other.cost = &stage->units[other.unit];
		other.state = &walk->units[visit->task->stage][other.unit];
		if (other.cost->holding.first[DENSE] <= 0)
			each(walk, &other);
	}
}

static void end_unreduced(struct walk *walk, const struct visit *visit)
{
	if (visit->state->accumulates)
		put(walk, MEMORY_REDUCE,
		    -walk->sizes->states.unreduced * unit_elements(visit->cost));
	visit->state->accumulates = false;
}

/* In a pipeline only the last backward pass of a stage reduces, and lets parameters go; without one
 * each lets them go, and reduces unless that `waits`. */
static bool ends_stage(const struct walk *walk, int32_t stage, bool waits)
{
	return (walk->sizes->work->pp == 1 && !waits) ||
	       workload_ends(walk->sizes->work, walk->run->batches, walk->backwards[stage]);
}

/* Whether a reduction of the unit's own follows: experts that no other rank has need none. */
static bool is_reduced(const struct visit *visit)
{
	const struct task *next = visit->task + 1; /* the optimizer's, at the latest */

	return visit->alone && next->kind == TASK_REDUCE && next->unit == visit->unit;
}

/* Copied into the buffer of the reduction, which end_reduction lets go. */
static void end_gradient(struct walk *walk, const struct visit *visit)
{
	const double together = kinds_sum(visit->cost->holding.first);
	const bool reduced = is_reduced(visit), waits = workload_waits_whole(walk->sizes->work);

	if (!is_sharded(walk)) {
		put_gradient(walk, visit);
		return;
	}
	if (!ends_stage(walk, visit->task->stage, waits) || together <= 0 ||
	    (visit->alone && !reduced && visit->cost->holding.first[DENSE] <= 0))
		return; /* with a later microbatch, or with another unit */
	reduced_with(walk, visit, end_unreduced);
	if (reduced)
		put(walk, MEMORY_REDUCE, walk->sizes->states.reduced * together);
	else
		reduced_with(walk, visit, put_gradient);
}

static void end_reduction(struct walk *walk, const struct visit *visit)
{
	put(walk, MEMORY_REDUCE,
	    -walk->sizes->states.reduced * kinds_sum(visit->cost->holding.first));
	reduced_with(walk, visit, put_gradient);
}

/*
 * Of a table that is both the embedding and the output the head's gradient waits for the
 * embedding's, which is added to it in place (torch@v2.11.0 csrc/autograd/input_buffer.cpp,
 * can_accumulate_inplace). Megatron adds to a gradient of its own.
 */
static void put_tied(struct walk *walk, double count)
{
	const struct workload *work = walk->sizes->work;

	if (work->model->tied_embeddings && work->pp == 1 && work->software <= SOFTWARE_COMPILED)
		put(walk, MEMORY_REDUCE, count * logits_weight_gradient(work));
}

/* ---- passes ---- */

static void begin_forward(struct walk *walk, const struct visit *visit)
{
	copy_out(walk, visit);
	if (is_head(walk, visit))
		put(walk, MEMORY_LOSS, walk->sizes->activations.loss);
}

/* Between its passes a unit stays cut over fewer ranks, where its policy is a number. */
static void keep_part(struct walk *walk, const struct visit *visit)
{
	const int64_t ranks = visit->cost->holding.kept_over;

	if (ranks < 1)
		return;
	visit->state->kept = width(walk, visit, walk->sizes->states.gathered) *
			     visit->state->elements / (double)ranks;
	put(walk, MEMORY_UNSHARDED, visit->state->kept);
}

static void end_forward(struct walk *walk, const struct visit *visit)
{
	const struct activations *sizes = &walk->sizes->activations;

	let_buffer_go(walk, visit);
	if (!keeps_parameters(walk, visit)) {
		let_parameters_go(walk, visit);
		keep_part(walk, visit);
	}
	put(walk, MEMORY_ACTIVATIONS, unit_of_blocks(visit->cost, sizes->kept));
	if (is_head(walk, visit)) {
		put(walk, MEMORY_LOSS, sizes->logits - sizes->loss);
		put(walk, MEMORY_ACTIVATIONS, sizes->head);
	}
}

/* The loss is at its most before its gradient reaches the projection. */
static void backward_loss(struct walk *walk, const struct visit *visit)
{
	const struct activations *sizes = &walk->sizes->activations;

	put(walk, MEMORY_LOSS, sizes->loss - sizes->logits);
	note(walk, visit, visit->task->start);
	put(walk, MEMORY_LOSS, sizes->gradient - sizes->loss);
}

static void begin_backward(struct walk *walk, const struct visit *visit)
{
	const struct activations *sizes = &walk->sizes->activations;

	copy_out(walk, visit);
	let_buffer_go(walk, visit);
	if (visit->task->kind != TASK_WEIGHT) {
		put(walk, MEMORY_RECOMPUTED,
		    unit_of_blocks(visit->cost, sizes->again) +
			    unit_of_blocks(visit->cost, sizes->working));
		if (is_head(walk, visit))
			backward_loss(walk, visit);
	}
	if (visit->task->kind != TASK_INPUT)
		begin_gradient(walk, visit);
	if (is_embedding(visit) && !is_sharded(walk))
		put_tied(walk, 1);
}

/*
 * What was computed again stays until gradients of weights are made of it; what had been kept is
 * among it, and is not there twice.
 */
static void end_inputs(struct walk *walk, const struct visit *visit)
{
	const struct activations *sizes = &walk->sizes->activations;
	double again = unit_of_blocks(visit->cost, sizes->again);
	double added = fmax(again - unit_of_blocks(visit->cost, sizes->kept), 0);

	if (visit->task->kind != TASK_WEIGHT) {
		put(walk, MEMORY_RECOMPUTED, -again - unit_of_blocks(visit->cost, sizes->working));
		if (is_head(walk, visit))
			put(walk, MEMORY_LOSS, -sizes->gradient);
	}
	if (visit->task->kind == TASK_INPUT)
		put(walk, MEMORY_ACTIVATIONS, added);
	if (visit->task->kind == TASK_WEIGHT)
		put(walk, MEMORY_ACTIVATIONS, -added);
}

static void end_backward(struct walk *walk, const struct visit *visit)
{
	const struct activations *sizes = &walk->sizes->activations;

	end_inputs(walk, visit);
	if (visit->task->kind == TASK_INPUT)
		return;
	put(walk, MEMORY_ACTIVATIONS, -unit_of_blocks(visit->cost, sizes->kept));
	if (is_head(walk, visit)) {
		put(walk, MEMORY_ACTIVATIONS, -sizes->head);
		put_tied(walk, 1);
	}
	if (is_embedding(visit))
		put_tied(walk, is_sharded(walk) ? -1 : -2);
	end_gradient(walk, visit);
	if (visit->alone && ends_stage(walk, visit->task->stage, false))
		let_parameters_go(walk, visit);
}

static struct visit visit_of(const struct walk *walk, const struct task *task, int32_t unit)
{
	return (struct visit) { .task = task,
				.cost = &walk->run->stages.items[task->stage].units[unit],
				.state = &walk->units[task->stage][unit],
				.unit = unit,
				.alone = task->unit >= 0 };
}

static struct pending behind(const struct walk *walk, struct pending pending)
{
	const struct task *tasks = walk->run->program.tasks.items;

	for (pending.next++; pending.next < pending.end; pending.next++)
		if (tasks[pending.next].kind == pending.kind && tasks[pending.next].unit >= 0)
			break;
	return pending;
}

/* Gathers that have begun and reductions that have ended by a time. */
static void catch_up(struct walk *walk, int64_t time)
{
	const struct task *tasks = walk->run->program.tasks.items;
	struct pending *pending = &walk->reductions;
	struct visit visit;

	for (; pending->next < pending->end; *pending = behind(walk, *pending)) {
		const struct task *task = &tasks[pending->next];
		if (task->end > time)
			break;
		visit = visit_of(walk, task, task->unit);
		end_reduction(walk, &visit);
	}
	pending = &walk->gathers;
	for (; pending->next < pending->end; *pending = behind(walk, *pending)) {
		const struct task *task = &tasks[pending->next];
		if (task->start > time)
			break;
		visit = visit_of(walk, task, task->unit);
		begin_gather(walk, &visit);
	}
}

/* One unit of a pass, between two times. */
static void pass_unit(struct walk *walk, const struct visit *visit, int64_t start, int64_t end)
{
	bool forward = visit->task->kind == TASK_FORWARD;

	catch_up(walk, start);
	(forward ? begin_forward : begin_backward)(walk, visit);
	note(walk, visit, start);
	catch_up(walk, end);
	note(walk, visit, end);
	(forward ? end_forward : end_backward)(walk, visit);
	note(walk, visit, end);
}

/* A stage's input, which has come with its forward pass, goes with the last of its backward passes.
 */
static void end_flight(struct walk *walk, const struct task *task, double input)
{
	const struct activations *sizes = &walk->sizes->activations;

	if (task->kind != TASK_BACKWARD && task->kind != TASK_WEIGHT)
		return;
	walk->now.flights--;
	put(walk, MEMORY_ACTIVATIONS, -input);
	if (task->stage == walk->run->stages.count - 1)
		put(walk, MEMORY_ACTIVATIONS,
		    activations_returned(sizes, walk->sizes->work, walk->run->batches,
					 ends_stage(walk, task->stage, false)));
	walk->backwards[task->stage]++;
}

/* A pass over a whole stage takes its units one by one, for equal times. */
static void pass_stage(struct walk *walk, const struct task *task)
{
	int32_t i, count = walk->run->stages.items[task->stage].count;
	int64_t length = task->end - task->start;

	for (i = 0; i < count; i++) {
		int32_t unit = task->kind == TASK_FORWARD ? i : count - 1 - i;
		struct visit visit = visit_of(walk, task, unit);
		pass_unit(walk, &visit, task->start + length * i / count,
			  task->start + length * (i + 1) / count);
	}
}

/* A pass that keeps nothing: what is gathered for it, what a block makes, its logits. */
static void pass_apart(struct walk *walk, const struct task *task)
{
	const struct activations *made = &walk->sizes->activations;
	const struct visit visit = { .task = task, .unit = -1 };
	const struct stage_cost *stage = &walk->run->stages.items[task->stage];
	const struct memory_moment before = walk->now;

	put(walk, MEMORY_UNSHARDED, states_apart(&walk->sizes->states, walk->sizes->work, stage));
	put(walk, MEMORY_RECOMPUTED, fmax(made->working[DENSE], made->working[EXPERTS]));
	put(walk, MEMORY_LOSS, made->apart);
	note(walk, &visit, task->start);
	note(walk, &visit, task->end);
	walk->now = before;
}

static void pass_task(struct walk *walk, const struct task *task)
{
	const bool first = task->unit <= 0; /* of its stage, which comes last on the way back */
	double input = 0;
	struct visit visit;

	if (first)
		input = activations_flight(&walk->sizes->activations, walk->sizes->work,
					   task->stage, walk->run->stages.count);
	if (first && task->kind == TASK_FORWARD) {
		walk->now.flights++;
		put(walk, MEMORY_ACTIVATIONS, input);
	}
	if (task->unit < 0) {
		pass_stage(walk, task);
	} else {
		visit = visit_of(walk, task, task->unit);
		pass_unit(walk, &visit, task->start, task->end);
	}
	if (first)
		end_flight(walk, task, input);
}

static void update(struct walk *walk, const struct task *task)
{
	struct unit_cost all = stages_of_rank(&walk->run->stages, walk->rank);
	struct visit visit = { .task = task, .unit = -1 };
	const double bytes = states_update(&walk->sizes->states, &all);

	catch_up(walk, task->start);
	put(walk, MEMORY_UPDATE, bytes);
	note(walk, &visit, task->start);
	put(walk, MEMORY_UPDATE, -bytes);
	if (walk->sizes->states.gradients_let_go)
		put(walk, MEMORY_GRADIENTS, -walk->now.parts[MEMORY_GRADIENTS]);
	note(walk, &visit, task->end);
}

/* ---- the rank ---- */

/* Its gathers or reductions, which count where parameters are sharded. */
static struct pending pending_of(const struct walk *walk, enum task_kind kind)
{
	const int32_t *begins = walk->run->program.begins;
	const int32_t end = begins[walk->rank + 1];
	const int32_t begin = is_sharded(walk) ? begins[walk->rank] : end;
	const struct pending pending = { kind, begin - 1, end };

	return behind(walk, pending);
}

static void take_units(struct walk *walk)
{
	const struct stages *stages = &walk->run->stages;
	int32_t i;

	walk->units = arena_array(walk->arena, (size_t)stages->count, sizeof(*walk->units));
	walk->backwards = arena_array(walk->arena, (size_t)stages->count, sizeof(*walk->backwards));
	for (i = 0; i < stages->count; i++)
		if (stages->items[i].rank == walk->rank)
			walk->units[i] = arena_array(walk->arena, (size_t)stages->items[i].count,
						     sizeof(**walk->units));
}

/* What is there before the step. */
static void put_fixed(struct walk *walk)
{
	const struct states *states = &walk->sizes->states;
	const struct activations *sizes = &walk->sizes->activations;
	const struct workload *work = walk->sizes->work;
	const struct stages *stages = &walk->run->stages;
	struct unit_cost all = stages_of_rank(stages, walk->rank);
	int32_t i;

	put(walk, MEMORY_PARAMETERS, states_bytes(states, HELD_PARAMETER, &all));
	put(walk, MEMORY_REFERENCE, states_reference(states, work, stages, walk->rank));
	put(walk, MEMORY_OPTIMIZER, states_bytes(states, HELD_OPTIMIZER, &all));
	if (!states->gradients_let_go)
		put(walk, MEMORY_GRADIENTS, states_bytes(states, HELD_GRADIENT, &all));
	put(walk, MEMORY_REDUCE, states_buffers(states, &all));
	for (i = 0; i < stages->count; i++)
		if (walk->units[i])
			put(walk, MEMORY_ACTIVATIONS,
			    activations_waiting(sizes, work, walk->run->batches, i, stages->count));
	put(walk, MEMORY_WORKSPACES, walk->sizes->workspaces);
	walk->timeline.pool = states_pool(states, &all);
	walk->fixed = walk->now.total;
}

struct memory_timeline memory_timeline_of(struct arena *arena, const struct memory_sizes *sizes,
					  const struct run *run, int32_t rank, int32_t stretches)
{
	struct walk walk = {
		.arena = arena, .sizes = sizes, .run = run, .rank = rank, .stretches = stretches
	};
	int32_t i;

	walk.gathers = pending_of(&walk, TASK_GATHER);
	walk.reductions = pending_of(&walk, TASK_REDUCE);
	take_units(&walk);
	walk.now.task = NO_TASK;
	walk.now.unit = -1;
	put_fixed(&walk);
	walk.timeline.peak = walk.now;
	for (i = run->program.begins[rank]; i < run->program.begins[rank + 1]; i++) {
		const struct task *task = &run->program.tasks.items[i];
		if (task->kind == TASK_OPTIMIZER)
			update(&walk, task);
		else if (task->kind == TASK_APART)
			pass_apart(&walk, task);
		else if (task->stream == STREAM_COMPUTE)
			pass_task(&walk, task);
	}
	catch_up(&walk, run->end);
	walk.timeline.left = walk.now.total - walk.fixed;
	return walk.timeline;
}
