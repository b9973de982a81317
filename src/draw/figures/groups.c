#include "draw/page.h"

#include "base/text.h"
#include "draw/carried.h"
#include "draw/chain.h"
#include "draw/communicator.h"
#include "draw/palette.h"

#include <math.h>
#include <string.h>

/*
 * The communicators: the n-D meshes at the left, their axes in the middle, one box each, and lines
 * at the right from axes to what is flattened from them. Each box shows one group, the links it
 * takes and what goes over them.
 */

/* Distances of this figure. */
struct sizes {
	double gutter;		  /* width of the lines right of an n-D mesh */
	double track;		  /* width of one line right of the boxes */
	double side, top, bottom; /* inside a box */
	double row, gap;	  /* between rows of a box, between boxes */
	double drop;		  /* from a box's upper edge down to its lines */
	double lane;		  /* between lines of one box */
	double thickest;	  /* line */
};

static const struct sizes in_pixels = {
	.gutter = 36,
	.track = 16,
	.side = 14,
	.top = 8,
	.bottom = 9,
	.row = 4,
	.gap = 14,
	.drop = 20,
	.lane = 9,
	.thickest = 14,
};

static const struct sizes in_characters = {
	.gutter = 4,
	.track = 2,
	.side = 2,
	.bottom = 1,
	.drop = 1,
	.lane = 1,
};

struct page {
	const struct subject *subject;
	const struct plan *plan;
	struct canvas *canvas;
	const struct sizes *sizes;
	struct communicators all;
	double *top;	     /* of each box */
	double left, width;  /* of the boxes */
	double parents_left; /* of the n-D meshes */
	double parent;	     /* their width; 0: there are none */
	int tracks;
};

/* "8 of 64 ring hops between nodes", "NVLink only". */
static const char *path_words(const struct subject *subject, const struct communicator *of)
{
	struct arena *arena = subject->arena;
	struct crossing crossing = crossing_of(&subject->cluster, of);
	const char *what = of->pattern == PATTERN_PAIRS			      ? "peers on other"
			   : of->pattern == PATTERN_RING && crossing.hops > 1 ? "ring hops between"
									      : "hops between";
	const char *places = crossing.domains ? "domains" : "nodes";

	if (!of->made)
		return "";
	if (!crossing.known)
		return "links not known";
	if (crossing.inside)
		return arena_printf(arena, crossing.domains ? "%s only, in a domain" : "%s only",
				    subject->inside);
	if (!crossing.counted)
		return arena_printf(arena, "over %s %s", text_count(arena, crossing.places),
				    places);
	if (crossing.hops == 1)
		return arena_printf(arena, "between two %s", places);
	if (crossing.far == crossing.hops)
		return arena_printf(arena, "all %s %s %s", text_count(arena, crossing.hops), what,
				    places);
	return arena_printf(arena, "%s of %s %s %s", text_count(arena, crossing.far),
			    text_count(arena, crossing.hops), what, places);
}

/* "4:8" or "(2,4):(64,8)": sizes and strides, outermost first. */
static const char *layout_words(struct arena *arena, const struct layout *layout)
{
	struct layout flat = layout_coalesce(*layout);
	const char *sizes = "", *strides = "";
	int i;

	for (i = 0; i < flat.modes; i++) {
		const char *comma = i ? "," : "";
		sizes = arena_printf(arena, "%s%s%lld", sizes, comma, (long long)flat.size[i]);
		strides =
			arena_printf(arena, "%s%s%lld", strides, comma, (long long)flat.stride[i]);
	}
	return arena_printf(arena, flat.modes == 1 ? "%s:%s" : "(%s):(%s)", sizes, strides);
}

static const char *size_words(const struct subject *subject, const struct communicator *of)
{
	struct arena *arena = subject->arena;
	int64_t size = layout_size(&of->layout), groups = subject->cluster.world / size;

	return arena_printf(arena, "%s group%s of %s  ·  layout %s", text_count(arena, groups),
			    groups == 1 ? "" : "s", text_count(arena, size),
			    layout_words(arena, &of->layout));
}

static const char *joined(struct arena *arena, const char *before, const char *more)
{
	return *before ? arena_printf(arena, "%s; %s", before, more) : more;
}

/*
 * Who does what is carried: the box of that name, else the first of the same groups that does
 * anything; or NULL.
 */
