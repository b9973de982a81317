#include "draw/canvas.h"

#include "draw/palette.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

/* clang-format off */
const struct metrics metrics_pixels = {
	.width = 880, .margin = 28,
	.cell_min = 40, .cell_height = 42, .cell_gap = 6,
	.digit = 7.8, .cell_padding = 10, .rank_top = 5, .member_top = 23,
	.head = 28, .padding = 14,
	.gap = 26, .link_gap = 62, .fold_gap = 54,
	.across_gap = 34, .across_fold_gap = 86,
	.panel_gap = 44, .band = 3,
	.size = { 20, 15, 13, 12, 13, 11, 11, 11, 13, 13 },
	.line = { 28, 24, 20, 18, 18, 14, 14, 14, 20, 20 },
};
/* clang-format on */

struct metrics metrics_characters(int columns)
{
	struct metrics metrics = {
		.characters = true,
		.width = columns,
		.cell_min = 4,
		.cell_height = 2,
		.digit = 1,
		.cell_padding = 1,
		.member_top = 1,
		.head = 1,
		.padding = 1,
		.gap = 1,
		.link_gap = 3,
		.fold_gap = 1,
		.across_gap = 2,
		.across_fold_gap = 10,
		.panel_gap = 4,
	};
	int i;

	for (i = 0; i < PART_TEXTS; i++)
		metrics.size[i] = metrics.line[i] = 1;
	return metrics;
}

void canvas_init(struct canvas *canvas, struct arena *arena, struct metrics metrics)
{
	memset(canvas, 0, sizeof(*canvas));
	canvas->arena = arena;
	canvas->metrics = metrics;
	canvas->title = canvas->description = "";
}

static void add(struct canvas *canvas, struct shape shape, double right, double bottom)
{
	double margin = canvas->metrics.margin;

	if (canvas->width < right + margin)
		canvas->width = right + margin;
	if (canvas->height < bottom + margin)
		canvas->height = bottom + margin;
	vec_push(canvas->arena, &canvas->shapes, shape);
}

void canvas_text(struct canvas *canvas, enum part part, enum anchor anchor, double x, double y,
		 const char *text)
{
	double width = canvas_text_width(canvas, part, text);
	double share = anchor == ANCHOR_START ? 1 : anchor == ANCHOR_MIDDLE ? 0.5 : 0;

	add(canvas,
	    (struct shape) { .kind = SHAPE_TEXT,
			     .part = part,
			     .hue = -1,
			     .x = x,
			     .y = y,
			     .w = width,
			     .h = canvas->metrics.line[part],
			     .anchor = anchor,
			     .text = text },
	    x + width * share, y + canvas->metrics.line[part]);
}

void canvas_rectangle(struct canvas *canvas, enum part part, int hue, double x, double y, double w,
		      double h, const char *name)
{
	add(canvas,
	    (struct shape) { .kind = SHAPE_RECTANGLE,
			     .part = part,
			     .hue = hue % HUES,
			     .texture = hue < 0 ? 0 : hue / HUES,
			     .x = x,
			     .y = y,
			     .w = w,
			     .h = h,
			     .text = name },
	    x + w, y + h);
}

void canvas_line(struct canvas *canvas, enum part part, int hue, double x, double y, double to_x,
		 double to_y)
{
	add(canvas,
	    (struct shape) { .kind = SHAPE_LINE,
			     .part = part,
			     .hue = hue % HUES,
			     .texture = hue < 0 ? 0 : hue / HUES,
			     .x = x,
			     .y = y,
			     .w = to_x - x,
			     .h = to_y - y },
	    to_x, to_y);
}

void canvas_arc(struct canvas *canvas, enum part part, int hue, double x, double y, double to_x,
		double to_y, double bulge)
{
	bool upright = to_y - y > to_x - x;

	add(canvas,
	    (struct shape) { .kind = SHAPE_ARC,
			     .part = part,
			     .hue = hue % HUES,
			     .texture = hue < 0 ? 0 : hue / HUES,
			     .x = x,
			     .y = y,
			     .w = to_x - x,
			     .h = to_y - y,
			     .bulge = bulge },
	    to_x + (upright ? bulge : 0), to_y + (upright ? 0 : bulge));
}

