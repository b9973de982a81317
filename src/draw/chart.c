#include "draw/chart.h"

#include <math.h>

/* Between an axis and its texts. */
static double gap(const struct canvas *canvas)
{
	return canvas->metrics.characters ? 1 : 8;
}

double chart_height(const struct canvas *canvas, int rows)
{
	return rows * (canvas->metrics.characters ? 1.0 : 24.0);
}

/* Numbers and title below a level axis, and its line. */
static double texts_height(const struct canvas *canvas, bool titled)
{
	return canvas->metrics.line[PART_QUIET] * (titled ? 2 : 1) +
	       (canvas->metrics.characters ? 1 : 5);
}

double chart_height_titled(const struct canvas *canvas, int rows)
{
	return chart_height(canvas, rows) + texts_height(canvas, true);
}

static bool is_drawn(const struct chart_axis *axis)
{
	return axis->quantity != QUANTITY_NONE;
}

/* "memory, GiB" */
static const char *title_of(struct arena *arena, const struct chart_axis *axis,
			    const struct ticks *ticks)
{
	const char *comma = axis->title && *axis->title && *ticks->name ? ", " : "";

	return arena_printf(arena, "%s%s%s", axis->title ? axis->title : "", comma, ticks->name);
}

/* What stands at the left of the upright axis, by tick or row. */
struct margin {
	int count;
	const char **texts;
	double width;
};

static struct margin margin_of(const struct canvas *canvas, const struct chart_axis *axis,
			       const struct ticks *ticks, double most)
{
	bool rows = axis->quantity == QUANTITY_ROWS;
	struct margin margin = { .count = rows ? (int)axis->most : ticks->count + 1 };
	int i;

	if (!is_drawn(axis))
		return (struct margin) { 0 };
	margin.texts = arena_array(canvas->arena, (size_t)margin.count, sizeof(*margin.texts));
	for (i = 0; i < margin.count; i++) {
		const char *text = rows ? axis->names[i] : tick_text(canvas->arena, ticks, i);
		margin.texts[i] = text;
		margin.width = fmax(margin.width, canvas_text_width(canvas, PART_QUIET, text));
	}
	margin.width = fmin(margin.width, most);
	return margin;
}

/* The upright axis: names of rows in their middle, or numbers beside ticks with lines across. */
static void draw_rising(struct chart *chart, const struct margin *margin, const struct ticks *ticks)
{
	struct canvas *canvas = chart->canvas;
	bool rows = chart->rising == QUANTITY_ROWS, characters = canvas->metrics.characters;
	double line = canvas->metrics.line[PART_QUIET];
	int i;

	for (i = 0; i < margin->count; i++) {
		double y = chart_y(chart, rows ? i + 0.5 : i * ticks->step);
		if (!rows && i && !characters)
			canvas_line(canvas, PART_RULE, -1, chart->x, y, chart->x + chart->w, y);
		if (characters)
			y = rows ? floor(y) : fmin(floor(y), chart->y + chart->h - 1);
		canvas_text(
			canvas, PART_QUIET, ANCHOR_END, chart->x - gap(canvas),
			characters ? y : y - line / 2,
			canvas_clip(canvas, PART_QUIET, margin->width + 0.01, margin->texts[i]));
	}
	canvas_line(canvas, PART_AXIS, -1, chart->x - characters, chart->y, chart->x - characters,
		    chart->y + chart->h);
}

/* The level axis: numbers below ticks, and its title at the right end of a line of its own. */
static void draw_level(struct chart *chart, const struct chart_axis *axis,
		       const struct ticks *ticks)
{
	struct canvas *canvas = chart->canvas;
	bool characters = canvas->metrics.characters;
	double bottom = chart->y + chart->h, below = bottom + (characters ? 1 : 5);
	const char *title = title_of(canvas->arena, axis, ticks);
	int i;

	canvas_line(canvas, PART_AXIS, -1, chart->x, bottom, chart->x + chart->w, bottom);
	chart->below = bottom + characters;
	if (!is_drawn(axis))
		return;
	for (i = 0; i <= ticks->count; i++) {
		double x = chart_x(chart, i * ticks->step);
		if (!characters)
			canvas_line(canvas, PART_AXIS, -1, x, bottom, x, bottom + 5);
		canvas_text(canvas, PART_QUIET, ANCHOR_MIDDLE, x, below,
			    tick_text(canvas->arena, ticks, i));
	}
	chart->below = below + canvas->metrics.line[PART_QUIET];
	if (!*title)
		return;
	canvas_text(canvas, PART_QUIET, ANCHOR_END, chart->x + chart->w, chart->below, title);
	chart->below += canvas->metrics.line[PART_QUIET];
}

/* Takes the room for texts off the frame: the rest is the plot. */
static void set_frame(struct chart *chart, const struct chart_wanted *wanted,
		      const struct margin *margin, const struct ticks *level)
{
	const struct canvas *canvas = chart->canvas;
	double line = canvas->metrics.line[PART_QUIET], half = 0, texts = 0;
	double left = margin->count ? margin->width + gap(canvas) : 0;
	bool titled = is_drawn(&wanted->up) && wanted->up.quantity != QUANTITY_ROWS;

	if (is_drawn(&wanted->across)) {
		const char *last = tick_text(canvas->arena, level, level->count);
		half = ceil(canvas_text_width(canvas, PART_QUIET, last) / 2);
		texts = texts_height(canvas,
				     *title_of(canvas->arena, &wanted->across, level) != '\0');
	}
	chart->x = wanted->x + fmax(left, half);
	chart->w = fmax(1, wanted->x + wanted->w - half - chart->x);
	chart->y =
		wanted->y + (titled ? line + (canvas->metrics.characters ? 0 : ceil(line / 2)) : 0);
	chart->h = fmax(1, wanted->y + wanted->h - texts - chart->y);
}

