#include "report/forecast/scenario.h"
#include "report/web/web.h"

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
	const struct step_part *part;

	sheet_table(sheet, "time", "Where the time goes", COLUMNS_OF(columns), NULL);
	for (part = step_parts; part->name; part++)
		put_share(sheet, part->name, step_part_of(step, part), step->total);
	put_share(sheet, "whole step", step->total, step->total);
	sheet_table_end(sheet);
}

/* What holds memory, in the order of the table. */
static const struct {
	const char *name;
	enum memory_part first, last;
} parts[] = {
	{ "parameters", MEMORY_PARAMETERS, MEMORY_PARAMETERS },
	{ "reference model", MEMORY_REFERENCE, MEMORY_REFERENCE },
	{ "gradients", MEMORY_GRADIENTS, MEMORY_GRADIENTS },
	{ "optimizer state", MEMORY_OPTIMIZER, MEMORY_OPTIMIZER },
	{ "gathered units, reduce buffers", MEMORY_UNSHARDED, MEMORY_REDUCE },
	{ "activations", MEMORY_ACTIVATIONS, MEMORY_ACTIVATIONS },
	{ "block computed again", MEMORY_RECOMPUTED, MEMORY_RECOMPUTED },
	{ "logits and loss", MEMORY_LOSS, MEMORY_LOSS },
	{ "optimizer's own while it steps", MEMORY_UPDATE, MEMORY_UPDATE },
	{ "workspaces of libraries", MEMORY_WORKSPACES, MEMORY_WORKSPACES },
};

static double part_bytes(const struct memory_class *class, size_t part)
{
	double bytes = 0;
	int i;

	for (i = (int)parts[part].first; i <= (int)parts[part].last; i++)
		bytes += class->peak.parts[i];
	return bytes;
}

static bool worth_a_row(const struct memory *memory, size_t part)
{
	int i;

	for (i = 0; i < memory->count; i++)
		if (part_bytes(&memory->classes[i], part) >= LEAST_BYTES)
			return true;
	return false;
}

static void put_part(struct sheet *sheet, const struct memory *memory, size_t part)
{
	int i;

	sheet_row(sheet, parts[part].name);
	for (i = 0; i < memory->count; i++)
		sheet_number(sheet, web_bytes(sheet->arena, part_bytes(&memory->classes[i], part)));
	sheet_row_end(sheet);
}

/* What is added to the tensors, and all of it. */
static void put_whole(struct sheet *sheet, const struct memory *memory)
{
	int i;

	sheet_row(sheet, "allocator, context, communicators");
	for (i = 0; i < memory->count; i++)
		sheet_number(sheet, web_bytes(sheet->arena, memory->classes[i].device -
								    memory->classes[i].allocated));
	sheet_row_end(sheet);
	sheet_row(sheet, "all of it, as nvidia-smi shows it");
	for (i = 0; i < memory->count; i++)
		sheet_number(sheet, web_bytes(sheet->arena, memory->classes[i].device));
	sheet_row_end(sheet);
}

/* "first stage, 32 ranks": whose memory a column is. */
static const char *class_head(struct arena *arena, const struct memory *memory, int index)
{
	const struct memory_class *class = &memory->classes[index];

	return arena_printf(arena, "%s%s%s ranks%s", memory->count > 1 ? class->name : "",
			    memory->count > 1 ? ", " : "", text_count(arena, class->ranks),
			    memory->count > 1 && index == memory->fullest ? " (fullest)" : "");
}

static void put_memory(struct sheet *sheet, const struct memory *memory)
{
	struct web_column columns[1 + MEMORY_CLASSES] = { { "at its peak", false } };
	size_t part;
	int i;

	for (i = 0; i < memory->count; i++)
		columns[1 + i] = (struct web_column) { class_head(sheet->arena, memory, i), true };
	sheet_table(sheet, "memory", "Memory of one rank", columns, (size_t)memory->count + 1,
		    NULL);
	for (part = 0; part < sizeof(parts) / sizeof(*parts); part++)
		if (worth_a_row(memory, part))
			put_part(sheet, memory, part);
	put_whole(sheet, memory);
	sheet_table_end(sheet);
}

static void put_collective(struct sheet *sheet, const struct traffic *row)
{
	struct arena *arena = sheet->arena;

	sheet_row(sheet, row->call.group->name);
	sheet_cell(sheet, row->call.op->name);
	sheet_cell(sheet, row->what);
	sheet_number(sheet, arena_printf(arena, "%" PRId64, row->call.group->ranks));
	sheet_number(sheet, arena_printf(arena, "%" PRId64, row->nodes));
	sheet_number(sheet, text_bytes(arena, row->call.bytes));
	sheet_number(sheet, arena_printf(arena, "%.0f", row->count));
	sheet_number(sheet, text_bytes(arena, traffic_received(row)));
	sheet_number(sheet, web_seconds(arena, 1e-6 * row->count * row->time.time));
	sheet_number(sheet, row->exposed >= 0 ? arena_printf(arena, "%.0f %%", 100 * row->exposed)
					      : "not known");
	sheet_row_end(sheet);
}

