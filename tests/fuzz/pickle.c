#include "base/die.h"
#include "base/pickle.h"
#include "framework/torch/dcp.h"

/*
 * Pickles, as metadata of checkpoints. Whatever the bytes, the reader ends; what it accepts lies
 * within the tensors, and what it refuses it refuses in printable text.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_chunk(const struct dcp_tensor *tensor, const struct dcp_chunk *chunk)
{
	int dim;

	if (!chunk->file || chunk->start < 0 || chunk->length < 0)
		bug("a chunk of %s is nowhere", tensor->fqn);
	for (dim = 0; dim < tensor->dims; dim++)
		if (chunk->offset[dim] < 0 || chunk->shape[dim] < 0 ||
		    chunk->shape[dim] > tensor->shape[dim] - chunk->offset[dim])
			bug("a chunk of %s is outside", tensor->fqn);
}

static void check_text(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7F)
			bug("text holds character %d", *text);
}

static void check_metadata(const struct dcp_metadata *metadata)
{
	size_t i, j;

	for (i = 0; i < metadata->tensors.count; i++) {
		const struct dcp_tensor *tensor = &metadata->tensors.items[i];
		check_text(tensor->fqn);
		check_text(tensor->dtype);
		for (j = 0; j < tensor->chunks.count; j++)
			check_chunk(tensor, &tensor->chunks.items[j]);
	}
	for (i = 0; i < metadata->blobs.count; i++)
		check_text(metadata->blobs.items[i].file);
	for (i = 0; i < metadata->paths.count; i++)
		for (j = 0; j < metadata->paths.items[i].keys.count; j++)
			check_text(metadata->paths.items[i].keys.items[j]);
}

/* Any class is allowed, so that more of the machine is reached than by metadata. */
static void check_print(struct arena *arena, const char *bytes, size_t size)
{
	static const char *const all[] = { "*", NULL };
	static const struct pickle_rules rules = { .allowed = all, .persistent_ids = true };
	struct pickle_value root;
	struct buf out;

	if (pickle_read(&root, arena, &rules, bytes, size))
		return;
	buf_init(&out);
	pickle_print(&out, &root, 6, 300);
	check_text(out.data);
	if (out.length > 300 + 300)
		bug("%zu bytes printed", out.length);
	buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dcp_metadata metadata;
	struct arena arena;
	const char *error, *bytes = (const char *)data;

	arena_init(&arena);
	error = dcp_metadata_read(&metadata, &arena, bytes, size);
	if (error)
		check_text(error);
	else
		check_metadata(&metadata);
	check_print(&arena, bytes, size);
	arena_release(&arena);
	return 0;
}
