#include "base/text.h"
#include "report/findings/excerpt.h"
#include "report/report.h"
#include "report/forecast/scenario.h"

#include <string.h>

#define GIB 1073741824.0

/* What is written to. Columns are called A, B, C, ... */
struct table {
	const struct scenarios *scenarios;
	struct style style;
	struct buf *out;
};

static char letter(size_t i)
{
	return (char)('A' + (int)(i % 26));
}

static void heading(struct table *table, const char *text)
{
	size_t i;

	buf_char(table->out, '\n');
	style_put(&table->style, table->out, COLOR_BOLD);
	buf_printf(table->out, "%-30s", text);
	for (i = 0; i < table->scenarios->list.count; i++)
		buf_printf(table->out, i ? " %10c         " : " %10c", letter(i));
	while (table->out->data[table->out->length - 1] == ' ')
		table->out->data[--table->out->length] = '\0';
	style_put(&table->style, table->out, COLOR_PLAIN);
	buf_char(table->out, '\n');
}

/* A quantity of one forecast; what it is printed in is the row's affair. */
typedef double quantity_fn(const struct forecast *forecast, const void *about);

/* A line of one quantity, with how much it changes; nothing where it is nothing everywhere. */
static void row(struct table *table, const char *name, int places, quantity_fn *quantity,
		const void *about)
{
	const struct scenario *items = table->scenarios->list.items;
	double base = quantity(items[0].forecast, about), value;
	bool any = false;
	size_t i;

	for (i = 0; i < table->scenarios->list.count; i++)
		any = any || quantity(items[i].forecast, about) != 0;
	if (!any)
		return;
	buf_printf(table->out, "  %-28s", name);
	for (i = 0; i < table->scenarios->list.count; i++) {
		value = quantity(items[i].forecast, about);
		buf_printf(table->out, " %10.*f", places, value);
		if (i && value == base)
			buf_printf(table->out, "%9s", "=");
		else if (i && base == 0)
			buf_printf(table->out, "%9s", "new");
		else if (i)
			buf_printf(table->out, "%+7.1f %%", 100 * (value / base - 1));
	}
	buf_char(table->out, '\n');
}

static double time_of(const struct forecast *forecast, const void *about)
{
	(void)about;
	return forecast->step.total;
}

static double tokens_of(const struct forecast *forecast, const void *about)
{
	(void)about;
	return forecast->tokens;
}

static double mfu_of(const struct forecast *forecast, const void *about)
{
	(void)about;
	return 100 * forecast->mfu;
}

static double memory_of(const struct forecast *forecast, const void *about)
{
	(void)about;
	return forecast->memory.device / GIB;
}

static double capacity_of(const struct forecast *forecast, const void *about)
{
	(void)about;
	return forecast->memory.capacity / GIB;
}

static double part_of(const struct forecast *forecast, const void *about)
{
	return step_part_of(&forecast->step, about);
}

static double days_of(const struct forecast *forecast, const void *about)
{
	(void)about;
	return forecast->budget->seconds / 86400;
}

static void put_fits(struct table *table)
{
	size_t i;

	buf_printf(table->out, "  %-28s", "fits");
	for (i = 0; i < table->scenarios->list.count; i++)
		buf_printf(table->out, i ? " %10s         " : " %10s",
			   fits_name(forecast_fits(table->scenarios->list.items[i].forecast)));
	while (table->out->data[table->out->length - 1] == ' ')
		table->out->data[--table->out->length] = '\0';
	buf_char(table->out, '\n');
}

/* ---- what each column is ---- */

static void put_changes(struct table *table, const struct changes *changes)
{
	struct arena *arena = table->scenarios->arena;
	size_t i, width = 0;

	for (i = 0; i < changes->list.count; i++)
		if (strlen(changes->list.items[i].subject) > width)
			width = strlen(changes->list.items[i].subject);
	for (i = 0; i < changes->list.count; i++) {
		const struct change *change = &changes->list.items[i];
		buf_printf(table->out, "     %-*s  %s -> %s\n", (int)width, change->subject,
			   change->before ? text_on_line(arena, change->before) : "none",
			   change->after ? text_on_line(arena, change->after) : "none");
	}
}

static void put_legend(struct table *table)
{
	size_t i;

	for (i = 0; i < table->scenarios->list.count; i++) {
		const struct scenario *scenario = &table->scenarios->list.items[i];
		buf_printf(table->out, "%c  %s\n", letter(i),
			   scenario->name ? text_on_line(table->scenarios->arena, scenario->name)
			   : scenario->changes->list.count ? "the same, but"
							   : "the same");
		if (scenario->changes)
			put_changes(table, scenario->changes);
	}
}

/* ---- what can be said ---- */

static const char *how_known(const struct table *table, size_t i, const struct speedup *speedup)
{
	if (table->scenarios->list.items[i].forecast->work.hurt)
		return ", derived: no such runs are published";
	return speedup->alike ? ", from pairs of similar runs" : ", from both forecasts' intervals";
}

static void put_verdict(struct table *table, size_t i)
{
	const struct speedup speedup = scenario_speedup(table->scenarios, i);
	const struct moved moved = scenario_moved(table->scenarios, i);
	const char *verdict = speedup_verdict(&speedup);

	buf_printf(table->out, "  %c has %.3g times the tokens per second of A", letter(i),
		   speedup.value);
	if (!strcmp(verdict, "the same")) {
		buf_char(table->out, '\n');
		return;
	}
	buf_printf(table->out, ": %s\n",
		   !strcmp(verdict, "cannot be said") ? "too close to call"
		   : *verdict == 'f'		      ? "likely faster"
						      : "likely slower");
	buf_printf(table->out, "    80 %% interval: %.3g to %.3g%s\n", speedup.low, speedup.high,
		   how_known(table, i, &speedup));
	buf_printf(table->out, "    most of a step's change is %s, %+.4g s\n", moved.name,
		   moved.seconds);
}

/* Which plan a column is of, where it is not the one that is asked for. */
static void put_asked(struct table *table, size_t i)
{
	const struct scenario *scenario = &table->scenarios->list.items[i];

	if (scenario->asked)
		report_asked_text(scenario->forecast, scenario->asked,
				  arena_printf(table->scenarios->arena, "%c: what", letter(i)),
				  table->out, table->style.color);
}

void report_scenarios_text(const struct scenarios *scenarios, struct buf *out, bool color,
			   int columns)
{
	struct table table = { scenarios, { color, columns }, out };
	const struct step_part *part;
	size_t i;

	report_assumptions(scenarios->list.items[0].job, out, color, columns);
	buf_char(out, '\n');
	put_legend(&table);
	heading(&table, "Step");
	row(&table, "time, s", 3, time_of, NULL);
	row(&table, "tokens per second and GPU", 0, tokens_of, NULL);
	row(&table, "MFU, %", 1, mfu_of, NULL);
	if (scenarios->list.items[0].forecast->budget)
		row(&table, "training, days", 2, days_of, NULL);
	heading(&table, "Where the time goes, s");
	for (part = step_parts; part->name; part++)
		row(&table, part->name, 3, part_of, part);
	heading(&table, "Memory of the fullest rank");
	row(&table, "device, GiB", 2, memory_of, NULL);
	row(&table, "of", 2, capacity_of, NULL);
	put_fits(&table);
	buf_char(out, '\n');
	for (i = 1; i < scenarios->list.count; i++)
		put_verdict(&table, i);
	for (i = 0; i < scenarios->list.count; i++)
		put_asked(&table, i);
}
