#include "base/text.h"
#include "report/findings/excerpt.h"
#include "report/forecast/forecast.h"
#include "report/report.h"

#define GIB 1073741824.0
#define DAY 86400.0

/* What is written to. */
struct sheet {
	const struct forecast *forecast;
	struct style style;
	struct buf *out;
	struct arena *arena;
};

/* Seconds in the unit that reads best. */
static const char *unit_of(double seconds, double *value)
{
	*value = seconds < 1e-3 ? seconds * 1e6 : seconds < 1 ? seconds * 1e3 : seconds;
	return seconds < 1e-3 ? "us" : seconds < 1 ? "ms" : "s";
}

/* A schedule that cannot be simulated as it is named. */
static void put_schedule(struct sheet *sheet)
{
	const struct workload *work = &sheet->forecast->work;

	if (work->asked)
		buf_printf(sheet->out, "schedule %s is simulated: %s %s\n", work->schedule->name,
			   work->asked, work->refused);
}

static void put_step(struct sheet *sheet)
{
	const struct forecast *forecast = sheet->forecast;
	double value, low, high;
	const char *unit = unit_of(forecast->step.total, &value);
	double scale = forecast->step.total > 0 ? value / forecast->step.total : 1;

	low = forecast->low * scale;
	high = forecast->high * scale;
	style_heading(&sheet->style, sheet->out, "Step");
	buf_printf(sheet->out, "  time        %.4g %s (80 %% interval: %.3g to %.3g %s)\n", value,
		   unit, low, high, unit);
	buf_printf(sheet->out, "  tokens      %.0f per second and GPU\n", forecast->tokens);
	buf_printf(sheet->out, "  model       %.0f TFLOP/s per GPU", forecast->flops / 1e12);
	if (forecast->mfu > 0)
		buf_printf(sheet->out, ", MFU %.1f %% of bf16 (causal attention half)",
			   100 * forecast->mfu);
	buf_char(sheet->out, '\n');
}

/* What a whole training takes, where that was asked. */
static void put_budget(struct sheet *sheet)
{
	const struct budget *budget = sheet->forecast->budget;
	struct arena *arena = sheet->arena;
	struct buf *out = sheet->out;

	if (!budget)
		return;
	style_heading(&sheet->style, out, "Training");
	buf_printf(out, "  tokens      %s in %s steps\n",
		   text_count(arena, (int64_t)budget->asked.tokens),
		   text_count(arena, (int64_t)budget->steps));
	if (budget->useful <= 0) {
		buf_text(out,
			 "  time        never: interruptions come before a checkpoint is made\n");
		return;
	}
	if (budget->interval > 0)
		buf_printf(out,
			   "  useful      %.1f %% of the time, with a checkpoint every %.0f s of "
			   "steps\n",
			   100 * budget->useful, budget->interval);
	buf_printf(out, "  time        %.*f days (80 %% interval: %.*f to %.*f)\n",
		   budget->seconds < 100 * DAY, budget->seconds / DAY, budget->seconds < 100 * DAY,
		   budget->low / DAY, budget->seconds < 100 * DAY, budget->high / DAY);
	buf_printf(out, "  GPU hours   %s", text_count(arena, (int64_t)budget->device_hours));
	if (budget->asked.price > 0)
		buf_printf(out, ", which cost %s at %g an hour",
			   text_count(arena, (int64_t)budget->cost), budget->asked.price);
	buf_char(out, '\n');
}

static void put_share(struct sheet *sheet, const char *name, double seconds)
{
	double total = sheet->forecast->step.total, value;
	const char *unit = unit_of(seconds, &value);

	if (total > 0 && seconds / total >= 0.0005)
		buf_printf(sheet->out, "  %-32s %8.4g %-2s %6.1f %%\n", name, value, unit,
			   100 * seconds / total);
}

static void put_time(struct sheet *sheet)
{
	const struct step *step = &sheet->forecast->step;

	style_heading(&sheet->style, sheet->out, "Where the time goes");
	put_share(sheet, "computing", step->compute);
	if (step->host >= step_worth_naming(step))
		put_share(sheet,
			  arena_join(sheet->arena, "  of it, ",
				     step_host_name(&sheet->forecast->work), ""),
			  step->host);
	put_share(sheet, "tensor-parallel collectives", step->tensor);
	put_share(sheet, "context-parallel exchange", step->context);
	put_share(sheet, "expert-parallel exchange", step->expert);
	put_share(sheet, "data-parallel collectives", step->data);
	put_share(sheet, "waiting for pipeline stages", step->bubble);
	put_share(sheet, "optimizer", step->optimizer);
}

static void put_bytes(struct sheet *sheet, const char *name, double bytes)
{
	if (bytes >= 0.005 * GIB)
		buf_printf(sheet->out, "  %-32s %8.2f GiB\n", name, bytes / GIB);
}

