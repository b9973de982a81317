#include "draw/chart.h"

#include <math.h>

/* The layers laid on each other: edge[i] is below layer i, edge[i + 1] above, by point. */
struct stack {
	struct chart *chart;
	const double *at;
	size_t count;
	double *const *edge;
	bool stepped;
};

static double *sum(struct arena *arena, const double *below, const double *value, size_t count)
{
	double *above = arena_array(arena, count, sizeof(*above));
	size_t i;

	for (i = 0; i < count; i++)
		above[i] = below[i] + fmax(0, value[i]);
	return above;
}

static bool is_empty(const double *below, const double *above, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (above[i] > below[i])
			return false;
	return true;
}

/* Appends the corners of one edge, left to right. */
static size_t put_edge(const struct stack *stack, const double *edge, struct point *to)
{
	size_t i, count = 0;

	for (i = 0; i < stack->count; i++) {
		double x = chart_x(stack->chart, stack->at[i]);
		if (stack->stepped && i)
			to[count++] = (struct point) { x, chart_y(stack->chart, edge[i - 1]) };
		if (!stack->stepped || i + 1 < stack->count)
			to[count++] = (struct point) { x, chart_y(stack->chart, edge[i]) };
	}
	return count;
}

static void draw_layer(const struct stack *stack, size_t layer, int hue)
{
	struct canvas *canvas = stack->chart->canvas;
	struct point *corners = arena_array(canvas->arena, stack->count * 4, sizeof(*corners));
	size_t count = put_edge(stack, stack->edge[layer + 1], corners), back, i;

	back = put_edge(stack, stack->edge[layer], corners + count);
	for (i = 0; i < back / 2; i++) {
		struct point swap = corners[count + i];
		corners[count + i] = corners[count + back - 1 - i];
		corners[count + back - 1 - i] = swap;
	}
	canvas_polygon(canvas, PART_AREA, hue, corners, count + back);
}

/* A place for a label inside a layer. */
struct room {
	double left, right, top, bottom;
};

/*
 * The room that begins at a point and is at least that wide, then as wide as it goes without
 * becoming lower. Its height is negative where there is none.
 */
static struct room room_from(const struct stack *stack, size_t layer, size_t point, double width)
{
	const double *below = stack->edge[layer], *above = stack->edge[layer + 1];
	double left = chart_x(stack->chart, stack->at[point]);
	struct room room = { left, left, -HUGE_VAL, HUGE_VAL };
	size_t i, last = stack->count - 1;

	for (i = point; i <= last; i++) {
		size_t value = stack->stepped && i > point ? i - 1 : i;
		double top = fmax(room.top, chart_y(stack->chart, above[value]));
		double bottom = fmin(room.bottom, chart_y(stack->chart, below[value]));
		bool lower = top > room.top || bottom < room.bottom;
		if (lower && room.right - left >= width)
			break;
		room = (struct room) { left, chart_x(stack->chart, stack->at[i]), top, bottom };
	}
	if (room.right - left < width)
		room.bottom = room.top - 1;
	return room;
}

static void draw_label(const struct stack *stack, size_t layer, const char *label)
{
	struct canvas *canvas = stack->chart->canvas;
	double line = canvas->metrics.line[PART_LABEL], middle;
	double width = canvas_text_width(canvas, PART_LABEL, label) + 2 * canvas->metrics.digit;
	struct room best = { 0 };
	size_t i;

	if (canvas->metrics.characters)
		label = arena_printf(canvas->arena, " %s ", label); /* off the texture */
	for (i = 0; i < stack->count; i++) {
		struct room room = room_from(stack, layer, i, width);
		if (room.bottom - room.top > best.bottom - best.top + 0.01)
			best = room;
	}
	if (best.bottom - best.top < line)
		return;
	middle = (best.top + best.bottom) / 2;
	canvas_text(canvas, PART_LABEL, ANCHOR_MIDDLE, (best.left + best.right) / 2,
		    canvas->metrics.characters ? floor(middle) : middle - line / 2, label);
}

void chart_stack(struct chart *chart, const double *at, size_t count,
		 const struct chart_layer *layers, size_t layer_count, bool stepped)
{
	struct arena *arena = chart->canvas->arena;
	double **edge = arena_array(arena, layer_count + 1, sizeof(*edge));
	struct stack stack = { chart, at, count, edge, stepped };
	size_t i;

	if (count < 2)
		return;
	edge[0] = arena_array(arena, count, sizeof(**edge));
	for (i = 0; i < layer_count; i++)
		edge[i + 1] = sum(arena, edge[i], layers[i].value, count);
	for (i = 0; i < layer_count; i++)
		if (!is_empty(edge[i], edge[i + 1], count - stepped))
			draw_layer(&stack, i, layers[i].hue);
	for (i = 0; i < layer_count; i++)
		if (layers[i].label)
			draw_label(&stack, i, layers[i].label);
}
