#ifndef PLAN_SAVED_H
#define PLAN_SAVED_H

#include "base/map.h"
#include "plan/spread.h"

/*
 * What a checkpoint holds and in which files: the plan of origin PLAN_SAVED, tensor by tensor.
 * Built from the plan of the job that wrote it or from the checkpoint's own metadata.
 */

/* Where the bytes of a chunk stand in its file; only metadata knows. */
struct stored {
	int64_t start, length;
};

struct saved_tensor {
	const char *key;     /* the name by which a job asks: "layers.0.attention.wq.weight", or
				"layers.0.attention.wq.weight exp_avg" (saved_key) */
	const char *fqn;     /* as the checkpoint names it */
	int spread;	     /* index into spreads */
	int64_t element;     /* bytes; 0: not known */
	const int32_t *file; /* by box: index into files; shared by tensors alike */
	const struct stored *stored; /* by box, or NULL */
};

/* What is no tensor, or a single number: read whole by every rank that has the parameter. */
struct saved_entry {
	const char *key; /* the parameter's fqn: read with it; NULL: read by every rank */
	const char *fqn; /* as the checkpoint names it; NULL: not known apart */
	int32_t file;
	int64_t bytes;	      /* 0: not known */
	struct stored stored; /* length 0: not known */
};

struct saved {
	struct arena *arena;
	VEC(struct spread *) spreads;
	VEC(struct saved_tensor) tensors;
	VEC(struct saved_entry) entries;
	VEC(const char *) files; /* names in the checkpoint's folder */
	struct map tensor_names; /* key to index into tensors */
	struct map file_names;
};

void saved_init(struct saved *saved, struct arena *arena);

/* "FQN STATE", or the FQN itself for the parameter (an empty state). */
const char *saved_key(struct arena *arena, const char *fqn, const char *state);

/* The index of a file, added when it is new. */
int32_t saved_file(struct saved *saved, const char *name);

/* Adds a tensor under its key; the first of a name stays. */
void saved_add(struct saved *saved, const struct saved_tensor *tensor);

/* The tensor of that key, or NULL. */
const struct saved_tensor *saved_find(const struct saved *saved, const char *key);

/* Chunks and bytes (of elements) of all tensors. */
int64_t saved_chunks(const struct saved *saved);
int64_t saved_bytes(const struct saved *saved);

#endif
