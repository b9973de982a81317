#ifndef FRAMEWORK_TORCH_PIPELINING_H
#define FRAMEWORK_TORCH_PIPELINING_H

#include "framework/torch/release.h"
#include "plan/exception.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The schedule classes of torch.distributed.pipelining by release: by which names they are found,
 * how their stages lie, and what their constructors refuse. What each rank computes is in
 * sim/schedules.
 */

struct pipeline_schedule {
	const char *name;
	bool single;	   /* one stage per rank (PipelineScheduleSingle) */
	bool v;		   /* rank r holds stages r and 2 * pp - 1 - r */
	bool by_rounds;	   /* microbatches must be a multiple of max(1, microbatches / pp) */
	bool abstract;	   /* a base class: there is nothing to run */
	int first, before; /* releases of torch that know it, as enum torch_feature */
};

/* The schedule of that name, whatever its case, or of TorchTitan's before torch's; or NULL. */
const struct pipeline_schedule *pipeline_schedule_find(const char *name);

/*
 * get_schedule_class(name) of a release; NULL after an exception. 2.4 has no such function: there
 * the class itself is imported.
 */
const struct pipeline_schedule *pipeline_look_up(struct arena *arena,
						 const struct torch_release *torch,
						 const char *name, struct told *raised);

/* What a constructor checks; `stages` are those of all pp ranks. */
struct pipeline_microbatches {
	const struct pipeline_schedule *schedule;
	int64_t microbatches, pp, stages;
	const struct torch_release *torch;
};

/* What the constructor of the schedule raises (always a ValueError), and its text alone or NULL. */
struct told pipeline_microbatches_refused(struct arena *arena,
					  const struct pipeline_microbatches *given);
const char *pipeline_microbatches_error(struct arena *arena,
					const struct pipeline_microbatches *given);

/* The same, and what a list of stages raises where one is wanted. */
struct told pipeline_construct(struct arena *arena, const struct pipeline_microbatches *given);

/*
 * The RuntimeError of a schedule that splits the backward pass where a module in a stage is
 * compiled; NULL: it does not look for them.
 */
const char *pipeline_compiled_error(struct arena *arena, const struct torch_release *torch,
				    const struct pipeline_schedule *schedule);

#endif
