#ifndef SIM_PRICES_H
#define SIM_PRICES_H

#include "sim/data_parallel.h"

/* What one stage's data parallelism costs. */
struct stage_prices {
	bool has[2]; /* units that keep what they gathered, and that let it go */
	struct data_times *units, total;
};

/* What is beside computing in a step, however many of its microbatches are simulated. */
struct prices {
	const struct data_parallel **data; /* per pipeline rank */
	struct stage_prices *stages;
	double *send; /* per pipeline rank: seconds from or to a neighbour with more adapters */
	double wait;  /* seconds, of the host in each pass */
	enum crossed send_crossing;
};

struct prices prices_of(struct arena *arena, const struct profile *profile,
			const struct workload *work, const struct stages *stages);

#endif
