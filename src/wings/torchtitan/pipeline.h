#ifndef WINGS_TORCHTITAN_PIPELINE_H
#define WINGS_TORCHTITAN_PIPELINE_H

#include "framework/torch/pipelining.h"
#include "wings/torchtitan/timeline.h"
#include "input/node.h"
#include "input/setting.h"
#include "plan/plan.h"

/*
 * How a model is split over pipeline stages: which modules each stage holds and which
 * pipeline rank holds it, by the algorithm of each generation, or what that raises.
 */

/* True when a TorchTitan that knows `which` schedules in a V gives this one's stages out so. */
bool pipeline_in_v(const struct pipeline_schedule *schedule, enum titan_pp_v which);

/* What the split depends on. */
struct pipeline_request {
	enum titan_pp algorithm;
	const char *schedule;
	enum titan_pp_v v; /* which schedules' stages lie in a V */
	bool own_names;	   /* TorchTitan's names of schedules are known, too */
	bool degree_named; /* messages say pp_degree */
	struct torch_release torch;
	int64_t pp, layers;
	int64_t layers_per_stage;	     /* 0: not given */
	int64_t input_weight, output_weight; /* layers the embedding and the output count for */
	const struct node *split_points;     /* a list of names, or NULL */
	const struct node *parts;	     /* a list of lists of names, or NULL */
	const char *output;		     /* name of the output layer: "output", "lm_head" */
};

/* The stages, or what is raised and whose fault it is. */
struct pipeline_split {
	struct stage_list stages;
	struct told raised; /* its type is NULL: nothing is */
	enum field_id because;
};

/* What asking for the schedule by its name raises, if anything; a split that is otherwise empty. */
void pipeline_ask(struct arena *arena, const struct pipeline_request *request,
		  struct pipeline_split *split);

void pipeline_split(struct arena *arena, const struct pipeline_request *request,
		    struct pipeline_split *split);

struct job;

/* The layers per stage nearest to those asked for that can be split over pp, or 0. */
int64_t titan_fitting_layers(struct job *job, int64_t pp);

#endif
