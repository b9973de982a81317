#include "framework/torch/dcp.h"

#include "base/pickle.h"
#include "base/text.h"
#include "framework/torch/dcp_index.h"
#include "framework/torch/element_type.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/*
 * Classes that the metadata of real checkpoints is made of: torch/distributed/checkpoint
 * metadata.py and filesystem.py; before 2.3 TensorProperties of _shard/sharded_tensor/metadata.py;
 * torch.serialization._get_layout; the getattr by which some releases of Python pickle members of
 * an enum; a path as checkpoint_id; and the subclass of Metadata that Megatron-Core saves.
 */
static const char *const allowed[] = { "torch.*",
				       "pathlib.*",
				       "builtins.getattr",
				       "__builtin__.getattr",
				       "collections.OrderedDict",
				       "megatron.core.dist_checkpointing.*",
				       NULL };

#define METADATA "torch.distributed.checkpoint.metadata."

/*
 * Parts of a pickle may be shared, so what it lists can be far more than its bytes. A chunk that is
 * stored takes more than CHUNK_BYTES of them, and no class has more than MEMBERS members.
 */
enum { CHUNK_BYTES = 16, MEMBERS = 64 };

struct reading {
	struct dcp_metadata *metadata;
	struct arena *arena;
	struct buf name;	      /* the name that is looked for, ended by a NUL */
	struct map tensors, blobs;    /* by fqn */
	struct map files;	      /* by name, into file_names */
	VEC(const char *) file_names; /* one copy of each */
	struct dcp_index *indices;    /* of each tensor */
	size_t chunks, most_chunks;
	const char *error;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct reading *r, const char *format, ...)
{
	va_list args;

	if (r->error)
		return false;
	va_start(args, format);
	r->error = arena_vprintf(r->arena, format, args);
	va_end(args);
	return false;
}

/* A value in words, for an error about it. */
static const char *words(struct reading *r, const struct pickle_value *value)
{
	char *text;
	struct buf out;

	if (!value)
		return "absent";
	buf_init(&out);
	pickle_print(&out, value, 2, 160);
	text = arena_strndup(r->arena, out.data, out.length);
	buf_release(&out);
	return text;
}

/* A member of an object by its name; NULL when there is none. */
static const struct pickle_value *member(const struct pickle_value *object, const char *name)
{
	size_t own, state = 0;

	pickle_items(object, &own);
	if (object->kind == PICKLE_OBJECT)
		pickle_items(&object->as.object->state, &state);
	return own + state <= 2 * (size_t)MEMBERS ? pickle_member(object, name) : NULL;
}

/* Puts a name into r->name; false (and no error) when it is no text that could be printed. */
static bool read_name(struct reading *r, const struct pickle_value *value)
{
	uint32_t i;

	if (!value || value->kind != PICKLE_STRING)
		return false;
	for (i = 0; i < value->count; i++)
		if ((unsigned char)value->as.text[i] < ' ' || value->as.text[i] == 0x7F)
			return false;
	buf_clear(&r->name);
	buf_bytes(&r->name, value->as.text, value->count);
	return true;
}

static char *kept_name(struct reading *r)
{
	return arena_strndup(r->arena, r->name.data, r->name.length);
}

static bool read_int(const struct pickle_value *value, int64_t *number)
{
	if (!value || value->kind != PICKLE_INT || value->as.integer < 0)
		return false;
	*number = value->as.integer;
	return true;
}

/* A torch.Size or a plain tuple or list of numbers; the number of them, or -1 after an error. */
static int read_size(struct reading *r, const char *fqn, const char *what,
		     const struct pickle_value *value, int64_t *sizes)
{
	const struct pickle_value *items = value;
	size_t count, i;

	memset(sizes, 0, PARAMETER_DIMS * sizeof(*sizes));
	if (value && pickle_is(value, "torch.Size") && value->kind == PICKLE_OBJECT &&
	    value->as.object->args.count == 1)
		items = &value->as.object->args.as.items[0];
	if (!items || (items->kind != PICKLE_TUPLE && items->kind != PICKLE_LIST)) {
		fail(r, "%s: %s is %s, not a torch.Size", fqn, what, words(r, value));
		return -1;
	}
	items = pickle_items(items, &count);
	if (count > PARAMETER_DIMS) {
		fail(r, "%s has %zu dimensions; parplan reads up to %d", fqn, count,
		     PARAMETER_DIMS);
		return -1;
	}
	for (i = 0; i < count; i++)
		if (!read_int(&items[i], &sizes[i])) {
			fail(r, "%s: %s holds %s, not a size", fqn, what, words(r, &items[i]));
			return -1;
		}
	return (int)count;
}

