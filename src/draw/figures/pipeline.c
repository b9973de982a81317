#include "base/vec.h"
#include "draw/chart.h"
#include "draw/page.h"
#include "draw/palette.h"
#include "sim/forecast.h"

#include <string.h>

/*
 * What each pipeline rank does over a step, as a Gantt chart: passes with the number of their
 * microbatch; what is left empty is the bubble. Without a pipeline the rows are the streams of a
 * rank: what it computes, and the collectives beside it.
 */

/* Rows that are shown; of more ranks the middle ones are left out. */
enum { ROWS = 16 };
/* Passes of one row that can be told apart. */
enum { PASSES_SHOWN = 160 };
/* Collectives nearer to each other than this part of the step are one bar. */
enum { NEAR = 250 };
/* Shorter tasks are drawn as long as this part of what is shown, to be seen at all. */
enum { THINNEST = 500 };

/* Tasks of one pass of one microbatch through one stage, or one collective. */
struct span_shown {
	enum task_kind kind;
	int32_t stage, microbatch;
	int64_t start, end; /* ps */
};

struct row_shown {
	const char *name;
	VEC(struct span_shown) spans;
};

struct rows_shown {
	struct row_shown list[ROWS + 1];
	int count;
	int32_t left_out; /* pipeline ranks */
};

static const struct {
	int hue;
	const char *name;
} looks[TASK_KINDS] = {
	[TASK_FORWARD] = { 0, "forward" },
	[TASK_BACKWARD] = { 1, "backward" },
	[TASK_INPUT] = { 1, "backward of inputs" },
	[TASK_WEIGHT] = { 2, "backward of weights" },
	[TASK_APART] = { 2, "forward without gradients" }, /* where no TASK_WEIGHT is */
	[TASK_GATHER] = { 3, "all-gather" },
	[TASK_REDUCE] = { 4, "reduction" },
	[TASK_COPIES] = { 5, "all-reduce between copies" },
	[TASK_SEND] = { -1, "send" },
	[TASK_OPTIMIZER] = { -1, "optimizer" },
};

/* Units of a pass, one right behind the other, are one bar; so are collectives without number. */
static bool continues(const struct run *run, const struct span_shown *last, const struct task *task)
{
	if (last->kind != task->kind)
		return false;
	if (task->stream == STREAM_COMPUTE)
		return last->stage == task->stage && last->microbatch == task->microbatch;
	return task->start - last->end < run->end / NEAR;
}

static void put_task(struct arena *arena, const struct run *run, struct row_shown *row,
		     const struct task *task)
{
	bool computes = task->stream == STREAM_COMPUTE;
	struct span_shown span = { task->kind, task->stage, computes ? task->microbatch : -1,
				   task->start, task->end };

	if (row->spans.count && continues(run, &row->spans.items[row->spans.count - 1], task)) {
		row->spans.items[row->spans.count - 1].end = task->end;
		return;
	}
	vec_push(arena, &row->spans, span);
}

/* The row of a rank, or -1 when it is one of the middle. */
static int row_of(const struct rows_shown *rows, int32_t ranks, int32_t rank)
{
	if (!rows->left_out || rank < ROWS / 2)
		return rank;
	return rank >= ranks - ROWS / 2 ? ROWS - (ranks - rank) : -1;
}

static void take_ranks(struct arena *arena, const struct run *run, struct rows_shown *rows)
{
	const int32_t ranks = run->program.ranks;
	int32_t rank;
	size_t i;

	rows->left_out = ranks > ROWS ? ranks - ROWS : 0;
	rows->count = ranks > ROWS ? ROWS : ranks;
	for (rank = 0; rank < ranks; rank++)
		if (row_of(rows, ranks, rank) >= 0)
			rows->list[row_of(rows, ranks, rank)].name =
				arena_printf(arena, "pp %d", (int)rank);
	for (i = 0; i < run->program.tasks.count; i++) {
		const struct task *task = &run->program.tasks.items[i];
		int row = row_of(rows, ranks, task->rank);
		if (task->stream == STREAM_COMPUTE && row >= 0)
			put_task(arena, run, &rows->list[row], task);
	}
}

static void take_streams(struct arena *arena, const struct run *run, struct rows_shown *rows)
{
	static const char *const names[STREAMS] = { "computing", "all-gather", "reduction",
						    "copies", "send" };
	int rank = 0, stream;
	size_t i;

	for (stream = 0; stream < STREAMS; stream++) {
		struct row_shown *row = &rows->list[rows->count];
		for (i = 0; i < run->program.tasks.count; i++)
			if (run->program.tasks.items[i].rank == rank &&
			    (int)run->program.tasks.items[i].stream == stream)
				put_task(arena, run, row, &run->program.tasks.items[i]);
		row->name = names[stream];
		rows->count += row->spans.count > 0;
	}
}

/* When what is shown ends: all of the step, or as many passes as can be told apart. */
static int64_t shown_until(const struct run *run, const struct rows_shown *rows)
{
	int64_t until = run->end;
	int i;

	for (i = 0; i < rows->count; i++)
		if (rows->list[i].spans.count > PASSES_SHOWN &&
		    rows->list[i].spans.items[PASSES_SHOWN].start < until)
			until = rows->list[i].spans.items[PASSES_SHOWN].start;
	return until;
}

