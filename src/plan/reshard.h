#ifndef PLAN_RESHARD_H
#define PLAN_RESHARD_H

#include "plan/saved.h"

#include <stdbool.h>

/*
 * Which saved chunks every rank of a new plan reads. No list of pairs is ever made: grids meet
 * dimension by dimension, tensors alike meet once, ranks alike count once.
 */

/* A tensor of the new job: what it asks the checkpoint for. */
struct wanted {
	const char *key; /* as in struct saved_tensor */
	const char *fqn; /* the parameter's */
	int spread;	 /* index into new_spreads */
	int64_t pp;	 /* pipeline coordinate of the ranks that have it; -1: all */
};

/* An entry that is read whole, by the ranks of one pipeline coordinate or, with -1, by all. */
struct asked {
	int32_t entry; /* index into saved->entries */
	int64_t pp;
};

struct loader {
	struct arena *arena;
	const struct saved *saved;
	int64_t ranks;
	const int32_t *pp_of; /* by rank; NULL: no pipeline */
	int64_t pp;	      /* pipeline coordinates, 1 or more */
	VEC(struct spread *) spreads;
	VEC(struct wanted) wanted;
	VEC(struct asked) asked;
};

/* What one rank reads. */
struct load {
	int64_t needed; /* bytes of its own boxes */
	int64_t read;	/* bytes of all chunks that hold a part of them */
	int64_t chunks; /* read items of tensors */
	int64_t files;	/* files it opens */
};

struct reshard {
	int64_t ranks;
	const struct load *load; /* by rank */
	struct load total;	 /* files: how often a file is opened */
	int64_t most;		 /* the rank that reads most bytes, the lowest of equals */
	int64_t most_files;	 /* the rank that opens most files, the lowest of equals */
	int64_t opened;		 /* files that anybody opens */
	int64_t distinct;	 /* bytes that somebody reads; total.read less this is read again */
	int64_t tensors;	 /* that are loaded */
	int64_t unmatched;	 /* wanted, but not there by that name and size */
	bool cut_off;		 /* chunks overlap too often: the reads are not all counted */
	int64_t uncovered;	 /* tensors whose chunks do not hold every element, or some twice */
	const char *first_uncovered;
};

void reshard_compute(struct reshard *reshard, const struct loader *loader);

/* One read of one rank. */
struct reading {
	const struct saved_tensor *tensor;
	int64_t box;		/* number of the saved box */
	struct box saved, part; /* the chunk; and the part of it that is needed, in the tensor */
	int64_t dest[PARAMETER_DIMS]; /* where the part goes in the rank's own box */
	int64_t needed, read;	      /* bytes */
};

struct readings {
	VEC(struct reading) list;
};

/* All reads of tensors of a rank, in the order of loader->wanted and of the boxes. */
void reshard_list(struct readings *readings, struct arena *arena, const struct loader *loader,
		  int64_t rank);

#endif
