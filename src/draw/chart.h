#ifndef DRAW_CHART_H
#define DRAW_CHART_H

#include "draw/canvas.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Charts on a canvas: axes with round ticks, bars, stacked layers, bounds, a legend. The same calls
 * draw pixels and characters. In this order:
 *
 *	struct chart_wanted wanted = {
 *		.across = { QUANTITY_SECONDS, 2.48, "time" },
 *		.up = { QUANTITY_BYTES, 84e9, "memory" },
 *		.x = margin, .y = y, .w = page_room(canvas), .h = chart_height(canvas, 16),
 *	};
 *	struct chart chart;
 *
 *	chart_init(&chart, canvas, &wanted);               axes, ticks, lines behind what follows
 *	chart_stack(&chart, at, count, layers, n, true);   or chart_bar for each bar
 *	chart_limit(&chart, 85.5e9, "79.65 GiB");          a line across with its name
 *	y = chart_legend(canvas, entries, n, margin, chart.below, room);
 *
 * Rows (Gantt: one per rank; breakdown: one per part) are QUANTITY_ROWS upright: row i lies between
 * the values i and i + 1, counted from the top, and `names` stand at their left.
 * Colours are `hue` 0 to HUES - 1 (draw/palette.h), or -1 for grey: idle, rest. A seventh series is
 * grey; more than that are more than anybody tells apart, so add some up first.
 */
enum quantity {
	QUANTITY_NONE,	  /* no axis is drawn; values run from 0 to `most` */
	QUANTITY_NUMBER,  /* plain */
	QUANTITY_SECONDS, /* written in us, ms or s */
	QUANTITY_BYTES,	  /* written in B to TiB, powers of 1,024 */
	QUANTITY_ROWS	  /* upright only: `most` names */
};

/* Round steps from 0 on. */
struct ticks {
	double step;	  /* between two of them, in seconds, bytes, ... */
	int count;	  /* steps to the end of the axis, at or beyond the largest value */
	double unit;	  /* what is written as 1 */
	const char *name; /* "ms", "GiB", "" */
	int decimals;
};

/* At most `at_most` steps of 1, 2 or 5 times a power of ten units; `most` not above 0 is taken as
 * 1. */
struct ticks ticks_of(enum quantity quantity, double most, int at_most);

/* "0", "2.5": a tick's number in the unit. */
char *tick_text(struct arena *arena, const struct ticks *ticks, int index);

struct chart_axis {
	enum quantity quantity;
	double most;		  /* the largest value; of rows: their number */
	const char *title;	  /* the unit is added; or NULL */
	const char *const *names; /* of rows */
};

/* The room for all of it, with the texts of the axes. */
struct chart_wanted {
	struct chart_axis across, up;
	double x, y, w, h;
};

struct chart {
	struct canvas *canvas;
	enum quantity rising;	   /* of the upright axis */
	double x, y, w, h;	   /* what the axes enclose */
	double across_end, up_end; /* values at its right and its upper edge (rows: lower) */
	double below;		   /* y below the texts of the axes */
};

/* A height for that many rows or lines of text: rows are as high as a bar with a label in it. */
double chart_height(const struct canvas *canvas, int rows);

/* The same with the texts of a level axis that has a title. */
double chart_height_titled(const struct canvas *canvas, int rows);

void chart_init(struct chart *chart, struct canvas *canvas, const struct chart_wanted *wanted);

/* Where a value is on the canvas; values beyond the ends are at the ends. */
double chart_x(const struct chart *chart, double value);
double chart_y(const struct chart *chart, double value);

/*
 * A bar between two values of each axis; `label` (or NULL) is written on it where it fits. `name`
 * makes it a shape of its own in DOT (and NULL part of the background).
 */
void chart_bar(struct chart *chart, int hue, double from_x, double to_x, double from_y, double to_y,
	       const char *label, const char *name);

/* The same in one row, with a little air above and below. */
void chart_row_bar(struct chart *chart, int hue, double from, double to, int row, const char *label,
		   const char *name);

/* One layer of a stack. */
struct chart_layer {
	int hue;
	const char *label;   /* written where the layer is thick enough, or NULL */
	const double *value; /* by point; not negative */
};

/*
 * Layers on top of each other, the first one lowest, over `count` points at `at` (rising).
 * `stepped`: a value holds until the next point, so that the last point only ends it; else values
 * are joined by straight lines.
 */
void chart_stack(struct chart *chart, const double *at, size_t count,
		 const struct chart_layer *layers, size_t layer_count, bool stepped);

/*
 * A bound of the upright axis: a line across with its name on it. Count it into the axis's `most`,
 * or it lies at the edge.
 */
void chart_limit(struct chart *chart, double value, const char *name);

struct chart_entry {
	enum part part; /* PART_AREA, or the part of a line */
	int hue;
	const char *text;
};

/* Samples and what they mean, side by side, in as many lines as needed; returns the y below. */
double chart_legend(struct canvas *canvas, const struct chart_entry *entries, size_t count,
		    double x, double y, double width);

#endif
