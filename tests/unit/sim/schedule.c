/* Orders as the frameworks have them: testdata/schedules holds a line per rank for each case. */
#include "sim/schedule.h"

#include "base/buf.h"
#include "base/io.h"
#include "wings/torchtitan/pipeline.h"
#include "unit/file_arena.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void print_rank(struct buf *out, const struct schedule *schedule,
		       const struct pipeline_shape *shape, int64_t rank)
{
	struct actions actions = { 0 };
	size_t i;

	schedule->order(&arena, shape, rank, &actions);
	for (i = 0; i < actions.list.count; i++) {
		const struct action *a = &actions.list.items[i];
		buf_printf(out, "%d%c%d%s", (int)a->stage, "FBIW"[a->kind], (int)a -> microbatch,
			   i + 1 == actions.list.count ? "\n"
			   : a->paired		       ? "+"
						       : " ");
	}
}

static void check_file(const char *path)
{
	const struct io_text file = io_read(&arena, path, 1 << 20);
	const struct schedule *schedule;
	struct pipeline_shape shape = { 0 };
	struct buf out;
	const char *rows;
	char name[64];
	int ranks, per_rank, microbatches, group = 0, rank;

	buf_init(&out);
	assert_non_null(file.text);
	assert_true(sscanf(file.text, "%63s ranks %d per_rank %d microbatches %d group %d", name,
			   &ranks, &per_rank, &microbatches, &group) >= 4);
	shape = (struct pipeline_shape) { ranks, per_rank, microbatches, group };
	schedule = schedule_find(name);
	assert_non_null(schedule);
	assert_null(schedule_refusal(schedule, &shape));
	for (rank = 0; rank < ranks; rank++)
		print_rank(&out, schedule, &shape, rank);
	rows = strchr(file.text, '\n') + 1;
	if (strcmp(rows, out.data) != 0)
		fail_msg("%s wants\n%sand is\n%s", path, rows, out.data);
	buf_release(&out);
}

static void orders_are_those_of_the_frameworks(void **state)
{
	glob_t found;
	size_t i;

	(void)state;
	assert_int_equal(glob("testdata/schedules/*.txt", 0, NULL, &found), 0);
	for (i = 0; i < found.gl_pathc; i++)
		check_file(found.gl_pathv[i]);
	globfree(&found);
}

static void names_are_found(void **state)
{
	(void)state;
	assert_string_equal(schedule_find("1f1b")->name, "1F1B");
	assert_string_equal(schedule_find("afab")->name, "GPipe");
	assert_string_equal(schedule_find("deepspeed")->name, "1F1B");
	assert_string_equal(schedule_find("Flexible_Interleaved_1F1B")->name, "Interleaved1F1B");
	assert_null(schedule_find("1F1"));
	assert_null(schedule_find("PipelineScheduleMulti"));
}

/* Whatever torch can run is there, with the same shape and the same refusals. */
static void torch_says_the_same(void **state)
{
	static const char *const names[] = { "Interleaved1F1B", "LoopedBFS",
					     "InterleavedZeroBubble", "ZBVZeroBubble",
					     "DualPipeV" };
	struct torch_release torch;
	size_t i;
	int64_t ranks, microbatches;

	(void)state;
	assert_true(torch_parse(&arena, "2.9.0", &torch));
	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		for (ranks = 1; ranks <= 8; ranks++)
			for (microbatches = 1; microbatches <= 24; microbatches++) {
				const struct schedule *schedule = schedule_find(names[i]);
				const struct pipeline_shape shape = { ranks, 2, microbatches, 0 };
				const struct pipeline_microbatches given = {
					pipeline_schedule_find(names[i]), microbatches, ranks,
					2 * ranks, &torch
				};
				assert_int_equal(given.schedule->v, schedule->vee);
				assert_int_equal(!schedule_refusal(schedule, &shape),
						 !pipeline_microbatches_error(&arena, &given));
			}
}

static void shapes_are_refused(void **state)
{
	static const struct {
		const char *name;
		struct pipeline_shape shape;
		const char *text; /* a part of the refusal, or NULL */
	} cases[] = {
		{ "GPipe", { 4, 1, 2, 0 }, NULL },
		{ "GPipe", { 4, 2, 8, 0 }, "one stage" },
		{ "1F1B", { 4, 2, 8, 0 }, "one stage" },
		{ "1F1B", { 4, 1, 0, 0 }, "one microbatch" },
		{ "1F1B", { 0, 1, 4, 0 }, "one rank" },
		{ "1F1B", { 4, 1, INT64_MAX, 0 }, "at most" },
		{ "LoopedBFS", { INT64_MAX, 2, 8, 0 }, "at most" },
		{ "LoopedBFS", { 4, INT64_MAX, 8, 0 }, "at most" },
		{ "Interleaved1F1B", { 4, 2, 9, 0 }, "rounds" },
		{ "Interleaved1F1B", { 4, 2, 10, 0 }, NULL },
		{ "InterleavedZeroBubble", { 4, 2, 9, 0 }, "rounds" },
		{ "ZBVZeroBubble", { 4, 3, 8, 0 }, "two stages" },
		{ "DualPipeV", { 4, 3, 8, 0 }, "two stages" },
		{ "DualPipeV", { 4, 2, 7, 0 }, "as many microbatches" },
		{ "megatron-interleaved", { 4, 2, 3, 0 }, "at least pp" },
		{ "megatron-interleaved", { 4, 2, 8, 3 }, "at least pp" },
		{ "megatron-interleaved", { 4, 2, 9, 0 }, "last group" },
		{ "megatron-interleaved", { 2, 2, 5, 3 }, NULL },
		{ "megatron-interleaved", { 4, 2, 8, -4 }, "at least pp" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *refusal =
			schedule_refusal(schedule_find(cases[i].name), &cases[i].shape);
		assert_int_equal(!refusal, !cases[i].text);
		assert_true(!refusal || strstr(refusal, cases[i].text));
	}
}

static void stages_are_where_ranks_hold_them(void **state)
{
	const struct pipeline_shape shape = { 4, 2, 8, 0 };
	const struct schedule *const *row;
	int64_t rank, slot;

	(void)state;
	assert_int_equal(schedule_rank(schedule_find("ZBVZeroBubble"), &shape, 7), 0);
	assert_int_equal(schedule_rank(schedule_find("LoopedBFS"), &shape, 7), 3);
	for (row = schedules; *row; row++)
		for (rank = 0; rank < shape.ranks; rank++)
			for (slot = 0; slot < shape.per_rank; slot++)
				assert_int_equal(
					schedule_rank(*row, &shape,
						      schedule_stage(*row, &shape, rank, slot)),
					rank);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders_are_those_of_the_frameworks),
		cmocka_unit_test(names_are_found),
		cmocka_unit_test(torch_says_the_same),
		cmocka_unit_test(shapes_are_refused),
		cmocka_unit_test(stages_are_where_ranks_hold_them),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
