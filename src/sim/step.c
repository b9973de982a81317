#include "sim/step.h"

#include "base/die.h"
#include "cost/units.h"
#include "sim/build.h"
#include "sim/call.h"
#include "sim/data_parallel.h"

#include <math.h>

/*
 * A step is simulated with so many rounds at most, beside microbatches that make no whole one:
 * further rounds are like the last one. Without a pipeline the second microbatch is.
 */
#define ROUNDS	     3
#define ROUNDS_ALONE 2
/* Passes of stages below which all of them are simulated. */
#define PASSES 1024
/* How many times as long ticks are made where a step is too long for those that there are. */
#define COARSER 1000
/* A part is worth a name that takes one in so many of a step, or more. */
#define WORTH_NAMING 20

static const struct unit_cost *cost_of(const struct run *run, const struct task *task)
{
	const struct stage_cost *stage = &run->stages.items[task->stage];

	return task->unit < 0 ? &stage->total : &stage->units[task->unit];
}

struct exchange exchange_of(const struct run *run, const struct task *task)
{
	const struct unit_cost *unit;

	if (task->kind == TASK_WEIGHT || task->kind == TASK_OPTIMIZER)
		return (struct exchange) { 0 };
	unit = cost_of(run, task);
	if (task->kind == TASK_APART)
		return (struct exchange) { run->passes * unit->tensor.forward,
					   run->passes * unit->context.forward,
					   run->passes * unit->expert.forward };
	if (task->kind == TASK_FORWARD)
		return (struct exchange) { unit->tensor.forward, unit->context.forward,
					   unit->expert.forward };
	return (struct exchange) { unit->tensor.backward, unit->context.backward,
				   unit->expert.backward };
}

double step_worth_naming(const struct step *step)
{
	return step->total / WORTH_NAMING;
}

const char *step_host_name(const struct workload *work)
{
	return work->loops_experts ? "experts one by one" : "launching kernels";
}

/* Seconds of a task's work in which the device waits for the host. */
static double host_of(const struct run *run, const struct task *task)
{
	const struct unit_cost *unit = cost_of(run, task);
	const double computed = unit->all.backward - unit->tensor.backward -
				unit->context.backward - unit->expert.backward;
	const double weights = computed > 0 ? unit->weight / computed : 0;

	switch (task->kind) {
	case TASK_FORWARD:
		return unit->host.forward;
	case TASK_APART:
		return run->passes * unit->host.forward;
	case TASK_WEIGHT:
		return weights * unit->host.backward;
	case TASK_INPUT:
		return (1 - weights) * unit->host.backward;
	default:
		return unit->host.backward;
	}
}

/* The work of a task by what it is. */
static void account_work(const struct run *run, const struct task *task, struct step *step)
{
	double work = program_seconds(&run->program, task->work);
	struct exchange exchange;

	if (task->kind == TASK_OPTIMIZER) {
		step->optimizer += work;
		return;
	}
	exchange = exchange_of(run, task);
	step->compute += work - exchange.tensor - exchange.context - exchange.expert;
	step->host += host_of(run, task);
	step->tensor += exchange.tensor;
	step->context += exchange.context;
	step->expert += exchange.expert;
}

static bool is_data(const struct task *task)
{
	return task->kind == TASK_GATHER || task->kind == TASK_REDUCE || task->kind == TASK_COPIES;
}

/* Whether a rank waited for data parallelism before a task rather than for other ranks. */
static bool waited_for_data(const struct run *run, const struct task *task)
{
	const struct task *last = NULL;
	int i;

	for (i = 0; i < TASK_AFTER && task->after[i] != NO_TASK; i++) {
		const struct task *before = &run->program.tasks.items[task->after[i]];
		if (!last || before->end > last->end)
			last = before;
	}
	return last && is_data(last);
}

static struct step account(const struct run *run, int32_t rank)
{
	struct step step = { 0 };
	int64_t at = 0;
	int32_t i;

	for (i = run->program.begins[rank]; i < run->program.begins[rank + 1]; i++) {
		const struct task *task = &run->program.tasks.items[i];
		if (task->stream != STREAM_COMPUTE)
			continue;
		if (waited_for_data(run, task))
			step.data += program_seconds(&run->program, task->start - at);
		else
			step.bubble += program_seconds(&run->program, task->start - at);
		step.data += program_seconds(&run->program, task->end - task->start - task->work);
		account_work(run, task, &step);
		at = task->end;
	}
	if (run->program.ranks > 1)
		step.bubble += program_seconds(&run->program, run->end - at);
	else
		step.data += program_seconds(&run->program, run->end - at);
	step.total = program_seconds(&run->program, run->end);
	return step;
}

static int32_t busiest(const struct run *run)
{
	int64_t *work = arena_array(run->program.arena, (size_t)run->program.ranks, sizeof(*work));
	int32_t best = 0, rank;
	size_t i;

	if (run->program.ranks == 1)
		return 0;
	for (i = 0; i < run->program.tasks.count; i++)
		if (run->program.tasks.items[i].stream == STREAM_COMPUTE)
			work[run->program.tasks.items[i].rank] += run->program.tasks.items[i].work;
	for (rank = 1; rank < run->program.ranks; rank++)
		if (work[rank] > work[best])
			best = rank;
	return best;
}