void chart_init(struct chart *chart, struct canvas *canvas, const struct chart_wanted *wanted)
{
	bool characters = canvas->metrics.characters, rows = wanted->up.quantity == QUANTITY_ROWS;
	struct ticks up = ticks_of(wanted->up.quantity, wanted->up.most,
				   (int)(wanted->h / (characters ? 3 : 44)));
	struct ticks across = ticks_of(wanted->across.quantity, wanted->across.most,
				       (int)(wanted->w / (characters ? 9 : 90)));
	struct margin margin = margin_of(canvas, &wanted->up, &up, wanted->w / 3);

	*chart = (struct chart) { .canvas = canvas, .rising = wanted->up.quantity };
	chart->across_end =
		is_drawn(&wanted->across) ? across.count * across.step : wanted->across.most;
	chart->up_end = rows || !is_drawn(&wanted->up) ? wanted->up.most : up.count * up.step;
	set_frame(chart, wanted, &margin, &across);
	if (!rows && is_drawn(&wanted->up))
		canvas_text(canvas, PART_QUIET, ANCHOR_START, wanted->x, wanted->y,
			    title_of(canvas->arena, &wanted->up, &up));
	if (is_drawn(&wanted->up))
		draw_rising(chart, &margin, &up);
	draw_level(chart, &wanted->across, &across);
}

static double share(double value, double end)
{
	return end > 0 ? fmin(fmax(value / end, 0), 1) : 0;
}

double chart_x(const struct chart *chart, double value)
{
	return chart->x + chart->w * share(value, chart->across_end);
}

double chart_y(const struct chart *chart, double value)
{
	double part = share(value, chart->up_end);

	return chart->y + chart->h * (chart->rising == QUANTITY_ROWS ? part : 1 - part);
}

/* A rectangle between two corners of the canvas, with its label where that fits. */
static void draw_bar(struct chart *chart, int hue, struct point from, struct point to,
		     const char *label, const char *name)
{
	struct canvas *canvas = chart->canvas;
	double w = to.x - from.x, h = to.y - from.y, line = canvas->metrics.line[PART_LABEL];
	double middle = from.y + h / 2, air = canvas->metrics.characters ? 0 : 4;

	canvas_rectangle(canvas, PART_AREA, hue, from.x, from.y, w, h, name);
	if (label && h >= line && canvas_text_width(canvas, PART_LABEL, label) + air <= w)
		canvas_text(canvas, PART_LABEL, ANCHOR_MIDDLE, from.x + w / 2,
			    canvas->metrics.characters ? floor(middle) : middle - line / 2, label);
}

void chart_bar(struct chart *chart, int hue, double from_x, double to_x, double from_y, double to_y,
	       const char *label, const char *name)
{
	double y = chart_y(chart, from_y), to = chart_y(chart, to_y);
	struct point low = { chart_x(chart, from_x), fmin(y, to) };
	struct point high = { chart_x(chart, to_x), fmax(y, to) };

	draw_bar(chart, hue, low, high, label, name);
}

void chart_row_bar(struct chart *chart, int hue, double from, double to, int row, const char *label,
		   const char *name)
{
	double air = chart->canvas->metrics.characters ? 0 : fmin(3, chart->h / chart->up_end / 8);
	struct point low = { chart_x(chart, from), chart_y(chart, row) + air };
	struct point high = { chart_x(chart, to), chart_y(chart, row + 1) - air };

	draw_bar(chart, hue, low, high, label, name);
}

void chart_limit(struct chart *chart, double value, const char *name)
{
	struct canvas *canvas = chart->canvas;
	double y = chart_y(chart, value), gap_right = canvas->metrics.characters ? 2 : 18;
	double width = canvas_text_width(canvas, PART_ALERT, name);

	canvas_line(canvas, PART_LIMIT, -1, chart->x, y, chart->x + chart->w, y);
	canvas_tag(canvas, PART_ALERT, chart->x + chart->w - width / 2 - gap_right,
		   canvas->metrics.characters ? floor(y) + 0.5 : y, name);
}

/* A square of an area, a piece of a line. */
static void draw_sample(struct canvas *canvas, const struct chart_entry *entry, double x, double y,
			double width)
{
	double line = canvas->metrics.line[PART_QUIET];
	double side = canvas->metrics.characters ? 1 : line - 6;

	if (entry->part >= PART_LINK)
		canvas_line(canvas, entry->part, entry->hue, x, y + line / 2, x + width,
			    y + line / 2);
	else
		canvas_rectangle(canvas, entry->part, entry->hue, x, y + (line - side) / 2, width,
				 side, NULL);
}

double chart_legend(struct canvas *canvas, const struct chart_entry *entries, size_t count,
		    double x, double y, double width)
{
	bool characters = canvas->metrics.characters;
	double left = x, line = canvas->metrics.line[PART_QUIET] + (characters ? 0 : 4);
	size_t i;

	for (i = 0; i < count; i++) {
		double sample = characters ? 2 : entries[i].part >= PART_LINK ? 30 : 18;
		double text = canvas_text_width(canvas, PART_QUIET, entries[i].text);
		double whole = sample + (characters ? 1 : 7) + text;
		if (x > left && x + whole > left + width) {
			x = left;
			y += line;
		}
		draw_sample(canvas, &entries[i], x, y, sample);
		canvas_text(canvas, PART_QUIET, ANCHOR_START, x + whole - text, y,
			    canvas_clip(canvas, PART_QUIET, width, entries[i].text));
		x += whole + (characters ? 2 : 22);
	}
	return count ? y + line : y;
}
