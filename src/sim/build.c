#include "sim/build.h"

#include "sim/schedule.h"

#include <math.h>
#include <string.h>

enum { AHEAD, BACK, DIRECTIONS };

/* What one pipeline rank has done so far, in tasks. */
struct rank_history {
	int32_t computed[GATHER_BEHIND]; /* the newest first */
	int32_t reduced[2];		 /* the newest first */
	int32_t copied, sent;
};

/* What one stage has done so far, in microbatches. */
struct stage_history {
	int64_t forward, backward;
	struct data_gathered gathered;
};

struct builder {
	struct program *program;
	const struct workload *work;
	const struct stages *stages;
	const struct prices *prices;
	struct rank_history *ranks;
	struct stage_history *history;
	int64_t batches;
	int32_t *done[DIRECTIONS]; /* per stage and microbatch: what the next stage waits for */
};

static int32_t add(struct builder *builder, enum task_kind kind, enum stream stream, int32_t rank,
		   double seconds)
{
	const int32_t index = program_add(builder->program);
	struct task *task = &builder->program->tasks.items[index];

	program_work(builder->program, index, seconds);
	task->kind = kind;
	task->stream = stream;
	task->rank = rank;
	task->stage = task->microbatch = task->unit = -1;
	return index;
}

static struct task *task_of(const struct builder *builder, int32_t task)
{
	return &builder->program->tasks.items[task];
}

/* One pass of one stage over one microbatch. */
struct pass_of {
	enum action_kind kind;
	int32_t stage, microbatch;
	bool gathers[2]; /* those of units that keep, and that let go */
	bool reduces;
	double hidden; /* share of its time that its pair hides */
};

/* The first task of a pass waits for what a neighbour sends, known when all ranks are built. */
struct receiver {
	struct pass_of pass;
	int32_t task;
};

struct receivers {
	VEC(struct receiver) list;
};

static const struct stage_cost *stage_of(const struct builder *builder, const struct pass_of *pass)
{
	return &builder->stages->items[pass->stage];
}

static bool goes_ahead(const struct pass_of *pass)
{
	return pass->kind == ACTION_FORWARD;
}

/* Seconds that a pass over a unit waits for collectives of its own. */
static double waits_of(const struct pass_of *pass, const struct unit_cost *unit)
{
	if (pass->kind == ACTION_WEIGHT)
		return 0;
	if (goes_ahead(pass))
		return unit->tensor.forward + unit->context.forward + unit->expert.forward;
	return unit->tensor.backward + unit->context.backward + unit->expert.backward;
}

static bool gathers_unit(const struct pass_of *pass, const struct unit_cost *unit)
{
	return pass->gathers[unit->holding.lets_go];
}

/* Seconds of copies between a unit's parameters and the buffers they are communicated in. */
static double copying(const struct builder *builder, const struct pass_of *pass,
		      const struct unit_cost *unit, const struct data_times *times)
{
	double time = 0;

	if (builder->work->zero == ZERO_PARAMETERS && gathers_unit(pass, unit))
		time += times->copy_out[!goes_ahead(pass)];
	return time + (pass->reduces ? times->copy_in : 0);
}

/* Seconds that a pass spends on a unit. */
static double seconds_of(const struct builder *builder, const struct pass_of *pass,
			 const struct unit_cost *unit, const struct data_times *times)
{
	const int32_t rank = builder->stages->items[pass->stage].rank;
	double time = copying(builder, pass, unit, times);

	switch (pass->kind) {
	case ACTION_FORWARD:
		time += unit->all.forward;
		break;
	case ACTION_BACKWARD:
		time += unit->all.backward;
		break;
	case ACTION_INPUT:
		time += unit->all.backward - unit->weight;
		break;
	default:
		time += unit->weight;
	}
	if (builder->work->hurt)
		time += (builder->work->hurt[rank].slow - 1) * (time - waits_of(pass, unit));
	return time * (1 - pass->hidden);
}

static enum task_kind kind_of(const struct pass_of *pass)
{
	static const enum task_kind kinds[] = { TASK_FORWARD, TASK_BACKWARD, TASK_INPUT,
						TASK_WEIGHT };