static const struct communicator *doer_of(const struct page *page, const struct carried *carried)
{
	const struct communicator *doer = NULL;
	size_t i;

	for (i = 0; i < page->all.list.count; i++) {
		const struct communicator *of = &page->all.list.items[i];
		if (!layout_same_groups(&of->layout, &carried->layout))
			continue;
		if (!strcmp(of->name, carried->name))
			return of;
		if (!doer || (doer->idle && !of->idle))
			doer = of;
	}
	return doer;
}

/* What goes over its groups by its own name, or NULL. */
static const struct carried *carried_by(const struct page *page, const struct communicator *of)
{
	const struct subject *subject = page->subject;
	size_t i;

	for (i = 0; i < subject->carried_count; i++)
		if (doer_of(page, &subject->carried[i]) == of)
			return &subject->carried[i];
	return NULL;
}

/* Where the groups come from, and how much goes over them: a quiet line, or "". */
static const char *notes_words(const struct page *page, const struct communicator *of)
{
	const struct carried *carried = carried_by(page, of);
	struct arena *arena = page->subject->arena;
	const char *words = "";

	if (of->from)
		words = arena_printf(arena, "flattened from %s", of->from);
	if (of->like)
		words = joined(arena, words, arena_printf(arena, "same groups as %s", of->like));
	if (carried && carried->bytes > 0)
		words = joined(arena, words, carried_words(arena, carried));
	return words;
}

static const char *carries_words(const struct page *page, const struct communicator *of)
{
	const struct carried *carried = carried_by(page, of);

	if (carried)
		return carried->calls;
	if (!of->made)
		return "nothing: no process group is made";
	return of->carries ? of->carries : "not known";
}

/* Whether nothing goes over it by its own name. */
static bool is_idle(const struct page *page, const struct communicator *of)
{
	return of->idle && !carried_by(page, of);
}

static double inner_width(const struct page *page)
{
	return page->width - 2 * page->sizes->side;
}

static double name_height(const struct canvas *canvas)
{
	return canvas->metrics.line[PART_HEADING];
}

static double box_height(const struct page *page, const struct communicator *of)
{
	const struct canvas *canvas = page->canvas;
	const struct sizes *sizes = page->sizes;
	double width = inner_width(page);

	return sizes->top + name_height(canvas) + chain_height(canvas) + 2 * sizes->row +
	       canvas_paragraph_height(canvas, PART_TEXT, width, carries_words(page, of)) +
	       canvas_paragraph_height(canvas, PART_QUIET, width, notes_words(page, of)) +
	       sizes->bottom;
}

/* The axes of an n-D mesh, one below the other: "dense", "pp 2", ... */
static const struct view *view_of(const struct plan *plan, const char *name)
{
	size_t i;

	if (!strcmp(name, "root"))
		return &plan->root;
	for (i = 0; i < plan->views.count; i++)
		if (!strcmp(plan->views.items[i].name, name))
			return &plan->views.items[i];
	return NULL;
}

static double parent_height(const struct page *page, const struct view *view)
{
	const struct canvas *canvas = page->canvas;

	return page->sizes->top + name_height(canvas) +
	       view->axes * canvas->metrics.line[PART_QUIET] + page->sizes->bottom;
}

/* "dp_shard 4" */
static const char *axis_words(const struct canvas *canvas, const struct view *view, int axis)
{
	return arena_printf(canvas->arena, "%s %s", view->names[axis],
			    text_count(canvas->arena, view->sizes[axis]));
}

static void draw_parent(const struct page *page, const struct view *view, const char *name,
			double y)
{
	struct canvas *canvas = page->canvas;
	const struct sizes *sizes = page->sizes;
	double x = page->parents_left, left = x + sizes->side;
	int i;

	canvas_rectangle(canvas, PART_NODE, -1, x, y, page->parent, parent_height(page, view),
			 arena_printf(canvas->arena, "mesh %s", name));
	y += sizes->top;
	canvas_text(canvas, PART_HEADING, ANCHOR_START, left, y, name);
	y += name_height(canvas);
	for (i = 0; i < view->axes; i++) {
		canvas_text(canvas, PART_QUIET, ANCHOR_START, left, y, axis_words(canvas, view, i));
		y += canvas->metrics.line[PART_QUIET];
	}
}

