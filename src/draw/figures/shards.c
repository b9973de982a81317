#include "draw/page.h"

#include "base/text.h"
#include "draw/blocks.h"
#include "draw/palette.h"

#include <math.h>
#include <string.h>

/*
 * One tensor as a table of the blocks that ranks hold: a row per part of the first dim that is
 * cut, a column per part of the second one. Colours go along one axis of the mesh.
 */
enum { COLUMNS_LEAST = 3 };

struct table {
	const struct subject *subject;
	struct canvas *canvas;
	struct blocks blocks;
	struct axis axis; /* its coordinates are the colours */
	bool has_axis;
	double x, y, cell, height, gap; /* of cells; between cells where some are left out */
};

static const struct sharded *find(const struct plan *plan, const char *name)
{
	size_t i;

	for (i = 0; i < plan->parameters.count; i++)
		if (!strcmp(plan->parameters.items[i].parameter->fqn, name))
			return &plan->parameters.items[i];
	for (i = 0; i < plan->parameters.count; i++)
		if (strstr(plan->parameters.items[i].parameter->fqn, name))
			return &plan->parameters.items[i];
	return NULL;
}

/* The first matrix of an attention layer, else the largest parameter. */
static const struct sharded *representative(const struct plan *plan)
{
	const struct sharded *best = NULL;
	size_t i;

	for (i = 0; i < plan->parameters.count; i++) {
		const struct sharded *sharded = &plan->parameters.items[i];
		if (sharded->parameter->dims == 2 && strstr(sharded->parameter->fqn, "attention."))
			return sharded;
		if (!best ||
		    parameter_volume(sharded->parameter) > parameter_volume(best->parameter))
			best = sharded;
	}
	return best;
}

/* Why there is no such parameter, and which name may be meant. */
static const char *unknown(const struct subject *subject, const struct plan *plan)
{
	size_t count = plan->parameters.count, i;
	const char **names = arena_array(subject->arena, count, sizeof(*names));
	const char *nearest;

	for (i = 0; i < count; i++)
		names[i] = plan->parameters.items[i].parameter->fqn;
	nearest = text_nearest(subject->parameter, names, count);
	if (nearest)
		return arena_printf(subject->arena, "no parameter '%s'; did you mean %s?",
				    subject->parameter, nearest);
	return arena_printf(subject->arena, "no parameter '%s'; parplan plan lists them, %s is one",
			    subject->parameter, count ? names[0] : "none");
}

static const char *choose(struct table *table, const char *why)
{
	const struct subject *subject = table->subject;
	const struct plan *plan = table->blocks.plan;

	if (!plan->parameters.count && why)
		return arena_printf(subject->arena, "no parameters are placed: %s", why);
	if (!plan->parameters.count)
		return "no parameters are known that could be drawn: the config names no model "
		       "(model: NAME), or the framework has no model of their placement";
	if (!plan_places(plan) && !plan->stages_assumed)
		return "parameters are cut as vectors of many of them, which this figure does not "
		       "draw";
	if (plan->world > SPREAD_RANKS)
		return arena_printf(subject->arena, "the ranks of more than %s are not counted out",
				    text_count(subject->arena, SPREAD_RANKS));
	table->blocks.sharded =
		subject->parameter ? find(plan, subject->parameter) : representative(plan);
	if (!table->blocks.sharded)
		return unknown(subject, plan);
	if (subject->axis_count > 1)
		return "figure shards takes one --axis";
	if (subject->axis_count && !axis_find(plan, subject->axes[0], &table->axis))
		return arena_printf(subject->arena, "no axis '%s' in this plan; it has %s",
				    subject->axes[0], axis_names(subject->arena, plan));
	table->has_axis = subject->axis_count > 0;
	return NULL;
}

/* Nobody asked for an axis: the outermost one that cuts, which is FSDP's. */
static void choose_axis(struct table *table)
{
	int i;

	for (i = 0; i < table->blocks.sharded->dims && !table->has_axis; i++)
		if (blocks_cut(&table->blocks.sharded->dim[i])) {
			table->axis = (struct axis) { table->blocks.sharded->dim[i].name,
						      *table->blocks.sharded->dim[i].layout };
			table->has_axis = true;
		}
}

