/* Why a run is slow: what each measurement shows, rules out or leaves open. */
#include "evidence/slow/slow.h"
#include "unit/evidence/captured.h"
#include "unit/rules/judged.h"

#include <math.h>

#define CONFIG                                                                                     \
	"parplan: 1\nframework: {torchtitan: v0.2.0, torch: 2.9.0}\n"                              \
	"cluster: {gpu: h100-sxm, nodes: 2, gpus_per_node: 8, nic: 8x400Gb, fabric: ib}\n"         \
	"model: llama3-8b\nparallelism: {dp_replicate: 2, dp_shard: 8}\n"                          \
	"training: {seq_len: 8192, local_batch_size: 1, activation_checkpoint: {mode: none}}\n"

/* What a value is so many times of: nothing, a step of the forecast, its computing, the device. */
enum of { OF_ONE, OF_STEP, OF_COMPUTE, OF_MEMORY };

struct row {
	enum seen_quantity quantity;
	double times;
	enum of of;
};

struct want {
	const char *cause;
	enum slow_basis basis;
	double seconds; /* as a share of the forecast's step; 0: whatever they are, -1: not known */
};

/* By hand: a step that takes so long, computes, idles and waits so, and what must follow. */
static const struct slow_case {
	const char *what;
	struct row rows[5];
	struct want wants[5];
	enum slow_kind kind;
	int64_t step; /* number of the one that was timed */
} cases[] = {
	{ .what = "as forecast, by a log",
	  .rows = { { SEEN_STEP_SECONDS, 1, OF_STEP } },
	  .wants = { { "device-rate", SLOW_UNKNOWN, -1 }, { "lost-overlap", SLOW_UNKNOWN, -1 } },
	  .kind = SLOW_WITHIN,
	  .step = 10 },
	{ .what = "the first step alone",
	  .rows = { { SEEN_STEP_SECONDS, 9, OF_STEP } },
	  .kind = SLOW_INSUFFICIENT,
	  .step = 1 },
	{ .what = "memory alone",
	  .rows = { { SEEN_MEMORY_DEVICE, 0.5, OF_MEMORY } },
	  .kind = SLOW_INSUFFICIENT,
	  .step = 10 },
	{ .what = "slow kernels",
	  .rows = { { SEEN_STEP_SECONDS, 1.6, OF_STEP },
		    { SEEN_COMPUTING_SECONDS, 1.6, OF_COMPUTE },
		    { SEEN_IDLE_SECONDS, 0, OF_ONE } },
	  .wants = { { "device-rate", SLOW_SHOWN, 0 }, { "launch-bound", SLOW_EXCLUDED, -1 } },
	  .kind = SLOW_SLOWER,
	  .step = 10 },
	{ .what = "idle devices",
	  .rows = { { SEEN_STEP_SECONDS, 1.46, OF_STEP },
		    { SEEN_COMPUTING_SECONDS, 1, OF_COMPUTE },
		    { SEEN_IDLE_SECONDS, 0.45, OF_STEP } },
	  .wants = { { "device-rate", SLOW_EXCLUDED, -1 },
		     { "launch-bound", SLOW_SHOWN, 0 },
		     { "lost-overlap", SLOW_EXCLUDED, -1 } },
	  .kind = SLOW_SLOWER,
	  .step = 10 },
	{ .what = "batches that are not there",
	  .rows = { { SEEN_STEP_SECONDS, 1.46, OF_STEP },
		    { SEEN_COMPUTING_SECONDS, 1, OF_COMPUTE },
		    { SEEN_IDLE_SECONDS, 0, OF_ONE },
		    { SEEN_LOADING_SECONDS, 0.45, OF_STEP } },
	  .wants = { { "data-loading", SLOW_SHOWN, 0.45 },
		     { "launch-bound", SLOW_EXCLUDED, -1 },
		     { "lost-overlap", SLOW_EXCLUDED, -1 } },
	  .kind = SLOW_SLOWER,
	  .step = 10 },
	{ .what = "nothing beside collectives",
	  .rows = { { SEEN_STEP_SECONDS, 1.8, OF_STEP },
		    { SEEN_COMPUTING_SECONDS, 1, OF_COMPUTE },
		    { SEEN_IDLE_SECONDS, 0, OF_ONE } },
	  .wants = { { "lost-overlap", SLOW_SHOWN, 0 },
		     { "device-rate", SLOW_EXCLUDED, -1 },
		     { "launch-bound", SLOW_EXCLUDED, -1 },
		     { "data-loading", SLOW_UNKNOWN, -1 } },
	  .kind = SLOW_SLOWER,
	  .step = 10 },
	{ .what = "attention twice",
	  .rows = { { SEEN_STEP_SECONDS, 1.3, OF_STEP }, { SEEN_ATTENTION_PASSES, 2, OF_ONE } },
	  .wants = { { "recomputation", SLOW_SHOWN, 0 } },
	  .kind = SLOW_SLOWER,
	  .step = 10 },
	{ .what = "attention once, an allocator that retries",
	  .rows = { { SEEN_STEP_SECONDS, 1.3, OF_STEP },
		    { SEEN_ATTENTION_PASSES, 1, OF_ONE },
		    { SEEN_RETRIES, 3, OF_ONE } },
	  .wants = { { "recomputation", SLOW_EXCLUDED, -1 },
		     { "memory-pressure", SLOW_SHOWN, -1 } },
	  .kind = SLOW_SLOWER,
	  .step = 10 },
	{ .what = "a full device",
	  .rows = { { SEEN_STEP_SECONDS, 1.3, OF_STEP }, { SEEN_MEMORY_DEVICE, 0.95, OF_MEMORY } },
	  .wants = { { "memory-pressure", SLOW_FITS, -1 } },
	  .kind = SLOW_SLOWER,
	  .step = 10 },
	{ .what = "an empty device",
	  .rows = { { SEEN_STEP_SECONDS, 1.3, OF_STEP }, { SEEN_MEMORY_DEVICE, 0.4, OF_MEMORY } },
	  .wants = { { "memory-pressure", SLOW_EXCLUDED, -1 } },
	  .kind = SLOW_SLOWER,
	  .step = 10 },
};

