#include "base/json.h"
#include "report/forecast/forecast.h"
#include "sim/build.h"

#include <inttypes.h>
#include <math.h>

/*
 * Tasks that are written one by one, on all threads together: with arrows and parts each takes at
 * most 1 kB.
 */
#define TASKS_SHOWN 40000

struct timeline {
	const struct job *job;
	const struct forecast *forecast;
	const struct run *run;
	struct arena *arena;
	struct buf *out;
	int32_t *order; /* tasks by thread, each in the order in which they run */
	size_t *first;	/* per thread, and one more: where it begins in `order` */
	bool *shown;	/* per task */
	size_t limit;	/* tasks of a thread that are written one by one */
	size_t arrows, left_out;
	bool comma;
};

static const char *const thread_names[STREAMS] = {
	[STREAM_COMPUTE] = "compute",
	[STREAM_GATHER] = "all-gather of parameters",
	[STREAM_REDUCE] = "reduction of gradients",
	[STREAM_COPIES] = "all-reduce between copies",
	[STREAM_SEND] = "send to other stages",
};

static const char *const kind_names[TASK_KINDS] = {
	[TASK_FORWARD] = "forward",
	[TASK_BACKWARD] = "backward",
	[TASK_INPUT] = "backward of inputs,",
	[TASK_WEIGHT] = "backward of weights,",
	[TASK_APART] = "forward without gradients,",
	[TASK_GATHER] = "all-gather",
	[TASK_REDUCE] = "reduce gradients of",
	[TASK_COPIES] = "all-reduce gradients of",
	[TASK_SEND] = "send from",
	[TASK_OPTIMIZER] = "optimizer",
};

static const struct task *task_at(const struct timeline *line, int32_t task)
{
	return &line->run->program.tasks.items[task];
}

static size_t thread_of(const struct task *task)
{
	return (size_t)task->rank * STREAMS + (size_t)task->stream;
}

/*
 * Nanoseconds, always rounded down, so that what does not overlap goes on not to; and to eighths
 * of a microsecond, which binary fractions hold, so that slices that touch still do for readers
 * that add start and length.
 */
#define TICK 125

static int64_t nanoseconds(const struct timeline *line, int64_t time)
{
	const int64_t scale = line->run->program.scale; /* 1, or thousands */

	return scale == 1 ? time / (1000 * TICK) * TICK : time * (scale / 1000) / TICK * TICK;
}

/* ---- what is shown ---- */

/* Sorts the tasks by thread; those of one thread are in order already. */
static void sort_tasks(struct timeline *line)
{
	size_t threads = (size_t)line->run->program.ranks * STREAMS, i;
	size_t count = line->run->program.tasks.count, used = 0;
	size_t *next;

	line->order = arena_array(line->arena, count + 1, sizeof(*line->order));
	line->shown = arena_array(line->arena, count + 1, sizeof(*line->shown));
	line->first = arena_array(line->arena, threads + 1, sizeof(*line->first));
	next = arena_array(line->arena, threads, sizeof(*next));
	for (i = 0; i < count; i++)
		line->first[thread_of(task_at(line, (int32_t)i)) + 1]++;
	for (i = 0; i < threads; i++) {
		used += line->first[i + 1] > 0;
		line->first[i + 1] += line->first[i];
		next[i] = line->first[i];
	}
	for (i = 0; i < count; i++)
		line->order[next[thread_of(task_at(line, (int32_t)i))]++] = (int32_t)i;
	line->limit = count <= TASKS_SHOWN ? count : TASKS_SHOWN / (used ? used : 1);
}

/* ---- events ---- */

/* Processes and threads are numbered from 1: Perfetto takes 0 for the idle process. */
static void begin(struct timeline *line, char phase, int64_t process, int thread)
{
	buf_printf(line->out, "%s{\"ph\":\"%c\",\"pid\":%" PRId64 ",\"tid\":%d",
		   line->comma ? ",\n" : "\n", phase, process + 1, thread + 1);
	line->comma = true;
}

/* Microseconds with three places. */
static void put_time(struct timeline *line, const char *key, int64_t time)
{
	buf_printf(line->out, ",\"%s\":%" PRId64 ".%03d", key, time / 1000, (int)(time % 1000));
}