/* "4,096 × 4,096" */
static const char *shape_words(struct arena *arena, const int64_t *shape, int dims)
{
	const char *words = "";
	int i;

	for (i = 0; i < dims; i++)
		words = arena_printf(arena, "%s%s%s", words, i ? " × " : "",
				     text_count(arena, shape[i]));
	return words;
}

static double draw_words(const struct table *table, double y)
{
	struct canvas *canvas = table->canvas;
	struct arena *arena = canvas->arena;
	struct box box = spread_box(table->blocks.owners.spread, 0);
	const char *words = arena_printf(arena, "%s.", blocks_words(&table->blocks));

	y = canvas_paragraph(canvas, PART_TEXT, canvas->metrics.margin, y, page_room(canvas),
			     words);
	words = arena_printf(arena, "Each rank holds at most %s of %s elements.",
			     shape_words(arena, box.shape, box.dims),
			     shape_words(arena, table->blocks.sharded->parameter->shape, box.dims));
	if (table->blocks.plan->stages.count > 1)
		words = arena_printf(arena, "%s Stage %d has it: %s of %s ranks.", words,
				     table->blocks.sharded->stage,
				     text_count(arena, table->blocks.owners.ranks),
				     text_count(arena, table->blocks.plan->world));
	if (table->blocks.more)
		words = arena_printf(arena,
				     "%s Of the third dim that is cut the first part is "
				     "shown.",
				     words);
	return canvas_paragraph(canvas, PART_QUIET, canvas->metrics.margin, y, page_room(canvas),
				words) +
	       page_gap(canvas);
}

/* The ranks of a block in as many words as there is room for. */
static const char *owner_words(const struct table *table, const struct owner *owner, double room)
{
	struct canvas *canvas = table->canvas;
	int most;

	for (most = OWNERS_NAMED; most > 1; most--) {
		const char *words = owner_text(canvas->arena, owner, most);
		if (canvas_text_width(canvas, PART_RANK, words) <= room)
			return words;
	}
	return canvas_clip(canvas, PART_RANK, room, owner_text(canvas->arena, owner, 1));
}

/* "fsdp 3", or "" where there is no room or no one place. */
static const char *place_words(const struct table *table, const struct owner *owner, double room)
{
	const struct canvas *canvas = table->canvas;
	const char *words = "";

	if (table->has_axis && owner->place >= 0)
		words = arena_printf(canvas->arena, "%s %lld", table->axis.name,
				     (long long)owner->place);
	return canvas_text_width(canvas, PART_MEMBER, words) <= room ? words : "";
}

/* Room without data, with a word in it. */
static void draw_padding(const struct table *table, double x, double y, double height,
			 const char *words)
{
	struct canvas *canvas = table->canvas;
	double line = canvas->metrics.line[PART_LABEL];

	canvas_rectangle(canvas, PART_PADDING, -1, x, y, table->cell, height, NULL);
	if (height >= line)
		canvas_text(canvas, PART_LABEL, ANCHOR_MIDDLE, x + table->cell / 2,
			    y + (height - line) / 2, words);
}

/* A line of characters: where place and ranks fit, both. */
static void draw_cell_line(const struct table *table, const struct owner *owner, double x, double y)
{
	struct canvas *canvas = table->canvas;
	const char *place = place_words(table, owner, table->cell - 8);
	const char *ranks;

	if (*place)
		place = arena_printf(canvas->arena, "%s: ", place);
	if (canvas_text_width(canvas, PART_RANK, place) +
		    canvas_text_width(canvas, PART_RANK, owner_text(canvas->arena, owner, 1)) >
	    table->cell - 2)
		place = "";
	ranks = owner_words(table, owner,
			    table->cell - 2 - canvas_text_width(canvas, PART_RANK, place));
	canvas_line(canvas, PART_AXIS, -1, x, y, x, y + 1);
	canvas_text(canvas, PART_RANK, ANCHOR_START, x + 2, y,
		    arena_printf(canvas->arena, "%s%s", place, ranks));
}