	return kinds[pass->kind];
}

static void remember(struct rank_history *rank, int32_t task)
{
	int i;

	for (i = GATHER_BEHIND - 1; i > 0; i--)
		rank->computed[i] = rank->computed[i - 1];
	rank->computed[0] = task;
}

static int32_t compute(struct builder *builder, const struct pass_of *pass, int32_t unit,
		       const struct unit_cost *cost)
{
	const struct stage_cost *stage = stage_of(builder, pass);
	struct rank_history *rank = &builder->ranks[stage->rank];
	const struct stage_prices *prices = &builder->prices->stages[pass->stage];
	const struct data_times *times = unit < 0 ? &prices->total : &prices->units[unit];
	int32_t task = add(builder, kind_of(pass), STREAM_COMPUTE, stage->rank,
			   seconds_of(builder, pass, cost, times));

	task_of(builder, task)->stage = pass->stage;
	task_of(builder, task)->microbatch = pass->microbatch;
	task_of(builder, task)->unit = unit;
	if (builder->work->zero == ZERO_PARAMETERS && !goes_ahead(pass))
		program_wait(builder->program, task, rank->reduced[1]);
	if (builder->work->waits_for_sends)
		program_wait(builder->program, task, rank->sent);
	remember(rank, task);
	return task;
}

/* A collective of data parallelism, marked with the unit it is for. */
static int32_t collective(struct builder *builder, enum task_kind kind, enum stream stream,
			  const struct pass_of *pass, int32_t unit, double seconds)
{
	const struct stage_cost *stage = stage_of(builder, pass);
	int32_t task = add(builder, kind, stream, stage->rank, seconds);

	task_of(builder, task)->stage = pass->stage;
	task_of(builder, task)->microbatch = pass->microbatch;
	task_of(builder, task)->unit = unit;
	task_of(builder, task)->crossing = builder->prices->data[stage->rank]->crossing;
	return task;
}

static int32_t gather(struct builder *builder, const struct pass_of *pass, int32_t unit)
{
	const struct stage_cost *stage = stage_of(builder, pass);
	const struct data_times *times = &builder->prices->stages[pass->stage].units[unit];
	double seconds = goes_ahead(pass) ? times->first : times->last;
	int32_t task;

	if (!gathers_unit(pass, &stage->units[unit]) || seconds <= 0)
		return NO_TASK;
	task = collective(builder, TASK_GATHER, STREAM_GATHER, pass, unit, seconds);
	if (builder->work->zero == ZERO_PARAMETERS)
		program_wait(builder->program, task,
			     builder->ranks[stage->rank].computed[GATHER_BEHIND - 1]);
	return task;
}

static void reduce(struct builder *builder, const struct pass_of *pass, int32_t unit,
		   int32_t computed)
{
	const struct stage_cost *stage = stage_of(builder, pass);
	struct rank_history *rank = &builder->ranks[stage->rank];
	const struct data_times *times = &builder->prices->stages[pass->stage].units[unit];
	int32_t task;

	if (!pass->reduces || times->reduce <= 0)
		return;
	task = collective(builder, TASK_REDUCE, STREAM_REDUCE, pass, unit, times->reduce);
	program_wait(builder->program, task, computed);
	rank->reduced[1] = rank->reduced[0];
	rank->reduced[0] = task;
	if (times->copies <= 0)
		return;
	rank->copied = collective(builder, TASK_COPIES, STREAM_COPIES, pass, unit, times->copies);
	task_of(builder, rank->copied)->crossing =
		builder->prices->data[stage->rank]->copies_crossing;
	program_wait(builder->program, rank->copied, task);
}

/* Units one by one, each behind its gather and before its reduction. Returns the first. */
static int32_t by_unit(struct builder *builder, const struct pass_of *pass)
{
	const struct stage_cost *stage = stage_of(builder, pass);
	int32_t i, first = NO_TASK;

	for (i = 0; i < stage->count; i++) {
		int32_t unit = goes_ahead(pass) ? i : stage->count - 1 - i;
		int32_t gathered = gather(builder, pass, unit);
		int32_t task = compute(builder, pass, unit, &stage->units[unit]);
		program_wait(builder->program, task, gathered);
		reduce(builder, pass, unit, task);
		first = first == NO_TASK ? task : first;
	}
	return first;
}

