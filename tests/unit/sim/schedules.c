/* What every schedule owes at every shape: all computations once, no deadlock, its bubble. */
#include "sim/schedule.h"

#include "unit/file_arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { RANKS = 8, PER_RANK = 4, MICROBATCHES = 24, KINDS = 4 };

/* A step of all ranks while it runs: each does the next of its actions once what it needs is. */
struct execution {
	const struct schedule *schedule;
	struct pipeline_shape shape;
	int64_t times[KINDS]; /* of one stage and microbatch */
	struct actions ranks[RANKS];
	size_t at[RANKS];
	int64_t first[RANKS], clock[RANKS], busy[RANKS];
	int64_t held[RANKS], peak[RANKS]; /* activations between F and the last use of them */
	/* When done, by kind; 0: not yet. */
	int64_t done[KINDS][RANKS * PER_RANK][MICROBATCHES];
};

/* When gradients of a stage's inputs are there, by I or by B. */
static int64_t gradient(const struct execution *e, int64_t stage, int64_t microbatch)
{
	const int64_t whole = e->done[ACTION_BACKWARD][stage][microbatch];

	return whole ? whole : e->done[ACTION_INPUT][stage][microbatch];
}

/* When an action may start at the earliest; -1 while something that it needs is not done. */
static int64_t ready(const struct execution *e, const struct action *a)
{
	const int64_t last = e->shape.ranks * e->shape.per_rank - 1;
	int64_t own, other = 1;

	if (a->kind == ACTION_FORWARD)
		return a->stage == 0 ? 0 : e->done[ACTION_FORWARD][a->stage - 1][a->microbatch] - 1;
	if (a->kind == ACTION_WEIGHT)
		return e->done[ACTION_INPUT][a->stage][a->microbatch] - 1;
	own = e->done[ACTION_FORWARD][a->stage][a->microbatch];
	if (a->stage < last)
		other = gradient(e, a->stage + 1, a->microbatch);
	return !own || !other ? -1 : (own > other ? own : other) - 1;
}

/* Runs one action of a rank, whose stage it must be; times are kept plus one. */
static void do_action(struct execution *e, int64_t rank, const struct action *a)
{
	int64_t *done = &e->done[a->kind][a->stage][a->microbatch];

	assert_int_equal(schedule_rank(e->schedule, &e->shape, a->stage), rank);
	assert_true(a->microbatch >= 0 && a->microbatch < e->shape.microbatches);
	assert_int_equal(*done, 0);
	if (e->at[rank] == 0)
		e->first[rank] = e->clock[rank];
	e->clock[rank] += e->times[a->kind];
	e->busy[rank] += e->times[a->kind];
	*done = e->clock[rank] + 1;
	e->held[rank] += a->kind == ACTION_FORWARD;
	if (e->held[rank] > e->peak[rank])
		e->peak[rank] = e->held[rank];
	e->held[rank] -= a->kind == ACTION_BACKWARD || a->kind == ACTION_WEIGHT;
	e->at[rank]++;
}

/* Runs a rank's next action, with the one that it is paired with; false if it must wait. */
static bool advance(struct execution *e, int64_t rank)
{
	const struct action *a = &e->ranks[rank].list.items[e->at[rank]];
	int64_t start, other = 0;

	if (e->at[rank] == e->ranks[rank].list.count)
		return false;
	start = ready(e, a);
	if (a->paired) {
		assert_true(e->at[rank] + 1 < e->ranks[rank].list.count);
		other = ready(e, a + 1);
	}
	if (start < 0 || other < 0)
		return false;
	start = start > other ? start : other;
	if (e->clock[rank] < start)
		e->clock[rank] = start;
	do_action(e, rank, a);
	if (a->paired)
		do_action(e, rank, a + 1);
	return true;
}

/* Every stage and microbatch has its F and either its B or its I and W. */
static void check_all_done(const struct execution *e)
{
	int64_t stage, i;

	for (stage = 0; stage < e->shape.ranks * e->shape.per_rank; stage++)
		for (i = 0; i < e->shape.microbatches; i++) {
			const bool whole = e->done[ACTION_BACKWARD][stage][i] > 0;
			assert_true(e->done[ACTION_FORWARD][stage][i] > 0);
			assert_int_equal(e->done[ACTION_INPUT][stage][i] > 0, !whole);
			assert_int_equal(e->done[ACTION_WEIGHT][stage][i] > 0, !whole);
			assert_true(whole || e->schedule->splits);
		}
}

