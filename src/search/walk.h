#ifndef SEARCH_WALK_H
#define SEARCH_WALK_H

#include "search/glance.h"
#include "sim/activations.h"
#include "sim/stage.h"
#include "sim/states.h"

/* What a glance looks at. */
struct look {
	struct arena *arena;
	struct glance_plan *plan;
	const struct profile *profile;
	const struct workload *work;
	struct stages stages;
	struct states states;
	struct activations activations;
};

/* What one rank of a pipeline comes to by its own passes in their order, whatever others do. */
struct walk {
	int32_t rank;
	int64_t batches; /* microbatches that it walks through: those that the simulator does */
	double busy;	 /* seconds until the last of them is computed, at least */
	double peak;	 /* bytes of tensors, at least */
};

struct walk walk_of(const struct look *look, int32_t rank);

/* What data parallelism costs of each unit of a stage, which no microbatch changes. */
const struct data_times *look_times(const struct look *look, int32_t stage);

#endif