static void put_label(struct timeline *line, const char *what, int64_t process, int thread,
		      const char *name)
{
	begin(line, 'M', process, thread);
	buf_printf(line->out, ",\"name\":\"%s\",\"args\":{\"name\":", what);
	json_quote(line->out, name);
	buf_text(line->out, "}}");
}

static void put_rank(struct timeline *line, const char *what, int64_t process, int thread,
		     int64_t place)
{
	begin(line, 'M', process, thread);
	buf_printf(line->out, ",\"name\":\"%s\",\"args\":{\"sort_index\":%" PRId64 "}}", what,
		   place);
}

/* "pipeline rank 1: ranks 8-15": where they are in a row, which is known of a derived plan. */
static const char *process_name(const struct timeline *line, int64_t rank)
{
	const int64_t world = line->forecast->work.world, each = world / line->run->program.ranks;
	const int64_t first = rank * each, last = first + each - 1;
	const struct plan *plan = line->job->applied;

	if (line->run->program.ranks == 1)
		return arena_printf(line->arena, "all %" PRId64 " ranks", world);
	if (!plan || plan->unmodelled || plan_pp_rank(plan, first) != rank ||
	    plan_pp_rank(plan, last) != rank)
		return arena_printf(line->arena, "pipeline rank %" PRId64, rank);
	return arena_printf(line->arena, "pipeline rank %" PRId64 ": ranks %" PRId64 "-%" PRId64,
			    rank, first, last);
}

static void put_names(struct timeline *line)
{
	int32_t rank, stream;

	for (rank = 0; rank < line->run->program.ranks; rank++) {
		put_label(line, "process_name", rank, 0, process_name(line, rank));
		put_rank(line, "process_sort_index", rank, 0, rank);
		for (stream = 0; stream < STREAMS; stream++) {
			size_t thread = (size_t)rank * STREAMS + (size_t)stream;
			if (line->first[thread] == line->first[thread + 1])
				continue;
			put_label(line, "thread_name", rank, stream, thread_names[stream]);
			put_rank(line, "thread_sort_index", rank, stream, stream);
		}
	}
}

static void put_layer(struct timeline *line, int layer)
{
	if (layer == HOLDING_EMBEDDING)
		buf_text(line->out, " embedding");
	else if (layer == HOLDING_HEAD)
		buf_text(line->out, " output and loss");
	else
		buf_printf(line->out, " block %d", layer);
}

/* What a task is about: " block 3", " embedding", " output and loss", " stage 2", " all". */
static void put_subject(struct timeline *line, const struct task *task)
{
	const struct stages *stages = &line->run->stages;

	if (task->stage < 0)
		buf_text(line->out, task->kind == TASK_OPTIMIZER ? "" : " everything");
	else if (task->unit < 0)
		buf_printf(line->out, " stage %d", task->stage);
	else
		put_layer(line, stages->items[task->stage].units[task->unit].holding.layer);
}

static void put_arguments(struct timeline *line, const struct task *task)
{
	double bytes = task_bytes(line->run, &line->forecast->work, task);

	buf_printf(line->out, ",\"args\":{\"seconds\":%.9g",
		   program_seconds(&line->run->program, task->work));
	if (task->stage >= 0)
		buf_printf(line->out, ",\"stage\":%d", task->stage);
	if (task->microbatch >= 0)
		buf_printf(line->out, ",\"microbatch\":%d", task->microbatch);
	if (bytes > 0)
		buf_printf(line->out, ",\"bytes\":%.0f", bytes);
	buf_text(line->out, "}}");
}

static void put_slice(struct timeline *line, const struct task *task)
{
	int64_t start = nanoseconds(line, task->start), end = nanoseconds(line, task->end);

	begin(line, 'X', task->rank, task->stream);
	put_time(line, "ts", start);
	put_time(line, "dur", end - start);
	buf_printf(line->out, ",\"cat\":\"%s\",\"name\":\"%s",
		   task->stream == STREAM_COMPUTE ? "compute" : "communication",
		   kind_names[task->kind]);
	put_subject(line, task);
	if (task->microbatch >= 0)
		buf_printf(line->out, ", microbatch %d", task->microbatch);
	buf_char(line->out, '"');
	put_arguments(line, task);
}

