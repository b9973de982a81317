#include "draw/axes.h"

#include "base/buf.h"
#include "base/text.h"

#include <string.h>

static void add(struct axes *axes, const char *name, struct layout layout)
{
	if (axes->count < MESH_AXES && layout_size(&layout) > 1)
		axes->list[axes->count++] = (struct axis) { name, layout };
}

static void add_view(struct axes *axes, const struct view *view)
{
	struct layout whole = layout_row_major(view->sizes, view->axes);
	int i;

	for (i = 0; i < view->axes; i++)
		add(axes, view->names[i], layout_axis(whole.size[i], whole.stride[i]));
}

static const struct view *dense_view(const struct plan *plan)
{
	size_t i;

	for (i = 0; i < plan->views.count; i++)
		if (!strcmp(plan->views.items[i].name, "dense"))
			return &plan->views.items[i];
	return NULL;
}

struct axes axes_of(const struct plan *plan)
{
	const struct view *dense = dense_view(plan);
	struct axes axes = { .count = 0 };
	size_t i;

	if (plan->root.axes > 1 || (plan->root.axes && !dense))
		add_view(&axes, &plan->root);
	else if (dense)
		add_view(&axes, dense);
	for (i = 0; !plan->root.axes && !dense && i < plan->meshes.count; i++)
		if (!plan->meshes.items[i].flattened)
			add(&axes, plan->meshes.items[i].name, plan->meshes.items[i].layout);
	return axes;
}

/* The plan's name for groups like these, an axis of the root before a mesh made of several. */
static const char *name_of(const struct plan *plan, const struct layout *layout,
			   const char *otherwise)
{
	struct axes axes = axes_of(plan);
	size_t m;
	int i;

	for (i = 0; i < axes.count; i++)
		if (layout_same_groups(&axes.list[i].layout, layout))
			return axes.list[i].name;
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

static const struct axis *find(const struct axes *axes, const char *name)
{
	int i;

	for (i = 0; i < axes->count; i++)
		if (!strcmp(axes->list[i].name, name))
			return &axes->list[i];
	return NULL;
}

bool axis_find(const struct plan *plan, const char *name, struct axis *axis)
{
	const struct mesh *mesh = plan_mesh(plan, name);
	struct axes axes = axes_of(plan);

	if (find(&axes, name)) {
		*axis = *find(&axes, name);
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

char *axis_names(struct arena *arena, const struct plan *plan)
{
	struct axes axes = axes_of(plan);
	struct buf text;
	char *names;
	size_t m;
	int i;

	buf_init(&text);
	for (i = 0; i < axes.count; i++)
		buf_printf(&text, "%s%s", text.length ? ", " : "", axes.list[i].name);
	for (m = 0; m < plan->meshes.count; m++) {
		const struct mesh *mesh = &plan->meshes.items[m];
		if (layout_size(&mesh->layout) > 1 && !find(&axes, mesh->name))
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
	const char *shard = text_count(arena, size(&sharding->shard));
	const char *replicate = text_count(arena, size(&sharding->replicate));

	switch (sharding->strategy) {
	case STRATEGY_UNKNOWN:
		return arena_strdup(arena, "data parallelism not known");
	case STRATEGY_NONE:
		return arena_strdup(arena, "no data parallelism");
	case STRATEGY_DDP:
	case STRATEGY_HSDP_SHARD1:
		return arena_printf(arena, "DDP %s", replicate);
	case STRATEGY_FSDP:
	case STRATEGY_FSDP_SHARD1:
		return arena_printf(arena, "FSDP %s", shard);
	default:
		return arena_printf(arena, "HSDP %s × %s", replicate, shard);
	}
}

/* Of a run whose groups are not all known: what the calls show, and what they leave open. */
static char *seen_words(struct arena *arena, const struct degrees *seen)
{
	if (seen->dp_shard > 1 && seen->dp_replicate > 1)
		return arena_printf(arena, "HSDP %s × %s", text_count(arena, seen->dp_replicate),
				    text_count(arena, seen->dp_shard));
	if (seen->dp_shard > 1)
		return arena_printf(arena, "FSDP %s", text_count(arena, seen->dp_shard));
	if (seen->dp_replicate > 1)
		return arena_printf(arena, "DDP %s", text_count(arena, seen->dp_replicate));
	return arena_strdup(arena, seen->dp_shard && seen->dp_replicate
					   ? "no data parallelism"
					   : "data parallelism not known");
}

char *plan_words(struct arena *arena, const struct plan *plan)
{
	const struct {
		const char *name;
		int64_t size;
	} degrees[] = { { "pp", plan->degrees.pp },
			{ "cp", plan->degrees.cp },
			{ "tp", plan->degrees.tp },
			{ "ep", plan->degrees.ep } };
	const bool seen = plan->origin == PLAN_OBSERVED && plan->dense.strategy == STRATEGY_NONE;
	char *words =
		seen ? seen_words(arena, &plan->degrees) : sharding_words(arena, &plan->dense);
	size_t i;

	for (i = 0; i < sizeof(degrees) / sizeof(*degrees); i++)
		if (degrees[i].size > 1)
			words = arena_printf(arena, "%s, %s %lld", words, degrees[i].name,
					     (long long)degrees[i].size);
	return words;
}