/* TensorProperties pickles itself as a tuple that begins with the dtype. */
static bool read_dtype(struct reading *r, struct dcp_tensor *tensor,
		       const struct pickle_value *properties)
{
	const struct pickle_value *dtype = properties ? member(properties, "dtype") : NULL;
	const struct element_type *type;

	if (properties && properties->kind == PICKLE_OBJECT &&
	    properties->as.object->state.kind == PICKLE_TUPLE && properties->as.object->state.count)
		dtype = &properties->as.object->state.as.items[0];
	if (!dtype || dtype->kind != PICKLE_GLOBAL || !text_starts(dtype->as.text, "torch."))
		return fail(r, "%s: its properties have no dtype, only %s", tensor->fqn,
			    words(r, dtype ? dtype : properties));
	tensor->dtype = dtype->as.text + strlen("torch.");
	type = element_type_find(tensor->dtype);
	tensor->element_bytes = type ? type->bytes : 0;
	return true;
}

static bool read_chunk(struct reading *r, struct dcp_tensor *tensor,
		       const struct pickle_value *value)
{
	struct dcp_chunk chunk = { .file = NULL };
	int dims = read_size(r, tensor->fqn, "the offsets of a chunk", member(value, "offsets"),
			     chunk.offset);
	int dim;

	if (dims < 0 || read_size(r, tensor->fqn, "the sizes of a chunk", member(value, "sizes"),
				  chunk.shape) < 0)
		return false;
	for (dim = 0; dim < PARAMETER_DIMS; dim++)
		if (dims != tensor->dims || chunk.offset[dim] > tensor->shape[dim] ||
		    chunk.shape[dim] > tensor->shape[dim] - chunk.offset[dim])
			return fail(r, "%s: a chunk reaches out of the tensor: %s", tensor->fqn,
				    words(r, value));
	vec_push(r->arena, &tensor->chunks, chunk);
	return true;
}

static bool read_tensor(struct reading *r, const char *fqn, const struct pickle_value *value)
{
	struct dcp_tensor tensor = { .fqn = fqn };
	const struct pickle_value *chunks = member(value, "chunks");
	size_t count = 0, i;

	tensor.dims = read_size(r, fqn, "its size", member(value, "size"), tensor.shape);
	if (tensor.dims < 0 || !read_dtype(r, &tensor, member(value, "properties")))
		return false;
	if (!chunks || chunks->kind != PICKLE_LIST)
		return fail(r, "%s: its chunks are %s, not a list", fqn, words(r, chunks));
	chunks = pickle_items(chunks, &count);
	if (count > r->most_chunks - r->chunks)
		return fail(r, "%s: there are more chunks than the file could describe", fqn);
	r->chunks += count;
	vec_reserve(r->arena, &tensor.chunks, count);
	for (i = 0; i < count; i++)
		if (!read_chunk(r, &tensor, &chunks[i]))
			return false;
	if (!map_add(&r->tensors, fqn, (uint32_t)r->metadata->tensors.count))
		return fail(r, "%s is listed twice", fqn);
	vec_push(r->arena, &r->metadata->tensors, tensor);
	return true;
}

static bool read_entry(struct reading *r, const char *fqn, const struct pickle_value *value)
{
	struct dcp_blob blob = { .fqn = fqn };

	if (pickle_is(value, METADATA "TensorStorageMetadata"))
		return read_tensor(r, fqn, value);
	if (!pickle_is(value, METADATA "BytesStorageMetadata"))
		return fail(r, "%s is %s, neither a tensor nor bytes", fqn, words(r, value));
	if (!map_add(&r->blobs, fqn, (uint32_t)r->metadata->blobs.count))
		return fail(r, "%s is listed twice", fqn);
	vec_push(r->arena, &r->metadata->blobs, blob);
	return true;
}

