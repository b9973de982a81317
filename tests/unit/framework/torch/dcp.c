#include "framework/torch/dcp.h"

#include "base/buf.h"
#include "base/io.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define METADATA     "torch.distributed.checkpoint.metadata."
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* testdata/dcp is written by tests/dcp/make.py. */
static const char *read_file(struct dcp_metadata *metadata, struct arena *arena, const char *folder,
			     const char *name)
{
	struct io_text file =
		io_read(arena, arena_printf(arena, "%s/%s.metadata", folder, name), 1 << 30);

	if (!file.text)
		fail_msg("%s: %s", name, file.error);
	return dcp_metadata_read(metadata, arena, file.text, file.length);
}

static void print_ints(struct buf *out, const int64_t *items, int count)
{
	int i;

	for (i = 0; i < count; i++)
		buf_printf(out, "%s%" PRId64, i ? "," : "", items[i]);
}

/* All tensors and blobs in lines. */
static void print(struct buf *out, const struct dcp_metadata *metadata)
{
	size_t i, j;

	for (i = 0; i < metadata->tensors.count; i++) {
		const struct dcp_tensor *tensor = &metadata->tensors.items[i];
		buf_printf(out, "%s %s/%d [", tensor->fqn, tensor->dtype, tensor->element_bytes);
		print_ints(out, tensor->shape, tensor->dims);
		buf_text(out, "]");
		for (j = 0; j < tensor->chunks.count; j++) {
			const struct dcp_chunk *chunk = &tensor->chunks.items[j];
			buf_text(out, " [");
			print_ints(out, chunk->shape, tensor->dims);
			buf_text(out, "]@");
			print_ints(out, chunk->offset, tensor->dims);
			buf_printf(out, " %s+%" PRId64 ":%" PRId64, chunk->file, chunk->start,
				   chunk->length);
		}
		buf_char(out, '\n');
	}
	for (i = 0; i < metadata->blobs.count; i++)
		buf_printf(out, "%s %s+%" PRId64 ":%" PRId64 "\n", metadata->blobs.items[i].fqn,
			   metadata->blobs.items[i].file, metadata->blobs.items[i].start,
			   metadata->blobs.items[i].length);
}

static void reads_all_versions(void **state)
{
	static const struct {
		const char *name, *checkpoint_id, *version;
		size_t paths;
	} cases[] = {
		{ "torch-2.2", NULL, NULL, 8 },
		{ "torch-2.4", "s3://bucket/step-100", NULL, 8 },
		{ "torch-2.8", "/outputs/step-100", NULL, 8 },
		{ "torch-2.11", "/outputs/step-100", "1.0.0", 0 },
	};
	static const char want[] =
		"model.tok_embeddings.weight bfloat16/2 [16,8]"
		" [4,8]@0,0 __0_0.distcp+0:1088 [4,8]@4,0 __1_0.distcp+0:1088"
		" [4,8]@8,0 __2_0.distcp+0:1088 [4,8]@12,0 __3_0.distcp+0:1088\n"
		"model.norm.weight float32/4 [10]"
		" [3]@0 __0_0.distcp+1088:1036 [3]@3 __1_0.distcp+1088:1036"
		" [3]@6 __2_0.distcp+1088:1036 [1]@9 __3_0.distcp+1088:1028\n"
		"model.bias float32/4 [2]"
		" [1]@0 __0_0.distcp+2124:1028 [1]@1 __1_0.distcp+2124:1028"
		" [0]@2 __2_0.distcp+2124:1024\n"
		"optimizer.state.model.norm.weight.step float32/4 []"
		" []@ __0_0.distcp+3152:1028\n"
		"model.experts.w1 float9_new/0 [4,6,8]"
		" [1,6,8]@0,0,0 __0_0.distcp+4180:1120 [1,6,8]@1,0,0 __1_0.distcp+3152:1120"
		" [1,6,8]@2,0,0 __2_0.distcp+3148:1120 [1,6,8]@3,0,0 __3_0.distcp+2116:1120\n"
		"train_state __0_0.distcp+5300:700\n"
		"dataloader.dp_rank_1 __1_0.distcp+4272:1300\n";
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		struct dcp_metadata metadata;
		struct arena arena;
		const char *error;
		struct buf out;

		arena_init(&arena);
		buf_init(&out);
		error = read_file(&metadata, &arena, "testdata/dcp", cases[i].name);
		if (error)
			fail_msg("%s: %s", cases[i].name, error);
		print(&out, &metadata);
		assert_string_equal(out.data, want);
		assert_int_equal(metadata.paths.count, cases[i].paths);
		if (cases[i].checkpoint_id)
			assert_string_equal(metadata.checkpoint_id, cases[i].checkpoint_id);
		else
			assert_null(metadata.checkpoint_id);
		if (cases[i].version)
			assert_string_equal(metadata.version, cases[i].version);
		else
			assert_null(metadata.version);
		buf_release(&out);
		arena_release(&arena);
	}
}