/* What the legend has to tell. */
struct seen {
	bool kinds[TASK_KINDS];
	bool chunks; /* a rank has more than one virtual stage */
};

/* Which of its rank's virtual stages (model chunks) a pass is of, from 0 on; 0 of all others. */
static int chunk_of(const struct run *run, const struct span_shown *span)
{
	return span->microbatch < 0 ? 0 : (int)(span->stage / run->program.ranks);
}

/* Every other chunk of a rank is hatched. */
static int hue_of(const struct run *run, const struct span_shown *span)
{
	const int hue = looks[span->kind].hue;

	return hue < 0 ? hue : hue + HUES * (chunk_of(run, span) % 2);
}

static void put_row(struct chart *chart, const struct run *run, struct arena *arena,
		    const struct row_shown *row, int at, int64_t until, struct seen *seen)
{
	size_t i;

	for (i = 0; i < row->spans.count && row->spans.items[i].start < until; i++) {
		const struct span_shown *span = &row->spans.items[i];
		int64_t least = span->start + until / THINNEST;
		int64_t end = span->end > least ? span->end : least;
		const char *label = span->microbatch < 0
					    ? NULL
					    : arena_printf(arena, "%d", (int)span->microbatch);
		seen->kinds[span->kind] = true;
		seen->chunks = seen->chunks || chunk_of(run, span);
		chart_row_bar(chart, hue_of(run, span), program_seconds(&run->program, span->start),
			      program_seconds(&run->program, end), at, label,
			      arena_printf(arena, "%s%s%s", looks[span->kind].name,
					   label ? " of microbatch " : "", label ? label : ""));
	}
}

static double put_legend(struct canvas *canvas, const struct seen *seen, double y)
{
	struct chart_entry entries[TASK_KINDS + 1];
	size_t count = 0;
	int kind;

	for (kind = 0; kind < TASK_KINDS; kind++)
		if (seen->kinds[kind])
			entries[count++] = (struct chart_entry) { PART_AREA, looks[kind].hue,
								  looks[kind].name };
	if (seen->chunks)
		entries[count++] = (struct chart_entry) { PART_AREA, HUES,
							  "hatched: every other chunk of a rank" };
	return chart_legend(canvas, entries, count, canvas->metrics.margin, y, page_room(canvas));
}

/* What the picture leaves out, in words. */
static void put_notes(const struct subject *subject, struct canvas *canvas,
		      const struct rows_shown *rows, int64_t until, double y)
{
	const struct run *run = &subject->forecast->run;
	const struct step *step = &subject->forecast->step;
	const char *text = "";

	if (step->bubble > 0)
		text = arena_printf(subject->arena,
				    "Rank %d of the pipeline is busy longest and waits %.1f %% of "
				    "the step. ",
				    (int)run->busiest, 100 * step->bubble / step->total);
	if (until < run->end || run->batches < subject->forecast->work.microbatches)
		text = arena_printf(subject->arena, "%sShown are the first %.3g s of %.4g s. ",
				    text, program_seconds(&run->program, until), step->total);
	if (rows->left_out)
		text = arena_printf(subject->arena, "%s%d ranks in the middle are left out. ", text,
				    (int)rows->left_out);
	canvas->description = text;
	if (*text)
		canvas_paragraph(canvas, PART_QUIET, canvas->metrics.margin, y, page_room(canvas),
				 text);
}

static const char *title_of(const struct subject *subject)
{
	const struct workload *work = &subject->forecast->work;

	if (work->pp == 1)
		return arena_printf(subject->arena, "%s: what one rank does in a step",
				    subject->name);
	return arena_printf(subject->arena, "%s: %s over %d ranks, %d microbatches", subject->name,
			    work->schedule->name, (int)work->pp, (int)work->microbatches);
}

static const char *draw(const struct subject *subject, struct canvas *canvas)
{
	const struct run *run = &subject->forecast->run;
	struct rows_shown rows = { .count = 0 };
	struct seen seen = { .chunks = false };
	const char *names[ROWS + 1];
	struct chart_wanted wanted = { .x = canvas->metrics.margin, .w = page_room(canvas) };
	struct chart chart;
	int64_t until;
	double y;
	int i;

	if (run->program.ranks > 1)
		take_ranks(subject->arena, run, &rows);
	else
		take_streams(subject->arena, run, &rows);
	until = shown_until(run, &rows);
	for (i = 0; i < rows.count; i++)
		names[i] = rows.list[i].name;
	canvas->title = title_of(subject);
	wanted.y = page_title(canvas, subject, canvas->title);
	wanted.h = chart_height_titled(canvas, rows.count);
	wanted.across =
		(struct chart_axis) { QUANTITY_SECONDS, program_seconds(&run->program, until),
				      "time since the step began", NULL };
	wanted.up = (struct chart_axis) { QUANTITY_ROWS, rows.count, NULL, names };
	chart_init(&chart, canvas, &wanted);
	for (i = 0; i < rows.count; i++)
		put_row(&chart, run, subject->arena, &rows.list[i], i, until, &seen);
	y = put_legend(canvas, &seen, chart.below + page_gap(canvas));
	put_notes(subject, canvas, &rows, until, y + page_gap(canvas));
	return NULL;
}

const struct figure figure_pipeline = {
	.name = "pipeline",
	.summary = "what pipeline ranks do over a step, and when they wait",
	.forecasts = true,
	.draw = draw,
};