/* Which units of its stage a pass gathers. */
static void find_gathers(const struct builder *builder, struct pass_of *pass)
{
	const struct workload *work = builder->work;
	const struct stage_history *stage = &builder->history[pass->stage];
	bool once = work->zero != ZERO_NONE && work->overlap_params && goes_ahead(pass) &&
		    stage->forward == 0;
	int i;

	if (!data_is_parallel(work) || pass->kind == ACTION_WEIGHT)
		return;
	for (i = 0; i < 2; i++)
		pass->gathers[i] =
			builder->prices->stages[pass->stage].has[i] &&
			(work->zero == ZERO_PARAMETERS ? !stage->gathered.here[i] : once);
}

static bool ends_stage(const struct builder *builder, const struct pass_of *pass)
{
	return (pass->kind == ACTION_BACKWARD || pass->kind == ACTION_WEIGHT) &&
	       workload_ends(builder->work, builder->batches,
			     builder->history[pass->stage].backward);
}

static bool reduces(const struct builder *builder, const struct pass_of *pass)
{
	const struct workload *work = builder->work;

	if (!data_is_parallel(work))
		return false;
	if (goes_ahead(pass) || pass->kind == ACTION_INPUT)
		return false;
	if (workload_reduces_each(work) && (work->zero == ZERO_PARAMETERS || work->overlap_grads))
		return true;
	return (work->zero == ZERO_PARAMETERS || work->overlap_grads) && ends_stage(builder, pass);
}

/* Passes over the microbatch that have no backward one, behind the one that has; and before them
 * what nothing hides of their gathers. */
static void put_apart(struct builder *builder, const struct pass_of *pass)
{
	const struct workload *work = builder->work;
	const struct stage_cost *stage = stage_of(builder, pass);
	const struct data_parallel *data = builder->prices->data[stage->rank];
	const double slow = work->hurt ? work->hurt[stage->rank].slow : 1;
	const struct data_apart apart = data_apart_of(work);
	int32_t gathered = NO_TASK, task;

	if (!work->passes || !goes_ahead(pass))
		return;
	if (apart.whole + apart.parts > 0) {
		gathered = collective(builder, TASK_GATHER, STREAM_GATHER, pass, -1,
				      data_gather_apart(data, stage));
		program_wait(builder->program, gathered, builder->ranks[stage->rank].computed[0]);
	}
	task = add(builder, TASK_APART, STREAM_COMPUTE, stage->rank,
		   (double)work->passes * slow * stage->total.all.forward);
	task_of(builder, task)->stage = pass->stage;
	task_of(builder, task)->microbatch = pass->microbatch;
	program_wait(builder->program, task, gathered);
	remember(&builder->ranks[stage->rank], task);
}

/* What has been sent to this pass by its neighbour. */
static int32_t received(const struct builder *builder, const struct pass_of *pass)
{
	int64_t from = pass->stage + (goes_ahead(pass) ? -1 : 1);

	if (pass->kind == ACTION_WEIGHT || from < 0 || from >= builder->stages->count)
		return NO_TASK;
	return builder
		->done[goes_ahead(pass) ? AHEAD : BACK][from * builder->batches + pass->microbatch];
}

/* A send is bound by whichever end has fewer adapters. */
static double slower_send(const struct builder *builder, int32_t from, int32_t to)
{
	return builder->prices->send[from] > builder->prices->send[to] ? builder->prices->send[from]
								       : builder->prices->send[to];
}