/* A collective inside a computing task, before `*end`, which moves to where it starts. */
static void put_inside(struct timeline *line, const struct task *task, const char *name,
		       double seconds, int64_t *end)
{
	double stretch =
		task->work > 0 ? (double)(task->end - task->start) / (double)task->work : 0;
	int64_t length = (int64_t)floor(1e9 * seconds * stretch / TICK) * TICK;

	if (length > *end - nanoseconds(line, task->start))
		length = *end - nanoseconds(line, task->start);
	if (length < 1)
		return;
	*end -= length;
	begin(line, 'X', task->rank, task->stream);
	put_time(line, "ts", *end);
	put_time(line, "dur", length);
	buf_printf(line->out, ",\"cat\":\"inside\",\"name\":\"%s\",\"args\":{\"seconds\":%.9g}}",
		   name, seconds);
}

/* What a block waits for itself, at its end: where in it is not simulated. Written latest first. */
static void put_parts(struct timeline *line, const struct task *task)
{
	struct exchange exchange;
	int64_t end = nanoseconds(line, task->end);

	if (task->stream != STREAM_COMPUTE)
		return;
	exchange = exchange_of(line->run, task);
	put_inside(line, task, "expert-parallel all-to-all", exchange.expert, &end);
	put_inside(line, task, "context-parallel exchange", exchange.context, &end);
	put_inside(line, task, "tensor-parallel collectives", exchange.tensor, &end);
}

static void put_task(struct timeline *line, int32_t task)
{
	const struct task *item = task_at(line, task);

	if (nanoseconds(line, item->start) == nanoseconds(line, item->end))
		return;
	line->shown[task] = true;
	put_slice(line, item);
	put_parts(line, item);
}

/* Many tasks of one thread as one slice, from `from` up to but without `to`. */
static void put_folded(struct timeline *line, size_t from, size_t to)
{
	const struct task *first = task_at(line, line->order[from]);
	int64_t start = nanoseconds(line, first->start), busy = 0;
	int64_t end = nanoseconds(line, task_at(line, line->order[to - 1])->end);
	size_t i;

	for (i = from; i < to; i++) {
		const struct task *task = task_at(line, line->order[i]);
		busy += task->end - task->start;
	}
	line->left_out += to - from;
	if (end == start)
		return;
	begin(line, 'X', first->rank, first->stream);
	put_time(line, "ts", start);
	put_time(line, "dur", end - start);
	buf_printf(line->out,
		   ",\"cat\":\"folded\",\"name\":\"%zu tasks\",\"args\":{\"tasks\":%zu,"
		   "\"busy_s\":%.9g}}",
		   to - from, to - from, program_seconds(&line->run->program, busy));
}

static void put_thread(struct timeline *line, size_t thread)
{
	const size_t from = line->first[thread], to = line->first[thread + 1];
	const size_t half = line->limit / 2 > 0 ? line->limit / 2 : 1;
	const bool folds = to - from > line->limit && to - from > 2 * half;
	size_t i;

	for (i = from; i < to; i++) {
		if (folds && i == from + half) {
			put_folded(line, i, to - half);
			i = to - half;
		}
		put_task(line, line->order[i]);
	}
}

/* ---- arrows ---- */

static void put_end(struct timeline *line, char phase, const struct task *task, int64_t time)
{
	begin(line, phase, task->rank, task->stream);
	put_time(line, "ts", time);
	buf_printf(line->out, ",\"cat\":\"waits\",\"name\":\"waits\",\"id\":%zu%s}", line->arrows,
		   phase == 'f' ? ",\"bp\":\"e\"" : "");
}

/* From what was gathered or sent to the computing that waits for it. */
static void put_arrow(struct timeline *line, int32_t before, const struct task *task)
{
	const struct task *from = task_at(line, before);

	if (!line->shown[before] || (from->kind != TASK_GATHER && from->kind != TASK_SEND))
		return;
	line->arrows++;
	put_end(line, 's', from, nanoseconds(line, from->end) - TICK);
	put_end(line, 'f', task, nanoseconds(line, task->start));
}

static void put_arrows(struct timeline *line)
{
	size_t i;
	int k;

	for (i = 0; i < line->run->program.tasks.count; i++) {
		const struct task *task = task_at(line, (int32_t)i);
		if (!line->shown[i] || task->stream != STREAM_COMPUTE)
			continue;
		for (k = 0; k < TASK_AFTER && task->after[k] != NO_TASK; k++)
			put_arrow(line, task->after[k], task);
	}
}

/* ---- memory ---- */

