#include "draw/chart.h"
#include "draw/page.h"
#include "sim/forecast.h"

/*
 * What is alive in the memory of the fullest rank over a step, stacked, under what the device has.
 */

enum { STRETCHES = 240, LAYERS = 7 };

/* Parts that are shown as one. */
static const struct {
	const char *name;
	int hue;
	enum memory_part first, last;
} shown[LAYERS] = {
	{ "parameters", 0, MEMORY_PARAMETERS, MEMORY_REFERENCE },
	{ "gradients", 1, MEMORY_GRADIENTS, MEMORY_GRADIENTS },
	{ "optimizer", 2, MEMORY_OPTIMIZER, MEMORY_OPTIMIZER },
	{ "gathered, reduced", 3, MEMORY_UNSHARDED, MEMORY_REDUCE },
	{ "activations", 4, MEMORY_ACTIVATIONS, MEMORY_ACTIVATIONS },
	{ "recomputed, loss, update", 5, MEMORY_RECOMPUTED, MEMORY_UPDATE },
	{ "libraries, allocator, context", -1, MEMORY_WORKSPACES, MEMORY_PARTS - 1 },
};

/* Points of the chart: the start of the step and of each stretch, and the end. */
struct series {
	double *at;
	double *values[LAYERS];
	size_t count;
	bool reference; /* a frozen model is beside the trained one */
};

/* There are colours for six layers: a reference model shares that of the parameters. */
static const char *name_of(const struct series *series, int layer)
{
	return series->reference && shown[layer].last == MEMORY_REFERENCE
		       ? "parameters, reference model"
		       : shown[layer].name;
}

static double bytes_of(const struct memory_moment *moment, int layer)
{
	double sum = 0;
	int part;

	for (part = (int)shown[layer].first; part <= (int)shown[layer].last; part++)
		sum += moment->parts[part];
	return sum;
}

/* Before its first task a rank holds its states alone. */
static bool is_state(int layer)
{
	return shown[layer].last == MEMORY_REFERENCE || shown[layer].last == MEMORY_OPTIMIZER;
}

/* `around`: bytes beside tensors, the same all the time. */
static struct series series_of(struct arena *arena, const struct memory_timeline *timeline,
			       const struct run *run, double around)
{
	const size_t count = timeline->moments.count;
	struct series series = { .count = count + 2 };
	size_t i;
	int layer;

	series.at = arena_array(arena, count + 2, sizeof(double));
	for (i = 0; i < count; i++)
		series.at[i + 1] = program_seconds(&run->program, timeline->moments.items[i].time);
	series.at[count + 1] = program_seconds(&run->program, run->end);
	for (layer = 0; layer < LAYERS; layer++) {
		double *values = arena_array(arena, count + 2, sizeof(double));
		double more = layer == LAYERS - 1 ? around : 0;
		for (i = 0; i < count; i++)
			values[i + 1] = more + bytes_of(&timeline->moments.items[i], layer);
		values[0] = count && (is_state(layer) || more > 0) ? values[1] : more;
		series.values[layer] = values;
	}
	return series;
}

static double highest(const struct series *series)
{
	double most = 0;
	size_t i;
	int layer;

	for (i = 0; i < series->count; i++) {
		double sum = 0;
		for (layer = 0; layer < LAYERS; layer++)
			sum += series->values[layer][i];
		most = sum > most ? sum : most;
	}
	return most;
}

static double put_legend(struct canvas *canvas, const struct series *series, double y)
{
	struct chart_entry entries[LAYERS];
	size_t i, count = 0;
	int layer;

	for (layer = 0; layer < LAYERS; layer++) {
		for (i = 0; i < series->count && series->values[layer][i] <= 0; i++)
			;
		if (i < series->count)
			entries[count++] = (struct chart_entry) { PART_AREA, shown[layer].hue,
								  name_of(series, layer) };
	}
	return chart_legend(canvas, entries, count, canvas->metrics.margin, y, page_room(canvas));
}

static void put_layers(struct chart *chart, const struct series *series)
{
	struct chart_layer layers[LAYERS];
	int layer;

	for (layer = 0; layer < LAYERS; layer++)
		layers[layer] = (struct chart_layer) { shown[layer].hue, name_of(series, layer),
						       series->values[layer] };
	chart_stack(chart, series->at, series->count, layers, LAYERS, true);
}

static const char *gib(struct arena *arena, double bytes)
{
	return arena_printf(arena, "%.1f GiB", bytes / 1073741824.0);
}

static void describe(const struct subject *subject, struct canvas *canvas,
		     const struct memory_class *class)
{
	const struct memory *memory = &subject->forecast->memory;

	canvas->title = arena_printf(
		subject->arena, "%s: memory of the %s, %s of %s", subject->name,
		memory->count > 1 ? arena_printf(subject->arena, "%s pipeline rank", class->name)
				  : "fullest rank",
		gib(subject->arena, class->device), gib(subject->arena, memory->capacity));
	canvas->description = arena_printf(
		subject->arena, "At the peak tensors take %s; the device shows %s.",
		gib(subject->arena, class->allocated), gib(subject->arena, class->device));
}

static const char *draw(const struct subject *subject, struct canvas *canvas)
{
	const struct forecast *forecast = subject->forecast;
	const struct memory_class *class = memory_fullest(&forecast->memory);
	struct memory_timeline timeline =
		memory_over_time(subject->arena, &forecast->profile, &forecast->work,
				 &forecast->run, class, STRETCHES);
	struct series series = series_of(subject->arena, &timeline, &forecast->run,
					 class->device - class->allocated);
	const double most = highest(&series), capacity = forecast->memory.capacity;
	struct chart_wanted wanted = { .x = canvas->metrics.margin, .w = page_room(canvas) };
	struct chart chart;
	double y;

	series.reference = class->reference > 0;
	describe(subject, canvas, class);
	wanted.y = page_title(canvas, subject, canvas->title);
	wanted.h = chart_height_titled(canvas, 16);
	wanted.across = (struct chart_axis) { QUANTITY_SECONDS, series.at[series.count - 1],
					      "time since the step began", NULL };
	wanted.up = (struct chart_axis) { QUANTITY_BYTES, most > capacity ? most : capacity,
					  "memory", NULL };
	chart_init(&chart, canvas, &wanted);
	put_layers(&chart, &series);
	if (capacity > 0)
		chart_limit(&chart, capacity,
			    arena_printf(subject->arena, "%s of the device",
					 gib(subject->arena, capacity)));
	y = put_legend(canvas, &series, chart.below + page_gap(canvas));
	if (forecast->run.batches < forecast->work.microbatches)
		canvas_paragraph(canvas, PART_QUIET, canvas->metrics.margin, y + page_gap(canvas),
				 page_room(canvas),
				 arena_printf(subject->arena,
					      "Shown are %d of %d microbatches: the others are "
					      "like them.",
					      (int)forecast->run.batches,
					      (int)forecast->work.microbatches));
	return NULL;
}

const struct figure figure_memory = {
	.name = "memory",
	.summary = "what is alive in memory over a step",
	.forecasts = true,
	.draw = draw,
};
