#include "report/findings/excerpt.h"
#include "report/forecast/forecast.h"
#include "report/forecast/peak.h"
#include "sim/memory_fix.h"

#include <inttypes.h>

#define GIB 1073741824.0

/* Parts that are named beside the table. */
enum { LARGEST = 5 };

struct sheet {
	const struct job *job;
	const struct forecast *forecast;
	const struct memory *memory;
	struct style style;
	struct buf *out;
};

/* Whether any class holds so much of a part that a table shows it. */
static bool shows(const struct memory *memory, int part)
{
	int i;

	for (i = 0; i < memory->count; i++)
		if (memory->classes[i].peak.parts[part] >= 0.005 * GIB)
			return true;
	return false;
}

static void put_total(struct sheet *sheet, const char *name,
		      double (*of)(const struct memory_class *class))
{
	int i;

	buf_printf(sheet->out, "  %-24s", name);
	for (i = 0; i < sheet->memory->count; i++)
		buf_printf(sheet->out, " %9.2f", of(&sheet->memory->classes[i]) / GIB);
	buf_char(sheet->out, '\n');
}

static double allocated(const struct memory_class *class)
{
	return class->allocated;
}

static double device(const struct memory_class *class)
{
	return class->device;
}

static double need(const struct memory_class *class)
{
	return class->need;
}

static void put_parts(struct sheet *sheet, int first, int end)
{
	int part, i;

	for (part = first; part < end; part++) {
		if (!shows(sheet->memory, part))
			continue;
		buf_printf(sheet->out, "  %-24s", memory_part_name((enum memory_part)part));
		for (i = 0; i < sheet->memory->count; i++)
			buf_printf(sheet->out, " %9.2f",
				   sheet->memory->classes[i].peak.parts[part] / GIB);
		buf_char(sheet->out, '\n');
	}
}

static void put_table(struct sheet *sheet)
{
	const struct memory *memory = sheet->memory;
	int i;

	style_heading(&sheet->style, sheet->out,
		      "Memory of each class of ranks, at its peak, in GiB");
	buf_printf(sheet->out, "  %-24s", "stage");
	for (i = 0; i < memory->count; i++)
		buf_printf(sheet->out, " %9s", memory->classes[i].name);
	buf_printf(sheet->out, "\n  %-24s", "ranks");
	for (i = 0; i < memory->count; i++)
		buf_printf(sheet->out, " %9" PRId64, memory->classes[i].ranks);
	buf_char(sheet->out, '\n');
	put_parts(sheet, 0, MEMORY_TENSORS);
	put_total(sheet, "tensors", allocated);
	put_parts(sheet, MEMORY_TENSORS, MEMORY_PARTS);
	put_total(sheet, "device", device);
	put_total(sheet, "of it must fit", need);
	buf_printf(sheet->out, "  %-24s %9.2f\n", "capacity", memory->capacity / GIB);
}

static void put_peaks(struct sheet *sheet)
{
	int i;

	style_heading(&sheet->style, sheet->out, "When that is");
	for (i = 0; i < sheet->memory->count; i++) {
		const struct memory_class *class = &sheet->memory->classes[i];
		buf_printf(sheet->out, "  %-8s ", class->name);
		moment_put(sheet->out, sheet->forecast, &class->peak);
		if (class->peak.flights > 1)
			buf_printf(sheet->out, "; activations of %" PRId32 " passes of stages wait",
				   class->peak.flights);
		if (sheet->memory->count > 1 && i == sheet->memory->fullest)
			buf_text(sheet->out, " (the fullest)");
		buf_char(sheet->out, '\n');
	}
}

/* The part that is next in size after those taken, or MEMORY_PARTS. */
static int next_largest(const double *parts, const bool *taken)
{
	int part, best = MEMORY_PARTS;

	for (part = 0; part < MEMORY_PARTS; part++)
		if (!taken[part] && parts[part] > 0 &&
		    (best == MEMORY_PARTS || parts[part] > parts[best]))
			best = part;
	return best;
}

static void put_largest(struct sheet *sheet)
{
	const struct memory_class *class = memory_fullest(sheet->memory);
	bool taken[MEMORY_PARTS] = { false };
	int i, part;

	style_heading(&sheet->style, sheet->out, "Largest then, on the fullest");
	for (i = 0; i < LARGEST; i++) {
		part = next_largest(class->peak.parts, taken);
		if (part == MEMORY_PARTS)
			break;
		taken[part] = true;
		buf_printf(sheet->out, "  %-24s %9.2f %5.1f %%\n",
			   memory_part_name((enum memory_part)part), class->peak.parts[part] / GIB,
			   100 * class->peak.parts[part] / class->device);
	}
}

static void put_remedies(struct sheet *sheet)
{
	const struct forecast *forecast = sheet->forecast;
	struct remedies remedies = { 0 };
	size_t i;

	remedies_find(sheet->job, forecast, &remedies);
	if (!remedies.list.count)
		return;
	style_heading(&sheet->style, sheet->out, "What would make it less");
	for (i = 0; i < remedies.list.count; i++) {
		const struct remedy *remedy = &remedies.list.items[i];
		buf_printf(sheet->out, "  %s\n    saves %.2f GiB: %.2f, %s; %.2f times the time\n",
			   remedy->what, (sheet->memory->device - remedy->device) / GIB,
			   remedy->device / GIB,
			   remedy->fits == FITS_YES  ? "it fits"
			   : remedy->fits == FITS_NO ? "it does not fit"
						     : "too close to tell",
			   remedy->step_ratio);
	}
}

void report_memory_text(const struct job *job, const struct forecast *forecast, struct buf *out,
			bool color)
{
	struct sheet sheet = { job, forecast, &forecast->memory, { color, 0 }, out };

	put_table(&sheet);
	put_peaks(&sheet);
	put_largest(&sheet);
	put_remedies(&sheet);
}
