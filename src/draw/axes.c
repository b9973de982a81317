#include "draw/axes.h"

#include "base/buf.h"
#include "base/text.h"

#include <string.h>

struct axis axis_of_root(const struct plan *plan, int index)
{
	const struct view *root = &plan->root;
	int64_t stride = 1;
	int i;

	for (i = index + 1; i < root->axes; i++)
		stride *= root->sizes[i];
	return (struct axis) { root->names[index], layout_axis(root->sizes[index], stride) };
}

/* The plan's name for groups like these, an axis of the root before a mesh made of several. */
static const char *name_of(const struct plan *plan, const struct layout *layout,
			   const char *otherwise)
{
	size_t m;
	int i;

	for (i = 0; i < plan->root.axes; i++) {
		struct axis axis = axis_of_root(plan, i);
		if (layout_same_groups(&axis.layout, layout))
			return axis.name;
	}
	for (m = 0; m < plan->meshes.count; m++)
		if (layout_same_groups(&plan->meshes.items[m].layout, layout))
			return plan->meshes.items[m].name;
	return otherwise;
}

static bool take(const struct plan *plan, const struct layout *layout, const char *part,
		 struct axis *axis)
{
	if (!layout->modes || layout_size(layout) < 2)
		return false;
	axis->layout = *layout;
	axis->name = name_of(plan, layout, part);
	return true;
}

bool axis_shard(const struct plan *plan, struct axis *axis)
{
	return take(plan, &plan->dense.shard, "shard", axis);
}

bool axis_replicate(const struct plan *plan, struct axis *axis)
{
	return take(plan, &plan->dense.replicate, "replicate", axis);
}

bool axis_find(const struct plan *plan, const char *name, struct axis *axis)
{
	const struct mesh *mesh = plan_mesh(plan, name);
	int i;

	for (i = 0; i < plan->root.axes; i++)
		if (!strcmp(plan->root.names[i], name)) {
			*axis = axis_of_root(plan, i);
			return true;
		}
	if (mesh) {
		*axis = (struct axis) { mesh->name, mesh->layout };
		return true;
	}
	if (!strcmp(name, "shard"))
		return axis_shard(plan, axis);
	if (!strcmp(name, "replicate"))
		return axis_replicate(plan, axis);
	return false;
}

static bool in_root(const struct plan *plan, const char *name)
{
	int i;

	for (i = 0; i < plan->root.axes; i++)
		if (!strcmp(plan->root.names[i], name))
			return true;
	return false;
}

char *axis_names(struct arena *arena, const struct plan *plan)
{
	struct buf text;
	char *names;
	size_t m;
	int i;

	buf_init(&text);
	for (i = 0; i < plan->root.axes; i++)
		buf_printf(&text, "%s%s", text.length ? ", " : "", plan->root.names[i]);
	for (m = 0; m < plan->meshes.count; m++) {
		const struct mesh *mesh = &plan->meshes.items[m];
		if (layout_size(&mesh->layout) > 1 && !in_root(plan, mesh->name))
			buf_printf(&text, "%s%s", text.length ? ", " : "", mesh->name);
	}
	names = arena_strdup(arena, text.data);
	buf_release(&text);
	return names;
}

static int64_t size(const struct layout *layout)
{
	return layout->modes ? layout_size(layout) : 1;
}

char *sharding_words(struct arena *arena, const struct sharding *sharding)
{
	long long shard = size(&sharding->shard), replicate = size(&sharding->replicate);

	switch (sharding->strategy) {
	case STRATEGY_NONE:
		return arena_strdup(arena, "no data parallelism");
	case STRATEGY_DDP:
	case STRATEGY_HSDP_SHARD1:
		return arena_printf(arena, "DDP %lld", replicate);
	case STRATEGY_FSDP:
	case STRATEGY_FSDP_SHARD1:
		return arena_printf(arena, "FSDP %lld", shard);
	default:
		return arena_printf(arena, "HSDP %lld × %lld", replicate, shard);
	}
}

char *plan_words(struct arena *arena, const struct plan *plan)
{
	char *words = sharding_words(arena, &plan->dense);
	int i;

	for (i = 0; i < plan->root.axes; i++)
		if (plan->root.sizes[i] > 1 && !text_starts(plan->root.names[i], "dp"))
			words = arena_printf(arena, "%s, %s %lld", words, plan->root.names[i],
					     (long long)plan->root.sizes[i]);
	return words;
}
