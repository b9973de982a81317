#include "framework/torch/dcp_index.h"

#include <stdlib.h>
#include <string.h>

bool dcp_chunk_holds(const struct dcp_tensor *tensor, const struct dcp_chunk *chunk)
{
	int dim;

	for (dim = 0; dim < tensor->dims; dim++)
		if (!chunk->shape[dim])
			return false;
	return true;
}

static bool same_offset(const struct dcp_chunk *chunk, const int64_t *offset)
{
	return !memcmp(chunk->offset, offset, sizeof(chunk->offset));
}

static int by_offset(const void *left, const void *right)
{
	const struct dcp_chunk *a = *(struct dcp_chunk *const *)left,
			       *b = *(struct dcp_chunk *const *)right;
	int dim;

	for (dim = 0; dim < PARAMETER_DIMS; dim++)
		if (a->offset[dim] != b->offset[dim])
			return a->offset[dim] < b->offset[dim] ? -1 : 1;
	return (a > b) - (a < b);
}

static void build(struct dcp_index *index, struct arena *arena, struct dcp_tensor *tensor)
{
	size_t count = tensor->chunks.count, i;

	index->chunks = arena_array(arena, count, sizeof(struct dcp_chunk *));
	for (i = 0; i < count; i++)
		index->chunks[i] = &tensor->chunks.items[i];
	qsort(index->chunks, count, sizeof(struct dcp_chunk *), by_offset);
	for (i = 0; i < count; i++) {
		struct dcp_chunk *chunk = index->chunks[i], **last;
		last = index->count ? &index->chunks[index->count - 1] : NULL;
		if (!last || !same_offset(*last, chunk->offset))
			index->chunks[index->count++] = chunk;
		else if (!dcp_chunk_holds(tensor, *last))
			*last = chunk;
	}
}

struct dcp_chunk *dcp_index_find(struct dcp_index *index, struct arena *arena,
				 struct dcp_tensor *tensor, const int64_t *offset, int64_t hint)
{
	struct dcp_chunk wanted, *key = &wanted, **found;
	size_t low = 0, high;

	if (hint >= 0 && (uint64_t)hint < tensor->chunks.count &&
	    same_offset(&tensor->chunks.items[hint], offset))
		return &tensor->chunks.items[hint];
	if (!index->chunks)
		build(index, arena, tensor);
	memcpy(wanted.offset, offset, sizeof(wanted.offset));
	for (high = index->count; low < high;) {
		size_t middle = low + (high - low) / 2;
		found = &index->chunks[middle];
		if (same_offset(*found, offset))
			return *found;
		if (by_offset(found, &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}