/* "fsdp 3" below the ranks. */
static void draw_block(const struct table *table, const struct owner *owner, double x, double y,
		       double height)
{
	struct canvas *canvas = table->canvas;
	const struct metrics *metrics = &canvas->metrics;
	int hue = table->has_axis && owner->place >= 0 ? (int)(owner->place % MARKS) : -1;
	double room = table->cell - metrics->digit, line = metrics->line[PART_RANK];
	const char *place = place_words(table, owner, room);
	double both = line + metrics->line[PART_MEMBER], middle = x + table->cell / 2;
	double top = y + (height - (*place && both <= height ? both : line)) / 2;

	canvas_rectangle(canvas, PART_CELL, hue, x, y, table->cell, height, NULL);
	if (metrics->characters) {
		draw_cell_line(table, owner, x, y);
		return;
	}
	canvas_text(canvas, PART_RANK, ANCHOR_MIDDLE, middle, top, owner_words(table, owner, room));
	if (*place && both <= height)
		canvas_text(canvas, PART_MEMBER, ANCHOR_MIDDLE, middle, top + line, place);
}

/* Height of a row: as its part is to the longest, and room for a text at least. */
static double row_height(const struct table *table, int64_t row)
{
	const struct metrics *metrics = &table->canvas->metrics;
	double share = (double)blocks_length(&table->blocks, &table->blocks.down, row) /
		       (double)blocks_length(&table->blocks, &table->blocks.down, 0);

	if (metrics->characters)
		return table->height;
	return fmax(metrics->line[PART_RANK] + 4, floor(table->height * fmin(share, 1)));
}

/* The rows' range at the left, and what it is padded to. */
static void draw_row_label(const struct table *table, int64_t row, double y, double height)
{
	struct canvas *canvas = table->canvas;
	double line = canvas->metrics.line[PART_QUIET];
	double x = table->x - canvas->metrics.digit, middle = y + (height - line) / 2;

	canvas_text(canvas, PART_QUIET, ANCHOR_END, x, middle,
		    blocks_range(&table->blocks, &table->blocks.down, row));
}

/* One row of blocks; returns the y below. */
static double draw_row(const struct table *table, int64_t row, double y)
{
	double height = row_height(table, row), x = table->x;
	int64_t padded = blocks_padded(&table->blocks, row), column;
	double rest = padded ? fmax(table->height - height, 0) : 0;

	for (column = 0; column < table->blocks.across.fold.shown; column++) {
		const struct owner *owner = blocks_owner(&table->blocks, row, column);
		if (fold_gap(table->blocks.across.fold, column))
			x += table->gap;
		draw_block(table, owner, x, y, height);
		if (rest > 0 && !table->canvas->metrics.characters)
			draw_padding(table, x, y + height, rest, "padding");
		x += table->cell + table->canvas->metrics.cell_gap / 2;
	}
	draw_row_label(table, row, y, height);
	return y + height + rest + table->canvas->metrics.cell_gap / 2;
}

static double right_edge(const struct table *table)
{
	int64_t shown = table->blocks.across.fold.shown, column;
	double x = table->x + (double)shown * (table->cell + table->canvas->metrics.cell_gap / 2);

	for (column = 1; column < shown; column++)
		x += fold_gap(table->blocks.across.fold, column) ? table->gap : 0;
	return x;
}

/* How many parts are left out before a row. */
static double draw_gap(const struct table *table, int64_t row, double y)
{
	struct canvas *canvas = table->canvas;
	int64_t hidden = fold_index(table->blocks.down.fold, row) -
			 fold_index(table->blocks.down.fold, row - 1) - 1;

	canvas_text(canvas, PART_QUIET, ANCHOR_MIDDLE, (table->x + right_edge(table)) / 2, y,
		    arena_printf(canvas->arena, "⋯ %s more parts ⋯",
				 text_count(canvas->arena, hidden)));
	return y + canvas->metrics.line[PART_QUIET];
}

