#include "sim/engine.h"

#include "base/die.h"
#include "cost/units.h"

#include <math.h>
#include <string.h>

/* Work is counted in thousandths of a picosecond, so that rates are whole numbers per mille. */
#define FULL 1000

/* What one stream of one rank does. */
struct lane_state {
	enum stream stream;
	int32_t *queue; /* its tasks, in order */
	int32_t count, next;
	int32_t running;       /* or NO_TASK */
	enum crossed crossing; /* of what runs */
	int64_t left;	       /* work */
	int64_t rate;
};

struct rank_state {
	struct lane_state lanes[STREAMS]; /* of streams that have tasks at all */
	int users[CROSSINGS];		  /* lanes whose running task is bound by these links */
	int collectives;		  /* that run */
	int64_t now;			  /* until when the work left is counted */
	int64_t next; /* when the first running task ends; INT64_MAX: none runs */
};

struct engine {
	struct program *program;
	struct rank_state *ranks;
	int lanes;	   /* of each rank */
	int lane[STREAMS]; /* where a stream is among them */
	int32_t places;	   /* ranks, up to a power of two */
	int32_t *winner;   /* of a tournament of who ends first: 1 the last match, 2 and 3 before */
	bool *ended;	   /* per task */
	int32_t *first;	   /* per task: where those of other ranks that wait for it begin */
	int32_t *waiters;  /* of other ranks; NULL: there are none */
	int64_t now;
	int64_t beside; /* rate of computing beside a collective */
};

/*
 * Seconds of a task, and of all, with ticks of a picosecond: 2^63 has room for a thousand times the
 * one, and for twice the other, which slows down beside collectives.
 */
#define LONGEST 9000
#define TOTAL	4000000

/* Ticks of a picosecond where nobody says more. */
static double tick(const struct program *program)
{
	return PICO * (double)(program->scale ? program->scale : 1);
}

void program_work(struct program *program, int32_t task, double seconds)
{
	const double most = LONGEST / PICO;

	program->tasks.items[task].work += llround(fmin(seconds / tick(program), most));
	program->longest = fmax(program->longest, seconds);
	program->total += seconds;
}

bool program_overflows(const struct program *program)
{
	const double times = tick(program) / PICO;

	return program->longest > LONGEST * times || program->total > TOTAL * times;
}

double program_seconds(const struct program *program, int64_t ticks)
{
	return tick(program) * (double)ticks;
}

int32_t program_add(struct program *program)
{
	struct task *task;
	int i;

	program->tasks.items = vec_room(program->arena, program->tasks.items, program->tasks.count,
					&program->tasks.capacity, sizeof(*task));
	task = &program->tasks.items[program->tasks.count];
	task->work = 0;
	for (i = 0; i < TASK_AFTER; i++)
		task->after[i] = NO_TASK;
	return (int32_t)program->tasks.count++;
}

void program_wait(struct program *program, int32_t task, int32_t for_task)
{
	int32_t *after = program->tasks.items[task].after;
	int i;

	if (for_task == NO_TASK)
		return;
	for (i = 0; i < TASK_AFTER; i++) {
		if (after[i] == for_task)
			return;
		if (after[i] == NO_TASK) {
			after[i] = for_task;
			return;
		}
	}
	bug("a task waits for more than %d others", TASK_AFTER);
}

static struct lane_state *lane_of(struct engine *engine, int32_t task)
{
	const struct task *item = &engine->program->tasks.items[task];

	return &engine->ranks[item->rank].lanes[engine->lane[item->stream]];
}

/* Most programs use but some streams, and only those are looked at. */
static void find_lanes(struct engine *engine)
{
	const struct program *program = engine->program;
	bool used[STREAMS] = { false };
	size_t i;
	int32_t rank;
	int stream;

	for (i = 0; i < program->tasks.count; i++)
		used[program->tasks.items[i].stream] = true;
	for (stream = 0; stream < STREAMS; stream++) {
		if (!used[stream])
			continue;
		for (rank = 0; rank < program->ranks; rank++)
			engine->ranks[rank].lanes[engine->lanes].stream = (enum stream)stream;
		engine->lane[stream] = engine->lanes++;
	}
}

