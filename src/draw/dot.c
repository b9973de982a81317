#include "draw/dot.h"

#include "draw/device.h"
#include "draw/utf8.h"

#include <graphviz/cgraph.h>
#include <graphviz/graphviz_version.h>
#include <math.h>
#include <string.h>

/* A graph being built. cgraph copies every string it is given. */
struct dot {
	const struct canvas *canvas;
	const struct palette *palette;
	struct arena *arena;
	Agraph_t *graph;
	int shapes, points;	 /* without a name; ends of lines */
	struct buf behind;	 /* areas without a name, in xdot's language */
	const struct shape *box; /* the node, or the band on none, drawn last; or NULL */
	Agraph_t *cluster;	 /* what lies in that node */
};

/* cgraph takes `char *` where it means `const char *`: it gets copies. */
static char *plain(struct arena *arena, const char *text)
{
	return arena_strdup(arena, text);
}

/* A copy in which everything that is no text is a question mark. */
static char *clean(struct arena *arena, const char *text)
{
	char *copy = plain(arena, text), *to = copy;

	while (*text) {
		size_t length = utf8_character(text);
		if (length)
			memcpy(to, text, length);
		else
			*to = '?';
		to += length ? length : 1;
		text += length ? length : 1;
	}
	return copy;
}

static void set(struct dot *dot, void *object, const char *name, const char *value)
{
	agsafeset(object, plain(dot->arena, name), plain(dot->arena, value), plain(dot->arena, ""));
}

static void set_default(struct dot *dot, int kind, const char *name, const char *value)
{
	agattr(dot->graph, kind, plain(dot->arena, name), plain(dot->arena, value));
}

/* A node of that name; one that is taken already gets a number. */
static Agnode_t *node_new(struct dot *dot, const char *name)
{
	char *first =
		name ? clean(dot->arena, name) : arena_printf(dot->arena, "text %d", dot->shapes++);
	char *wanted = first;
	int number;

	for (number = 2; agnode(dot->graph, wanted, 0); number++)
		wanted = arena_printf(dot->arena, "%s (%d)", first, number);
	return agnode(dot->cluster ? dot->cluster : dot->graph, wanted, 1);
}

/* Coordinates in points, upwards as Graphviz counts, with at most one decimal. */
static void set_box(struct dot *dot, Agnode_t *node, double x, double y, double w, double h)
{
	set(dot, node, "pos",
	    arena_printf(dot->arena, "%.1f,%.1f!", x + w / 2, dot->canvas->height - y - h / 2));
	set(dot, node, "width", arena_printf(dot->arena, "%.4f", w / 72));
	set(dot, node, "height", arena_printf(dot->arena, "%.4f", h / 72));
}

/* In a label a backslash begins an escape. */
static char *label(struct arena *arena, const char *text, const char *end)
{
	char *out = arena_alloc(arena, strlen(text) * 2 + strlen(end) + 1);
	size_t length = 0;

	for (text = clean(arena, text); *text; text++) {
		if (*text == '\\')
			out[length++] = '\\';
		out[length++] = *text;
	}
	memcpy(out + length, end, strlen(end) + 1);
	return out;
}

static const char *color(struct dot *dot, unsigned int value)
{
	return palette_hex(dot->arena, value);
}

