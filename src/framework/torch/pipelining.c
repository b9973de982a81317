#include "framework/torch/pipelining.h"

#include "framework/torch/exceptions.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

/*
 * torch distributed/pipelining/schedules.py of the wheels 2.4.1 to 2.15.0, in the order in which
 * get_schedule_class lists them; every text and every release has been run (tests/oracle). The
 * lower-case names with underscores are those of TorchTitan before it asked torch for the class
 * (2024-08).
 */
enum { ALWAYS = TORCH_PIPELINING, NEVER = TORCH_FEATURES };

static const struct pipeline_schedule schedules[] = {
	{ "1F1B", .single = true, .first = ALWAYS, .before = NEVER },
	{ "Interleaved1F1B", .by_rounds = true, .first = ALWAYS, .before = NEVER },
	{ "GPipe", .single = true, .first = ALWAYS, .before = NEVER },
	{ "FlexibleInterleaved1F1B", .by_rounds = true, .first = TORCH_SCHEDULE_CLASSES,
	  .before = TORCH_INTERLEAVED_ROUNDS },
	{ "LoopedBFS", .first = ALWAYS, .before = NEVER },
	{ "InterleavedZeroBubble", .by_rounds = true, .first = TORCH_SCHEDULE_CLASSES,
	  .before = NEVER },
	{ "PipelineScheduleSingle", .single = true, .abstract = true,
	  .first = TORCH_SCHEDULE_CLASSES, .before = NEVER },
	{ "PipelineScheduleMulti", .abstract = true, .first = TORCH_SCHEDULE_CLASSES,
	  .before = NEVER },
	{ "ZBVZeroBubble", .v = true, .first = TORCH_ZBV, .before = NEVER },
	{ "DualPipeV", .v = true, .first = TORCH_DUALPIPEV, .before = NEVER },
	{ "flexible_interleaved_1f1b", .by_rounds = true, .first = NEVER },
	{ "interleaved_1f1b", .by_rounds = true, .first = NEVER },
};

enum { SCHEDULES = sizeof(schedules) / sizeof(*schedules) };

const struct pipeline_schedule *pipeline_schedule_find(const char *name)
{
	size_t i;

	for (i = 0; i < SCHEDULES; i++)
		if (!strcasecmp(schedules[i].name, name))
			return &schedules[i];
	return NULL;
}

static bool has_schedule(const struct torch_release *torch,
			 const struct pipeline_schedule *schedule)
{
	return schedule->first != NEVER && torch_has(torch, (enum torch_feature)schedule->first) &&
	       (schedule->before == NEVER ||
		!torch_has(torch, (enum torch_feature)schedule->before));
}

static const struct told nothing = { NULL, NULL, NULL, NULL };

/* What a release says of a name that it does not know. */
static struct told unknown(struct arena *arena, const struct torch_release *torch, const char *name)
{
	const char *list = "";
	size_t i;

	if (!torch_has(torch, TORCH_PIPELINING))
		return exception_tell(arena, PYTORCH(NO_PIPELINING));
	if (!torch_has(torch, TORCH_SCHEDULE_CLASSES))
		return exception_tell(arena, PYTORCH(NO_CLASS), VALUE(name));
	if (!torch_has(torch, TORCH_SCHEDULE_NAMES))
		return exception_tell(arena, PYTORCH(NO_SCHEDULE), VALUE(name));
	for (i = 0; i < SCHEDULES; i++)
		if (has_schedule(torch, &schedules[i]))
			list = arena_printf(arena, "%s%s'%s'", list, *list ? ", " : "",
					    schedules[i].name);
	return exception_tell(arena, PYTORCH(NO_SUCH_SCHEDULE), VALUE(name), VALUE(list));
}

const struct pipeline_schedule *pipeline_look_up(struct arena *arena,
						 const struct torch_release *torch,
						 const char *name, struct told *raised)
{
	const struct pipeline_schedule *schedule = pipeline_schedule_find(name);

	*raised = nothing;
	if (schedule && has_schedule(torch, schedule) &&
	    (torch_has(torch, TORCH_SCHEDULE_NAMES) || !strcmp(schedule->name, name)))
		return schedule;
	*raised = unknown(arena, torch, name);
	return NULL;
}