/* Name at the left, how many groups at the right; the name is never cut short for it. */
static void draw_heading(const struct page *page, const struct communicator *of, double y)
{
	struct canvas *canvas = page->canvas;
	double left = page->left + page->sizes->side, width = inner_width(page);
	double name = canvas_text_width(canvas, PART_HEADING, of->name);
	double room = width - name - 2 * canvas->metrics.digit;
	double lower = (name_height(canvas) - canvas->metrics.line[PART_QUIET]) / 2;
	const char *size = size_words(page->subject, of);

	canvas_text(canvas, PART_HEADING, ANCHOR_START, left, y,
		    canvas_clip(canvas, PART_HEADING, width, of->name));
	if (canvas_text_width(canvas, PART_QUIET, size) > room)
		size = canvas_clip(canvas, PART_QUIET, fmax(room, 0), size);
	if (room > 8 * canvas->metrics.digit)
		canvas_text(canvas, PART_QUIET, ANCHOR_END, left + width, y + lower, size);
}

static void draw_box(const struct page *page, const struct communicator *of, double y)
{
	struct canvas *canvas = page->canvas;
	const struct sizes *sizes = page->sizes;
	double left = page->left + sizes->side, width = inner_width(page), line;
	const struct carried *carried = carried_by(page, of);
	const char *links = path_words(page->subject, of);
	double words = canvas_text_width(canvas, PART_TEXT, links);
	struct chain_look look = {
		.x = left + (canvas->metrics.characters ? 0 : 4),
		.width = width - words - canvas->metrics.digit,
		.thickness = subject_thickness(page->subject, carried ? carried->bytes : 0,
					       sizes->thickest),
	};

	canvas_rectangle(canvas, PART_NODE, -1, page->left, y, page->width, box_height(page, of),
			 of->name);
	y += sizes->top;
	draw_heading(page, of, y);
	y += name_height(canvas) + sizes->row;
	look.y = y;
	chain_draw(canvas, &page->subject->cluster, of, look);
	line = (chain_height(canvas) - canvas->metrics.line[PART_TEXT]) / 2;
	canvas_text(canvas, PART_TEXT, ANCHOR_END, left + width, y + line, links);
	y += chain_height(canvas) + sizes->row;
	y = canvas_paragraph(canvas, is_idle(page, of) ? PART_QUIET : PART_TEXT, left, y, width,
			     carries_words(page, of));
	canvas_paragraph(canvas, PART_QUIET, left, y, width, notes_words(page, of));
}

/* Where a line meets another or turns: characters need a sign, lines meet by themselves. */
static void draw_joint(struct canvas *canvas, double x, double y)
{
	if (canvas->metrics.characters)
		canvas_text(canvas, PART_QUIET, ANCHOR_START, x, y, "+");
}

/* Lines from an n-D mesh to the boxes of its axes, `first` to before `end`. */
static void draw_branches(const struct page *page, size_t first, size_t end)
{
	struct canvas *canvas = page->canvas;
	double drop = page->sizes->drop, x = page->parents_left + page->parent;
	double track = x + floor(page->sizes->gutter / 2), y = page->top[first] + drop;
	double last = y;
	size_t i;

	canvas_line(canvas, PART_AXIS, -1, x, y, track, y);
	for (i = first; i < end; i++)
		if (!page->all.list.items[i].from)
			last = page->top[i] + drop;
	canvas_line(canvas, PART_AXIS, -1, track, y, track, last);
	for (i = first; i < end; i++) {
		double to = page->top[i] + drop;
		if (page->all.list.items[i].from)
			continue;
		canvas_line(canvas, PART_AXIS, -1, track, to, page->left, to);
		draw_joint(canvas, track, to);
	}
}

static int64_t find(const struct page *page, const char *name)
{
	size_t i;

	for (i = 0; i < page->all.list.count; i++)
		if (!strcmp(page->all.list.items[i].name, name))
			return (int64_t)i;
	return -1;
}

static void draw_arrow(const struct page *page, double x, double y)
{
	const struct point head[] = { { x, y }, { x + 9, y - 4.5 }, { x + 9, y + 4.5 } };

	if (page->canvas->metrics.characters)
		canvas_text(page->canvas, PART_QUIET, ANCHOR_START, x, y, "<");
	else
		canvas_polygon(page->canvas, PART_ARROW, -1, head, 3);
}

