#include "plan/comparison.h"

#include <inttypes.h>
#include <string.h>

enum { GROUPS_SHOWN = 2 };

/* A named mesh of more than one rank. */
struct named {
	const struct mesh *mesh;
	bool settled; /* nothing remains to be said of it */
};

struct side {
	const struct plan *plan;
	VEC(struct named) list;
};

static struct side side_of(struct arena *arena, const struct plan *plan)
{
	struct side side = { .plan = plan };
	size_t i;

	for (i = 0; i < plan->meshes.count; i++) {
		struct named named = { .mesh = &plan->meshes.items[i] };
		if (layout_size(&named.mesh->layout) > 1)
			vec_push(arena, &side.list, named);
	}
	return side;
}

static bool is_fake(const struct mesh *mesh)
{
	return mesh->backend && !strcmp(mesh->backend, "fake");
}

static bool same_mesh(const struct mesh *a, const struct mesh *b)
{
	return is_fake(a) == is_fake(b) && layout_same_groups(&a->layout, &b->layout);
}

/* "size 8, {0-7} {8-15}" */
static char *mesh_text(struct arena *arena, const struct side *side, const struct mesh *mesh)
{
	return arena_printf(arena, "size %" PRId64 ", %s%s", layout_size(&mesh->layout),
			    groups_text(arena, &mesh->layout, side->plan->world, GROUPS_SHOWN),
			    is_fake(mesh) ? ", no group (fake backend)" : "");
}

static struct named *named_find(const struct side *side, const char *name)
{
	size_t i;

	for (i = 0; i < side->list.count; i++)
		if (!strcmp(side->list.items[i].mesh->name, name))
			return &side->list.items[i];
	return NULL;
}

/* Settles names that both sides have. */
static void compare_common(struct comparison *c, struct side *left, struct side *right)
{
	size_t i;

	for (i = 0; i < left->list.count; i++) {
		struct named *a = &left->list.items[i], *b = named_find(right, a->mesh->name);
		if (!b)
			continue;
		a->settled = b->settled = true;
		if (!same_mesh(a->mesh, b->mesh))
			comparison_add(c, DIFFERENCE_MESH, arena_strdup(c->arena, a->mesh->name),
				       mesh_text(c->arena, left, a->mesh),
				       mesh_text(c->arena, right, b->mesh));
	}
}

/* Names that have meant one thing from the first version on: another name is another mesh. */
static bool is_fixed(const struct mesh *mesh)
{
	static const char *const names[] = { "pp", "dp_replicate", "cp", "tp", "ep", "etp" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(mesh->name, names[i]))
			return true;
	return false;
}

/* True when one name may stand for the other: both are free, or it is one mesh. */
static bool goes_with(const struct mesh *a, const struct mesh *b)
{
	return a == b || (!is_fixed(a) && !is_fixed(b) && same_mesh(a, b));
}

/* Settles all meshes that go with `mesh` and gives their names: "dp_shard, dp_shard_cp". */
static const char *take_names(struct arena *arena, struct side *side, const struct mesh *mesh)
{
	char *names = arena_strdup(arena, "");
	size_t i;

	for (i = 0; i < side->list.count; i++) {
		struct named *named = &side->list.items[i];
		if (named->settled || !goes_with(named->mesh, mesh))
			continue;
		named->settled = true;
		names = arena_printf(arena, "%s%s%s", names, *names ? ", " : "", named->mesh->name);
	}
	return names;
}

/*
 * The names that only one side has: renamed where the other has new ones for the same ranks. Nobody
 * misses a name without a group.
 */
static void compare_names(struct comparison *c, struct side *left, struct side *right)
{
	size_t i;

	for (i = 0; i < left->list.count; i++) {
		const struct mesh *mesh = left->list.items[i].mesh;
		const char *before, *after, *text = mesh_text(c->arena, left, mesh);
		if (left->list.items[i].settled || is_fake(mesh))
			continue;
		before = take_names(c->arena, left, mesh);
		after = take_names(c->arena, right, mesh);
		if (*after)
			comparison_add(c, DIFFERENCE_MESH_NAME, text, before, after);
		else
			comparison_add(c, DIFFERENCE_MESH, before, text, difference_absent);
	}
	for (i = 0; i < right->list.count; i++) {
		const struct mesh *mesh = right->list.items[i].mesh;
		if (!right->list.items[i].settled && !is_fake(mesh))
			comparison_add(c, DIFFERENCE_MESH, take_names(c->arena, right, mesh),
				       difference_absent, mesh_text(c->arena, right, mesh));
	}
}

struct differences plan_compare_meshes(struct arena *arena, const struct plan *left,
				       const struct plan *right)
{
	struct comparison c = { .arena = arena };
	struct side before = side_of(arena, left), after = side_of(arena, right);

	compare_common(&c, &before, &after);
	compare_names(&c, &before, &after);
	return c.found;
}
