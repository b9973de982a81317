#include "base/text.h"
#include "report/findings/excerpt.h"
#include "report/forecast/forecast.h"
#include "sim/speedup.h"

#include <inttypes.h>
#include <stdio.h>

#define GIB 1073741824.0

/* Two forecasts of one job, and what is written to. */
struct pair {
	const struct forecast *asked, *applied;
	struct buf *out;
};

static void put_seconds(const struct pair *pair)
{
	const struct speedup speed = speedup_of(pair->asked, pair->applied, 1);

	buf_printf(pair->out,
		   "  %-14s %9.4g s   %9.4g s    %.3g times as long (80 %% interval %.2f to "
		   "%.2f)\n",
		   "step", pair->asked->step.total, pair->applied->step.total, 1 / speed.value,
		   1 / speed.high, 1 / speed.low);
}

static void put_memory(const struct pair *pair)
{
	const double asked = pair->asked->memory.device, applied = pair->applied->memory.device;

	buf_printf(pair->out, "  %-14s %9.2f GiB %9.2f GiB  %+.2f GiB on the fullest rank\n",
		   "memory", asked / GIB, applied / GIB, (applied - asked) / GIB);
}

/* "50.3 GiB", or a dash. */
static const char *size_text(char *text, size_t length, double bytes)
{
	if (bytes > 0)
		snprintf(text, length, "%.2f GiB", bytes / GIB);
	else
		snprintf(text, length, "-    ");
	return text;
}

static void put_group(const struct pair *pair, const struct traffic *row, double asked,
		      double applied)
{
	char before[24], after[24];

	buf_printf(pair->out, "  %-14s %13s %13s  received: %" PRId64 " ranks %s\n",
		   row->call.group->name, size_text(before, sizeof(before), asked),
		   size_text(after, sizeof(after), applied), row->call.group->ranks,
		   row->nodes > 1 ? arena_printf(pair->applied->run.program.arena,
						 "over %" PRId64 " nodes", row->nodes)
				  : "of one node");
}

static bool is_first(const struct traffics *traffics, size_t at)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (layout_same_groups(&traffics->list.items[i].call.group->layout,
				       &traffics->list.items[at].call.group->layout))
			return false;
	return true;
}

/* Groups over which one plan moves other bytes than the other; `known` have been listed. */
static void put_groups(const struct pair *pair, const struct traffics *rows,
		       const struct traffics *known)
{
	size_t i;

	for (i = 0; i < rows->list.count; i++) {
		const struct traffic *row = &rows->list.items[i];
		const struct layout *layout = &row->call.group->layout;
		double asked = traffic_over(&pair->asked->traffic, layout);
		double applied = traffic_over(&pair->applied->traffic, layout);
		if (is_first(rows, i) && asked != applied &&
		    !(known && traffic_over(known, layout) > 0))
			put_group(pair, row, asked, applied);
	}
}

void report_asked_text(const struct forecast *applied, const struct forecast *asked,
		       const char *what, struct buf *out, bool color)
{
	const struct style style = { color, 0 };
	const struct pair pair = { asked, applied, out };

	style_heading(&style, out, "%s is applied is not what is asked for", what);
	buf_printf(out, "  %-14s %13s %13s\n", "", "as asked", "as applied");
	put_seconds(&pair);
	put_memory(&pair);
	put_groups(&pair, &asked->traffic, NULL);
	put_groups(&pair, &applied->traffic, &asked->traffic);
}