/* Above the table: which dim the columns are, and their ranges. */
static double draw_columns(const struct table *table, double y)
{
	struct canvas *canvas = table->canvas;
	double x = table->x, line = canvas->metrics.line[PART_QUIET];
	int64_t column;

	if (table->blocks.down.dim >= 0)
		canvas_text(canvas, PART_QUIET, ANCHOR_END, table->x - canvas->metrics.digit, y,
			    arena_printf(canvas->arena, "dim %d", table->blocks.down.dim));
	if (table->blocks.across.dim >= 0) {
		canvas_text(canvas, PART_QUIET, ANCHOR_START, x, y,
			    arena_printf(canvas->arena, "dim %d", table->blocks.across.dim));
		y += line;
	}
	for (column = 0; column < table->blocks.across.fold.shown; column++) {
		const char *words = blocks_range(&table->blocks, &table->blocks.across, column);
		if (fold_gap(table->blocks.across.fold, column)) {
			canvas_text(canvas, PART_QUIET, ANCHOR_MIDDLE, x + table->gap / 2, y, "⋯");
			x += table->gap;
		}
		if (table->blocks.across.dim >= 0)
			canvas_text(canvas, PART_QUIET, ANCHOR_MIDDLE, x + table->cell / 2, y,
				    canvas_clip(canvas, PART_QUIET, table->cell, words));
		x += table->cell + canvas->metrics.cell_gap / 2;
	}
	return y + line + (canvas->metrics.characters ? 0 : 3);
}

/* The widths that follow from the room and from what stands in the table. */
static void set_cell(struct table *table)
{
	const struct canvas *canvas = table->canvas;
	const struct metrics *metrics = &canvas->metrics;
	const struct mesh_dim *outer = blocks_outer(&table->blocks);
	int64_t shown = table->blocks.across.fold.shown, column;
	double others = metrics->margin + table->x;

	for (column = 1; column < shown; column++)
		others += fold_gap(table->blocks.across.fold, column) ? table->gap : 0;
	if (outer)
		others += canvas_text_width(canvas, PART_QUIET, outer->name) +
			  (metrics->characters ? 7 : 44);
	table->cell = (metrics->width - others) / (double)shown - metrics->cell_gap / 2;
	table->cell =
		floor(fmax(fmin(table->cell, metrics->characters ? 40 : 400), metrics->cell_min));
}

/* What the texts of a column need: its range, and one rank with how many there are. */
static double needed(const struct table *table)
{
	const struct canvas *canvas = table->canvas;
	const struct owner *last =
		&table->blocks.owners.block[table->blocks.owners.spread->boxes - 1];
	const char *range = blocks_range(&table->blocks, &table->blocks.across,
					 table->blocks.across.fold.shown - 1);

	return fmax(canvas_text_width(canvas, PART_QUIET, range),
		    canvas_text_width(canvas, PART_RANK, owner_text(canvas->arena, last, 1)) +
			    3 * canvas->metrics.digit);
}

static void measure(struct table *table)
{
	const struct canvas *canvas = table->canvas;
	const struct metrics *metrics = &canvas->metrics;
	double labels = canvas_text_width(canvas, PART_QUIET, "nothing");
	int64_t row;

	for (row = 0; row < table->blocks.down.fold.shown; row++)
		labels = fmax(labels, canvas_text_width(canvas, PART_QUIET,
							blocks_range(&table->blocks,
								     &table->blocks.down, row)));
	table->gap = metrics->characters ? 4 : 30;
	table->x = metrics->margin + labels + 2 * metrics->digit;
	table->height = metrics->characters ? 1 : 36;
	set_cell(table);
	while (!table->subject->expand && table->blocks.across.fold.shown > COLUMNS_LEAST &&
	       table->cell < needed(table)) {
		blocks_fold(&table->blocks);
		set_cell(table);
	}
}

/* Brackets at the right: which rows are one slice of what cuts first, "tp 0". */
static void draw_slices(const struct table *table, const double *top)
{
	const struct mesh_dim *outer = blocks_outer(&table->blocks);
	struct canvas *canvas = table->canvas;
	bool characters = canvas->metrics.characters;
	double x = right_edge(table) + (characters ? 0 : 6);
	int64_t from, to, shown = table->blocks.down.fold.shown;

	for (from = 0; outer && from < shown; from = to) {
		int64_t slice = blocks_slice(&table->blocks, outer, from);
		double end;
		for (to = from + 1; to < shown && blocks_slice(&table->blocks, outer, to) == slice;)
			to++;
		end = top[to] - canvas->metrics.cell_gap / 2;
		if (to < shown && fold_gap(table->blocks.down.fold, to))
			end -= canvas->metrics.line[PART_QUIET];
		canvas_line(canvas, PART_AXIS, -1, x, top[from], x, end);
		canvas_text(canvas, PART_QUIET, ANCHOR_START, x + (characters ? 2 : 8),
			    characters ? top[from]
				       : (top[from] + end - canvas->metrics.line[PART_QUIET]) / 2,
			    arena_printf(canvas->arena, "%s %lld", outer->name, (long long)slice));
	}
}

