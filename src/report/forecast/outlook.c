#include "report/forecast/outlook.h"

#include "base/number.h"
#include "base/text.h"
#include "rules/judge.h"
#include "sim/forecast.h"
#include "sim/workload/objective.h"

#include <inttypes.h>
#include <string.h>

/* Groups that are written out in a cell. */
enum { GROUPS_SHOWN = 2 };

static const struct {
	const char *name, *mesh; /* mesh: NULL, told from the sharding */
} axes[OUTLOOK_AXES] = {
	[OUTLOOK_SHARD] = { "shard groups", NULL },
	[OUTLOOK_REPLICATE] = { "replicate groups", NULL },
	[OUTLOOK_CP] = { "cp groups", "cp" },
	[OUTLOOK_TP] = { "tp groups", "tp" },
	[OUTLOOK_PP] = { "pp groups", "pp" },
	[OUTLOOK_EP] = { "ep groups", "ep" },
};

const char *outlook_axis_name(enum outlook_axis axis)
{
	return axes[axis].name;
}

/* ---- what there is ---- */

static const struct layout *layout_of(const struct plan *plan, enum outlook_axis axis)
{
	const struct mesh *mesh = axes[axis].mesh ? plan_mesh(plan, axes[axis].mesh) : NULL;

	if (axis == OUTLOOK_SHARD)
		return &plan->dense.shard;
	if (axis == OUTLOOK_REPLICATE)
		return &plan->dense.replicate;
	return mesh ? &mesh->layout : NULL;
}

static void read_groups(struct outlook *outlook, struct job *job)
{
	const struct traffics traffics = forecast_traffic(job, job->applied);
	const struct plan *plan = job->applied;
	const struct layout *layout;
	int axis;

	for (axis = 0; axis < OUTLOOK_AXES; axis++) {
		struct outlook_group *group = &outlook->groups[axis];
		layout = layout_of(plan, (enum outlook_axis)axis);
		if (!layout || !layout->modes || layout_size(layout) < 2)
			continue;
		group->size = layout_size(layout);
		group->groups = plan->world / group->size;
		group->text = groups_text(job->arena, layout, plan->world, GROUPS_SHOWN);
		group->received = traffic_over(&traffics, layout);
	}
}

/* The batch is known of more jobs than time and memory are: it needs no device. */
static void read_batch(struct outlook *outlook, const struct job *job, const struct workload *work)
{
	outlook->batch = multiply(multiply(work->microbatches, work->micro), work->dp);
	if (work->sequences > 1)
		outlook->samples = objective_samples(job->arena, job, outlook->batch);
	outlook->tokens = multiply(multiply(outlook->batch, work->sequences), work->seq);
}

static void read_forecast(struct outlook *outlook, const struct forecast *forecast)
{
	const struct memory *memory = &forecast->memory;

	outlook->forecast = true;
	outlook->memory = memory->device;
	outlook->memory_low = risk_low(memory);
	outlook->memory_high = risk_high(memory);
	outlook->capacity = memory->capacity;
	outlook->fits = fits_name(forecast_fits(forecast));
	outlook->step = forecast->step.total;
	outlook->step_low = forecast->low;
	outlook->step_high = forecast->high;
}

/* Without a world no group is applied, and what is asked for is all that is known; NULL: not even
 * that. */
static const char *strategy_in(const struct job *job, const struct plan *plan)
{
	enum strategy strategy = plan->world ? plan->dense.strategy : job->intended->requested;

	return strategy == STRATEGY_UNKNOWN ? NULL : strategy_name(strategy);
}

struct outlook outlook_of(struct job *job)
{
	struct outlook outlook = { .world = job->world, .error = judge_raised(job) };
	const struct plan *plan = job->applied;
	struct forecast forecast;

	if (plan->error)
		return outlook;
	if (!plan->unmodelled)
		outlook.strategy = strategy_in(job, plan);
	if (!plan->unmodelled && plan->world)
		read_groups(&outlook, job);
	outlook.missing = forecast_read(&forecast, job, plan, NULL);
	if (forecast.work.plan && forecast.work.seq)
		read_batch(&outlook, job, &forecast.work);
	if (outlook.error)
		outlook.missing = NULL;
	else if (!outlook.missing)
		read_forecast(&outlook, &forecast);
	return outlook;
}

/* ---- as text ---- */

