#ifndef DRAW_CANVAS_H
#define DRAW_CANVAS_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdbool.h>

/*
 * A figure is laid out once on a canvas and emitted by a device (draw/device.h). Shapes
 * have a part, not a look: each device decides what a GPU or a link looks like. The
 * origin is the upper left corner; the unit is the device's own, a pixel or a
 * character, and all distances come from its metrics.
 */
enum part {
	/* texts */
	PART_TITLE,
	PART_HEADING,
	PART_TEXT,
	PART_QUIET,
	PART_RANK,   /* the number of a rank in its cell */
	PART_MEMBER, /* the group it is in, below */
	PART_LABEL,  /* on an area of a chart */
	PART_MOVED,  /* the same, of a rank that is in another group than asked */
	PART_ALERT,  /* what is not as asked */
	PART_STRONG, /* what to do */
	/* areas */
	PART_NODE,
	PART_BAND, /* neighbours of one group inside a node */
	PART_CELL, /* one rank */
	PART_CHANGED_CELL,
	PART_TAG, /* behind a text that lies over lines */
	PART_ALERT_TAG,
	PART_NOTICE,  /* box round the conclusion */
	PART_AREA,    /* of a chart: a bar, a layer; hue -1: what has no colour of its own */
	PART_PADDING, /* no data: what fills a shard up */
	PART_ARROW,   /* head of a line of PART_AXIS */
	/* lines */
	PART_LINK,	   /* groups of the coloured axis, between nodes */
	PART_THIN_LINK,	   /* groups of the numbered axis */
	PART_FAR_LINK,	   /* between members of a group on different nodes, side by side */
	PART_CHANGED_LINK, /* a link that was not asked for */
	PART_RULE,
	PART_AXIS,  /* of a chart */
	PART_LIMIT, /* a bound that a chart is held against */
	PARTS,
	PART_TEXTS = PART_NODE
};

enum shape_kind { SHAPE_TEXT, SHAPE_RECTANGLE, SHAPE_LINE, SHAPE_ARC, SHAPE_POLYGON };

enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

struct point {
	double x, y;
};

struct shape {
	enum shape_kind kind;
	enum part part;
	int hue;      /* which of the group colours, or -1 */
	int texture;  /* what lies over the colour (draw/palette.h); 0: nothing */
	double x, y;  /* corner, start of a line; of a text: the anchor, and the top of its line */
	double w, h;  /* extent; of a line: from start to end */
	double bulge; /* of an arc: how far its middle stands out to the right (upright) or down
			 (level) */
	double thickness;	    /* of a line or an arc; 0: what its part has */
	const struct point *points; /* of a polygon: its corners in order */
	size_t point_count;
	enum anchor anchor;
	const char *text; /* of a rectangle: its name, or NULL */
};

/* Distances of one kind of device. */
struct metrics {
	bool characters; /* the unit is a character */
	double width;	 /* a figure should not be wider */
	double margin;
	double cell_min, cell_height, cell_gap;
	double digit, cell_padding;  /* a cell is at least this wide per character of its texts */
	double rank_top, member_top; /* of the two texts in a cell */
	double head, padding;	     /* of a node: its title, and round its cells */
	double gap, link_gap,
		fold_gap; /* below nodes: plain, with words, where some are left out */
	double across_gap, across_fold_gap; /* the same, side by side */
	double panel_gap;
	double band;				   /* how far a band stands out from its cells */
	double size[PART_TEXTS], line[PART_TEXTS]; /* font size and line height */
};

extern const struct metrics metrics_pixels;

/* Metrics for a terminal of that many columns. */
struct metrics metrics_characters(int columns);

struct canvas {
	struct arena *arena;
	struct metrics metrics;
	double width, height;
	const char *title, *description; /* the text alternative */
	VEC(struct shape) shapes;
};

void canvas_init(struct canvas *canvas, struct arena *arena, struct metrics metrics);

/* All shapes keep the canvas wide and high enough for themselves and the margin. */
void canvas_text(struct canvas *canvas, enum part part, enum anchor anchor, double x, double y,
		 const char *text);
void canvas_rectangle(struct canvas *canvas, enum part part, int hue, double x, double y, double w,
		      double h, const char *name);
void canvas_line(struct canvas *canvas, enum part part, int hue, double x, double y, double to_x,
		 double to_y);
void canvas_arc(struct canvas *canvas, enum part part, int hue, double x, double y, double to_x,
		double to_y, double bulge);

/* At least three corners, which are copied; it is closed by itself. */
void canvas_polygon(struct canvas *canvas, enum part part, int hue, const struct point *points,
		    size_t count);

/* Makes the line or arc drawn last that thick. Characters have one thickness: say it in words too.
 */
void canvas_thicken(struct canvas *canvas, double thickness);

/* How wide a text will be, estimated for a sans-serif font; exact for characters. */
double canvas_text_width(const struct canvas *canvas, enum part part, const char *text);

/* Text broken at spaces to fit `width`; returns the y below it. */
double canvas_paragraph(struct canvas *canvas, enum part part, double x, double y, double width,
			const char *text);

/* A short text on a pill of its own, centred: it stays legible over lines. */
void canvas_tag(struct canvas *canvas, enum part part, double x, double y, const char *text);

/* How high that paragraph will be. */
double canvas_paragraph_height(const struct canvas *canvas, enum part part, double width,
			       const char *text);

/* The text, or as much of it as fits `width` with "…" at the end. */
const char *canvas_clip(struct canvas *canvas, enum part part, double width, const char *text);

#endif