static void execute(struct execution *e, const struct schedule *schedule,
		    const struct pipeline_shape *shape, const int64_t *times)
{
	bool moved = true;
	int64_t rank;

	memset(e, 0, sizeof(*e));
	e->schedule = schedule;
	e->shape = *shape;
	memcpy(e->times, times, sizeof(e->times));
	for (rank = 0; rank < shape->ranks; rank++)
		schedule->order(&arena, shape, rank, &e->ranks[rank]);
	while (moved)
		for (moved = false, rank = 0; rank < shape->ranks; rank++)
			while (advance(e, rank))
				moved = true;
	for (rank = 0; rank < shape->ranks; rank++)
		if (e->at[rank] < e->ranks[rank].list.count)
			fail_msg("%s: deadlock, %d ranks, %d stages each, %d microbatches",
				 schedule->name, (int)shape->ranks, (int)shape->per_rank,
				 (int)shape->microbatches);
	check_all_done(e);
}

/* Idle time of the whole step: all ranks have as much to do. */
static int64_t bubble(const struct execution *e)
{
	int64_t rank, last = 0;

	for (rank = 0; rank < e->shape.ranks; rank++) {
		last = e->clock[rank] > last ? e->clock[rank] : last;
		assert_int_equal(e->busy[rank], e->busy[0]);
	}
	return last - e->busy[0];
}

/* Idle time of a rank between its first and its last action. */
static int64_t waits(const struct execution *e, int64_t rank)
{
	return e->clock[rank] - e->first[rank] - e->busy[rank];
}

/* Calls `visit` for each shape that the schedule takes. */
static void each_shape(const struct schedule *schedule, const int64_t *times,
		       void (*visit)(const struct execution *e))
{
	static struct execution execution;
	struct pipeline_shape shape = { 0 };

	for (shape.ranks = 1; shape.ranks <= RANKS; shape.ranks++)
		for (shape.per_rank = 1; shape.per_rank <= PER_RANK; shape.per_rank++)
			for (shape.microbatches = 1; shape.microbatches <= MICROBATCHES;
			     shape.microbatches++)
				if (!schedule_refusal(schedule, &shape)) {
					execute(&execution, schedule, &shape, times);
					visit(&execution);
					arena_release(&arena);
				}
}

static const int64_t even[KINDS] = { 1, 2, 1, 1 }, odd[KINDS] = { 3, 7, 5, 2 };

static void need_no_more(const struct execution *e)
{
	assert_true(bubble(e) >= 0);
}

static void no_schedule_deadlocks(void **state)
{
	const struct schedule *const *row;

	(void)state;
	for (row = schedules; *row; row++) {
		each_shape(*row, even, need_no_more);
		each_shape(*row, odd, need_no_more);
	}
}

/* (p - 1) (f + b) of one stage: the share of a rank's time is smaller the more stages it has. */
static void bubble_of_ramp(const struct execution *e)
{
	if (e->shape.per_rank == 1 || e->shape.microbatches >= e->shape.ranks)
		assert_int_equal(bubble(e), (e->shape.ranks - 1) * (e->times[ACTION_FORWARD] +
								    e->times[ACTION_BACKWARD]));
}

static void bubbles_are_the_ramp(void **state)
{
	static const char *const names[] = { "GPipe", "1F1B", "Interleaved1F1B", "LoopedBFS",
					     "megatron-interleaved" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		each_shape(schedule_find(names[i]), even, bubble_of_ramp);
		each_shape(schedule_find(names[i]), odd, bubble_of_ramp);
	}
}

/* ZB1P: (p - 1) (f + i - w), arXiv:2401.10241. */
static void bubble_of_zb1p(const struct execution *e)
{
	if (e->shape.microbatches >= e->shape.ranks)
		assert_int_equal(bubble(e), e->shape.ranks - 1);
}

