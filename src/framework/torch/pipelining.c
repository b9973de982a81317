#include "framework/torch/pipelining.h"

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

static struct pipeline_raised value_error(const char *message)
{
	return (struct pipeline_raised) { message ? "ValueError" : NULL, message };
}

/* What a release says of a name that it does not know. */
static struct pipeline_raised unknown(struct arena *arena, const struct torch_release *torch,
				      const char *name)
{
	const char *list = "";
	size_t i;

	if (!torch_has(torch, TORCH_PIPELINING))
		return (struct pipeline_raised) {
			"ModuleNotFoundError", "No module named 'torch.distributed.pipelining'"
		};
	if (!torch_has(torch, TORCH_SCHEDULE_CLASSES))
		return (struct pipeline_raised) {
			"ImportError", arena_printf(arena,
						    "cannot import name 'Schedule%s' from "
						    "'torch.distributed.pipelining.schedules'",
						    name)
		};
	if (!torch_has(torch, TORCH_SCHEDULE_NAMES))
		return value_error(arena_printf(arena, "Unknown schedule name: %s", name));
	for (i = 0; i < SCHEDULES; i++)
		if (has_schedule(torch, &schedules[i]))
			list = arena_printf(arena, "%s%s'%s'", list, *list ? ", " : "",
					    schedules[i].name);
	return value_error(arena_printf(
		arena, "Unknown schedule name '%s'. The valid options are [%s]", name, list));
}

const struct pipeline_schedule *pipeline_look_up(struct arena *arena,
						 const struct torch_release *torch,
						 const char *name, struct pipeline_raised *raised)
{
	const struct pipeline_schedule *schedule = pipeline_schedule_find(name);

	*raised = (struct pipeline_raised) { NULL, NULL };
	if (schedule && has_schedule(torch, schedule) &&
	    (torch_has(torch, TORCH_SCHEDULE_NAMES) || !strcmp(schedule->name, name)))
		return schedule;
	*raised = unknown(arena, torch, name);
	return NULL;
}

/* Up to 2.5; the line break is in the text. */
static const char *ranks_error(struct arena *arena, const struct pipeline_microbatches *given)
{
	if (given->microbatches % given->pp == 0)
		return NULL;
	return arena_printf(arena,
			    "Interleaved 1F1B schedule requires the number of microbatches "
			    "(%" PRId64 ")                 to be a multiple of the number of "
			    "pipeline ranks (%" PRId64 ").",
			    given->microbatches, given->pp);
}

static bool is_interleaved(const struct pipeline_schedule *schedule)
{
	return !strcmp(schedule->name, "Interleaved1F1B") ||
	       !strcmp(schedule->name, "interleaved_1f1b");
}

/* Up to 2.5 Interleaved1F1B counts ranks, and zero bubble is FlexibleInterleaved1F1B. */
static const char *rounds_error(struct arena *arena, const struct pipeline_microbatches *given)
{
	const int64_t rounds =
		given->microbatches / given->pp > 1 ? given->microbatches / given->pp : 1;
	const char *who = "Flexible Interleaved 1F1B";

	if (given->microbatches % rounds == 0)
		return NULL;
	if (torch_has(given->torch, TORCH_INTERLEAVED_ROUNDS))
		who = !strcmp(given->schedule->name, "InterleavedZeroBubble") ? "Zero bubble"
									      : "Interleaved 1F1B";
	return arena_printf(arena,
			    "%s requires the number of microbatches to be a multiple of the "
			    "number of rounds (%" PRId64 "), but got %" PRId64 ".",
			    who, rounds, given->microbatches);
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
static const char *stages_error(struct arena *arena, const struct pipeline_microbatches *given)
{
	const int64_t each = given->stages / given->pp;

	if (given->schedule->single || each > 1 || torch_has(given->torch, TORCH_MULTI_OF_ONE))
		return NULL;
	return arena_printf(
		arena, "Multi-stage schedule expects at least two stages but got %" PRId64, each);
}

static const char *vee_error(struct arena *arena, const struct pipeline_microbatches *given)
{
	const int64_t m = given->microbatches, stages = given->stages;

	if (stages / given->pp != 2)
		return arena_printf(arena,
				    "ZBV requires exactly 2 stages per rank, but got %" PRId64 ".",
				    stages / given->pp);
	if (strcmp(given->schedule->name, "DualPipeV") != 0 || m >= stages)
		return NULL;
	return arena_printf(arena,
			    "DualPipeV requires at least as many microbatches as stages, but got "
			    "%" PRId64 " microbatches and %" PRId64 " stages.",
			    m, stages);
}

const char *pipeline_microbatches_error(struct arena *arena,
					const struct pipeline_microbatches *given)
{
	const bool ranks = is_interleaved(given->schedule) &&
			   !torch_has(given->torch, TORCH_INTERLEAVED_ROUNDS);
	const char *message = ranks ? ranks_error(arena, given) : NULL;

	if (!message)
		message = stages_error(arena, given);
	if (!message && given->schedule->v)
		return vee_error(arena, given);
	if (!message && given->schedule->by_rounds && !ranks)
		return rounds_error(arena, given);
	if (!message && wants_as_many(given) && given->microbatches < given->stages)
		return arena_printf(arena,
				    "Number of microbatches (%" PRId64
				    ") must be greater than or equal to the number of stages "
				    "(%" PRId64 ").",
				    given->microbatches, given->stages);
	return message;
}

struct pipeline_raised pipeline_construct(struct arena *arena,
					  const struct pipeline_microbatches *given)
{
	if (given->schedule->single && given->stages > given->pp)
		return (struct pipeline_raised) { "AttributeError",
						  "'list' object has no attribute 'num_stages'" };
	return value_error(pipeline_microbatches_error(arena, given));
}

const char *pipeline_compiled_error(struct arena *arena, const struct torch_release *torch,
				    const struct pipeline_schedule *schedule)
{
	if (!torch_has(torch, TORCH_SCHEDULE_REFUSES_COMPILE))
		return NULL;
	return arena_printf(arena,
			    "The Schedule%s schedule is not supported with stage modules that "
			    "have used torch.compile. Found OptimizedModule in OptimizedModule",
			    schedule->name);
}