const char *outlook_row_name(int row)
{
	static const char *const names[OUTLOOK_ROWS] = {
		[OUTLOOK_ROW_START] = "stops with",	  [OUTLOOK_ROW_RANKS] = "ranks",
		[OUTLOOK_ROW_STRATEGY] = "data parallel", [OUTLOOK_ROW_BATCH] = "global batch",
		[OUTLOOK_ROW_TOKENS] = "tokens per step", [OUTLOOK_ROW_MEMORY] = "memory per GPU",
		[OUTLOOK_ROW_STEP] = "step time",
	};

	if (row >= OUTLOOK_ROW_GROUPS && row < OUTLOOK_ROW_BATCH)
		return axes[row - OUTLOOK_ROW_GROUPS].name;
	return names[row];
}

static const char *count_cell(struct arena *arena, int64_t count)
{
	return count > 0 ? text_count(arena, count) : NULL;
}

static const char *group_cell(struct arena *arena, const struct outlook_group *group)
{
	const char *received = "";

	if (!group->size)
		return NULL;
	if (group->received > 0)
		received = arena_printf(arena, "; a rank receives %s per step",
					text_bytes(arena, group->received));
	return arena_printf(arena, "%" PRId64 " of %" PRId64 " ranks: %s%s", group->groups,
			    group->size, group->text, received);
}

static const char *memory_cell(struct arena *arena, const struct outlook *outlook)
{
	const char *low = text_bytes(arena, outlook->memory_low);
	const char *high = text_bytes(arena, outlook->memory_high), *fits = "";

	if (!strcmp(outlook->fits, "no"))
		fits = ", does not fit";
	else if (!strcmp(outlook->fits, "tight"))
		fits = ", tight";
	return arena_printf(arena, "%s (%s to %s) of %s%s", text_bytes(arena, outlook->memory), low,
			    high, text_bytes(arena, outlook->capacity), fits);
}

static const char *step_cell(struct arena *arena, const struct outlook *outlook)
{
	bool small = outlook->step < 1;
	double scale = small ? 1e3 : 1;

	return arena_printf(arena, "%.3g %s (%.3g to %.3g)", scale * outlook->step,
			    small ? "ms" : "s", scale * outlook->step_low,
			    scale * outlook->step_high);
}

const char *outlook_nothing(const struct outlook *outlook, int row)
{
	bool told = outlook->strategy && outlook->world;

	if (row == OUTLOOK_ROW_START)
		return "nothing";
	return told && row >= OUTLOOK_ROW_GROUPS && row < OUTLOOK_ROW_BATCH ? "none" : "unknown";
}

const char *outlook_cell(struct arena *arena, const struct outlook *outlook, int row)
{
	if (row >= OUTLOOK_ROW_GROUPS && row < OUTLOOK_ROW_BATCH)
		return group_cell(arena, &outlook->groups[row - OUTLOOK_ROW_GROUPS]);
	switch (row) {
	case OUTLOOK_ROW_START:
		return outlook->error;
	case OUTLOOK_ROW_RANKS:
		return count_cell(arena, outlook->world);
	case OUTLOOK_ROW_STRATEGY:
		return outlook->strategy;
	case OUTLOOK_ROW_BATCH:
		return outlook->samples ? outlook->samples : count_cell(arena, outlook->batch);
	case OUTLOOK_ROW_TOKENS:
		return count_cell(arena, outlook->tokens);
	case OUTLOOK_ROW_MEMORY:
		return outlook->forecast ? memory_cell(arena, outlook) : NULL;
	default:
		return outlook->forecast ? step_cell(arena, outlook) : NULL;
	}
}

/* ---- a checkpoint written before the change ---- */

const char *handover_verdict(const struct handover *handover)
{
	enum fate worst = FATE_UNKNOWN;
	int i;

	if (!handover->resume || !resume_judged(handover->resume))
		return "unknown";
	for (i = 0; i < COMPONENTS; i++)
		if (handover->resume->fates[i] > worst)
			worst = handover->resume->fates[i];
	return worst == FATE_FAILS ? "fails" : worst == FATE_LOSES ? "loses" : "loads";
}

char *handover_text(struct arena *arena, const struct handover *handover)
{
	const struct resume *resume = handover->resume;
	char *text = arena_strdup(arena, "");
	int i;

	for (i = 0; resume && i < COMPONENTS; i++) {
		const struct obstacle *obstacle = resume_obstacle(resume, (enum component)i);
		text = arena_printf(arena, "%s%s%s %s%s%s", text, i ? "; " : "",
				    component_name((enum component)i), fate_name(resume->fates[i]),
				    obstacle ? ": " : "", obstacle ? obstacle->what : "");
	}
	return text;
}