/* Where the line of a track leaves a box. */
static double source_y(const struct page *page, int64_t box, int track)
{
	return page->top[box] + page->sizes->drop + page->sizes->lane * (track % 3);
}

/* Over the upright line, where the lines of its sources meet it. */
static void draw_joints(const struct page *page, const struct mesh *mesh, double x, int track)
{
	int i;

	for (i = 0; i < mesh->from_count; i++) {
		int64_t from = find(page, mesh->from[i]);
		if (from >= 0 && page->all.list.items[from].mesh != mesh)
			draw_joint(page->canvas, x, source_y(page, from, track));
	}
}

/* Lines at the right from the axes that something is flattened from. */
static void draw_flattening(const struct page *page, size_t index, int track)
{
	struct canvas *canvas = page->canvas;
	const struct sizes *sizes = page->sizes;
	const struct mesh *mesh = page->all.list.items[index].mesh;
	double right = page->left + page->width, x = right + sizes->track * (track + 1);
	double to = page->top[index] + sizes->drop, low = to, high = to;
	int i;

	for (i = 0; i < mesh->from_count; i++) {
		int64_t from = find(page, mesh->from[i]);
		double y;
		if (from < 0 || from == (int64_t)index)
			continue;
		y = source_y(page, from, track);
		low = fmin(low, y);
		high = fmax(high, y);
		canvas_line(canvas, PART_AXIS, -1, right, y, x, y);
	}
	if (low < high) {
		canvas_line(canvas, PART_AXIS, -1, x, low, x, high);
		canvas_line(canvas, PART_AXIS, -1, right, to, x, to);
		draw_joint(canvas, x, to);
		draw_joints(page, mesh, x, track);
		draw_arrow(page, right, to);
	}
}

/* How many are flattened from axes of more than one rank. */
static int count_tracks(const struct page *page)
{
	int count = 0;
	size_t i;

	for (i = 0; i < page->all.list.count; i++)
		count += page->all.list.items[i].from != NULL;
	return count;
}

/* "root mesh", "dense". */
static const char *view_name(const char *parent)
{
	return strcmp(parent, "root") ? parent : "root mesh";
}

/* Room for the names and axes of the n-D meshes; 0 where there is none. */
static double parents_width(const struct page *page)
{
	const struct canvas *canvas = page->canvas;
	double width = 0;
	size_t i;
	int axis;

	for (i = 0; i < page->all.list.count; i++) {
		const char *name = page->all.list.items[i].parent;
		const struct view *view = view_of(page->plan, name);
		if (!view)
			continue;
		width = fmax(width, canvas_text_width(canvas, PART_HEADING, view_name(name)));
		for (axis = 0; axis < view->axes; axis++)
			width = fmax(width, canvas_text_width(canvas, PART_QUIET,
							      axis_words(canvas, view, axis)));
	}
	return width > 0 ? ceil(width) + 2 * page->sizes->side : 0;
}

static void set_columns(struct page *page)
{
	const struct metrics *metrics = &page->canvas->metrics;
	const struct sizes *sizes = page->sizes;

	page->tracks = count_tracks(page);
	page->parents_left = page->left = metrics->margin;
	page->parent = parents_width(page);
	if (page->parent > 0)
		page->left += page->parent + sizes->gutter;
	page->width = metrics->width - metrics->margin - page->left - sizes->track * page->tracks;
	if (metrics->characters && page->tracks)
		page->width--; /* a line is one wide */
}

/* The axes of one n-D mesh, itself, and the lines between; returns the y below. */
static double draw_family(struct page *page, size_t first, size_t end, double y)
{
	const struct sizes *sizes = page->sizes;
	const char *name = page->all.list.items[first].parent;
	const struct view *view = *name ? view_of(page->plan, name) : NULL;
	double top = y;
	size_t i;

	for (i = first; i < end; i++) {
		page->top[i] = y;
		draw_box(page, &page->all.list.items[i], y);
		y += box_height(page, &page->all.list.items[i]) + sizes->gap;
	}
	if (!view)
		return y;
	draw_parent(page, view, view_name(name), top);
	draw_branches(page, first, end);
	return fmax(y, top + parent_height(page, view) + sizes->gap);
}

