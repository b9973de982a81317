#include "draw/chain.h"

#include <math.h>

enum { CELLS_MOST = FOLD_MARKS, CELLS_LEAST = 2, HEIGHT = 22, BAND = 4, SEARCHED = 1 << 16 };

/* The row being laid out: ranks shown, and sizes. */
struct chain {
	const struct cluster *cluster;
	const struct communicator *communicator;
	struct fold fold;
	double link, gap; /* widths: a line, what is left out */
	double cell;	  /* of a rank; 0: as wide as its number and a blank on both sides */
	struct chain_look look;
};

double chain_height(const struct canvas *canvas)
{
	return canvas->metrics.characters ? 1 : HEIGHT + 2 * BAND;
}

static int64_t rank_at(const struct chain *chain, int64_t position)
{
	return layout_offset(&chain->communicator->layout, fold_index(chain->fold, position));
}

/* The first member on another node, among so many as are worth searching; or 0. */
static int64_t first_far(const struct cluster *cluster, const struct layout *layout)
{
	int64_t size = layout_size(layout), i, own = place_of_rank(cluster, 0);

	for (i = 1; i < size && i < SEARCHED; i++)
		if (place_of_rank(cluster, layout_offset(layout, i)) != own)
			return i;
	return 0;
}

static double cell_at(const struct canvas *canvas, const struct chain *chain, int64_t position)
{
	const char *rank;

	if (chain->cell > 0)
		return chain->cell;
	rank = arena_printf(canvas->arena, "%lld", (long long)rank_at(chain, position));
	return canvas_text_width(canvas, PART_RANK, rank) + 2;
}

/* Between a rank and the one before. */
static double between(const struct chain *chain, int64_t position)
{
	return fold_gap(chain->fold, position) ? chain->gap : chain->link;
}

static double width_of(const struct canvas *canvas, const struct chain *chain)
{
	double width = cell_at(canvas, chain, 0);
	int64_t i;

	for (i = 1; i < chain->fold.shown; i++)
		width += between(chain, i) + cell_at(canvas, chain, i);
	return width;
}

/* As many members as fit. */
static void fit(const struct canvas *canvas, struct chain *chain)
{
	const struct layout *layout = &chain->communicator->layout;
	int64_t size = layout_size(layout), far = first_far(chain->cluster, layout), most;
	struct landmarks landmarks = { .count = far > 1 ? 2 : 0, .index = { far - 1, far } };

	for (most = size < CELLS_MOST ? size : CELLS_MOST; most > CELLS_LEAST; most--) {
		chain->fold = fold_of(size, most, &landmarks);
		if (width_of(canvas, chain) <= chain->look.width)
			return;
	}
	chain->fold = fold_of(size, most, &landmarks);
}

static bool is_joined(const struct chain *chain, int64_t a, int64_t b)
{
	return chain->cluster->topology && place_of_rank(chain->cluster, rank_at(chain, a)) ==
						   place_of_rank(chain->cluster, rank_at(chain, b));
}

/* Bands under neighbours of one node. */
static void draw_bands(struct canvas *canvas, const struct chain *chain)
{
	double x = chain->look.x, end;
	int64_t from, to;

	for (from = 0; from < chain->fold.shown; from = to) {
		end = x + chain->cell;
		for (to = from + 1; to < chain->fold.shown && is_joined(chain, to - 1, to); to++)
			end += between(chain, to) + chain->cell;
		canvas_rectangle(canvas, PART_BAND, chain->communicator->hue, x - BAND,
				 chain->look.y, end - x + 2 * BAND, HEIGHT + 2 * BAND, NULL);
		if (to < chain->fold.shown)
			x = end + between(chain, to);
	}
}

static void draw_link(struct canvas *canvas, const struct chain *chain, int64_t position, double x,
		      double middle)
{
	bool far = !is_joined(chain, position - 1, position);
	double width = between(chain, position);

	if (fold_gap(chain->fold, position)) {
		canvas_text(canvas, PART_QUIET, ANCHOR_MIDDLE, x + width / 2,
			    canvas->metrics.characters
				    ? middle
				    : middle - canvas->metrics.line[PART_QUIET] / 2,
			    "⋯");
		return;
	}
	if (!chain->communicator->made)
		return;
	canvas_line(canvas, far ? PART_FAR_LINK : PART_LINK, chain->communicator->hue, x, middle,
		    x + width, middle);
	if (chain->look.thickness > 0)
		canvas_thicken(canvas, chain->look.thickness);
}

static void draw_cell(struct canvas *canvas, const struct chain *chain, int64_t position, double x)
{
	bool characters = canvas->metrics.characters;
	double top = chain->look.y + (characters ? 0 : BAND), height = characters ? 1 : HEIGHT;
	double width = cell_at(canvas, chain, position);

	canvas_rectangle(canvas, PART_CELL, chain->communicator->hue, x, top, width, height, NULL);
	canvas_text(canvas, PART_RANK, ANCHOR_MIDDLE, x + width / 2,
		    top + (height - canvas->metrics.line[PART_RANK]) / 2,
		    arena_printf(canvas->arena, "%lld", (long long)rank_at(chain, position)));
}

double chain_draw(struct canvas *canvas, const struct cluster *cluster,
		  const struct communicator *communicator, struct chain_look look)
{
	bool characters = canvas->metrics.characters;
	const char *last = arena_printf(canvas->arena, "%lld",
					(long long)layout_extent(&communicator->layout) - 1);
	struct chain chain = {
		.cluster = cluster,
		.communicator = communicator,
		/* characters are precious, boxes of one size are pretty */
		.cell = characters ? 0 : fmax(30, canvas_text_width(canvas, PART_RANK, last) + 12),
		.link = characters ? 2 : 22,
		.gap = characters ? 3 : 26,
		.look = look,
	};
	double x = look.x, middle = look.y + (characters ? 0 : chain_height(canvas) / 2);
	int64_t i;

	fit(canvas, &chain);
	if (!characters && cluster->topology)
		draw_bands(canvas, &chain);
	for (i = 0; i < chain.fold.shown; i++) {
		if (i) {
			draw_link(canvas, &chain, i, x, middle);
			x += between(&chain, i);
		}
		draw_cell(canvas, &chain, i, x);
		x += cell_at(canvas, &chain, i);
	}
	return x;
}

double chain_sample(struct canvas *canvas, bool far, double x, double y)
{
	double side = 14, line = canvas->metrics.line[PART_TEXT], middle = y + line / 2;
	double top = middle - side / 2, second = x + (far ? 38 : 30);

	if (canvas->metrics.characters) {
		canvas_line(canvas, far ? PART_FAR_LINK : PART_LINK, -1, x, y, x + 3, y);
		return 3;
	}
	canvas_rectangle(canvas, PART_BAND, 0, x - BAND, top - BAND,
			 (far ? side : second + side - x) + 2 * BAND, side + 2 * BAND, NULL);
	if (far)
		canvas_rectangle(canvas, PART_BAND, 0, second - BAND, top - BAND, side + 2 * BAND,
				 side + 2 * BAND, NULL);
	canvas_line(canvas, far ? PART_FAR_LINK : PART_LINK, 0, x + side, middle, second, middle);
	canvas_rectangle(canvas, PART_CELL, 0, x, top, side, side, NULL);
	canvas_rectangle(canvas, PART_CELL, 0, second, top, side, side, NULL);
	return second + side - x;
}