static void put_collectives(struct sheet *sheet, const struct traffics *traffics)
{
	static const struct web_column columns[] = {
		{ "group", false },	{ "collective", false }, { "of", false },
		{ "ranks", true },	{ "nodes", true },	 { "size", true },
		{ "calls", true },	{ "received", true },	 { "time of all", true },
		{ "not hidden", true },
	};
	size_t i;

	if (!traffics->list.count)
		return;
	sheet_table(sheet, "collectives", "Collectives of one step, and what a rank receives",
		    COLUMNS_OF(columns), "collectives");
	for (i = 0; i < traffics->list.count; i++)
		put_collective(sheet, &traffics->list.items[i]);
	sheet_table_end(sheet);
}

/* ---- what is asked beside what is applied ---- */

static void put_pair(struct sheet *sheet, const char *name, const char *asked, const char *applied)
{
	sheet_row(sheet, name);
	sheet_number(sheet, asked);
	sheet_number(sheet, applied);
	sheet_row_end(sheet);
}

static const char *received_text(struct arena *arena, const struct traffics *traffics,
				 const struct layout *layout)
{
	double bytes = traffic_over(traffics, layout);

	return bytes > 0 ? text_bytes(arena, bytes) : "nothing";
}

/* The accounts of both plans. */
struct accounts {
	struct traffics asked, applied;
};

/* Groups of one of the two; what has gone over groups of `known` has a row already. */
static void put_received(struct sheet *sheet, const struct accounts *accounts,
			 const struct traffics *of, const struct traffics *known)
{
	struct arena *arena = sheet->arena;
	size_t i;

	for (i = 0; i < of->list.count; i++) {
		const struct traffic *row = &of->list.items[i];
		const struct layout *layout = &row->call.group->layout;
		if (!traffic_is_first(of, i) || (known && traffic_over(known, layout) > 0))
			continue;
		put_pair(sheet,
			 arena_printf(arena, "received over %s, %" PRId64 " ranks %s",
				      row->call.group->name, row->call.group->ranks,
				      row->nodes > 1 ? "across nodes" : "inside a node"),
			 received_text(arena, &accounts->asked, layout),
			 received_text(arena, &accounts->applied, layout));
	}
}

/* Bytes are known without a device, too. */
static void put_asked(struct sheet *sheet)
{
	static const struct web_column columns[] = { { "per step and rank", false },
						     { "as asked for", true },
						     { "as applied", true } };
	const struct forecast *asked = sheet->asked, *applied = sheet->applied;
	struct arena *arena = sheet->arena;
	struct accounts accounts;

	if (!forecast_differs(sheet->job))
		return;
	accounts.asked = forecast_traffic(sheet->job, job_asked(sheet->job));
	accounts.applied = forecast_traffic(sheet->job, sheet->job->applied);
	if (!asked && !accounts.asked.list.count)
		return;
	sheet_table(sheet, "asked", "What is applied is not what is asked for", COLUMNS_OF(columns),
		    NULL);
	if (asked) {
		put_pair(sheet, "time", web_seconds(arena, asked->step.total),
			 web_seconds(arena, applied->step.total));
		put_pair(sheet, "memory of the fullest rank",
			 web_bytes(arena, asked->memory.device),
			 web_bytes(arena, applied->memory.device));
	}
	put_received(sheet, &accounts, &accounts.asked, NULL);
	put_received(sheet, &accounts, &accounts.applied, &accounts.asked);
	sheet_table_end(sheet);
}

/* ---- all of it ---- */

/* "51.58 GiB of 79.65 GiB on the fullest rank (80 % interval: 41 GiB to 64 GiB), fits: yes; ...".
 */
static const char *memory_text(struct arena *arena, const struct forecast *forecast)
{
	const struct memory *memory = &forecast->memory;
	const char *low = web_bytes(arena, risk_low(memory)),
		   *high = web_bytes(arena, risk_high(memory));

	return arena_printf(arena,
			    "%s of %s on the fullest rank (80 %% interval: %s to %s), fits: %s; "
			    "probability of running out: %s",
			    web_bytes(arena, memory->device), web_bytes(arena, memory->capacity),
			    low, high, fits_name(forecast_fits(forecast)),
			    text_probability(arena, memory->probability));
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
		   arena_printf(arena, "%s (80 %% interval: %s to %s)",
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
	sheet_term(sheet, "memory", memory_text(arena, forecast));
	if (work->asked)
		sheet_term(sheet, "schedule",
			   arena_printf(arena, "%s is simulated: %s %s", work->schedule->name,
					work->asked, work->refused));
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

/* Why there is no forecast. */
static void put_nothing(struct sheet *sheet)
{
	const char *nothing = job_trains_nothing(sheet->job);

	if (nothing) {
		html_element(&sheet->html, "p", NULL,
			     arena_join(sheet->arena, "No forecast. ", nothing, ""));
		return;
	}
	if (!sheet->raised) {
		put_missing(sheet);
		return;
	}
	html_element(&sheet->html, "p", NULL,
		     arena_printf(sheet->arena, "No forecast. %s %s", sheet->stops, sheet->raised));
}

void web_forecast(struct sheet *sheet)
{
	const struct forecast *forecast = sheet->applied;

	sheet_part(sheet, "forecast", "Forecast of one step");
	if (forecast)
		put_summary(sheet, forecast);
	else
		put_nothing(sheet);
	put_asked(sheet);
	if (forecast) {
		put_time(sheet, &forecast->step);
		put_memory(sheet, &forecast->memory);
		put_collectives(sheet, &forecast->traffic);
	}
	sheet_end(sheet);
}