static struct run simulate(struct arena *arena, const struct profile *profile,
			   const struct workload *work, const struct stages *stages,
			   const struct prices *prices, int64_t batches)
{
	struct run run = { .stages = *stages,
			   .program = { .arena = arena, .scale = 1 },
			   .batches = batches,
			   .passes = (double)work->passes };
	size_t i;

	program_build(&run.program, profile, work, stages, prices, batches);
	while (program_overflows(&run.program)) {
		run.program =
			(struct program) { .arena = arena, .scale = COARSER * run.program.scale };
		program_build(&run.program, profile, work, stages, prices, batches);
	}
	if (!engine_run(&run.program))
		bug("the tasks of a step wait for each other");
	for (i = 0; i < run.program.tasks.count; i++)
		if (run.program.tasks.items[i].end > run.end)
			run.end = run.program.tasks.items[i].end;
	run.busiest = busiest(&run);
	run.step = account(&run, run.busiest);
	return run;
}

/* What more microbatches add is never less than nothing. */
static double further(double value, double before, double times)
{
	return value + times * fmax(value - before, 0);
}

/* The step with so many more microbatches like the last simulated one. */
static void extend(struct step *step, const struct step *before, double times)
{
	step->compute = further(step->compute, before->compute, times);
	step->host = further(step->host, before->host, times);
	step->tensor = further(step->tensor, before->tensor, times);
	step->context = further(step->context, before->context, times);
	step->expert = further(step->expert, before->expert, times);
	step->data = further(step->data, before->data, times);
	step->bubble = further(step->bubble, before->bubble, times);
	step->optimizer = further(step->optimizer, before->optimizer, times);
	step->total = step->compute + step->tensor + step->context + step->expert + step->data +
		      step->bubble + step->optimizer;
}

/* Microbatches of a round: one for each pipeline rank, or the group that a stage has in a row; of
 * several pipelines all of one. */
static int64_t round_of(const struct workload *work)
{
	const int64_t each = workload_shape(work, work->microbatches).microbatches;

	if (each < work->microbatches)
		return each;
	return work->group > work->pp ? work->group : work->pp;
}

/* Whether some microbatches can stand for all. */
static bool can_shorten(const struct workload *work, int64_t batches)
{
	struct pipeline_shape shape = workload_shape(work, batches - round_of(work));

	if (work->microbatches <= batches)
		return false;
	if (work->pp == 1)
		return true;
	return !work->schedule->hoards &&
	       work->pp * work->virtual_stages * work->microbatches > PASSES &&
	       !schedule_refusal(work->schedule, &shape);
}

int64_t step_batches(const struct workload *work)
{
	const int64_t round = round_of(work);
	const int64_t rounds = work->pp > 1 ? ROUNDS : ROUNDS_ALONE;
	const int64_t batches = rounds * round + work->microbatches % round;

	return can_shorten(work, batches) ? batches : work->microbatches;
}

struct run step_run(struct arena *arena, const struct profile *profile, const struct workload *work)
{
	const struct stages stages = stages_cost(arena, profile, work);

	return step_run_on(arena, profile, work, &stages);
}

struct run step_run_on(struct arena *arena, const struct profile *profile,
		       const struct workload *work, const struct stages *stages)
{
	const int64_t batches = step_batches(work);
	const struct prices prices = prices_of(arena, profile, work, stages);
	struct run run = simulate(arena, profile, work, stages, &prices, batches);
	struct arena scratch;
	struct step shorter;

	if (batches == work->microbatches)
		return run;
	arena_init(&scratch);
	shorter = simulate(&scratch, profile, work, stages, &prices, batches - round_of(work)).step;
	arena_release(&scratch);
	extend(&run.step, &shorter,
	       (double)(work->microbatches - batches) / (double)round_of(work));
	return run;
}

/* A call of one rank is none. */
static double sent(struct call call)
{
	return call.group->ranks < 2 ? 0 : call.bytes;
}

static double gathered_apart(const struct workload *work, const struct stage_cost *stage)
{
	double elements[KINDS], bytes = 0;
	int kind;

	data_elements_apart(work, stage, elements);
	for (kind = 0; kind < KINDS; kind++)
		bytes += sent(call_gather(work, kind, elements[kind], true));
	return bytes;
}

double task_bytes(const struct run *run, const struct workload *work, const struct task *task)
{
	struct unit_cost all;
	const struct unit_cost *unit = &all;
	double bytes = 0;
	int kind;

	if (task->stream == STREAM_COMPUTE)
		return 0;
	if (task->kind == TASK_SEND)
		return call_pipeline(work).bytes;
	if (task->stage >= 0 && task->unit < 0)
		return gathered_apart(work, &run->stages.items[task->stage]);
	all = stages_of_rank(&run->stages, task->rank);
	if (task->stage >= 0)
		unit = &run->stages.items[task->stage].units[task->unit];
	for (kind = 0; kind < KINDS; kind++) {
		double first = unit->holding.first[kind], last = unit->holding.last[kind];
		if (task->kind == TASK_GATHER)
			bytes += sent(call_gather(work, kind, fmax(first, last),
						  unit->blocks[DENSE] + unit->blocks[EXPERTS] > 0));
		else if (task->kind == TASK_REDUCE)
			bytes += sent(call_reduce(work, kind, first));
		else
			bytes += sent(call_copies(work, kind, first));
	}
	return bytes;
}