static double draw_boxes(struct page *page, double y)
{
	size_t first, end, count = page->all.list.count, i;
	int track = 0;

	for (first = 0; first < count; first = end) {
		for (end = first + 1; end < count && !strcmp(page->all.list.items[end].parent,
							     page->all.list.items[first].parent);)
			end++;
		y = draw_family(page, first, end, y) + page->sizes->gap;
	}
	for (i = 0; i < count; i++)
		if (page->all.list.items[i].from)
			draw_flattening(page, i, track++);
	return y;
}

/* A sample and what it means; returns the x behind it. */
static double draw_entry(struct canvas *canvas, bool far, double x, double y, const char *text)
{
	double after = canvas->metrics.characters ? 1 : 14;
	double lower = (canvas->metrics.line[PART_TEXT] - canvas->metrics.line[PART_QUIET]) / 2;

	x += chain_sample(canvas, far, x, y) + after;
	canvas_text(canvas, PART_QUIET, ANCHOR_START, x, y + lower, text);
	return x + canvas_text_width(canvas, PART_QUIET, text) + 3 * after;
}

static double draw_legend(const struct page *page, double y)
{
	struct canvas *canvas = page->canvas;
	const struct subject *subject = page->subject;
	const struct topology *topology = subject->cluster.topology;
	const char *place = topology && topology->domain > 1 ? "domain" : "node";
	const char *between = arena_printf(canvas->arena, "between %ss", place);
	double x = canvas->metrics.margin + (canvas->metrics.characters ? 0 : 4);
	const char *words = page->all.hues > MARKS
				    ? "Each box shows its first group. Colours repeat after six."
				    : "Each box shows its first group. One colour: the same groups "
				      "of ranks.";

	x = draw_entry(canvas, false, x, y,
		       arena_printf(canvas->arena, "inside a %s (%s)", place, subject->inside));
	if (subject->between)
		between = arena_printf(canvas->arena, "%s (%s)", between, subject->between);
	draw_entry(canvas, true, x, y, between);
	y += canvas->metrics.line[PART_TEXT] + page_gap(canvas) / 4;
	if (subject->carried_count)
		words = arena_printf(canvas->arena,
				     "%s Lines are as thick as the bytes that a rank receives "
				     "in a step.",
				     words);
	if (page->all.single)
		words = arena_printf(canvas->arena, "%s Of one rank, and not shown: %s.", words,
				     page->all.single);
	return canvas_paragraph(canvas, PART_QUIET, canvas->metrics.margin, y, page_room(canvas),
				words);
}

static void describe(const struct page *page)
{
	struct arena *arena = page->canvas->arena;
	const char *words = "";
	size_t i;

	for (i = 0; i < page->all.list.count; i++) {
		const struct communicator *of = &page->all.list.items[i];
		words = arena_printf(arena, "%s%s%s: %s; %s%s%s.", words, i ? " " : "", of->name,
				     size_words(page->subject, of), path_words(page->subject, of),
				     of->made ? "; " : "", carries_words(page, of));
	}
	page->canvas->description = words;
}

static const char *draw(const struct subject *subject, struct canvas *canvas)
{
	const char *why;
	const struct plan *plan = page_plan(subject, &why);
	struct page page = {
		.subject = subject,
		.plan = plan,
		.canvas = canvas,
		.sizes = canvas->metrics.characters ? &in_characters : &in_pixels,
		.all = communicators_of(canvas->arena, plan),
	};
	const char *title = arena_printf(subject->arena, "%s: communicators of %s", subject->name,
					 plan_words(subject->arena, plan));
	double y = page_head(canvas, subject, title, why);

	page.top = arena_array(canvas->arena, page.all.list.count + 1, sizeof(*page.top));
	set_columns(&page);
	describe(&page);
	if (!page.all.list.count)
		y = canvas_paragraph(canvas, PART_TEXT, canvas->metrics.margin, y,
				     page_room(canvas),
				     "There are no groups of more than one rank.") +
		    page_gap(canvas);
	y = draw_boxes(&page, y);
	y = draw_legend(&page, y + (canvas->metrics.characters ? 1 : 0));
	page_assumptions(canvas, subject, y);
	return NULL;
}

const struct figure figure_groups = {
	.name = "groups",
	.summary = "communicators: their groups, links, and what goes over them",
	.draw = draw,
};