static void fill_queues(struct engine *engine)
{
	struct program *program = engine->program;
	int32_t i, rank, k, count = (int32_t)program->tasks.count;

	for (i = 0; i < count; i++)
		lane_of(engine, i)->count++;
	for (rank = 0; rank < program->ranks; rank++) {
		for (k = 0; k < engine->lanes; k++) {
			struct lane_state *lane = &engine->ranks[rank].lanes[k];
			lane->queue = arena_array(program->arena, (size_t)lane->count + 1,
						  sizeof(*lane->queue));
			lane->count = 0;
			lane->running = NO_TASK;
		}
	}
	for (i = 0; i < count; i++) {
		struct lane_state *lane = lane_of(engine, i);
		lane->queue[lane->count++] = i;
	}
}

/* Whether a task waits for another rank by one of its edges. */
static bool crosses(const struct program *program, const struct task *task, int edge)
{
	return program->tasks.items[task->after[edge]].rank != task->rank;
}

/* Who waits for whom of another rank, turned round. */
static void fill_waiters(struct engine *engine)
{
	const struct program *program = engine->program;
	const struct task *tasks = program->tasks.items;
	const size_t count = program->tasks.count;
	size_t i;
	int k;

	engine->first = arena_array(program->arena, count + 2, sizeof(*engine->first));
	for (i = 0; i < count; i++)
		for (k = 0; k < TASK_AFTER && tasks[i].after[k] != NO_TASK; k++)
			if (crosses(program, &tasks[i], k))
				engine->first[tasks[i].after[k] + 2]++;
	for (i = 2; i < count + 2; i++)
		engine->first[i] += engine->first[i - 1];
	engine->waiters = arena_array(program->arena, (size_t)engine->first[count + 1] + 1,
				      sizeof(*engine->waiters));
	for (i = 0; i < count; i++)
		for (k = 0; k < TASK_AFTER && tasks[i].after[k] != NO_TASK; k++)
			if (crosses(program, &tasks[i], k))
				engine->waiters[engine->first[tasks[i].after[k] + 1]++] =
					(int32_t)i;
}

/* Counts what was done since the rank was last looked at. */
static void settle(struct engine *engine, struct rank_state *rank)
{
	int64_t passed = engine->now - rank->now;
	int i;

	for (i = 0; i < engine->lanes && passed > 0; i++) {
		struct lane_state *lane = &rank->lanes[i];
		if (lane->running == NO_TASK)
			continue;
		lane->left -= passed * lane->rate;
		if (lane->left < 0)
			lane->left = 0;
	}
	rank->now = engine->now;
}

static bool is_collective(enum stream stream)
{
	return stream != STREAM_COMPUTE && stream != STREAM_SEND;
}

/* Picoseconds until a lane's task ends, at a rate that so many users of its links leave it. */
static int64_t time_left(struct lane_state *lane, int64_t rate)
{
	lane->rate = rate;
	return rate == FULL ? (lane->left + FULL - 1) / FULL : (lane->left + rate - 1) / rate;
}

/*
 * Collectives over the same links share them; computing beside a collective is slower. What ends
 * first is what the rank looks at next.
 */
static void set_rates(const struct engine *engine, struct rank_state *rank)
{
	int64_t left = INT64_MAX;
	int i;

	for (i = 0; i < engine->lanes; i++) {
		struct lane_state *lane = &rank->lanes[i];
		const int with = rank->users[lane->crossing];
		int64_t time;
		if (lane->running == NO_TASK)
			continue;
		time = time_left(lane, lane->stream == STREAM_COMPUTE && rank->collectives
					       ? engine->beside
				       : with > 1 ? FULL / with
						  : FULL);
		left = time < left ? time : left;
	}
	rank->next = left == INT64_MAX ? INT64_MAX : rank->now + left;
}

static int32_t contender(const struct engine *engine, int32_t place)
{
	return place >= engine->places ? place - engine->places : engine->winner[place];
}

/* Plays again what the rank takes part in: the lower one of two wins. */
static void play(struct engine *engine, const struct rank_state *rank)
{
	int32_t match = (engine->places + (int32_t)(rank - engine->ranks)) / 2;

	for (; match > 0; match /= 2) {
		const int32_t low = contender(engine, 2 * match);
		const int32_t high = contender(engine, 2 * match + 1);
		engine->winner[match] =
			engine->ranks[low].next <= engine->ranks[high].next ? low : high;
	}
}

