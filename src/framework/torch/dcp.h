#ifndef FRAMEWORK_TORCH_DCP_H
#define FRAMEWORK_TORCH_DCP_H

#include "base/vec.h"
#include "plan/model.h"

#include <stddef.h>
#include <stdint.h>

/*
 * What a checkpoint of torch.distributed.checkpoint (DCP) holds and where: the file `.metadata` in
 * its folder, a pickle of Metadata in torch/distributed/checkpoint/metadata.py. Nothing of the
 * pickle is run.
 */

/* A box of a tensor as one rank saved it. */
struct dcp_chunk {
	int64_t offset[PARAMETER_DIMS], shape[PARAMETER_DIMS];
	const char *file;      /* "__3_0.distcp", in the folder of the checkpoint; "" for a chunk
				  without elements that nobody stored */
	int64_t start, length; /* bytes in that file; they hold a torch.save archive of the box */
};

struct dcp_tensor {
	const char *fqn;   /* "layers.0.attention.wq.weight" */
	const char *dtype; /* "bfloat16" */
	int element_bytes; /* 0 when parplan does not know that dtype */
	int dims;
	int64_t shape[PARAMETER_DIMS];
	VEC(struct dcp_chunk) chunks; /* in the order of the file, by rank */
};

/* What is no tensor: written whole by one rank. */
struct dcp_blob {
	const char *fqn;
	const char *file;
	int64_t start, length; /* bytes */
};

/* Where an entry was in the nested state dict: the keys from outside in. */
struct dcp_path {
	const char *fqn;
	VEC(const char *) keys; /* "optimizer", "param_groups", "0" */
};

struct dcp_metadata {
	VEC(struct dcp_tensor) tensors;
	VEC(struct dcp_blob) blobs;
	VEC(struct dcp_path) paths; /* empty when the planner did not flatten */
	const char *checkpoint_id;  /* the folder as it was given to save, or NULL */
	const char *version;	    /* of the format, "1.0.0"; NULL where none is written */
};

/*
 * Reads the bytes of a `.metadata` file. NULL, or a sentence why not: no such pickle, a chunk that
 * nothing stores, a stored chunk of no tensor, more dimensions than PARAMETER_DIMS.
 */
const char *dcp_metadata_read(struct dcp_metadata *metadata, struct arena *arena, const char *bytes,
			      size_t length);

#endif
