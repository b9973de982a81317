#include "report/forecast.h"
#include "report/web.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

#define COLUMNS_OF(columns) (columns), sizeof(columns) / sizeof(*(columns))

/* Parts of less than this share of a step, and of less than this many bytes, are left out. */
#define LEAST_SHARE 0.0005
#define LEAST_BYTES (0.005 * 1073741824.0)

static void put_share(struct sheet *sheet, const char *name, double seconds, double total)
{
	if (total <= 0 || seconds / total < LEAST_SHARE)
		return;
	sheet_row(sheet, name);
	sheet_number(sheet, web_seconds(sheet->arena, seconds));
	sheet_number(sheet, arena_printf(sheet->arena, "%.1f %%", 100 * seconds / total));
	sheet_row_end(sheet);
}

static void put_time(struct sheet *sheet, const struct step *step)
{
	static const struct web_column columns[] = { { "part of the step", false },
						     { "time", true },
						     { "share", true } };

	sheet_table(sheet, "time", "Where the time goes", COLUMNS_OF(columns), NULL);
	put_share(sheet, "computing", step->compute, step->total);
	put_share(sheet, "tensor-parallel collectives", step->tensor, step->total);
	put_share(sheet, "context-parallel exchange", step->context, step->total);
	put_share(sheet, "expert-parallel exchange", step->expert, step->total);
	put_share(sheet, "data-parallel collectives", step->data, step->total);
	put_share(sheet, "waiting for pipeline stages", step->bubble, step->total);
	put_share(sheet, "optimizer", step->optimizer, step->total);
	put_share(sheet, "whole step", step->total, step->total);
	sheet_table_end(sheet);
}

static void put_bytes(struct sheet *sheet, const char *name, double bytes)
{
	if (bytes < LEAST_BYTES)
		return;
	sheet_row(sheet, name);
	sheet_number(sheet, web_bytes(sheet->arena, bytes));
	sheet_row_end(sheet);
}

static void put_memory(struct sheet *sheet, const struct memory *memory)
{
	static const struct web_column columns[] = { { "what holds it", false },
						     { "memory", true } };

	sheet_table(sheet, "memory", "Memory of the fullest rank, at its peak", COLUMNS_OF(columns),
		    NULL);
	put_bytes(sheet, "parameters", memory->parameters);
	put_bytes(sheet, "gradients", memory->gradients);
	put_bytes(sheet, "optimizer state", memory->optimizer);
	put_bytes(sheet, "gathered units, reduce buffers", memory->unsharded);
	put_bytes(sheet, "activations", memory->activations);
	put_bytes(sheet, "loss, recomputed block", memory->temporary);
	put_bytes(sheet, "allocator, context, libraries", memory->device - memory->allocated);
	put_bytes(sheet, "all of it", memory->device);
	put_bytes(sheet, "what the device has", memory->capacity);
	sheet_table_end(sheet);
}

static void put_collective(struct sheet *sheet, const struct traffic *row)
{
	struct arena *arena = sheet->arena;

	sheet_row(sheet, row->group);
	sheet_cell(sheet, row->op->name);
	sheet_cell(sheet, row->what);
	sheet_number(sheet, arena_printf(arena, "%" PRId64, row->communicator.ranks));
	sheet_number(sheet, arena_printf(arena, "%" PRId64, row->nodes));
	sheet_number(sheet, text_bytes(arena, row->bytes));
	sheet_number(sheet, arena_printf(arena, "%.0f", row->count));
	sheet_number(sheet, web_seconds(arena, 1e-6 * row->count * row->time.time));
	sheet_number(sheet, row->exposed >= 0 ? arena_printf(arena, "%.0f %%", 100 * row->exposed)
					      : "not known");
	sheet_row_end(sheet);
}

static void put_collectives(struct sheet *sheet, const struct traffics *traffics)
{
	static const struct web_column columns[] = {
		{ "group", false }, { "collective", false }, { "of", false },
		{ "ranks", true },  { "nodes", true },	     { "size", true },
		{ "calls", true },  { "time of all", true }, { "not hidden", true },
	};
	size_t i;

	if (!traffics->list.count)
		return;
	sheet_table(sheet, "collectives", "Collectives of one step", COLUMNS_OF(columns),
		    "collectives");
	for (i = 0; i < traffics->list.count; i++)
		put_collective(sheet, &traffics->list.items[i]);
	sheet_table_end(sheet);
}

static void put_summary(struct sheet *sheet, const struct forecast *forecast)
{
	struct arena *arena = sheet->arena;
	const struct workload *work = &forecast->work;

	html_open(&sheet->html, "dl");
	html_attribute(&sheet->html, "class", "remarks");
	sheet_term(sheet, "device",
		   arena_printf(arena, "%s, network %s", forecast->profile.gpu,
				forecast->profile.fabric ? forecast->profile.fabric : "ib"));
	sheet_term(sheet, "step",
		   arena_printf(arena, "%s, four times of five between %s and %s",
				web_seconds(arena, forecast->step.total),
				web_seconds(arena, forecast->low),
				web_seconds(arena, forecast->high)));
	sheet_term(sheet, "tokens",
		   arena_printf(arena, "%.0f per second and GPU", forecast->tokens));
	sheet_term(sheet, "model",
		   forecast->mfu > 0
			   ? arena_printf(arena, "%.0f TFLOP/s per GPU, MFU %.1f %%",
					  forecast->flops / 1e12, 100 * forecast->mfu)
			   : arena_printf(arena, "%.0f TFLOP/s per GPU", forecast->flops / 1e12));
	if (work->asked)
		sheet_term(sheet, "schedule",
			   arena_printf(arena, "%s, since %s %s", work->schedule->name, work->asked,
					work->refused));
	html_close(&sheet->html, "dl");
}

/* Without a forecast: what it lacks, and where that is written. */
static void put_missing(struct sheet *sheet)
{
	struct html *html = &sheet->html;

	html_element(html, "p", NULL,
		     arena_printf(sheet->arena, "No forecast: %s.", sheet->job->unforecast));
	html_element(
		html, "p", NULL,
		"It takes a device, a model, a sequence length and the number of ranks: in the "
		"config, or");
	sheet_excerpt(sheet, "How to give them",
		      "cluster: {gpu: h100-sxm, nodes: 2, gpus_per_node: 8}\n"
		      "model: llama3-8b\n"
		      "training: {seq_len: 8192}\n");
	html_open(html, "p");
	html_text(html, "on the command line: ");
	html_element(html, "code", NULL, "--set cluster.gpu=h100-sxm");
	html_text(html, ", ");
	html_element(html, "code", NULL, "--world 16");
	html_text(html, ".");
	html_close(html, "p");
}

void web_forecast(struct sheet *sheet)
{
	const struct forecast *forecast = forecast_of(sheet->job);
	const struct plan *plan = sheet->job->applied;

	sheet_part(sheet, "forecast", "Forecast of one step");
	if (!forecast) {
		put_missing(sheet);
		sheet_end(sheet);
		return;
	}
	if (plan && plan->error)
		html_element(&sheet->html, "p", NULL,
			     "The framework stops before the first step; these numbers follow from "
			     "the degrees as they are written.");
	put_summary(sheet, forecast);
	put_time(sheet, &forecast->step);
	put_memory(sheet, &forecast->memory);
	put_collectives(sheet, &forecast->traffic);
	sheet_end(sheet);
}
