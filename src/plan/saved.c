#include "plan/saved.h"

#include "base/number.h"

#include <string.h>

void saved_init(struct saved *saved, struct arena *arena)
{
	memset(saved, 0, sizeof(*saved));
	saved->arena = arena;
	saved->tensor_names.arena = saved->file_names.arena = arena;
}

const char *saved_key(struct arena *arena, const char *fqn, const char *state)
{
	return *state ? arena_join(arena, fqn, " ", state) : fqn;
}

int32_t saved_file(struct saved *saved, const char *name)
{
	int64_t at = map_find(&saved->file_names, name);

	if (at >= 0)
		return (int32_t)at;
	map_add(&saved->file_names, name, (uint32_t)saved->files.count);
	vec_push(saved->arena, &saved->files, name);
	return (int32_t)saved->files.count - 1;
}

void saved_add(struct saved *saved, const struct saved_tensor *tensor)
{
	if (map_add(&saved->tensor_names, tensor->key, (uint32_t)saved->tensors.count))
		vec_push(saved->arena, &saved->tensors, *tensor);
}

const struct saved_tensor *saved_find(const struct saved *saved, const char *key)
{
	int64_t at = map_find(&saved->tensor_names, key);

	return at < 0 ? NULL : &saved->tensors.items[at];
}

int64_t saved_chunks(const struct saved *saved)
{
	int64_t chunks = 0;
	size_t i;

	for (i = 0; i < saved->tensors.count; i++)
		chunks += saved->spreads.items[saved->tensors.items[i].spread]->boxes;
	return chunks;
}

int64_t saved_bytes(const struct saved *saved)
{
	int64_t bytes = 0;
	size_t i;

	for (i = 0; i < saved->tensors.count; i++) {
		const struct saved_tensor *tensor = &saved->tensors.items[i];
		bytes = add(bytes, multiply(spread_volume(saved->spreads.items[tensor->spread]),
					    tensor->element));
	}
	return bytes;
}