/* Whether all that a task waits for has ended. */
static bool is_ready(const struct engine *engine, const struct task *task)
{
	int i;

	for (i = 0; i < TASK_AFTER && task->after[i] != NO_TASK; i++)
		if (!engine->ended[task->after[i]])
			return false;
	return true;
}

/* Counts a lane's task, which begins or ends, among those that share links. */
static void count_user(struct rank_state *rank, const struct lane_state *lane, int sign)
{
	if (lane->crossing == CROSSING_NONE)
		return;
	rank->users[lane->crossing] += sign;
	rank->collectives += is_collective(lane->stream) ? sign : 0;
}

/*
 * Starts what can start on the rank, and says when something ends there: as before, where nothing
 * has `ended` and nothing starts.
 */
static void start(struct engine *engine, struct rank_state *rank, bool ended)
{
	bool changed = ended;
	int i;

	settle(engine, rank);
	for (i = 0; i < engine->lanes; i++) {
		struct lane_state *lane = &rank->lanes[i];
		struct task *task;
		int32_t head;
		if (lane->running != NO_TASK || lane->next >= lane->count)
			continue;
		head = lane->queue[lane->next];
		task = &engine->program->tasks.items[head];
		if (!is_ready(engine, task))
			continue;
		changed = true;
		lane->next++;
		lane->running = head;
		lane->crossing = task->crossing;
		count_user(rank, lane, 1);
		lane->left = task->work * FULL;
		task->start = engine->now;
	}
	if (!changed)
		return;
	set_rates(engine, rank);
	play(engine, rank);
}

/* Ends a task; those of other ranks that waited for it may start. */
static void finish(struct engine *engine, struct rank_state *rank, struct lane_state *lane)
{
	struct task *tasks = engine->program->tasks.items;
	int32_t done = lane->running, i;

	tasks[done].end = engine->now;
	engine->ended[done] = true;
	lane->running = NO_TASK;
	count_user(rank, lane, -1);
	if (!engine->waiters)
		return;
	for (i = engine->first[done]; i < engine->first[done + 1]; i++)
		start(engine, &engine->ranks[tasks[engine->waiters[i]].rank], false);
}

/* The rank where something ends first; the lower one of two. NULL: nothing runs. */
static struct rank_state *first_to_end(struct engine *engine)
{
	struct rank_state *first = &engine->ranks[contender(engine, 1)];

	return first->next == INT64_MAX ? NULL : first;
}

static bool all_done(const struct engine *engine)
{
	int32_t rank;
	int i;

	for (rank = 0; rank < engine->program->ranks; rank++)
		for (i = 0; i < engine->lanes; i++)
			if (engine->ranks[rank].lanes[i].next < engine->ranks[rank].lanes[i].count)
				return false;
	return true;
}

bool engine_run(struct program *program)
{
	struct engine engine = { .program = program,
				 .beside = FULL * FULL / (FULL + program->slowdown) };
	struct rank_state *rank;
	int i;

	for (engine.places = 1; engine.places < program->ranks;)
		engine.places *= 2;
	engine.ranks = arena_array(program->arena, (size_t)engine.places, sizeof(*engine.ranks));
	engine.winner = arena_array(program->arena, (size_t)engine.places, sizeof(int32_t));
	for (i = 0; i < engine.places; i++)
		engine.ranks[i].next = INT64_MAX;
	for (i = engine.places - 1; i > 0; i--)
		engine.winner[i] = contender(&engine, 2 * i);
	engine.ended = arena_array(program->arena, program->tasks.count + 1, sizeof(bool));
	find_lanes(&engine);
	fill_queues(&engine);
	if (program->ranks > 1)
		fill_waiters(&engine);
	for (i = 0; i < program->ranks; i++)
		start(&engine, &engine.ranks[i], true);
	while ((rank = first_to_end(&engine)) != NULL) {
		engine.now = rank->next;
		settle(&engine, rank);
		for (i = 0; i < engine.lanes; i++)
			if (rank->lanes[i].running != NO_TASK && rank->lanes[i].left == 0)
				finish(&engine, rank, &rank->lanes[i]);
		start(&engine, rank, true);
	}
	return all_done(&engine);
}