static void add_text(struct dot *dot, const struct shape *shape)
{
	static const char *const justify[] = { "\\l", "", "\\r" };
	const struct palette *palette = dot->palette;
	enum part part = shape->part;
	bool bold = part == PART_TITLE || part == PART_HEADING || part >= PART_MOVED;
	bool muted = part == PART_QUIET;
	/* Graphviz's fonts may be wider than estimated: room on the side away from the anchor. */
	double room = dot->canvas->width - dot->canvas->metrics.margin - shape->x;
	double w = shape->anchor == ANCHOR_MIDDLE ? shape->w
		   : shape->anchor == ANCHOR_END  ? shape->w * 1.4
						  : fmax(shape->w, fmin(shape->w * 1.4, room));
	double left = shape->anchor == ANCHOR_MIDDLE ? w / 2 : shape->anchor == ANCHOR_END ? w : 0;
	Agnode_t *node = node_new(dot, NULL);

	set_box(dot, node, shape->x - left, shape->y, w, shape->h);
	set(dot, node, "shape", "plaintext");
	set(dot, node, "label", label(dot->arena, shape->text, justify[shape->anchor]));
	set(dot, node, "fontsize", arena_printf(dot->arena, "%g", dot->canvas->metrics.size[part]));
	set(dot, node, "fontcolor",
	    color(dot, part == PART_ALERT || part == PART_MOVED ? palette->alert
		       : muted					? palette->quiet
								: palette->text));
	if (bold)
		set(dot, node, "fontname", "Helvetica-Bold");
}

static unsigned int area_fill(const struct palette *palette, const struct shape *shape)
{
	switch (shape->part) {
	case PART_BAND:
		return shape->hue >= 0 ? palette->band[shape->hue] : palette->line;
	case PART_CELL:
	case PART_CHANGED_CELL:
		return shape->hue >= 0 ? palette->tint[shape->hue] : palette->node;
	case PART_NOTICE:
		return palette->alert_tint;
	case PART_ARROW:
		return palette->quiet;
	case PART_AREA:
		return shape->hue >= 0 ? palette->fill[shape->hue] : palette->line;
	case PART_PADDING:
	case PART_TAG:
	case PART_ALERT_TAG:
		return palette->background;
	default:
		return palette->node;
	}
}

static unsigned int area_border(const struct palette *palette, const struct shape *shape)
{
	switch (shape->part) {
	case PART_BAND:
		return shape->hue >= 0 ? palette->band[shape->hue] : palette->line;
	case PART_CELL:
		return shape->hue >= 0 ? palette->hue[shape->hue] : palette->quiet;
	case PART_AREA:
		return palette->background;
	case PART_PADDING:
	case PART_ARROW:
		return palette->quiet;
	case PART_CHANGED_CELL:
	case PART_ALERT_TAG:
	case PART_NOTICE:
		return palette->alert;
	default:
		return palette->line;
	}
}

static void add_area(struct dot *dot, const struct shape *shape)
{
	bool changed = shape->part == PART_CHANGED_CELL;
	Agnode_t *node = node_new(dot, shape->text);

	set_box(dot, node, shape->x, shape->y, shape->w, shape->h);
	set(dot, node, "label", "");
	set(dot, node, "style",
	    changed		       ? "filled,rounded,dashed"
	    : shape->part == PART_AREA ? "filled"
				       : "filled,rounded");
	set(dot, node, "fillcolor", color(dot, area_fill(dot->palette, shape)));
	set(dot, node, "color", color(dot, area_border(dot->palette, shape)));
	if (changed || shape->part == PART_CELL)
		set(dot, node, "penwidth", changed ? "2.5" : "1.5");
}

/*
 * Areas without a name lie behind everything, so that lines can cross them: Graphviz draws nodes
 * over edges. Its attribute _background takes a drawing in xdot's language.
 */
static void add_behind(struct dot *dot, const struct shape *shape)
{
	double x = shape->x, y = shape->y, to_x = x + shape->w, to_y = y + shape->h;
	const struct point corners[] = { { x, y }, { to_x, y }, { to_x, to_y }, { x, to_y } };
	const struct point *points = shape->points ? shape->points : corners;
	size_t count = shape->points ? shape->point_count : 4, i;

	buf_printf(&dot->behind, "%sc 7 -%s C 7 -%s P %zu", dot->behind.length ? " " : "",
		   color(dot, area_border(dot->palette, shape)),
		   color(dot, area_fill(dot->palette, shape)), count);
	for (i = 0; i < count; i++)
		buf_printf(&dot->behind, " %.1f %.1f", points[i].x,
			   dot->canvas->height - points[i].y);
}

