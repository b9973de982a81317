#ifndef FRAMEWORK_TORCHTITAN_PIPELINE_H
#define FRAMEWORK_TORCHTITAN_PIPELINE_H

#include "framework/torch/release.h"
#include "framework/torchtitan/timeline.h"
#include "input/node.h"
#include "input/setting.h"
#include "plan/plan.h"

/*
 * How a model is split over pipeline stages: which modules each stage holds and which
 * pipeline rank holds it, by the algorithm of each generation, or what that raises.
 */

/* A schedule of torch.distributed.pipelining, as far as the split depends on it. */
struct pipeline_schedule {
	const char *name;
	bool single;	/* one stage per rank (PipelineScheduleSingle) */
	bool v;		/* rank r holds stages r and 2 * pp - 1 - r */
	bool by_rounds; /* microbatches must be a multiple of max(1, microbatches / pp) */
};

/* The schedule of that name, whatever its case, or of TorchTitan's before torch's; or NULL. */
const struct pipeline_schedule *pipeline_schedule_find(const char *name);

/* True when a TorchTitan that knows `which` schedules in a V gives this one's stages out so. */
bool pipeline_in_v(const struct pipeline_schedule *schedule, enum titan_pp_v which);

/* What the split depends on. */
struct pipeline_request {
	enum titan_pp algorithm;
	const char *schedule;
	enum titan_pp_v v;		   /* which schedules' stages lie in a V */
	bool own_names;			   /* TorchTitan's names of schedules are known, too */
	const struct torch_release *torch; /* whose schedules are looked up; NULL: the newest */
	bool degree_named;		   /* messages say pp_degree */
	int64_t pp, layers;
	int64_t layers_per_stage;	     /* 0: not given */
	int64_t input_weight, output_weight; /* layers the embedding and the output count for */
	const struct node *split_points;     /* a list of names, or NULL */
	const struct node *parts;	     /* a list of lists of names, or NULL */
	const char *output;		     /* name of the output layer: "output", "lm_head" */
};

/* The stages, or what is raised and whose fault it is. */
struct pipeline_split {
	VEC(struct stage) stages; /* in the order of their index */
	const char *type;	  /* exception, or NULL */
	const char *message, *where;
	enum field_id because;
};

/* What the settings of a job with a model ask of a version's algorithm over pp ranks. */
struct job;
struct pipeline_request pipeline_request_of(const struct job *job, const int traits[], int64_t pp,
					    const char *output);

/* What asking for the schedule by its name raises, if anything; a split that is otherwise empty. */
void pipeline_look_up(struct arena *arena, const struct pipeline_request *request,
		      struct pipeline_split *split);

void pipeline_split(struct arena *arena, const struct pipeline_request *request,
		    struct pipeline_split *split);

/* What the constructor of the schedule checks about microbatches. */
struct pipeline_microbatches {
	const struct pipeline_schedule *schedule;
	int64_t microbatches, pp, stages;
	const struct torch_release *torch;
};

/* What the constructor raises (always a ValueError), or NULL. */
const char *pipeline_microbatches_error(struct arena *arena,
					const struct pipeline_microbatches *given);

#endif
