#include "report/web/web.h"
#include "sim/speedup.h"

#include "base/number.h"

#include <inttypes.h>
#include <string.h>

/*
 * What a few changes that people ask about would do to time and memory: each forecast anew, with
 * nothing else changed.
 */
struct changed {
	const char *name;
	const char *says; /* the change as a config has it */
	/* Makes the change in a copy of the job; false when it would change nothing. */
	bool (*make)(const struct forecast *now, struct job *job, const char *word);
	const char *word;
};

static bool recompute(const struct forecast *now, struct job *job, const char *word)
{
	bool full = !strcmp(word, "full");

	if (now->work.recompute == (full ? RECOMPUTE_FULL : RECOMPUTE_NONE))
		return false;
	settings_put_text(&job->settings, FIELD_AC_MODE, word, ORIGIN_SET);
	return true;
}

/* Microbatches of the same size, and with them the samples of a step. */
static bool more_batches(const struct forecast *now, struct job *job, const char *word)
{
	const struct workload *work = &now->work;
	int64_t global = multiply(multiply(work->microbatches, work->micro), work->dp);

	(void)word;
	settings_put_int(&job->settings, job->arena, FIELD_GLOBAL_BATCH_SIZE, multiply(2, global),
			 ORIGIN_SET);
	return true;
}

static bool other_device(const struct forecast *now, struct job *job, const char *word)
{
	if (!strcmp(now->profile.gpu, word))
		return false;
	settings_put_text(&job->settings, FIELD_CLUSTER_GPU, word, ORIGIN_SET);
	return true;
}

static const struct changed changes[] = {
	{ "recompute every block", "activation_checkpoint.mode: full", recompute, "full" },
	{ "recompute nothing", "activation_checkpoint.mode: none", recompute, "none" },
	{ "twice the microbatches", "global_batch_size doubled", more_batches, NULL },
	{ "another device", "cluster.gpu: h100-sxm", other_device, "h100-sxm" },
	{ "another device", "cluster.gpu: h200", other_device, "h200" },
	{ "another device", "cluster.gpu: b200", other_device, "b200" },
};

/* "0.85 times (0.77 to 0.94): slower"; of the row that others are held against, nothing. */
static const char *speed_text(struct arena *arena, const struct forecast *forecast,
			      const struct forecast *now)
{
	struct speedup speedup;

	if (forecast == now)
		return "";
	speedup = speedup_of(now, forecast, 1);
	return arena_printf(arena, "%.3g times (%.3g to %.3g): %s", speedup.value, speedup.low,
			    speedup.high, speedup_verdict(&speedup));
}

static void put_row(struct sheet *sheet, const char *name, const char *says,
		    const struct forecast *forecast, const struct forecast *now)
{
	struct arena *arena = sheet->arena;

	sheet_row(sheet, name);
	sheet_cell(sheet, says);
	sheet_number(sheet, web_seconds(arena, forecast->step.total));
	sheet_number(sheet, arena_printf(arena, "%.0f", forecast->tokens));
	sheet_cell(sheet, speed_text(arena, forecast, now));
	sheet_number(sheet, web_share(arena, forecast->memory.device, forecast->memory.capacity));
	sheet_cell(sheet, fits_name(forecast_fits(forecast)));
	sheet_row_end(sheet);
}

static void put_change(struct sheet *sheet, const struct changed *change,
		       const struct forecast *now)
{
	struct job *job = arena_new(sheet->arena, struct job);
	struct forecast *forecast = arena_new(sheet->arena, struct forecast);

	*job = *sheet->job;
	if (change->make(now, job, change->word) &&
	    !forecast_read(forecast, job, job->applied, NULL))
		put_row(sheet, change->name, change->says, forecast, now);
}

/* How to ask for others. */
static void put_more(struct sheet *sheet)
{
	struct html *html = &sheet->html;

	html_open(html, "p");
	html_text(html, "Four measurements of five lie between the numbers in brackets. Other "
			"changes: ");
	html_element(html, "code", NULL,
		     "parplan sim FILE --gpu b200 --seq 16384 --straggler 3:1.2x");
	html_text(html, ".");
	html_close(html, "p");
}

void web_changes(struct sheet *sheet)
{
	static const struct web_column columns[] = {
		{ "what if", false },
		{ "how", false },
		{ "step", true },
		{ "tokens per second and GPU", true },
		{ "tokens per second against it", false },
		{ "memory", true },
		{ "fits", false },
	};
	const struct forecast *now = sheet->applied;
	size_t i;

	if (!now)
		return;
	sheet_part(sheet, "changes", "What if");
	sheet_table(sheet, "what-if", "Forecasts with one thing changed", columns,
		    sizeof(columns) / sizeof(*columns), NULL);
	put_row(sheet, "as it is", "", now, now);
	for (i = 0; i < sizeof(changes) / sizeof(*changes); i++)
		put_change(sheet, &changes[i], now);
	sheet_table_end(sheet);
	put_more(sheet);
	sheet_end(sheet);
}
