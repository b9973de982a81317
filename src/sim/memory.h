#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H

#include "sim/memory_timeline.h"

/* Pipeline ranks that hold alike: the first, those between, the last. */
struct memory_class {
	const char *name;
	int32_t rank;		   /* of the pipeline: the fullest of the class */
	int64_t of_world;	   /* the first rank of the world there: it stands for the class */
	double resident[HELDS];	   /* bytes that are held from step to step */
	int64_t ranks;		   /* of the job */
	struct memory_moment peak; /* with every part */
	double allocated;	   /* bytes at the peak: what tensors take */
	double reserved;	   /* with what the caching allocator keeps */
	double device;		   /* with context and communicators: what nvidia-smi shows */
};

enum { MEMORY_CLASSES = 3, MEMORY_OPEN = 3 };

/* Memory of a job over one step. */
struct memory {
	struct memory_class classes[MEMORY_CLASSES];
	int count;
	int fullest;	  /* of the classes */
	double device;	  /* bytes of the fullest */
	double low, high; /* bytes of its device: what the config leaves open, decided either way */
	const char *open[MEMORY_OPEN]; /* what that is; low is high where it is nothing */
	int open_count;
	double capacity;
	double widths[HELDS]; /* bytes of an element of what is held */
};

/* Never fails; `low` takes what is open the sparing way. */
struct memory memory_cost(const struct profile *profile, const struct workload *work,
			  const struct run *run);

/* The same of a workload that is yet to be simulated. */
struct memory memory_forecast(struct arena *arena, const struct profile *profile,
			      const struct workload *work);

/* The fullest class. */
const struct memory_class *memory_fullest(const struct memory *memory);

/* Bytes of a class over the simulated step, the fullest moment of each of so many stretches. */
struct memory_timeline memory_over_time(struct arena *arena, const struct profile *profile,
					const struct workload *work, const struct run *run,
					const struct memory_class *class, int32_t stretches);

#endif
