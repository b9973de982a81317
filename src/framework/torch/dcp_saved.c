#include "framework/torch/dcp_saved.h"

#include "base/text.h"

#include <string.h>

struct reader {
	struct saved *saved;
	struct arena *arena;
	const struct dcp_metadata *metadata;
	const struct model *model;
	const struct state_dict *dict;
	struct map keys;	   /* names in the checkpoint, to index into `known` */
	struct map parameters;	   /* fqn to index into the model's parameters */
	VEC(const char *) known;   /* keys */
	VEC(const int32_t *) last; /* by spread: the files of the last tensor that has it */
};

static void learn(struct reader *reader, const char *name, const char *key)
{
	if (map_add(&reader->keys, name, (uint32_t)reader->known.count))
		vec_push(reader->arena, &reader->known, key);
}

static void learn_names(struct reader *reader)
{
	const struct state_dict *dict = reader->dict;
	struct arena *arena = reader->arena;
	size_t i;
	int j;

	for (i = 0; reader->model && i < reader->model->parameters.count; i++) {
		const char *fqn = reader->model->parameters.items[i].fqn;
		map_add(&reader->parameters, fqn, (uint32_t)i);
		learn(reader, arena_join(arena, dict->model, fqn, ""), fqn);
		for (j = 0; j < dict->states; j++)
			learn(reader,
			      arena_printf(arena, "%s%s.%s", dict->optimizer, fqn, dict->state[j]),
			      saved_key(arena, fqn, dict->state[j]));
	}
}

static bool same_spread(const struct spread *a, const struct spread *b)
{
	int i;

	if (a->dims != b->dims || a->boxes != b->boxes || a->list || b->list)
		return false;
	for (i = 0; i < a->dims; i++)
		if (a->parts[i] != b->parts[i] ||
		    memcmp(a->at[i], b->at[i], (size_t)(a->parts[i] + 1) * sizeof(int64_t)) != 0)
			return false;
	return true;
}

/* The spread of a tensor's chunks, shared with tensors alike; number[] as in spread_of_boxes. */
static int place(struct reader *reader, const struct dcp_tensor *tensor, int32_t *number)
{
	struct saved *saved = reader->saved;
	struct box *boxes = arena_array(reader->arena, tensor->chunks.count, sizeof(*boxes));
	struct spread *spread;
	size_t i;

	for (i = 0; i < tensor->chunks.count; i++) {
		boxes[i].dims = tensor->dims;
		memcpy(boxes[i].offset, tensor->chunks.items[i].offset, sizeof(boxes[i].offset));
		memcpy(boxes[i].shape, tensor->chunks.items[i].shape, sizeof(boxes[i].shape));
	}
	spread = spread_of_boxes(reader->arena, tensor->dims, tensor->shape, boxes,
				 (int64_t)tensor->chunks.count, number);
	for (i = 0; i < saved->spreads.count; i++)
		if (same_spread(saved->spreads.items[i], spread))
			return (int)i;
	vec_push(reader->arena, &saved->spreads, spread);
	vec_push(reader->arena, &reader->last, NULL);
	return (int)i;
}

/* The table of files, the one before where it is the same: tensors alike are counted at once. */
static const int32_t *share(struct reader *reader, int spread, const int32_t *file)
{
	const int32_t **last_of = reader->last.items, *last;
	size_t size;

	if (!last_of)
		return file;
	last = last_of[spread];
	size = (size_t)reader->saved->spreads.items[spread]->boxes * sizeof(*file);
	if (last && !memcmp(last, file, size))
		return last;
	return last_of[spread] = file;
}

