#include "input/settings/foreign_keys.h"

#include "input/document.h"
#include "input/field.h"

#include <string.h>

/* What launchers call settings. */
static const struct {
	const char *key, *owner, *ours;
} launchers[] = {
	{ "world_size", "torch.distributed", "world" },
	{ "num_processes", "accelerate", "launch.processes" },
	{ "num_machines", "accelerate", "launch.nodes" },
	{ "nproc_per_node", "torchrun", "launch.processes_per_node" },
	{ "nnodes", "torchrun", "launch.nodes" },
};

/* The key's last part. */
static const char *leaf_of(const char *key)
{
	const char *dot = strrchr(key, '.');

	return dot ? dot + 1 : key;
}

const char *foreign_name(const char *leaf, const char **owner)
{
	const struct dialect *const *row;
	size_t i;

	for (i = 0; i < sizeof(launchers) / sizeof(*launchers); i++)
		if (!strcmp(launchers[i].key, leaf)) {
			*owner = launchers[i].owner;
			return launchers[i].ours;
		}
	for (row = dialects; *row; row++) {
		enum field_id field = (*row)->field_of ? (*row)->field_of(leaf) : FIELD_COUNT;
		if (field == FIELD_COUNT || !strcmp(leaf_of(field_of(field)->key), leaf))
			continue;
		*owner = (*row)->framework ? (*row)->framework : (*row)->name;
		return field_of(field)->key;
	}
	return NULL;
}
