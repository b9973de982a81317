#include "draw/chart.h"
#include "draw/page.h"

#include <math.h>

/*
 * Layouts that a search has found, by how much slower than the fastest they are and what memory
 * they take, under what the device has.
 */

enum { HUE_FRONT = 0, HUE_OTHER = -1, HUE_OWN = 1, LINES = 16 };

static double slower(const struct subject *subject, const struct found *found)
{
	return 100 * (found->time / subject->found[0].time - 1);
}

static struct chart_wanted wanted_of(const struct subject *subject, const struct canvas *canvas,
				     double y)
{
	double time = 1, memory = subject->capacity;
	size_t i;

	for (i = 0; i < subject->found_count; i++) {
		time = fmax(time, slower(subject, &subject->found[i]));
		memory = fmax(memory, subject->found[i].memory);
	}
	return (struct chart_wanted) {
		.across = { QUANTITY_NUMBER, time, "slower than the fastest, %", NULL },
		.up = { QUANTITY_BYTES, memory, "memory", NULL },
		.x = canvas->metrics.margin,
		.y = y,
		.w = page_room(canvas),
		.h = chart_height_titled(canvas, LINES),
	};
}

static void put_point(struct chart *chart, const struct subject *subject, const struct found *found)
{
	const double x = slower(subject, found), y = found->memory;
	const double dx = chart->across_end / 160, dy = chart->up_end / 80;
	const int hue = found->own ? HUE_OWN : found->front ? HUE_FRONT : HUE_OTHER;

	chart_bar(chart, hue, fmax(x - dx, 0), fmax(x - dx, 0) + 2 * dx, y - dy, y + dy, NULL,
		  found->name);
}

static void describe(const struct subject *subject, struct canvas *canvas)
{
	const struct found *best = &subject->found[0];

	canvas->title =
		arena_printf(subject->arena, "%s: layouts by time and memory", subject->name);
	canvas->description = arena_printf(
		subject->arena, "The fastest takes %.4g s and %.1f GiB of %.1f: %s.", best->time,
		best->memory / 1073741824.0, subject->capacity / 1073741824.0, best->name);
}

static const char *draw(const struct subject *subject, struct canvas *canvas)
{
	static const struct chart_entry entries[] = {
		{ PART_AREA, HUE_FRONT, "none is faster and leaves more memory free" },
		{ PART_AREA, HUE_OTHER, "others of the best" },
		{ PART_AREA, HUE_OWN, "the config as it is" },
	};
	struct chart_wanted wanted;
	struct chart chart;
	size_t i;
	int own;

	if (!subject->found_count)
		return "no layout of the job runs (parplan search tells why)";
	describe(subject, canvas);
	wanted = wanted_of(subject, canvas, page_title(canvas, subject, canvas->title));
	chart_init(&chart, canvas, &wanted);
	for (own = 0; own < 2; own++) /* the config's own lies over the others */
		for (i = subject->found_count; i > 0; i--)
			if (subject->found[i - 1].own == own)
				put_point(&chart, subject, &subject->found[i - 1]);
	chart_limit(&chart, subject->capacity, "memory of the device");
	chart_legend(canvas, entries, sizeof(entries) / sizeof(entries[0]), canvas->metrics.margin,
		     chart.below + page_gap(canvas), page_room(canvas));
	return NULL;
}

const struct figure figure_pareto = {
	.name = "pareto",
	.summary = "the fastest layouts and what memory they take: a search",
	.searches = true,
	.draw = draw,
};
