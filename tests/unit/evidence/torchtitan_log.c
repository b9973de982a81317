/* Logs of TorchTitan's eras: what they claim, and what they measured. */
#include "unit/evidence/feed.h"

#include "unit/evidence/capture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>

extern const struct evidence_source source_torchtitan_log;

static struct evidence_file *read_log(const char *text)
{
	return feed(&capture, &source_torchtitan_log, text);
}

static int64_t claimed(const char *axis)
{
	size_t i;

	for (i = 0; i < capture.claims.count; i++)
		if (!strcmp(capture.claims.items[i].axis, axis))
			return capture.claims.items[i].degree;
	return -1;
}

/* NaN: it was not measured, or `times` is not how often. */
static double measured(enum seen_quantity quantity, int64_t step, size_t times)
{
	double value = (double)NAN;
	size_t i;

	for (i = 0; i < capture.measures.count; i++) {
		const struct seen_measure *row = &capture.measures.items[i];
		if (row->quantity != quantity || row->step != step)
			continue;
		value = row->value;
		times--;
	}
	return times ? (double)NAN : value;
}

#define GIB   (1024. * 1024 * 1024)
#define TITAN "[titan] 2026-05-04 13:58:41,402 - root - INFO - "

static void meshes_of_every_era(void **state)
{
	static const struct {
		const char *text;
		struct {
			const char *axis;
			int64_t degree;
		} claims[6];
	} cases[] = {
		{ "2024-03-20 10:00:00,000 - root - INFO - Building 2-D device mesh with ['dp', "
		  "'tp'], [4, 2]",
		  { { "dp", 4 }, { "tp", 2 }, { "pp", -1 } } },
		{ "[rank0]:" TITAN
		  "Building 2-D device mesh with ['dp_replicate', 'dp_shard'], [2, 8]",
		  { { "dp_replicate", 2 }, { "dp_shard", 8 } } },
		{ TITAN
		  "Building 3-D device mesh with ['dp_shard_mod_ep', 'dp_shard_in_ep', 'tp'], "
		  "[2, 4, 2]",
		  { { "dp_shard_mod_ep", 2 },
		    { "dp_shard_in_ep", 4 },
		    { "dp_shard", 8 },
		    { "tp", 2 } } },
		{ TITAN "Building device mesh with parallelism: pp=2, dp_replicate=1, dp_shard=4, "
			"cp=1, tp=2, ep=4, etp=1",
		  { { "pp", 2 },
		    { "dp_replicate", 1 },
		    { "dp_shard", 4 },
		    { "ep", 4 },
		    { "etp", 1 } } },
		{ TITAN "Applied HSDP to the model", { { "HSDP", 0 }, { "FSDP", -1 } } },
		{ TITAN "Applied Data Parallel (simple_fsdp) (dp mode=hybrid_shard) to the model",
		  { { "hybrid_shard", 0 } } },
	};
	size_t i, j;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		evidence_init(&capture, &arena);
		assert_int_equal(read_log(cases[i].text)->records, 1);
		assert_int_equal(capture.groups.count, 0);
		assert_int_equal(capture.world, 0);
		for (j = 0; j < 6 && cases[i].claims[j].axis; j++)
			assert_int_equal(claimed(cases[i].claims[j].axis),
					 cases[i].claims[j].degree);
	}
}

