/* Measurements beside the model: who comes last, links, waiting, sources that tell the same. */
#include "evidence/observed/measured.h"
#include "unit/evidence/captured.h"
#include "unit/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

enum { WHOLE = 1 << 24 };

static const struct evidence_source other_source = { .name = "other", .record = "line" };

/* So many all-gathers of a rank in each step, that long in the mean and at the quickest, us. */
static void gather(struct capture *capture, int32_t file, int64_t rank, double mean,
		   double quickest)
{
	struct seen_call call = { .rank = rank,
				  .op = SEEN_ALL_GATHER,
				  .in = WHOLE / 8,
				  .out = WHOLE,
				  .dtype = "bfloat16",
				  .dims = 1,
				  .peer = -1,
				  .count = 3,
				  .shortest = quickest,
				  .spent = 3 * mean,
				  .timed = 3 };
	struct seen_call scatter = call;
	size_t i, before = capture->calls.count;
	int32_t group = capture_group(capture, "mesh_fsdp", rank, 8, 1);

	scatter.op = SEEN_REDUCE_SCATTER;
	scatter.in = WHOLE;
	scatter.out = WHOLE / 8;
	capture_call(capture, group, call);
	capture_call(capture, group, scatter);
	for (i = before; i < capture->calls.count; i++)
		capture->calls.items[i].witness.file = file;
}

static struct observed seen_of(struct arena *arena, struct capture *capture)
{
	return observed_of(arena, capture, NULL);
}

static int32_t family_of_shard(const struct observed *observed)
{
	return observed->axes.axis[ROLE_SHARD].family;
}

static void last_one(void **state)
{
	struct arena *arena = *state;
	struct seen_straggler last;
	struct observed observed;
	struct capture capture;

	capture_open(&capture, arena, 8, 2);
	gather(&capture, 0, 0, 500, 300);
	gather(&capture, 0, 5, 100, 90);
	gather(&capture, 0, 6, 480, 300);
	observed = seen_of(arena, &capture);
	last = straggler_of(&observed, family_of_shard(&observed));
	assert_int_equal(last.rank, 5);
	assert_int_equal(last.others, 2);
	assert_int_equal(last.calls, 12);
	assert_true(fabs(last.wait - 400) < 1e-6);
}

static void nobody_is_last(void **state)
{
	struct arena *arena = *state;
	struct observed observed;
	struct capture capture;

	capture_open(&capture, arena, 8, 2);
	gather(&capture, 0, 0, 500, 300);
	observed = seen_of(arena, &capture);
	assert_int_equal(straggler_of(&observed, family_of_shard(&observed)).rank, -1);
	gather(&capture, 0, 1, 490, 300); /* as long but for the clock */
	observed = seen_of(arena, &capture);
	assert_int_equal(straggler_of(&observed, family_of_shard(&observed)).rank, -1);
}

static const struct call_deviation *gathers(const struct measured *measured)
{
	size_t i;

	for (i = 0; i < measured->calls.count; i++)
		if (measured->calls.items[i].first->call.op == SEEN_ALL_GATHER)
			return &measured->calls.items[i];
	fail_msg("nothing is gathered");
	return NULL;
}

/* Measured over what the model has: so many times as long, in the mean and at the quickest. */
static struct measured compared(struct arena *arena, double mean, double quickest)
{
	struct yardstick yardstick = { .gpus_per_node = 8 };
	struct observed *observed = arena_new(arena, struct observed);
	struct capture *capture = arena_new(arena, struct capture);
	struct profile profile;
	const struct layout group = layout_axis(8, 1);
	struct lane lane;
	double model;

	profile_init(&profile, arena);
	assert_true(profile_gpu(&profile, "h100-sxm"));
	profile_fabric(&profile, "ib");
	yardstick.profile = &profile;
	lane = network_lane(&profile, 8, &group);
	model = 1e6 * network_seconds(&lane, collective_find("all_gather"), 2. * WHOLE);
	capture_open(capture, arena, 8, 2);
	gather(capture, 0, 0, mean * model, quickest * model);
	*observed = seen_of(arena, capture);
	return measured_of(arena, observed, &yardstick);
}

static void as_the_model(void **state)
{
	const struct measured measured = compared(*state, 1.1, 1);
	const struct call_deviation *row = gathers(&measured);

	assert_true(row->per_step && row->calls > 2.9 && row->calls < 3.1);
	assert_true(fabs(deviation_of(row->time, row->expected) - 0.1) < 1e-3);
	assert_null(row->why);
	assert_null(measured.advice);
}

static void slow_links(void **state)
{
	const struct measured measured = compared(*state, 2, 2);
	const struct call_deviation *row = gathers(&measured);

	assert_non_null(row->why);
	assert_non_null(strstr(row->why, "even at the quickest they take 2 times"));
	assert_non_null(measured.advice);
	assert_non_null(strstr(measured.advice, "calibrate"));
}

static void waiting(void **state)
{
	const struct measured measured = compared(*state, 3, 1);
	const struct call_deviation *row = gathers(&measured);

	assert_non_null(row->why);
	assert_non_null(strstr(row->why, "3 times as long in the mean"));
	assert_null(measured.advice);
}

/* The same calls in a trace and in a log are no more calls. */
static void told_twice(void **state)
{
	const struct yardstick yardstick = { 0 };
	struct evidence_file file = { .path = "log", .source = &other_source, .rank = 0 };
	struct arena *arena = *state;
	struct measured measured;
	struct observed observed;
	struct capture capture;

	capture_open(&capture, arena, 8, 2);
	vec_push(arena, &capture.files, file);
	gather(&capture, 0, 0, 100, 90);
	gather(&capture, 1, 0, 0, 0);
	observed = seen_of(arena, &capture);
	measured = measured_of(arena, &observed, &yardstick);
	assert_true(gathers(&measured)->calls > 2.9 && gathers(&measured)->calls < 3.1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(last_one, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(nobody_is_last, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(as_the_model, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(slow_links, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(waiting, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(told_twice, open_arena, close_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