/* Up to 2.5; the line break is in the text. */
static struct told ranks_error(struct arena *arena, const struct pipeline_microbatches *given)
{
	if (given->microbatches % given->pp == 0)
		return nothing;
	return exception_tell(arena, PYTORCH(BY_RANKS), VALUE(given->microbatches),
			      VALUE("                 "), VALUE(given->pp));
}

static bool is_interleaved(const struct pipeline_schedule *schedule)
{
	return !strcmp(schedule->name, "Interleaved1F1B") ||
	       !strcmp(schedule->name, "interleaved_1f1b");
}

/* Up to 2.5 Interleaved1F1B counts ranks, and zero bubble is FlexibleInterleaved1F1B. */
static struct told rounds_error(struct arena *arena, const struct pipeline_microbatches *given)
{
	const int64_t rounds =
		given->microbatches / given->pp > 1 ? given->microbatches / given->pp : 1;
	const char *who = "Flexible Interleaved 1F1B";

	if (given->microbatches % rounds == 0)
		return nothing;
	if (torch_has(given->torch, TORCH_INTERLEAVED_ROUNDS))
		who = !strcmp(given->schedule->name, "InterleavedZeroBubble") ? "Zero bubble"
									      : "Interleaved 1F1B";
	return exception_tell(arena, PYTORCH(BY_ROUNDS), VALUE(who), VALUE(rounds),
			      VALUE(given->microbatches));
}

/* From 2.7 on single-stage schedules want a microbatch per stage; GPipe not for long. */
static bool wants_as_many(const struct pipeline_microbatches *given)
{
	if (!given->schedule->single ||
	    !torch_has(given->torch, TORCH_SCHEDULE_CHECKS_MICROBATCHES))
		return false;
	return strcmp(given->schedule->name, "GPipe") != 0 ||
	       !torch_has(given->torch, TORCH_GPIPE_ANY_MICROBATCHES);
}

/* Up to 2.5 a rank needs two stages. */
static struct told stages_error(struct arena *arena, const struct pipeline_microbatches *given)
{
	const int64_t each = given->stages / given->pp;

	if (given->schedule->single || each > 1 || torch_has(given->torch, TORCH_MULTI_OF_ONE))
		return nothing;
	return exception_tell(arena, PYTORCH(MULTI), VALUE(each));
}

static struct told vee_error(struct arena *arena, const struct pipeline_microbatches *given)
{
	const int64_t m = given->microbatches, stages = given->stages;

	if (stages / given->pp != 2)
		return exception_tell(arena, PYTORCH(ZBV), VALUE(stages / given->pp));
	if (strcmp(given->schedule->name, "DualPipeV") != 0 || m >= stages)
		return nothing;
	return exception_tell(arena, PYTORCH(DUAL_PIPE), VALUE(m), VALUE(stages));
}

struct told pipeline_microbatches_refused(struct arena *arena,
					  const struct pipeline_microbatches *given)
{
	const bool ranks = is_interleaved(given->schedule) &&
			   !torch_has(given->torch, TORCH_INTERLEAVED_ROUNDS);
	struct told told = ranks ? ranks_error(arena, given) : nothing;

	if (!told.type)
		told = stages_error(arena, given);
	if (!told.type && given->schedule->v)
		return vee_error(arena, given);
	if (!told.type && given->schedule->by_rounds && !ranks)
		return rounds_error(arena, given);
	if (!told.type && wants_as_many(given) && given->microbatches < given->stages)
		return exception_tell(arena, PYTORCH(TOO_FEW), VALUE(given->microbatches),
				      VALUE(given->stages));
	return told;
}

const char *pipeline_microbatches_error(struct arena *arena,
					const struct pipeline_microbatches *given)
{
	return pipeline_microbatches_refused(arena, given).message;
}

struct told pipeline_construct(struct arena *arena, const struct pipeline_microbatches *given)
{
	if (given->schedule->single && given->stages > given->pp)
		return exception_tell(arena, PYTORCH(NO_STAGES));
	return pipeline_microbatches_refused(arena, given);
}

const char *pipeline_compiled_error(struct arena *arena, const struct torch_release *torch,
				    const struct pipeline_schedule *schedule)
{
	if (!torch_has(torch, TORCH_SCHEDULE_REFUSES_COMPILE))
		return NULL;
	return exception_tell(arena, PYTORCH(COMPILED), VALUE(schedule->name)).message;
}