/* Hands the result on: by a send where the next stage is another rank's. */
static void hand_on(struct builder *builder, const struct pass_of *pass, int32_t last)
{
	int32_t to = pass->stage + (goes_ahead(pass) ? 1 : -1), task = last;
	const struct stage_cost *stage = stage_of(builder, pass);

	if (pass->kind == ACTION_WEIGHT || to < 0 || to >= builder->stages->count)
		return;
	if (builder->stages->items[to].rank != stage->rank) {
		task = add(builder, TASK_SEND, STREAM_SEND, stage->rank,
			   slower_send(builder, stage->rank, builder->stages->items[to].rank));
		task_of(builder, task)->stage = pass->stage;
		task_of(builder, task)->microbatch = pass->microbatch;
		task_of(builder, task)->crossing = builder->prices->send_crossing;
		program_wait(builder->program, task, last);
		builder->ranks[stage->rank].sent = task;
	}
	builder->done[goes_ahead(pass) ? AHEAD : BACK]
		     [pass->stage * builder->batches + pass->microbatch] = task;
}

static void count_pass(struct builder *builder, const struct pass_of *pass)
{
	struct stage_history *stage = &builder->history[pass->stage];
	const bool ends = builder->work->pp > 1 && ends_stage(builder, pass);

	if (goes_ahead(pass))
		stage->forward++;
	else if (pass->kind != ACTION_INPUT)
		stage->backward++;
	if (pass->kind != ACTION_WEIGHT)
		data_passed(builder->work, &stage->gathered, goes_ahead(pass));
	if (ends)
		stage->gathered = (struct data_gathered) { { false, false } };
}

static void put_pass(struct builder *builder, struct pass_of pass, struct receivers *receivers)
{
	const struct stage_cost *stage = stage_of(builder, &pass);
	struct receiver receiver;

	find_gathers(builder, &pass);
	pass.reduces = reduces(builder, &pass);
	receiver.pass = pass;
	receiver.task = stage->count > 0 && (pass.gathers[0] || pass.gathers[1] || pass.reduces)
				? by_unit(builder, &pass)
				: compute(builder, &pass, -1, &stage->total);
	program_work(builder->program, receiver.task, builder->prices->wait);
	vec_push(builder->program->arena, &receivers->list, receiver);
	hand_on(builder, &pass, builder->ranks[stage->rank].computed[0]);
	put_apart(builder, &pass);
	count_pass(builder, &pass);
}

/* Share of a pass that is waiting for all-to-alls, which another pass can fill. */
static double fillable(const struct builder *builder, const struct action *action,
		       const struct action *other)
{
	const struct unit_cost *unit = &builder->stages->items[action->stage].total;
	const struct unit_cost *beside = &builder->stages->items[other->stage].total;
	bool ahead = action->kind == ACTION_FORWARD;
	double time = ahead ? unit->all.forward : unit->all.backward;
	double waits = ahead ? unit->expert.forward : unit->expert.backward;
	double fills = ahead ? beside->all.backward - beside->expert.backward
			     : beside->all.forward - beside->expert.forward;

	return time > 0 && builder->work->hides_experts ? fmin(waits, fills) / time : 0;
}

static void put_actions(struct builder *builder, const struct actions *actions,
			struct receivers *receivers)
{
	size_t i;

	for (i = 0; i < actions->list.count; i++) {
		const struct action *action = &actions->list.items[i];
		struct pass_of pass = { .kind = action->kind,
					.stage = action->stage,
					.microbatch = action->microbatch };
		if (action->paired && i + 1 < actions->list.count)
			pass.hidden = fillable(builder, action, action + 1);
		else if (i > 0 && action[-1].paired)
			pass.hidden = fillable(builder, action, action - 1);
		put_pass(builder, pass, receivers);
	}
}

static void put_rank(struct builder *builder, int32_t rank, struct receivers *receivers)
{
	struct actions actions = { 0 };

	workload_order(builder->program->arena, builder->work, builder->batches, rank, &actions);
	put_actions(builder, &actions, receivers);
}

/* All gradients at once where reductions do not overlap. */
static void reduce_all(struct builder *builder, int32_t rank, const struct unit_cost *all)
{
	const struct data_parallel *data = builder->prices->data[rank];
	struct rank_history *history = &builder->ranks[rank];
	double serial = data_serial(data), copies = data_copies(data, all->holding.first);
	int32_t task = add(builder, TASK_REDUCE, STREAM_REDUCE, rank,
			   serial * data_reduce(data, all->holding.first));

	task_of(builder, task)->crossing = data->crossing;
	program_wait(builder->program, task, history->computed[0]);
	history->reduced[0] = task;
	if (copies <= 0)
		return;
	history->copied = add(builder, TASK_COPIES, STREAM_COPIES, rank, serial * copies);
	task_of(builder, history->copied)->crossing = data->copies_crossing;
	program_wait(builder->program, history->copied, task);
}

