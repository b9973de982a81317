#include "base/text.h"
#include "evidence/evidence.h"
#include "framework/torch/dcp.h"
#include "framework/torch/dcp_index.h"

#include <string.h>

/*
 * The `.metadata` of a checkpoint of torch.distributed.checkpoint: in how many parts tensors were
 * cut tells the degrees of the job that saved it. Replicas are saved once and leave no trace.
 */
enum { METADATA_BYTES = 512 * 1024 * 1024 };

/* Parts along the first two dimensions, and of which tensor. */
struct grid {
	int64_t rows, columns;
	int64_t record; /* of the tensor, from 1 */
};

/* Chunks with elements that begin where the others of that dimension do: parts along it. */
static int64_t parts_along(const struct dcp_tensor *tensor, int dim)
{
	int64_t parts = 0;
	int other;
	size_t i;

	for (i = 0; i < tensor->chunks.count; i++) {
		const struct dcp_chunk *chunk = &tensor->chunks.items[i];
		bool edge = dcp_chunk_holds(tensor, chunk);
		for (other = 0; other < tensor->dims; other++)
			edge = edge && (other == dim || !chunk->offset[other]);
		parts += edge;
	}
	return parts;
}

/*
 * FSDP cuts rows; tensor parallelism rows of some weights and columns of others. Where columns are
 * cut, rows tell the degree of FSDP alone. Small tensors have fewer parts: the most count. Experts
 * (three dimensions) are cut by their own degrees.
 */
static struct grid largest_grid(const struct dcp_metadata *metadata)
{
	struct grid most = { 0 };
	size_t i;

	for (i = 0; i < metadata->tensors.count; i++) {
		const struct dcp_tensor *tensor = &metadata->tensors.items[i];
		struct grid grid = { .record = (int64_t)i + 1, .columns = 1 };
		if (tensor->dims < 1 || tensor->dims > 2)
			continue;
		grid.rows = parts_along(tensor, 0);
		if (tensor->dims > 1)
			grid.columns = parts_along(tensor, 1);
		if (grid.columns > most.columns ||
		    (grid.columns == most.columns && grid.rows > most.rows))
			most = grid;
	}
	return most;
}

static void claim(struct evidence_intake *intake, const char *axis, int64_t degree)
{
	const struct seen_claim claimed = { .axis = axis,
					    .degree = degree,
					    .stored = true,
					    .witness = { intake->file, intake->record } };

	if (degree > 0)
		vec_push(intake->capture->arena, &intake->capture->claims, claimed);
}

static void read_metadata(struct evidence_intake *intake, struct text_stream *stream)
{
	struct dcp_metadata metadata = { 0 };
	struct grid grid;
	size_t length;
	const char *bytes = stream_rest(stream, METADATA_BYTES, &length);
	const char *why = "it is larger than 512 MiB";

	if (bytes)
		why = dcp_metadata_read(&metadata, stream->arena, bytes, length);
	if (why) {
		evidence_file(intake)->unreadable++;
		evidence_limit(intake, "FILE_UNREADABLE",
			       arena_strdup(intake->capture->arena, why));
		return;
	}
	grid = largest_grid(&metadata);
	evidence_file(intake)->records = (int64_t)metadata.tensors.count;
	intake->record = grid.record;
	claim(intake, "dp_shard", grid.rows);
	claim(intake, "tp", grid.columns > 1 ? grid.columns : 0);
}

static int claims(const char *head, size_t length)
{
	return (unsigned char)*head == 0x80 &&
			       text_mentions(head, length, "torch.distributed.checkpoint.metadata")
		       ? 95
		       : 0;
}

const struct evidence_source source_dcp = {
	.name = "DCP checkpoint metadata",
	.record = "tensor",
	.claims = claims,
	.read = read_metadata,
};