/* Into how many stretches a step is cut; the fullest moment of each is shown. */
#define STRETCHES 500

static void put_moment(struct timeline *line, int32_t rank, const struct memory_moment *moment)
{
	static const struct {
		const char *name;
		enum memory_part from, to; /* both included */
	} series[] = {
		{ "parameters, gradients, optimizer", MEMORY_PARAMETERS, MEMORY_OPTIMIZER },
		{ "reference model", MEMORY_REFERENCE, MEMORY_REFERENCE }, /* where there is one */
		{ "gathered and reduced", MEMORY_UNSHARDED, MEMORY_REDUCE },
		{ "activations", MEMORY_ACTIVATIONS, MEMORY_ACTIVATIONS },
		{ "recomputed, loss, update", MEMORY_RECOMPUTED, MEMORY_WORKSPACES },
	};
	size_t i;
	int part;

	begin(line, 'C', rank, STREAMS);
	put_time(line, "ts", nanoseconds(line, moment->time));
	buf_text(line->out, ",\"name\":\"GiB in tensors\",\"args\":{");
	for (i = 0; i < sizeof(series) / sizeof(*series); i++) {
		const bool reference = series[i].from == MEMORY_REFERENCE;
		double bytes = 0;
		if (reference && line->forecast->work.reference == REFERENCE_NONE)
			continue;
		for (part = series[i].from; part <= (int)series[i].to; part++)
			if (reference || part != MEMORY_REFERENCE)
				bytes += moment->parts[part];
		buf_printf(line->out, "%s\"%s\":%.6g", i ? "," : "", series[i].name,
			   fmax(bytes, 0) / 1073741824.0);
	}
	buf_text(line->out, "}}");
}

/* What tensors hold over the step, on the fullest pipeline rank of each class. */
static void put_memory(struct timeline *line)
{
	const struct forecast *forecast = line->forecast;
	int i;
	size_t k;

	for (i = 0; i < forecast->memory.count; i++) {
		const struct memory_class *class = &forecast->memory.classes[i];
		const struct memory_timeline held =
			memory_over_time(line->arena, &forecast->profile, &forecast->work,
					 line->run, class, STRETCHES);
		for (k = 0; k < held.moments.count; k++)
			put_moment(line, class->rank, &held.moments.items[k]);
	}
}

/* ---- the file ---- */

static void put_other(const struct timeline *line, struct json_writer *json)
{
	const struct forecast *forecast = line->forecast;

	json_object(json, "otherData");
	json_string(json, "schema", "parplan.trace/1");
	json_string(json, "config", line->job->document.source->path);
	json_string(json, "gpu", forecast->profile.gpu);
	json_double(json, "step_time_s", forecast->step.total);
	json_double(json, "step_time_low_s", forecast->low);
	json_double(json, "step_time_high_s", forecast->high);
	json_double(json, "simulated_s", program_seconds(&line->run->program, line->run->end));
	json_int(json, "microbatches", forecast->work.microbatches);
	json_int(json, "microbatches_simulated", line->run->batches);
	json_int(json, "busiest_pipeline_rank", line->run->busiest);
	json_int(json, "tasks", (int64_t)line->run->program.tasks.count);
	json_int(json, "tasks_left_out", (int64_t)line->left_out);
	json_string(json, "note",
		    "A forecast, not a recording. Collectives inside a block are drawn at its end, "
		    "where they are is not simulated. Microbatches that were not simulated are "
		    "like the last of those that were.");
	json_object_end(json);
}

void report_forecast_trace(const struct job *job, const struct forecast *forecast, struct buf *out)
{
	struct timeline line = { .job = job,
				 .forecast = forecast,
				 .run = &forecast->run,
				 .arena = job->arena,
				 .out = out };
	struct json_writer json;
	size_t thread, threads = (size_t)forecast->run.program.ranks * STREAMS;

	sort_tasks(&line);
	json_begin(&json, out);
	json_object(&json, NULL);
	json_string(&json, "displayTimeUnit", "ms");
	json_array(&json, "traceEvents");
	put_names(&line);
	for (thread = 0; thread < threads; thread++)
		put_thread(&line, thread);
	put_arrows(&line);
	put_memory(&line);
	json_array_end(&json);
	put_other(&line, &json);
	json_object_end(&json);
	buf_char(out, '\n');
}