static void reads_paths(void **state)
{
	struct dcp_metadata metadata;
	const struct dcp_path *last;
	struct arena arena;

	(void)state;
	arena_init(&arena);
	assert_null(read_file(&metadata, &arena, "testdata/dcp", "torch-2.4"));
	last = &metadata.paths.items[metadata.paths.count - 1];
	assert_string_equal(last->fqn, "optimizer.param_groups.0.lr");
	assert_int_equal(last->keys.count, 4);
	assert_string_equal(last->keys.items[1], "param_groups");
	assert_string_equal(last->keys.items[2], "0");
	arena_release(&arena);
}

/* Chunks are found by their offsets where the hints of the file are wrong. */
static void reads_wrong_hints(void **state)
{
	struct dcp_metadata metadata;
	struct arena arena;
	struct buf out;

	(void)state;
	arena_init(&arena);
	buf_init(&out);
	assert_null(read_file(&metadata, &arena, "testdata/dcp", "hint-wrong"));
	print(&out, &metadata);
	assert_string_equal(out.data, "w float32/4 [8,4] [4,4]@0,0 __0_0.distcp+0:1088 "
				      "[4,4]@4,0 __1_0.distcp+0:1088\n"
				      "b __0_0.distcp+1088:9\n");
	buf_release(&out);
	arena_release(&arena);
}

static void refuses(void **state)
{
	static const struct {
		const char *name, *error;
	} cases[] = {
		{ "five-dims", "conv has 5 dimensions; parplan reads up to 4" },
		{ "chunk-unstored", "chunk 1 of w is stored nowhere" },
		{ "blob-unstored", "b is stored nowhere" },
		{ "stored-unlisted", "w is stored, but state_dict_metadata does not list it" },
		{ "stored-elsewhere", "__1_0.distcp stores a chunk of w at an offset where it has "
				      "none: torch.Size((5, 0))" },
		{ "chunk-outside", "w: a chunk reaches out of the tensor: " METADATA
				   "ChunkStorageMetadata() with {'offsets': torch.Size(...), "
				   "'sizes': torch.Size(...)}" },
		{ "negative-size", "w: its size holds -8, not a size" },
		{ "no-dtype", "w: its properties have no dtype, only None" },
		{ "no-place", "w is stored at "
			      "torch.distributed.checkpoint.filesystem._StorageInfo() with "
			      "{'relative_path': '__0_0.distcp', 'offset': '0', 'length': 1088}, "
			      "which is no place in a file" },
		{ "not-an-index", "storage_data has the key 'w', not a MetadataIndex" },
		{ "neither", "x is 5, neither a tensor nor bytes" },
		{ "no-storage", "storage_data is None, not a dict" },
		{ "torch-save", "it is a zip archive, as torch.save writes, and no bare pickle" },
		{ "state-dict", "it holds {'weight': [1.5, 2.5]}, not the Metadata of "
				"torch.distributed.checkpoint" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(cases); i++) {
		struct dcp_metadata metadata;
		struct arena arena;
		const char *error;

		arena_init(&arena);
		error = read_file(&metadata, &arena, "testdata/dcp", cases[i].name);
		if (!error || strcmp(error, cases[i].error) != 0)
			fail_msg("%s: %s", cases[i].name, error ? error : "was read");
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_all_versions),
		cmocka_unit_test(reads_paths),
		cmocka_unit_test(reads_wrong_hints),
		cmocka_unit_test(refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