/* A row for the ranks that no part is left for. */
static double draw_none(const struct table *table, double y)
{
	struct canvas *canvas = table->canvas;
	const char *ranks = owner_text(canvas->arena, &table->blocks.owners.none, OWNERS_NAMED);
	double line = canvas->metrics.line[PART_QUIET],
	       height = canvas->metrics.characters ? 1 : 24;

	if (!table->blocks.owners.none.count)
		return y;
	canvas_text(canvas, PART_QUIET, ANCHOR_END, table->x - canvas->metrics.digit,
		    y + (height - line) / 2, "nothing");
	draw_padding(table, table->x, y, height,
		     canvas_clip(canvas, PART_LABEL, table->cell, ranks));
	return y + height + canvas->metrics.cell_gap / 2;
}

/* What the padding is for, where there is any. */
static double draw_uneven(const struct table *table, double y)
{
	struct canvas *canvas = table->canvas;
	int64_t row;

	for (row = 0; row < table->blocks.down.fold.shown; row++) {
		int64_t padded = blocks_padded(&table->blocks, row);
		if (padded)
			return canvas_paragraph(
				canvas, PART_QUIET, canvas->metrics.margin, y, page_room(canvas),
				arena_printf(canvas->arena,
					     "%s along dim %d: FSDP pads %s to %s in its "
					     "collectives.",
					     blocks_range(&table->blocks, &table->blocks.down, row),
					     table->blocks.down.dim,
					     text_count(canvas->arena,
							blocks_length(&table->blocks,
								      &table->blocks.down, row)),
					     text_count(canvas->arena, padded)));
	}
	return y;
}

static double draw_legend(const struct table *table, double y)
{
	struct canvas *canvas = table->canvas;
	const char *words;

	if (!table->has_axis)
		return y;
	words = arena_printf(canvas->arena,
			     "Numbers are ranks, ×N says how many where not all are named. %s: the "
			     "place along %s; --axis takes another.",
			     canvas->metrics.characters ? "Before them" : "Colour and name",
			     table->axis.name);
	return canvas_paragraph(canvas, PART_QUIET, canvas->metrics.margin, y, page_room(canvas),
				words);
}

static double draw_table(struct table *table, double y)
{
	int64_t row, shown = table->blocks.down.fold.shown;
	double *top = arena_array(table->canvas->arena, (size_t)shown + 1, sizeof(*top));

	measure(table);
	y = draw_columns(table, y);
	for (row = 0; row < shown; row++) {
		if (fold_gap(table->blocks.down.fold, row))
			y = draw_gap(table, row, y);
		top[row] = y;
		y = draw_row(table, row, y);
	}
	top[shown] = y;
	draw_slices(table, top);
	y = draw_none(table, y);
	return y + page_gap(table->canvas);
}

static const char *draw(const struct subject *subject, struct canvas *canvas)
{
	const char *why, *error, *title;
	struct table table = { .subject = subject, .canvas = canvas };
	double y;

	table.blocks.plan = page_plan(subject, &why);
	error = choose(&table, why);
	if (error || !table.blocks.sharded)
		return error;
	choose_axis(&table);
	blocks_init(&table.blocks, canvas->arena, table.blocks.plan, table.blocks.sharded,
		    table.has_axis ? &table.axis.layout : NULL, subject->expand);
	title = arena_printf(subject->arena, "%s: %s [%s]", subject->name,
			     table.blocks.sharded->parameter->fqn,
			     shape_words(subject->arena, table.blocks.sharded->parameter->shape,
					 table.blocks.sharded->parameter->dims));
	y = page_head(canvas, subject, title, why);
	canvas->description = arena_printf(subject->arena, "%s.", blocks_words(&table.blocks));
	y = draw_words(&table, y);
	y = draw_table(&table, y);
	y = draw_uneven(&table, y);
	draw_legend(&table, y);
	return NULL;
}

const struct figure figure_shards = {
	.name = "shards",
	.summary = "one parameter, and the ranks that hold each block of it",
	.draw = draw,
};
