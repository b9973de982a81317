#include "input/settings/foreign_keys.h"

#include "input/document.h"
#include "input/field.h"
#include "input/launch/launch.h"

#include <string.h>

/* The key's last part. */
static const char *leaf_of(const char *key)
{
	const char *dot = strrchr(key, '.');

	return dot ? dot + 1 : key;
}

const char *foreign_name(const char *leaf, const char **owner)
{
	const struct dialect *const *row;
	enum field_id field;

	if (!strcmp(leaf, "world_size")) {
		*owner = "torch.distributed";
		return "world";
	}
	*owner = launcher_of_option(leaf, &field);
	if (*owner)
		return field_of(field)->key;
	for (row = dialects; *row; row++) {
		field = (*row)->field_of ? (*row)->field_of(leaf) : FIELD_COUNT;
		if (field == FIELD_COUNT || !strcmp(leaf_of(field_of(field)->key), leaf))
			continue;
		*owner = (*row)->framework ? (*row)->framework : (*row)->name;
		return field_of(field)->key;
	}
	return NULL;
}

const char *foreign_stem(struct arena *arena, const char *leaf)
{
	static const char *const endings[] = { "_size", "_degree", "_dim" };
	const char *owner, *key = NULL;
	size_t i;

	for (i = 0; i < sizeof(endings) / sizeof(endings[0]) && !key; i++)
		key = foreign_name(arena_join(arena, leaf, endings[i], ""), &owner);
	return key;
}
