#include "report/findings/excerpt.h"
#include "report/forecast/forecast.h"

#include <inttypes.h>
#include <stdio.h>

/* "512 B", "2.5 MiB". */
static const char *size_text(char *text, size_t length, double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t unit = 0;

	while (bytes >= 1024 && unit + 1 < sizeof(units) / sizeof(*units)) {
		bytes /= 1024;
		unit++;
	}
	snprintf(text, length, "%.4g %s", bytes, units[unit]);
	return text;
}

static void put_row(const struct traffic *row, struct buf *out)
{
	char size[24], way[24], hidden[24] = "";

	snprintf(way, sizeof(way), "%s/%s", collective_way(row->call.op, &row->time),
		 nccl_protocol_name(row->time.protocol));
	if (row->exposed >= 0)
		snprintf(hidden, sizeof(hidden), "%.0f %%", 100 * row->exposed);
	buf_printf(out, "  %-12s %-14s %6" PRId64 " %6" PRId64 " %10s %6.0f %9.4g %9.4g %6.1f %7s",
		   row->call.group->name, row->call.op->name, row->call.group->ranks, row->nodes,
		   size_text(size, sizeof(size), row->call.bytes), row->count, row->time.time,
		   1e-3 * row->count * row->time.time, traffic_bus(row), hidden);
	buf_printf(out, "  %-17s %s\n", way, row->what);
}

void report_traffic_text(const struct forecast *forecast, struct buf *out, bool color)
{
	const struct traffics *traffics = &forecast->traffic;
	const struct style style = { color, 0 };
	size_t i;

	buf_char(out, '\n');
	style_put(&style, out, COLOR_BOLD);
	buf_text(out, "Collectives per step");
	style_put(&style, out, COLOR_PLAIN);
	if (!traffics->list.count) {
		buf_text(out, "\n  none: every group has one rank\n");
		return;
	}
	buf_text(out, "\n  group        collective      ranks  nodes      bytes  calls   us each  "
		      "ms in all  busbw exposed  algorithm         of\n");
	for (i = 0; i < traffics->list.count; i++)
		put_row(&traffics->list.items[i], out);
}