/* How far off that may be, and what the config leaves open. */
static void put_interval(struct sheet *sheet)
{
	const struct memory *memory = &sheet->forecast->memory;
	int i;

	buf_printf(sheet->out, "  %-32s %8.2f to %.2f GiB\n", "80 % interval",
		   risk_low(memory) / GIB, risk_high(memory) / GIB);
	buf_printf(sheet->out, "  %-32s %12s\n", "probability of running out",
		   text_probability(sheet->arena, memory->probability));
	for (i = 0; i < memory->open_count; i++)
		buf_printf(sheet->out, "    open: %s\n", memory->open[i]);
}

/* Whether the data or the launcher may make it fit. */
static bool may_fit(const struct forecast *forecast)
{
	return (forecast->work.lengths_open || forecast->work.sharing_open) &&
	       !forecast_runs_out(forecast);
}

static void put_memory(struct sheet *sheet)
{
	static const char *const verdicts[] = { "it fits", "too close to tell", "it does not fit",
						"that depends on what the config leaves open" };
	const struct memory *memory = &sheet->forecast->memory;
	const struct memory_class *class = memory_fullest(memory);
	const double *parts = class->peak.parts;
	const enum fits fits = forecast_fits(sheet->forecast);
	const bool depends = fits == FITS_TIGHT ? memory->open_count > 0
						: fits == FITS_NO && may_fit(sheet->forecast);

	style_heading(&sheet->style, sheet->out, "Memory of the fullest rank, at its peak");
	put_bytes(sheet, "parameters", parts[MEMORY_PARAMETERS]);
	put_bytes(sheet, "reference model", parts[MEMORY_REFERENCE]);
	put_bytes(sheet, "gradients", parts[MEMORY_GRADIENTS]);
	put_bytes(sheet, "optimizer state", parts[MEMORY_OPTIMIZER]);
	put_bytes(sheet, "gathered units, reduce buffers",
		  parts[MEMORY_UNSHARDED] + parts[MEMORY_REDUCE]);
	put_bytes(sheet, "activations", parts[MEMORY_ACTIVATIONS]);
	put_bytes(sheet, "loss, recomputed block",
		  parts[MEMORY_RECOMPUTED] + parts[MEMORY_LOSS] + parts[MEMORY_UPDATE]);
	put_bytes(sheet, "context, libraries",
		  class->need - class->allocated + parts[MEMORY_WORKSPACES]);
	put_bytes(sheet, "cached by the allocator", parts[MEMORY_SLACK]);
	buf_printf(sheet->out, "  %-32s %8.2f GiB of %.2f: %s\n", "device", class->device / GIB,
		   memory->capacity / GIB, verdicts[depends ? FITS_NO + 1 : fits]);
	if (class->device > memory->capacity && class->need <= memory->capacity)
		buf_text(sheet->out, "    what is cached does not fit: the allocator gives it back "
				     "and asks again\n    (num_alloc_retries), which takes time\n");
	put_interval(sheet);
	put_bytes(sheet, "in host memory, of each rank", class->host);
}

/* The engine that generates on the same cards. */
static void put_rollout(struct sheet *sheet)
{
	const struct rollout *rollout = &sheet->forecast->rollout;
	const double capacity = sheet->forecast->memory.capacity;

	if (rollout->share <= 0)
		return;
	style_heading(&sheet->style, sheet->out, "The engine that generates, on the same cards");
	put_bytes(sheet, "takes (rollout.memory_share)", rollout->taken);
	put_bytes(sheet, "its weights", rollout->weights);
	put_bytes(sheet, "kept by the trainer meanwhile", rollout->trainer);
	buf_printf(sheet->out, "  %-32s %8.2f GiB of %.2f: %s\n", "both",
		   (rollout->taken + rollout->trainer) / GIB, capacity / GIB,
		   rollout->end == ROLLOUT_STARTS ? "it starts" : "it will not start");
	if (rollout->end == ROLLOUT_STARTS)
		buf_printf(sheet->out, "  %-32s %8.0f tokens at most\n", "keys and values of",
			   rollout->tokens);
	else
		buf_printf(sheet->out, "    %s\n", rollout_quote(rollout->end));
}

void report_forecast_text(const struct job *job, const struct forecast *forecast,
			  const struct forecast *asked, struct buf *out, bool color, int columns)
{
	struct sheet sheet = { forecast, { color, columns }, out, job->arena };

	report_assumptions(job, out, color, columns);
	buf_printf(out, "device %s, network %s\n", forecast->profile.gpu,
		   forecast->profile.fabric ? forecast->profile.fabric : "ib");
	put_schedule(&sheet);
	put_step(&sheet);
	put_budget(&sheet);
	put_time(&sheet);
	put_memory(&sheet);
	put_rollout(&sheet);
	report_uncounted_text(forecast->work.not_counted, out, color, columns);
	if (asked)
		report_asked_text(forecast, asked, "What", out, color);
}
