#ifndef FRAMEWORK_TORCH_DCP_INDEX_H
#define FRAMEWORK_TORCH_DCP_INDEX_H

#include "base/map.h"
#include "framework/torch/dcp.h"

#include <stdbool.h>

/* Finds the chunks of a tensor by their offsets. Zero-initialised is empty. */
struct dcp_index {
	struct dcp_chunk *
		*chunks; /* by offset; of equal ones the one with elements; NULL: unmade */
	size_t count;
};

/*
 * The chunk at that offset, or NULL. `hint` is where it is in the tensor's list according to the
 * file; it is believed when it is true. The index is made when a hint is not.
 */
struct dcp_chunk *dcp_index_find(struct dcp_index *index, struct arena *arena,
				 struct dcp_tensor *tensor, const int64_t *offset, int64_t hint);

/* True when the chunk has elements. */
bool dcp_chunk_holds(const struct dcp_tensor *tensor, const struct dcp_chunk *chunk);

#endif