void canvas_polygon(struct canvas *canvas, enum part part, int hue, const struct point *points,
		    size_t count)
{
	struct point *copy = arena_array(canvas->arena, count, sizeof(*copy));
	struct point low = points[0], high = points[0];
	size_t i;

	memcpy(copy, points, count * sizeof(*copy));
	for (i = 1; i < count; i++) {
		low = (struct point) { fmin(low.x, points[i].x), fmin(low.y, points[i].y) };
		high = (struct point) { fmax(high.x, points[i].x), fmax(high.y, points[i].y) };
	}
	add(canvas,
	    (struct shape) { .kind = SHAPE_POLYGON,
			     .part = part,
			     .hue = hue % HUES,
			     .texture = hue < 0 ? 0 : hue / HUES,
			     .x = low.x,
			     .y = low.y,
			     .w = high.x - low.x,
			     .h = high.y - low.y,
			     .points = copy,
			     .point_count = count },
	    high.x, high.y);
}

void canvas_thicken(struct canvas *canvas, double thickness)
{
	canvas->shapes.items[canvas->shapes.count - 1].thickness = thickness;
}

/* Mean width of a character in ems: sans-serif fonts lie between 0.5 and 0.58 on English text. */
static double advance(const struct canvas *canvas, enum part part)
{
	bool bold = part == PART_TITLE || part == PART_HEADING || part >= PART_MOVED;

	if (canvas->metrics.characters)
		return 1;
	return canvas->metrics.size[part] * (bold ? 0.58 : 0.53);
}

double canvas_text_width(const struct canvas *canvas, enum part part, const char *text)
{
	return (double)text_width(text, strlen(text)) * advance(canvas, part);
}

/* Bytes of the longest beginning of `text`, cut at a space, that has at most `most` characters. */
static size_t line_end(const char *text, size_t most)
{
	size_t length = strlen(text), end = 0, next;

	if (text_width(text, length) <= most)
		return length;
	for (next = 0; next < length; next++)
		if (text[next] == ' ' && text_width(text, next) <= most)
			end = next;
	if (end)
		return end;
	for (end = 0; end < length && text_width(text, end) < most;)
		for (end++; end < length && (text[end] & 0xc0) == 0x80;)
			end++;
	return end ? end : length;
}

static int line_count(const char *text, size_t most)
{
	int count = 0;

	for (; *text; count++) {
		text += line_end(text, most);
		while (*text == ' ')
			text++;
	}
	return count;
}

/* Characters in a line: as many as fit, or fewer where that makes the lines equally long. */
static size_t line_length(const struct canvas *canvas, enum part part, double width,
			  const char *text)
{
	size_t most = (size_t)(width / advance(canvas, part));
	int lines = line_count(text, most);

	if (canvas->metrics.characters)
		return most;
	while (lines > 1 && most > 1 && line_count(text, most - 1) == lines)
		most--;
	return most;
}

double canvas_paragraph(struct canvas *canvas, enum part part, double x, double y, double width,
			const char *text)
{
	size_t most = line_length(canvas, part, width, text);

	while (*text) {
		size_t end = line_end(text, most);
		canvas_text(canvas, part, ANCHOR_START, x, y,
			    arena_strndup(canvas->arena, text, end));
		y += canvas->metrics.line[part];
		text += end;
		while (*text == ' ')
			text++;
	}
	return y;
}

void canvas_tag(struct canvas *canvas, enum part part, double x, double y, const char *text)
{
	enum part area = part == PART_ALERT ? PART_ALERT_TAG : PART_TAG;
	double pad = canvas->metrics.characters ? 1 : 9, line = canvas->metrics.line[part];
	double width = canvas_text_width(canvas, part, text) + 2 * pad;

	canvas_rectangle(canvas, area, -1, x - width / 2, y - line / 2, width, line, NULL);
	canvas_text(canvas, part, ANCHOR_MIDDLE, x, y - line / 2, text);
}

double canvas_paragraph_height(const struct canvas *canvas, enum part part, double width,
			       const char *text)
{
	return line_count(text, (size_t)(width / advance(canvas, part))) *
	       canvas->metrics.line[part];
}

const char *canvas_clip(struct canvas *canvas, enum part part, double width, const char *text)
{
	size_t most = (size_t)(width / advance(canvas, part)), end = 0, count = 0;

	if (text_width(text, strlen(text)) <= most)
		return text;
	while (text[end] && count + 1 < most) {
		for (end++; (text[end] & 0xc0) == 0x80;)
			end++;
		count++;
	}
	return arena_printf(canvas->arena, "%.*s…", (int)end, text);
}
