#include "search/flights.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the four above first */
#include <cmocka.h>

/* What waits on a rank of a pipeline, counted by hand in the pictures that the papers draw. */

static const struct flights *flights(struct arena *arena, const char *schedule, int64_t ranks,
				     int64_t per_rank, int64_t microbatches, int64_t rank)
{
	const struct pipeline_shape shape = { .ranks = ranks,
					      .per_rank = per_rank,
					      .microbatches = microbatches };

	return flights_of(flights_new(arena), schedule_find(schedule), &shape, rank);
}

/* The most passes forward that wait when a backward pass begins. */
static int64_t most(const struct flights *flights)
{
	int64_t most = 0;
	int i;

	for (i = 0; i < flights->count; i++) {
		const struct moment *moment = &flights->moments[i];
		const int64_t all = moment->forwards[0] + moment->forwards[1];
		if ((moment->begins[0] || moment->begins[1] || moment->loss) && all > most)
			most = all;
	}
	return most;
}

/* 1F1B of four ranks: rank r has 4 - r microbatches before its first backward pass. */
static void test_one_forward_one_backward(void **state)
{
	struct arena arena;
	int64_t rank;

	(void)state;
	arena_init(&arena);
	for (rank = 0; rank < 4; rank++)
		assert_int_equal(most(flights(&arena, "1F1B", 4, 1, 8, rank)), 4 - rank);
	assert_int_equal(most(flights(&arena, "GPipe", 4, 1, 8, 0)), 8);
	/* Interleaved: (v - 1) pp + 2 (pp - 1) + 1 on the first rank */
	assert_int_equal(most(flights(&arena, "Interleaved1F1B", 4, 2, 8, 0)), 11);
	arena_release(&arena);
}

/*
 * Gathers of a stage that lets go after a forward pass. Rank 1 of 2 under 1F1B makes F0 B0 F1 B1 F2
 * B2: before F0, each B, and not before F1 and F2, which follow a backward pass. Rank 0 makes F0 F1
 * B0 F2 B1 B2: before F0, F1, B0, B1.
 */
static void test_gathers(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_int_equal(flights(&arena, "1F1B", 2, 1, 3, 1)->gathers[1], 4);
	assert_int_equal(flights(&arena, "1F1B", 2, 1, 3, 0)->gathers[1], 4);
	arena_release(&arena);
}

/* Gradients wait where a stage has more than one backward pass, for all of a rank's stages at once.
 */
static void test_waits(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_false(flights(&arena, "1F1B", 2, 1, 1, 0)->waits);
	assert_true(flights(&arena, "1F1B", 2, 1, 2, 0)->waits);
	/* one round: the last stage has all of its backward passes before the first one's begin */
	assert_false(flights(&arena, "Interleaved1F1B", 2, 2, 2, 0)->waits);
	assert_true(flights(&arena, "Interleaved1F1B", 2, 2, 4, 0)->waits);
	arena_release(&arena);
}

/* A shape is counted once. */
static void test_known(void **state)
{
	const struct pipeline_shape shape = { .ranks = 4, .per_rank = 1, .microbatches = 8 };
	struct all_flights *known;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	known = flights_new(&arena);
	assert_ptr_equal(flights_of(known, schedule_find("1F1B"), &shape, 0),
			 flights_of(known, schedule_find("1F1B"), &shape, 0));
	assert_ptr_not_equal(flights_of(known, schedule_find("1F1B"), &shape, 0),
			     flights_of(known, schedule_find("1F1B"), &shape, 1));
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_forward_one_backward),
		cmocka_unit_test(test_gathers),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