/* The first step of a start has compilation in it: its memory counts, its time does not. */
static void steps_of_every_era(void **state)
{
	static const struct {
		const char *first, *second;
		double gib, speed, tflops, mfu, seconds;
	} cases[] = {
		{ "2024-03-20 10:00:00,000 - root - INFO - \033[36mstep:  1  \033[32mloss: 10.9  "
		  "\033[33mmemory: 9.50GiB(10.06%)  \033[34mwps: 1,234\033[0m\n",
		  "2024-03-20 10:00:20,500 - root - INFO - \033[36mstep: 11  \033[32mloss:  9.9  "
		  "\033[33mmemory: 9.50GiB(10.06%)  \033[34mwps: 8,192\033[0m\n",
		  9.5, 8192, 0, 0, 2.05 },
		{ "[rank0]:2025-01-01 23:59:59,000 - root - INFO - step:  1  loss: 10.9  memory: "
		  "9.50GiB(10%)  tps: 100  mfu: 1.00%\n",
		  "[rank0]:2025-01-02 00:00:01,000 - root - INFO - step:  2  loss: nan  memory: "
		  "9.75GiB(10%)  tps: 4,096  mfu: 41.50%\n",
		  9.75, 4096, 0, .415, 2 },
		{ TITAN
		  "Building 1-D device mesh with ['dp_shard'], [8]\n" TITAN
		  "Trainer is initialized with local batch size 1, global batch size 16, "
		  "gradient accumulation steps 2, sequence length 8192, total steps 10 (warmup "
		  "2)\n" TITAN
		  "step:  1  loss:  8.0  grad_norm:  inf  memory: 9.00GiB(1.70%)  tps: 1  "
		  "tflops: 0.18  mfu: N/A\n",
		  TITAN "step:  2  loss:  8.0  grad_norm:  1.2  memory: 9.25GiB(1.70%)  tps: "
			"8,192  tflops: 1,234.50  mfu: N/A step:  99  loss: cut\n" TITAN
			"validate step:  2  loss:  8.0  memory: 1.00GiB(1%)  tps: 5\n",
		  9.25, 8192, 1234.5, 0, 2 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct evidence_file *file;
		const int64_t last = i ? 2 : 11;
		evidence_init(&capture, &arena);
		file = read_log(arena_join(&arena, cases[i].first, cases[i].second, ""));
		assert_int_equal(file->left_out, 1);
		assert_int_equal(file->unreadable, 0);
		assert_int_equal(file->steps, last - 1);
		assert_true(measured(SEEN_MEMORY_RESERVED, 1, 1) > 8 * GIB);
		assert_true(isnan(measured(SEEN_STEP_SECONDS, 1, 1)));
		assert_true(measured(SEEN_MEMORY_RESERVED, last, 1) == cases[i].gib * GIB);
		assert_true(measured(SEEN_TOKENS_PER_SECOND, last, 1) == cases[i].speed);
		assert_true(fabs(measured(SEEN_STEP_SECONDS, last, 1) - cases[i].seconds) < 1e-9);
		if (cases[i].tflops > 0)
			assert_true(measured(SEEN_FLOPS, last, 1) == cases[i].tflops * 1e12);
		if (cases[i].mfu > 0)
			assert_true(fabs(measured(SEEN_MFU, last, 1) - cases[i].mfu) < 1e-12);
		else
			assert_true(isnan(measured(SEEN_MFU, last, 1)));
	}
}

#define STEP(step, memory)                                                                         \
	TITAN "step: " step "  loss: 8.0  memory: " memory "GiB(1%)  tps: 5  tflops: 1  mfu: 1%\n"

static void saves_and_restarts(void **state)
{
	const struct evidence_file *file;

	(void)state;
	file = read_log(TITAN "torchtitan version: 0.2.2 (0.0.0 means it is not defined)\n" TITAN
			      "PyTorch version: 2.9.0+cu128.\n" TITAN
			      "Training starts at step 1\n" STEP("1", "1") STEP("2", "1")
				      STEP("3", "1") TITAN
			"Saving the checkpoint (or staging if async is enabled).\n" TITAN
			"Finished saving the checkpoint in 3.00 seconds.\n" STEP("4", "1") TITAN
			"Training starts at step 3\n" STEP("3", "2") STEP("4", "2") TITAN
			"step: 5 loss: 1 memory: odd\n");
	assert_int_equal(file->left_out, 3);
	assert_int_equal(file->unreadable, 1);
	assert_int_equal(capture.limits.count, 1);
	assert_string_equal(capture.limits.items[0].code, "RESTARTED");
	assert_string_equal(capture.versions.items[0], "torchtitan 0.2.2");
	assert_string_equal(capture.versions.items[1], "torch 2.9.0+cu128");
	assert_true(measured(SEEN_MEMORY_RESERVED, 2, 1) == GIB);
	assert_true(measured(SEEN_MEMORY_RESERVED, 3, 1) == 2 * GIB);
	assert_true(measured(SEEN_TOKENS_PER_SECOND, 4, 1) == 5);
	assert_true(isnan(measured(SEEN_TOKENS_PER_SECOND, 3, 1)));
}

static void documents_are_no_logs(void **state)
{
	(void)state;
	assert_int_equal(read_log("It says \"Applied HSDP to the model\".\n")->records, 0);
	assert_int_equal(capture.claims.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(meshes_of_every_era, begin_capture, end),
		cmocka_unit_test_setup_teardown(steps_of_every_era, begin_capture, end),
		cmocka_unit_test_setup_teardown(saves_and_restarts, begin_capture, end),
		cmocka_unit_test_setup_teardown(documents_are_no_logs, begin_capture, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
