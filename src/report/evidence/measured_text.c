#include "base/text.h"
#include "report/evidence/measured.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CELL = 24, NAME = 22 };

static void percent(char *text, double deviation)
{
	text[0] = '\0';
	if (isfinite(deviation))
		snprintf(text, CELL, "%+.0f %%", 100 * deviation);
}

/* A quantity in its unit; "" for none. */
static const char *quantity_text(struct arena *arena, enum seen_quantity quantity, double value)
{
	if (!(value > 0))
		return "";
	switch (quantity) {
	case SEEN_STEP_SECONDS:
		return arena_printf(arena, "%.4g s", value);
	case SEEN_TOKENS_PER_SECOND:
		return text_count(arena, (int64_t)llround(fmin(value, 1e15)));
	default:
		return text_bytes(arena, value);
	}
}

static const char *range_text(struct arena *arena, const struct step_deviation *row)
{
	if (!(row->expected > 0))
		return "";
	if (row->quantity == SEEN_STEP_SECONDS)
		return arena_printf(arena, "%.3g to %.3g s", row->low, row->high);
	if (row->low >= row->high)
		return "";
	return arena_printf(arena, "%s to %s", quantity_text(arena, row->quantity, row->low),
			    quantity_text(arena, row->quantity, row->high));
}

static void put_why(const struct style *style, const char *why, struct buf *out)
{
	if (!why)
		return;
	buf_text(out, "    ");
	wrap_text(out, why, 4, 4, style->columns);
	buf_char(out, '\n');
}

static const char *const names[SEEN_QUANTITIES] = {
	[SEEN_STEP_SECONDS] = "step",
	[SEEN_MEMORY_RESERVED] = "memory, reserved",
	[SEEN_MEMORY_DEVICE] = "memory of the device",
	[SEEN_TOKENS_PER_SECOND] = "tokens per second",
};

void report_steps_text(const struct observed *observed, const struct measured *measured,
		       const struct style *style, struct buf *out)
{
	size_t i;

	if (measured->steps.count)
		style_heading(style, out, "Measured, per step and rank");
	for (i = 0; i < measured->steps.count; i++) {
		const struct step_deviation *row = &measured->steps.items[i];
		buf_printf(out, "  %-20s %10s  %s, %zu value%s\n", names[row->quantity],
			   quantity_text(observed->arena, row->quantity, row->measured),
			   row->source, row->samples, row->samples == 1 ? "" : "s");
	}
}

static void put_step(const struct observed *observed, const struct step_deviation *row,
		     const struct style *style, struct buf *out)
{
	struct arena *arena = observed->arena;
	char off[CELL];

	percent(off, deviation_of(row->measured, row->expected));
	buf_printf(out, "  %-20s %10s %10s %22s %7s  %s, %zu value%s\n", names[row->quantity],
		   quantity_text(arena, row->quantity, row->measured),
		   quantity_text(arena, row->quantity, row->expected), range_text(arena, row), off,
		   row->source, row->samples, row->samples == 1 ? "" : "s");
	put_why(style, row->why, out);
}

static const char *bytes_cell(struct arena *arena, double bytes)
{
	return bytes > 0 ? text_bytes(arena, bytes) : "";
}

static void cell(char *text, double value, const char *format)
{
	text[0] = '\0';
	if (value > 0)
		snprintf(text, CELL, strcmp(format, "us") ? "%.4g" : "%.1f",
			 strcmp(format, "us") ? value : value / 1e3);
}

static void put_call(const struct observed *observed, const struct call_deviation *row,
		     const struct style *style, struct buf *out)
{
	const struct group_family *family = &observed->families.list.items[row->family];
	struct arena *arena = observed->arena;
	char planned[CELL], time[CELL], model[CELL], off[CELL];

	cell(planned, row->per_step ? row->planned_calls : 0, "");
	cell(time, row->time, "us");
	cell(model, row->expected, "us");
	percent(off, deviation_of(row->time, row->expected));
	buf_printf(out, "  %-*.*s %-14s %7.4g%s %7s %9s %9s %8s %8s %7s\n", NAME, NAME,
		   family_name(arena, family), seen_op_name(row->first->call.op), row->calls,
		   row->per_step ? " " : "*", planned, bytes_cell(arena, row->bytes),
		   bytes_cell(arena, row->per_step ? row->planned_bytes : 0), time, model, off);
	put_why(style, row->why, out);
}

/* Whether there is anything to hold it against. */
static bool is_told(const struct call_deviation *row)
{
	return row->time > 0 || (row->per_step && row->planned_calls >= 0);
}

static void put_calls(const struct observed *observed, const struct measured *measured,
		      const struct style *style, struct buf *out)
{
	bool any = false, whole = true;
	size_t i;

	for (i = 0; i < measured->calls.count; i++) {
		const struct call_deviation *row = &measured->calls.items[i];
		if (!is_told(row))
			continue;
		if (!any)
			buf_printf(out, "  %-*s %-14s %7s  %7s %9s %9s %8s %8s %7s\n", NAME,
				   "group", "operation", "calls", "planned", "bytes", "planned",
				   "ms", "model", "off");
		any = true;
		whole = whole && row->per_step;
		put_call(observed, row, style, out);
	}
	if (!whole)
		buf_text(out, "  * of all that the evidence has: it marks no steps\n");
}

static bool measured_tells(const struct measured *measured)
{
	size_t i;

	for (i = 0; i < measured->calls.count; i++)
		if (is_told(&measured->calls.items[i]))
			return true;
	return measured->steps.count > 0;
}

void report_measured_text(const struct observed *observed, const struct yardstick *yardstick,
			  const struct measured *measured, const struct style *style,
			  struct buf *out)
{
	size_t i;

	if (!measured_tells(measured))
		return;
	style_heading(style, out, "Measured beside the forecast%s%s",
		      yardstick->profile ? " of " : "",
		      yardstick->profile ? yardstick->profile->gpu : "");
	if (yardstick->missing) {
		buf_text(out, "  no forecast: ");
		wrap_text(out, yardstick->missing, 15, 4, style->columns);
		buf_char(out, '\n');
	}
	if (measured->steps.count)
		buf_text(out, "  per step and rank      measured   forecast                  range "
			      "    off  told by\n");
	for (i = 0; i < measured->steps.count; i++)
		put_step(observed, &measured->steps.items[i], style, out);
	put_calls(observed, measured, style, out);
	if (!measured->advice)
		return;
	buf_text(out, "  ");
	wrap_text(out, measured->advice, 2, 2, style->columns);
	buf_char(out, '\n');
}