/* The pairs of a member of the metadata that must be a dict. */
static const struct pickle_value *read_dict(struct reading *r, const struct pickle_value *root,
					    const char *key, size_t *count)
{
	const struct pickle_value *value = member(root, key);

	*count = 0;
	if (value && (value->kind == PICKLE_DICT ||
		      (value->kind == PICKLE_OBJECT && value->as.object->pairs)))
		return pickle_items(value, count);
	fail(r, "%s is %s, not a dict", key, words(r, value));
	return NULL;
}

static bool read_entries(struct reading *r, const struct pickle_value *root)
{
	size_t count, i;
	const struct pickle_value *pairs = read_dict(r, root, "state_dict_metadata", &count);

	for (i = 0; i + 1 < count; i += 2) {
		if (!read_name(r, &pairs[i]))
			return fail(r, "state_dict_metadata has the key %s, not a name",
				    words(r, &pairs[i]));
		if (!read_entry(r, kept_name(r), &pairs[i + 1]))
			return false;
	}
	r->indices = arena_array(r->arena, r->metadata->tensors.count, sizeof(*r->indices));
	return !r->error;
}

/* Where the bytes of an entry are: _StorageInfo(relative_path, offset, length). */
static bool read_place(struct reading *r, const char *fqn, const struct pickle_value *info,
		       struct dcp_blob *place)
{
	int64_t file;

	if (!read_int(member(info, "offset"), &place->start) ||
	    !read_int(member(info, "length"), &place->length) ||
	    !read_name(r, member(info, "relative_path")))
		return fail(r, "%s is stored at %s, which is no place in a file", fqn,
			    words(r, info));
	file = map_find(&r->files, r->name.data);
	if (file < 0) {
		file = (int64_t)r->file_names.count;
		vec_push(r->arena, &r->file_names, kept_name(r));
		map_add(&r->files, r->file_names.items[file], (uint32_t)file);
	}
	place->file = r->file_names.items[file];
	return true;
}

static bool store_chunk(struct reading *r, uint32_t at, const struct pickle_value *index,
			const struct pickle_value *info)
{
	struct dcp_tensor *tensor = &r->metadata->tensors.items[at];
	struct dcp_blob place = { .fqn = NULL };
	struct dcp_chunk *chunk;
	int64_t offset[PARAMETER_DIMS], hint = -1;

	if (!read_place(r, tensor->fqn, info, &place) ||
	    read_size(r, tensor->fqn, "the offset of a stored chunk", member(index, "offset"),
		      offset) < 0)
		return false;
	read_int(member(index, "index"), &hint);
	chunk = dcp_index_find(&r->indices[at], r->arena, tensor, offset, hint);
	if (!chunk)
		return fail(r, "%s stores a chunk of %s at an offset where it has none: %s",
			    place.file, tensor->fqn, words(r, member(index, "offset")));
	if (chunk->file)
		return fail(r, "a chunk of %s is stored twice, in %s and in %s", tensor->fqn,
			    chunk->file, place.file);
	chunk->file = place.file;
	chunk->start = place.start;
	chunk->length = place.length;
	return true;
}

static bool store_blob(struct reading *r, uint32_t at, const struct pickle_value *info)
{
	struct dcp_blob *blob = &r->metadata->blobs.items[at];

	if (blob->file)
		return fail(r, "%s is stored twice", blob->fqn);
	return read_place(r, blob->fqn, info, blob);
}

static bool read_storage(struct reading *r, const struct pickle_value *root)
{
	size_t count, i;
	const struct pickle_value *pairs = read_dict(r, root, "storage_data", &count);

	for (i = 0; i + 1 < count; i += 2) {
		int64_t tensor, blob;

		if (!read_name(r, member(&pairs[i], "fqn")))
			return fail(r, "storage_data has the key %s, not a MetadataIndex",
				    words(r, &pairs[i]));
		tensor = map_find(&r->tensors, r->name.data);
		blob = map_find(&r->blobs, r->name.data);
		if (tensor < 0 && blob < 0)
			return fail(r, "%s is stored, but state_dict_metadata does not list it",
				    r->name.data);
		if (tensor >= 0 ? !store_chunk(r, (uint32_t)tensor, &pairs[i], &pairs[i + 1])
				: !store_blob(r, (uint32_t)blob, &pairs[i + 1]))
			return false;
	}
	return !r->error;
}