/* No rank of ZB-V waits once it has begun; the last one begins p - 1 later. */
static void bubble_of_zbv(const struct execution *e)
{
	int64_t rank;

	if (e->shape.microbatches < 2 * e->shape.ranks - 1)
		return;
	assert_int_equal(bubble(e), e->shape.ranks - 1);
	for (rank = 0; rank < e->shape.ranks; rank++)
		assert_int_equal(waits(e, rank), 0);
}

/* (p - 1) (a pair + b - 3 w), github.com/deepseek-ai/DualPipe; here a pair takes f + b. */
static void bubble_of_dualpipev(const struct execution *e)
{
	assert_int_equal(bubble(e), (e->shape.ranks - 1) * 2);
}

static void split_backward_fills_the_ramp(void **state)
{
	(void)state;
	each_shape(schedule_find("InterleavedZeroBubble"), even, bubble_of_zb1p);
	each_shape(schedule_find("ZBVZeroBubble"), even, bubble_of_zbv);
	each_shape(schedule_find("DualPipeV"), even, bubble_of_dualpipev);
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void peak_of_gpipe(const struct execution *e)
{
	int64_t rank;

	for (rank = 0; rank < e->shape.ranks; rank++)
		assert_int_equal(e->peak[rank], e->shape.microbatches);
}

static void peak_of_1f1b(const struct execution *e)
{
	int64_t rank;

	for (rank = 0; rank < e->shape.ranks; rank++)
		assert_int_equal(e->peak[rank],
				 least(e->shape.microbatches, e->shape.ranks - rank));
}

/* Groups of all stages but the last, two for each rank behind, and the one that turns round. */
static void peak_of_interleaved(const struct execution *e)
{
	const int64_t all = e->shape.microbatches * e->shape.per_rank;
	int64_t rank;

	for (rank = 0; rank < e->shape.ranks; rank++)
		assert_int_equal(e->peak[rank],
				 least(all, (e->shape.per_rank - 1) * e->shape.ranks +
						    2 * (e->shape.ranks - 1 - rank) + 1));
}

/* As many of half the size as 1F1B has on its first rank. */
static void peak_of_zbv(const struct execution *e)
{
	int64_t rank;

	for (rank = 0; rank < e->shape.ranks; rank++)
		assert_true(e->peak[rank] <= 2 * e->shape.ranks);
}

/* One more than as many as there are stages. */
static void peak_of_dualpipev(const struct execution *e)
{
	int64_t rank;

	for (rank = 0; rank < e->shape.ranks; rank++)
		assert_true(e->peak[rank] <= 2 * e->shape.ranks + 1);
}

static void activations_are_held_as_theory_says(void **state)
{
	(void)state;
	each_shape(schedule_find("GPipe"), even, peak_of_gpipe);
	each_shape(schedule_find("1F1B"), even, peak_of_1f1b);
	each_shape(schedule_find("megatron-interleaved"), even, peak_of_interleaved);
	each_shape(schedule_find("ZBVZeroBubble"), even, peak_of_zbv);
	each_shape(schedule_find("DualPipeV"), even, peak_of_dualpipev);
}

/* Groups of Megatron-LM other than of as many as ranks: longer warm-up, the same bubble. */
static void groups_leave_the_bubble(void **state)
{
	static struct execution execution;
	const struct schedule *schedule = schedule_find("megatron-interleaved");
	struct pipeline_shape shape = { 4, 3, 0, 0 };

	(void)state;
	for (shape.microbatches = 4; shape.microbatches <= MICROBATCHES; shape.microbatches++)
		for (shape.group = 4; shape.group <= shape.microbatches; shape.group++)
			if (!schedule_refusal(schedule, &shape)) {
				execute(&execution, schedule, &shape, even);
				bubble_of_ramp(&execution);
				assert_int_equal(execution.peak[0], least(3 * shape.microbatches,
									  2 * shape.group + 7));
				arena_release(&arena);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_schedule_deadlocks),
		cmocka_unit_test(bubbles_are_the_ramp),
		cmocka_unit_test(split_backward_fills_the_ramp),
		cmocka_unit_test(activations_are_held_as_theory_says),
		cmocka_unit_test(groups_leave_the_bubble),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