/* Reductions, where they have not been; then the optimizer; then parameters. */
static void put_end(struct builder *builder, int32_t rank)
{
	const struct workload *work = builder->work;
	const struct data_parallel *data = builder->prices->data[rank];
	struct unit_cost all = stages_of_rank(builder->stages, rank);
	struct rank_history *history = &builder->ranks[rank];
	bool parts = work->zero == ZERO_PARAMETERS || work->overlap_grads;
	int32_t task, optimizer;

	if (!parts && data_is_parallel(work))
		reduce_all(builder, rank, &all);
	task = add(builder, TASK_OPTIMIZER, STREAM_COMPUTE, rank,
		   data_optimizer(data, &all) * (work->hurt ? work->hurt[rank].slow : 1));
	program_wait(builder->program, task, history->reduced[0]);
	program_wait(builder->program, task, history->copied);
	if (work->zero == ZERO_NONE || work->zero == ZERO_PARAMETERS || work->overlap_params ||
	    !data_is_parallel(work))
		return;
	optimizer = task;
	task = add(builder, TASK_GATHER, STREAM_GATHER, rank,
		   data_serial(data) * data_gather(data, all.holding.first, true));
	task_of(builder, task)->crossing = data->crossing;
	program_wait(builder->program, task, optimizer);
}

static struct builder builder_of(struct program *program, const struct workload *work,
				 const struct stages *stages, const struct prices *prices,
				 int64_t batches)
{
	struct builder builder = { .program = program,
				   .work = work,
				   .stages = stages,
				   .prices = prices,
				   .batches = batches };
	size_t cells = (size_t)stages->count * (size_t)batches;
	int32_t i;

	builder.ranks = arena_array(program->arena, (size_t)work->pp, sizeof(*builder.ranks));
	for (i = 0; i < work->pp; i++)
		builder.ranks[i] = (struct rank_history) {
			{ NO_TASK, NO_TASK, NO_TASK }, { NO_TASK, NO_TASK }, NO_TASK, NO_TASK
		};
	for (i = 0; i < DIRECTIONS; i++)
		builder.done[i] = arena_array(program->arena, cells, sizeof(int32_t));
	builder.history =
		arena_array(program->arena, (size_t)stages->count, sizeof(*builder.history));
	return builder;
}

/*
 * Passes with what they send, and what data parallelism does beside one of each stage, or beside
 * all where there is but one.
 */
static size_t tasks_expected(const struct stages *stages, int64_t batches)
{
	size_t count = 4 * (size_t)stages->count * (size_t)batches;
	int32_t i;

	for (i = 0; i < stages->count; i++)
		count += 6 * (size_t)stages->items[i].count;
	return stages->count > 1 ? count : count * (size_t)batches;
}

void program_build(struct program *program, const struct profile *profile,
		   const struct workload *work, const struct stages *stages,
		   const struct prices *prices, int64_t batches)
{
	struct builder builder = builder_of(program, work, stages, prices, batches);
	struct receivers receivers = { 0 };
	int32_t rank;
	size_t i;

	program->ranks = (int32_t)work->pp;
	program->slowdown = (int64_t)llround(1000 * profile_get(profile, FIGURE_CONTENTION));
	vec_reserve(program->arena, &program->tasks, tasks_expected(stages, batches));
	program->begins = arena_array(program->arena, (size_t)work->pp + 1, sizeof(int32_t));
	for (rank = 0; rank < work->pp; rank++) {
		program->begins[rank] = (int32_t)program->tasks.count;
		put_rank(&builder, rank, &receivers);
		put_end(&builder, rank);
	}
	program->begins[rank] = (int32_t)program->tasks.count;
	for (i = 0; i < receivers.list.count; i++) {
		const struct receiver *receiver = &receivers.list.items[i];
		program_wait(program, receiver->task, received(&builder, &receiver->pass));
	}
}