static void add_tensor(struct reader *reader, const struct dcp_tensor *tensor)
{
	struct saved_tensor saved = { .fqn = tensor->fqn, .element = tensor->element_bytes };
	int32_t *number = arena_array(reader->arena, tensor->chunks.count, sizeof(*number));
	int64_t key = map_find(&reader->keys, tensor->fqn), boxes;
	struct stored *stored;
	int32_t *file;
	size_t i;

	saved.key = key < 0 || !reader->known.items
			    ? arena_join(reader->arena, "? ", tensor->fqn, "")
			    : reader->known.items[key];
	saved.spread = place(reader, tensor, number);
	boxes = reader->saved->spreads.items[saved.spread]->boxes;
	file = arena_array(reader->arena, (size_t)boxes, sizeof(*file));
	stored = arena_array(reader->arena, (size_t)boxes, sizeof(*stored));
	for (i = 0; i < tensor->chunks.count; i++) {
		const struct dcp_chunk *chunk = &tensor->chunks.items[i];
		if (number[i] < 0)
			continue;
		file[number[i]] = saved_file(reader->saved, chunk->file);
		stored[number[i]].start = chunk->start;
		stored[number[i]].length = chunk->length;
	}
	saved.file = share(reader, saved.spread, file);
	saved.stored = stored;
	saved_add(reader->saved, &saved);
}

/*
 * The parameter an entry belongs to: "optimizer.state.FQN.step", "optimizer.param_groups.FQN.lr".
 * NULL when it belongs to none.
 */
static const char *owner(struct reader *reader, const char *name)
{
	const char *dot = strrchr(name, '.'), *from;
	int64_t at;

	for (from = strchr(name, '.'); from && from < dot; from = strchr(from, '.')) {
		from++;
		at = map_find(&reader->parameters,
			      arena_strndup(reader->arena, from, (size_t)(dot - from)));
		if (at >= 0)
			return reader->model->parameters.items[at].fqn;
	}
	return NULL;
}

static void add_entry(struct reader *reader, const char *fqn, const char *file, int64_t start,
		      int64_t length, int64_t bytes)
{
	struct saved_entry entry = { .fqn = fqn, .bytes = bytes };

	entry.key = owner(reader, fqn);
	entry.file = saved_file(reader->saved, file);
	entry.stored.start = start;
	entry.stored.length = length;
	vec_push(reader->arena, &reader->saved->entries, entry);
}

void saved_of_metadata(struct saved *saved, const struct dcp_metadata *metadata,
		       const struct model *model, const struct state_dict *dict)
{
	struct reader reader = { .saved = saved, .arena = saved->arena, .metadata = metadata };
	size_t i;

	reader.model = model;
	reader.dict = dict;
	reader.keys.arena = reader.parameters.arena = saved->arena;
	learn_names(&reader);
	for (i = 0; i < metadata->tensors.count; i++) {
		const struct dcp_tensor *tensor = &metadata->tensors.items[i];
		if (tensor->dims)
			add_tensor(&reader, tensor);
		else if (tensor->chunks.count)
			add_entry(&reader, tensor->fqn, tensor->chunks.items[0].file,
				  tensor->chunks.items[0].start, tensor->chunks.items[0].length,
				  tensor->element_bytes);
	}
	for (i = 0; i < metadata->blobs.count; i++) {
		const struct dcp_blob *blob = &metadata->blobs.items[i];
		add_entry(&reader, blob->fqn, blob->file, blob->start, blob->length, blob->length);
	}
}

/* What stands before `fqn` and `suffix` in a name, or NULL. */
static const char *before(struct arena *arena, const char *name, const char *fqn,
			  const char *suffix)
{
	size_t length = strlen(name), tail = strlen(fqn) + strlen(suffix), extra;

	if (length < tail || !text_ends(name, suffix))
		return NULL;
	extra = length - tail;
	if (strncmp(name + extra, fqn, strlen(fqn)) != 0 || (extra && name[extra - 1] != '.'))
		return NULL;
	return arena_strndup(arena, name, extra);
}

void state_dict_find(struct state_dict *dict, struct arena *arena, const struct model *model,
		     const struct dcp_metadata *metadata)
{
	const char *fqn, *name, *found, *model_name = NULL;
	size_t i;

	if (!model || !model->parameters.count)
		return;
	fqn = model->parameters.items[0].fqn;
	for (i = 0; i < metadata->tensors.count; i++) {
		name = metadata->tensors.items[i].fqn;
		found = before(arena, name, fqn, "");
		if (found && (!model_name || strlen(found) < strlen(model_name)))
			model_name = found;
		found = before(arena, name, fqn, ".exp_avg");
		if (found)
			dict->optimizer = found;
	}
	if (model_name)
		dict->model = model_name;
}
