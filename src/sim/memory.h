#ifndef SIM_MEMORY_H
#define SIM_MEMORY_H

#include "sim/memory_timeline.h"

/* Pipeline ranks that hold alike: the first, those between, the last. */
struct memory_class {
	const char *name;
	int32_t rank;		   /* of the pipeline: the fullest of the class */
	double host;		   /* bytes of a rank that wait in host memory */
	int64_t of_world;	   /* the first rank of the world there: it stands for the class */
	double resident[HELDS];	   /* bytes that are held from step to step */
	double reference;	   /* and of the frozen model beside */
	int64_t ranks;		   /* of the job */
	struct memory_moment peak; /* with every part */
	double allocated;	   /* bytes at the peak: what tensors take */
	double reserved;	   /* with what the caching allocator keeps */
	double device;		   /* with context and communicators: what nvidia-smi shows */
	double need; /* of them, what must fit: the allocator gives back what it caches */
};

enum { MEMORY_CLASSES = 3, MEMORY_OPEN = 9, MEMORY_WAYS = 3 };

/* Memory of a job over one step. */
struct memory {
	struct memory_class classes[MEMORY_CLASSES];
	int count;
	int fullest;		   /* of the classes */
	double device;		   /* bytes of the fullest */
	double need;		   /* the most that a rank must have, of that */
	double floor;		   /* and what it must have however short sequences are */
	double way[MEMORY_WAYS];   /* the same bytes as forecast, by way to decide what is open */
	double needs[MEMORY_WAYS]; /* and `need` */
	int ways;		   /* one, which is `device`, where nothing is open */
	const char *open[MEMORY_OPEN]; /* what the config leaves open */
	int open_count;
	double capacity;
	double spread;	      /* of the logarithm of measured over forecast bytes */
	double tight;	      /* the probability of each end of the interval */
	double probability;   /* that the fullest rank needs more than its device has */
	double widths[HELDS]; /* bytes of an element of what is held */
};

/* Never fails. */
struct memory memory_cost(const struct profile *profile, const struct workload *work,
			  const struct run *run);

/* In how many ways what the config leaves open may be decided. */
int memory_ways(const struct workload *work);

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