static Agnode_t *add_point(struct dot *dot, double x, double y)
{
	Agnode_t *node = agnode(dot->graph, arena_printf(dot->arena, "end %d", dot->points++), 1);

	set_box(dot, node, x, y, 0, 0);
	set(dot, node, "label", "");
	set(dot, node, "shape", "point");
	set(dot, node, "style", "invis");
	return node;
}

static unsigned int line_color(const struct palette *palette, const struct shape *shape)
{
	if (shape->part == PART_CHANGED_LINK || shape->part == PART_LIMIT)
		return palette->alert;
	if ((shape->part == PART_LINK || shape->part == PART_FAR_LINK) && shape->hue >= 0)
		return palette->hue[shape->hue];
	return shape->part == PART_RULE ? palette->line : palette->quiet;
}

static const char *line_width(enum part part)
{
	if (part == PART_CHANGED_LINK)
		return "8";
	if (part == PART_LIMIT)
		return "2";
	return part == PART_LINK || part == PART_FAR_LINK ? "3.5"
	       : part == PART_THIN_LINK			  ? "1.5"
							  : "1";
}

/* An edge along a spline of our own: neato -n2 keeps it. */
static void add_line(struct dot *dot, const struct shape *shape)
{
	bool arc = shape->kind == SHAPE_ARC, upright = shape->h > shape->w;
	double out = arc ? shape->bulge * 4 / 3 : 0, height = dot->canvas->height;
	double dx = upright ? out : 0, dy = upright ? 0 : out;
	double x = shape->x, y = shape->y, to_x = x + shape->w, to_y = y + shape->h;
	Agnode_t *from = add_point(dot, x, y), *to = add_point(dot, to_x, to_y);
	Agedge_t *edge = agedge(dot->graph, from, to, NULL, 1);

	set(dot, edge, "pos",
	    arena_printf(dot->arena, "%.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f", x, height - y,
			 x + dx, height - y - dy, to_x + dx, height - to_y - dy, to_x,
			 height - to_y));
	set(dot, edge, "color", color(dot, line_color(dot->palette, shape)));
	set(dot, edge, "penwidth",
	    shape->thickness > 0 ? arena_printf(dot->arena, "%.1f", shape->thickness)
				 : line_width(shape->part));
	if (shape->part == PART_THIN_LINK || shape->part == PART_LIMIT)
		set(dot, edge, "style", shape->part == PART_LIMIT ? "dashed" : "dotted");
}

/* True when there is a box and the shape lies in it. */
static bool is_within(const struct shape *box, const struct shape *shape)
{
	return box && shape->x >= box->x && shape->x + shape->w <= box->x + box->w &&
	       shape->y >= box->y && shape->y + shape->h <= box->y + box->h;
}

/* True for a straight line on the box drawn last, which would hide an edge: edges come first. */
static bool is_on_box(const struct dot *dot, const struct shape *shape)
{
	return shape->kind == SHAPE_LINE && (shape->w == 0 || shape->h == 0) &&
	       is_within(dot->box, shape);
}

/* A line as a thin box. */
static void add_stroke(struct dot *dot, const struct shape *shape)
{
	bool level = shape->w > shape->h;
	double thick = shape->thickness > 0 ? shape->thickness : shape->part == PART_RULE ? 1 : 3.5;
	Agnode_t *node = node_new(dot, NULL);

	set_box(dot, node, shape->x - (level ? 0 : thick / 2), shape->y - (level ? thick / 2 : 0),
		level ? shape->w : thick, level ? thick : shape->h);
	set(dot, node, "label", "");
	set(dot, node, "style", "filled");
	set(dot, node, "penwidth", "0");
	set(dot, node, "fillcolor", color(dot, line_color(dot->palette, shape)));
}