static double value_of(const struct forecast *forecast, const struct row *row)
{
	const double of[] = { [OF_ONE] = 1,
			      [OF_STEP] = forecast->step.total,
			      [OF_COMPUTE] = forecast->step.compute + forecast->step.optimizer,
			      [OF_MEMORY] = forecast->memory.capacity };

	return row->times * of[row->of];
}

static void measure(struct capture *capture, const struct forecast *forecast,
		    const struct slow_case *test)
{
	size_t i;

	for (i = 0; i < sizeof(test->rows) / sizeof(*test->rows); i++) {
		const struct row *row = &test->rows[i];
		const struct seen_measure measure = {
			row->quantity, value_of(forecast, row), 0, test->step, { 0, (int64_t)i + 1 }
		};
		if (i && row->quantity == SEEN_STEP_SECONDS)
			break; /* rows that are not given */
		vec_push(capture->arena, &capture->measures, measure);
	}
}

static void expect(const struct slow_case *test, const struct slow *slow, const struct want *want,
		   double step)
{
	const struct slow_cause *cause = NULL;
	size_t i;

	for (i = 0; i < slow->causes.count; i++)
		if (!strcmp(slow->causes.items[i].name, want->cause))
			cause = &slow->causes.items[i];
	if (!cause)
		fail_msg("%s: no %s", test->what, want->cause);
	if (cause->basis != want->basis)
		fail_msg("%s: %s is %s (%s), not %s", test->what, want->cause,
			 slow_basis_name(cause->basis), cause->says, slow_basis_name(want->basis));
	if ((want->seconds < 0) != !isfinite(cause->seconds))
		fail_msg("%s: %s has %g s", test->what, want->cause, cause->seconds);
	if (want->seconds > 0)
		assert_true(fabs(cause->seconds - want->seconds * step) < 1e-9);
}

static void judge_case(struct arena *arena, const struct slow_case *test)
{
	const struct job *job = side_of(arena, CONFIG, NULL).job;
	struct forecast *forecast = arena_new(arena, struct forecast);
	struct yardstick yardstick = { .forecast = forecast, .gpus_per_node = 8 };
	struct observed observed;
	struct measured measured;
	struct capture capture;
	struct verdict verdict;
	struct slow slow;
	size_t i;

	assert_null(forecast_read(forecast, job, job->applied, NULL));
	capture_open(&capture, arena, 16, 0);
	measure(&capture, forecast, test);
	observed = observed_of(arena, &capture, job->intended);
	verdict = verdict_of(arena, job, &observed);
	yardstick.verdict = &verdict;
	yardstick.profile = &forecast->profile;
	measured = measured_of(arena, &observed, &yardstick);
	slow = slow_of(arena, job, &observed, &yardstick, &measured);
	if (slow.kind != test->kind)
		fail_msg("%s: %s", test->what, slow_kind_name(slow.kind));
	for (i = 0; i < sizeof(test->wants) / sizeof(*test->wants) && test->wants[i].cause; i++)
		expect(test, &slow, &test->wants[i], forecast->step.total);
}

static void by_hand(void **state)
{
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		judge_case(*state, &cases[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(by_hand) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
