#include "sim/schedule.h"

#include "framework/wing.h"

#include <strings.h>

#define X(name) extern const struct schedule schedule_##name;
#include "schedules.inc"
#undef X

const struct schedule *const schedules[] = {
#define X(name) &schedule_##name,
#include "schedules.inc"
#undef X
	NULL,
};

static bool is_named(const struct schedule *schedule, const char *name)
{
	const char *const *alias;

	if (!strcasecmp(schedule->name, name))
		return true;
	for (alias = schedule->aliases; alias && *alias; alias++)
		if (!strcasecmp(*alias, name))
			return true;
	return false;
}

const struct schedule *schedule_find(const char *name)
{
	const struct schedule *const *row = schedules;
	const struct wing *wing = wing_find(name);

	if (wing && wing->schedule)
		name = wing->schedule;
	while (*row && !is_named(*row, name))
		row++;
	return *row;
}

int64_t schedule_rank(const struct schedule *schedule, const struct pipeline_shape *shape,
		      int64_t stage)
{
	return schedule->vee && stage >= shape->ranks ? 2 * shape->ranks - 1 - stage
						      : stage % shape->ranks;
}

int64_t schedule_stage(const struct schedule *schedule, const struct pipeline_shape *shape,
		       int64_t rank, int64_t slot)
{
	return schedule->vee && slot > 0 ? 2 * shape->ranks - 1 - rank : slot * shape->ranks + rank;
}

bool schedule_too_large(const struct pipeline_shape *shape)
{
	const int64_t most = SCHEDULE_PASSES_MOST;

	return shape->ranks > most || shape->per_rank > most / shape->ranks ||
	       shape->microbatches > most / (shape->ranks * shape->per_rank);
}

const char *schedule_refusal(const struct schedule *schedule, const struct pipeline_shape *shape)
{
	if (shape->ranks < 1 || shape->per_rank < 1 || shape->microbatches < 1)
		return "wants at least one rank, one stage on each and one microbatch";
	if (schedule_too_large(shape))
		return "wants at most 16777216 stages times microbatches";
	if (schedule->vee && shape->per_rank != 2)
		return "wants exactly two stages on each rank: r and 2 * pp - 1 - r";
	return schedule->refuses ? schedule->refuses(shape) : NULL;
}

const char *schedule_refuses_several(const struct pipeline_shape *shape)
{
	return shape->per_rank == 1 ? NULL : "wants one stage on each rank, no more";
}

void actions_add(struct arena *arena, struct actions *actions, enum action_kind kind, int64_t stage,
		 int64_t microbatch)
{
	const struct action action = {
		.kind = kind,
		.stage = (int32_t)stage,
		.microbatch = (int32_t)microbatch,
	};

	vec_push(arena, &actions->list, action);
}