static bool check_stored(struct reading *r)
{
	size_t i, j;

	for (i = 0; i < r->metadata->tensors.count; i++) {
		struct dcp_tensor *tensor = &r->metadata->tensors.items[i];
		for (j = 0; j < tensor->chunks.count; j++) {
			struct dcp_chunk *chunk = &tensor->chunks.items[j];
			if (!chunk->file && dcp_chunk_holds(tensor, chunk))
				return fail(r, "chunk %zu of %s is stored nowhere", j, tensor->fqn);
			if (!chunk->file)
				chunk->file = "";
		}
	}
	for (i = 0; i < r->metadata->blobs.count; i++)
		if (!r->metadata->blobs.items[i].file)
			return fail(r, "%s is stored nowhere", r->metadata->blobs.items[i].fqn);
	return true;
}

/* What the default planner leaves behind; other planners leave other things, or nothing. */
static void read_paths(struct reading *r, const struct pickle_value *root)
{
	const struct pickle_value *data = member(root, "planner_data"), *pairs, *keys;
	size_t count, keys_count, i, j;

	pairs = data && data->kind == PICKLE_DICT ? pickle_items(data, &count) : NULL;
	for (i = 0; pairs && i + 1 < count; i += 2) {
		struct dcp_path path = { .fqn = NULL };

		keys = pickle_items(&pairs[i + 1], &keys_count);
		if (pairs[i + 1].kind != PICKLE_TUPLE || keys_count > MEMBERS ||
		    !read_name(r, &pairs[i]))
			continue;
		path.fqn = kept_name(r);
		for (j = 0; j < keys_count; j++)
			if (read_name(r, &keys[j]))
				vec_push(r->arena, &path.keys, kept_name(r));
			else if (keys[j].kind == PICKLE_INT)
				vec_push(r->arena, &path.keys,
					 arena_printf(r->arena, "%" PRId64, keys[j].as.integer));
		if (path.keys.count == keys_count)
			vec_push(r->arena, &r->metadata->paths, path);
	}
}

/* A text, or a pathlib.Path, which is made from its parts. */
static const char *read_path(struct reading *r, const struct pickle_value *value)
{
	const char *path = "";
	uint32_t i;

	if (!value)
		return NULL;
	if (read_name(r, value))
		return kept_name(r);
	if (value->kind != PICKLE_OBJECT || !text_starts(value->as.object->type, "pathlib."))
		return NULL;
	for (i = 0; i < value->as.object->args.count && i < 64; i++) {
		bool joined = !*path || text_ends(path, "/");
		if (!read_name(r, &value->as.object->args.as.items[i]))
			return NULL;
		path = arena_join(r->arena, path, joined ? "" : "/", r->name.data);
	}
	return path;
}

static void read_about(struct reading *r, const struct pickle_value *root)
{
	const struct pickle_value *meta = member(root, "storage_meta");

	if (read_name(r, member(root, "version")))
		r->metadata->version = kept_name(r);
	if (meta)
		r->metadata->checkpoint_id = read_path(r, member(meta, "checkpoint_id"));
	read_paths(r, root);
}

const char *dcp_metadata_read(struct dcp_metadata *metadata, struct arena *arena, const char *bytes,
			      size_t length)
{
	static const struct pickle_rules rules = { .allowed = allowed };
	struct reading r = { .metadata = metadata,
			     .arena = arena,
			     .most_chunks = length / CHUNK_BYTES };
	struct pickle_value root;

	memset(metadata, 0, sizeof(*metadata));
	r.error = pickle_read(&root, arena, &rules, bytes, length);
	if (r.error)
		return r.error;
	r.tensors.arena = r.blobs.arena = r.files.arena = arena;
	buf_init(&r.name);
	if (!member(&root, "state_dict_metadata"))
		fail(&r, "it holds %s, not the Metadata of torch.distributed.checkpoint",
		     words(&r, &root));
	else if (read_entries(&r, &root) && read_storage(&r, &root) && check_stored(&r))
		read_about(&r, &root);
	buf_release(&r.name);
	return r.error;
}