/* What follows lies in this node, or in none. */
static void enter(struct dot *dot, const struct shape *shape)
{
	const char *name = shape->part == PART_NODE ? shape->text : NULL;

	if (shape->part == PART_NODE || (shape->part == PART_BAND && !is_within(dot->box, shape)))
		dot->box = shape;
	if (name) {
		name = arena_join(dot->arena, "cluster ", clean(dot->arena, name), "");
		dot->cluster = agsubg(dot->graph, plain(dot->arena, name), 1);
		set(dot, dot->cluster, "peripheries", "0"); /* its box is a shape of its own */
	} else if (!is_within(dot->box, shape)) {
		dot->cluster = NULL;
	}
}

static void set_defaults(struct dot *dot)
{
	static const struct {
		int kind;
		const char *name, *value;
	} defaults[] = {
		{ AGRAPH, "layout", "neato" },
		{ AGRAPH, "inputscale", "72" }, /* positions are in points */
		{ AGRAPH, "notranslate", "true" },
		{ AGRAPH, "splines", "true" },
		{ AGRAPH, "outputorder", "edgesfirst" },
		{ AGRAPH, "pad", "0.4" },
		{ AGRAPH, "fontname", "Helvetica" },
		{ AGNODE, "fontname", "Helvetica" },
		{ AGNODE, "shape", "box" },
		{ AGNODE, "label", "\\N" },
		{ AGNODE, "fixedsize", "true" },
		{ AGNODE, "margin", "0" },
		{ AGEDGE, "dir", "none" },
	};
	size_t i;

	for (i = 0; i < sizeof(defaults) / sizeof(*defaults); i++)
		set_default(dot, defaults[i].kind, defaults[i].name, defaults[i].value);
	set_default(dot, AGRAPH, "bgcolor", color(dot, dot->palette->background));
	set_default(
		dot, AGRAPH, "bb",
		arena_printf(dot->arena, "0,0,%.1f,%.1f", dot->canvas->width, dot->canvas->height));
	set_default(dot, AGRAPH, "label", "");
	set_default(dot, AGRAPH, "comment", clean(dot->arena, dot->canvas->description));
}

/* cgraph writes in pieces; a negative return would stop it. */
static int put_piece(void *out, const char *text)
{
	buf_text(out, text);
	return 0;
}

static int put_end(void *out)
{
	(void)out;
	return 0;
}

void dot_write(const struct canvas *canvas, const struct palette *palette, struct buf *out)
{
	Agiodisc_t io = { .putstr = put_piece, .flush = put_end };
	Agdisc_t services = { .mem = &AgMemDisc, .id = &AgIdDisc, .io = &io };
	struct dot dot = { .canvas = canvas, .palette = palette, .arena = canvas->arena };
	size_t i;

	buf_init(&dot.behind);
	dot.graph = agopen(clean(dot.arena, canvas->title), Agundirected, &services);
	set_defaults(&dot);
	for (i = 0; i < canvas->shapes.count; i++) {
		const struct shape *shape = &canvas->shapes.items[i];
		enter(&dot, shape);
		if (shape->kind == SHAPE_TEXT)
			add_text(&dot, shape);
		else if (is_on_box(&dot, shape))
			add_stroke(&dot, shape);
		else if (shape->kind == SHAPE_POLYGON || (shape->part == PART_AREA && !shape->text))
			add_behind(&dot, shape);
		else if (shape->kind == SHAPE_RECTANGLE)
			add_area(&dot, shape);
		else
			add_line(&dot, shape);
	}
	if (dot.behind.length)
		set_default(&dot, AGRAPH, "_background", dot.behind.data);
	buf_release(&dot.behind);
	agwrite(dot.graph, out);
	agclose(dot.graph);
}

static const char *write_dot(const struct canvas *canvas, const struct look *look, struct buf *out)
{
	struct palette palette = look_palette(look);

	dot_write(canvas, &palette, out);
	return NULL;
}

const struct device device_dot = {
	.name = "dot",
	.summary = "Graphviz, with positions",
	.write = write_dot,
};

const char *dot_library(void)
{
	return PACKAGE_VERSION;
}
