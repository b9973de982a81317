#include "draw/chart.h"
#include "draw/page.h"
#include "sim/forecast.h"

/* Where the seconds of a step go, one below the other, each from where the last one ended. */

enum { PARTS_SHOWN = 8 };

struct part_shown {
	const char *name;
	double seconds;
	int hue; /* -1: waiting */
};

static int collect(const struct step *step, struct part_shown *parts)
{
	const struct part_shown all[PARTS_SHOWN] = {
		{ "computing", step->compute, 0 },
		{ "tensor parallel", step->tensor, 1 },
		{ "context parallel", step->context, 2 },
		{ "expert parallel", step->expert, 3 },
		{ "data parallel", step->data, 4 },
		{ "waiting for stages", step->bubble, -1 },
		{ "optimizer", step->optimizer, 5 },
	};
	int i, count = 0;

	for (i = 0; i < PARTS_SHOWN; i++)
		if (all[i].name && all[i].seconds >= 0.0005 * step->total)
			parts[count++] = all[i];
	return count;
}

/* "1.12 s, 15.6 %" */
static const char *amount(struct arena *arena, double seconds, double total)
{
	double scale = seconds < 1e-3 ? 1e6 : seconds < 1 ? 1e3 : 1;
	const char *unit = seconds < 1e-3 ? "us" : seconds < 1 ? "ms" : "s";

	return arena_printf(arena, "%.3g %s, %.1f %%", scale * seconds, unit,
			    100 * seconds / total);
}

/* A bar with its amount on it, or behind it where it is short. */
static void put_bar(struct chart *chart, const struct part_shown *part, double at, int row,
		    const char *text)
{
	struct canvas *canvas = chart->canvas;
	double end = chart_x(chart, at + part->seconds), pad = canvas->metrics.characters ? 1 : 8;
	double width = canvas_text_width(canvas, PART_QUIET, text);
	bool fits = width + 2 * pad <= end - chart_x(chart, at);
	double top = chart_y(chart, row) +
		     (chart_y(chart, 1) - chart_y(chart, 0) - canvas->metrics.line[PART_QUIET]) / 2;

	chart_row_bar(chart, part->hue, at, at + part->seconds, row, fits ? text : NULL,
		      arena_printf(canvas->arena, "%s: %s", part->name, text));
	if (fits)
		return;
	if (end + pad + width <= chart->x + chart->w)
		canvas_text(canvas, PART_QUIET, ANCHOR_START, end + pad, top, text);
	else
		canvas_text(canvas, PART_QUIET, ANCHOR_END, chart_x(chart, at) - pad, top, text);
}

static void put_rows(struct chart *chart, struct arena *arena, const struct part_shown *parts,
		     int count, const struct forecast *forecast)
{
	double at = 0, total = forecast->step.total;
	int i;

	for (i = 0; i < count; i++) {
		put_bar(chart, &parts[i], at, i, amount(arena, parts[i].seconds, total));
		at += parts[i].seconds;
	}
	chart_row_bar(chart, -1, forecast->low, forecast->high, count,
		      arena_printf(arena, "%.3g to %.3g s", forecast->low, forecast->high),
		      "four runs of five");
}

static const char *draw(const struct subject *subject, struct canvas *canvas)
{
	const struct forecast *forecast = subject->forecast;
	struct part_shown parts[PARTS_SHOWN];
	const char *names[PARTS_SHOWN + 1];
	int i, count = collect(&forecast->step, parts);
	struct chart chart;
	struct chart_wanted wanted = {
		.across = { QUANTITY_SECONDS, forecast->high, "time of a step", NULL },
		.up = { QUANTITY_ROWS, count + 1, NULL, names },
		.x = canvas->metrics.margin,
		.w = page_room(canvas),
	};

	for (i = 0; i < count; i++)
		names[i] = arena_printf(subject->arena, "%s", parts[i].name);
	names[count] = "four runs of five";
	canvas->title = arena_printf(subject->arena, "%s: a step of %.4g s, MFU %.1f %%",
				     subject->name, forecast->step.total, 100 * forecast->mfu);
	canvas->description = "";
	for (i = 0; i < count; i++)
		canvas->description = arena_printf(
			subject->arena, "%s%s %s. ", canvas->description, parts[i].name,
			amount(subject->arena, parts[i].seconds, forecast->step.total));
	wanted.y = page_title(canvas, subject, canvas->title);
	wanted.h = chart_height_titled(canvas, count + 1);
	chart_init(&chart, canvas, &wanted);
	put_rows(&chart, subject->arena, parts, count, forecast);
	return NULL;
}

const struct figure figure_breakdown = {
	.name = "breakdown",
	.summary = "where the seconds of a step go",
	.forecasts = true,
	.draw = draw,
};
