#include "draw/communicator.h"

#include "draw/palette.h"

#include <string.h>

enum { MEMBERS_COUNTED = 1 << 16 };

/* What goes over the axes whose names TorchTitan and most others use. */
static const struct role {
	const char *name, *carries;
	enum pattern pattern;
	bool idle;
} roles[] = {
	{ "pp", "send and receive of activations and their gradients, each microbatch",
	  PATTERN_CHAIN, false },
	{ "tp", "all-gather and reduce-scatter of activations, each layer", PATTERN_RING, false },
	{ "cp", "exchange of keys and values, each attention layer", PATTERN_RING, false },
	{ "sp", "exchange of tokens for heads, or of keys and values, each attention layer",
	  PATTERN_PAIRS, false },
	{ "ep", "all-to-all of tokens to their experts and back, each MoE layer", PATTERN_PAIRS,
	  false },
	{ "etp", "all-gather and reduce-scatter of activations, each MoE layer", PATTERN_RING,
	  false },
	{ "loss", "all-reduce of the loss, where it is logged", PATTERN_RING, false },
	{ "dp_cp", "all-reduce of the loss, where it is logged", PATTERN_RING, false },
	{ "dp", "nothing: it says which data a rank reads", PATTERN_RING, true },
	{ "batch", "which data a rank reads; at most counts of tokens", PATTERN_RING, true },
};

static const struct role shard_role = {
	"", "all-gather of parameters, reduce-scatter of gradients, each unit", PATTERN_RING, false
};
static const struct role expert_shard_role = {
	"", "all-gather and reduce-scatter of routed experts, each unit", PATTERN_RING, false
};
static const struct role replicate_role = { "", "all-reduce of gradient shards, each unit",
					    PATTERN_RING, false };
static const struct role expert_replicate_role = { "",
						   "all-reduce of routed experts' gradient shards",
						   PATTERN_RING, false };
static const struct role ddp_role = { "", "all-reduce of gradients, in buckets", PATTERN_RING,
				      false };

static const struct role idle_role = { "", "nothing itself: other groups are made of it",
				       PATTERN_RING, true };

static bool has(const struct sharding *sharding, const char *name)
{
	int i;

	for (i = 0; i < sharding->mesh_count; i++)
		if (sharding->mesh[i] && !strcmp(sharding->mesh[i], name))
			return true;
	for (i = 0; i < sharding->shard_count; i++)
		if (!strcmp(sharding->shard_dims[i], name))
			return true;
	return sharding->replicate_dim && !strcmp(sharding->replicate_dim, name);
}

/* True when nobody of that name is given to fully_shard, so that groups alone decide. */
static bool is_unnamed(const struct plan *plan, const struct sharding *sharding,
		       const struct layout *groups)
{
	size_t i;

	for (i = 0; i < plan->meshes.count; i++)
		if (has(sharding, plan->meshes.items[i].name) &&
		    layout_same_groups(&plan->meshes.items[i].layout, groups))
			return false;
	return true;
}

static bool plays(const struct plan *plan, const struct sharding *sharding,
		  const struct layout *groups, const struct mesh *mesh)
{
	return groups->modes && layout_size(groups) > 1 &&
	       layout_same_groups(groups, &mesh->layout) &&
	       (has(sharding, mesh->name) || is_unnamed(plan, sharding, groups));
}

static bool is_ddp(enum strategy strategy)
{
	return strategy == STRATEGY_DDP || strategy == STRATEGY_HSDP_SHARD1;
}

/* True when another mesh is flattened from this one. */
static bool is_material(const struct plan *plan, const struct mesh *mesh)
{
	size_t i;
	int from;

	for (i = 0; i < plan->meshes.count; i++)
		for (from = 0; from < plan->meshes.items[i].from_count; from++)
			if (&plan->meshes.items[i] != mesh &&
			    !strcmp(plan->meshes.items[i].from[from], mesh->name))
				return true;
	return false;
}

/* What fully_shard does over it comes first: one name may be used for anything. */
static const struct role *role_of(const struct plan *plan, const struct mesh *mesh)
{
	size_t i;

	if (plays(plan, &plan->dense, &plan->dense.shard, mesh))
		return &shard_role;
	if (plays(plan, &plan->dense, &plan->dense.replicate, mesh))
		return is_ddp(plan->dense.strategy) ? &ddp_role : &replicate_role;
	if (plan->has_expert && plays(plan, &plan->expert, &plan->expert.shard, mesh))
		return &expert_shard_role;
	if (plan->has_expert && plays(plan, &plan->expert, &plan->expert.replicate, mesh))
		return &expert_replicate_role;
	for (i = 0; i < sizeof(roles) / sizeof(*roles); i++)
		if (!strcmp(roles[i].name, mesh->name))
			return &roles[i];
	return is_material(plan, mesh) ? &idle_role : NULL;
}

static bool is_flattened(const struct mesh *mesh)
{
	return mesh->flattened || mesh->from_count > 1;
}

static const char *from_words(struct arena *arena, const struct mesh *mesh)
{
	const char *words = NULL;
	int i;

	for (i = 0; is_flattened(mesh) && i < mesh->from_count; i++)
		words = words ? arena_printf(arena, "%s × %s", words, mesh->from[i])
			      : mesh->from[i];
	return words;
}

static void add(struct arena *arena, struct communicators *all, const struct plan *plan,
		const struct mesh *mesh, const char *parent)
{
	const struct role *role = role_of(plan, mesh);
	struct communicator new = {
		.name = mesh->name,
		.layout = mesh->layout,
		.mesh = mesh,
		.parent = parent,
		.from = from_words(arena, mesh),
		.made = mesh->exists,
		.carries = role ? role->carries : NULL,
		.idle = !mesh->exists || (role && role->idle),
		.pattern = role ? role->pattern : PATTERN_RING,
		.hue = -1,
	};
	size_t i;

	for (i = 0; i < all->list.count && !new.like; i++)
		if (layout_same_groups(&all->list.items[i].layout, &mesh->layout))
			new.like = all->list.items[i].name;
	vec_push(arena, &all->list, new);
}

/* The hue of others with the same groups, or -1. */
static int hue_of(const struct communicators *all, const struct communicator *of)
{
	size_t i;

	for (i = 0; i < all->list.count; i++)
		if (all->list.items[i].hue >= 0 &&
		    layout_same_groups(&all->list.items[i].layout, &of->layout))
			return all->list.items[i].hue;
	return -1;
}

/* Colours are scarce: one for each set of groups over which something goes. */
static void set_hues(struct communicators *all)
{
	size_t i;

	for (i = 0; i < all->list.count; i++) {
		struct communicator *of = &all->list.items[i];
		if (of->idle)
			continue;
		of->hue = hue_of(all, of);
		if (of->hue < 0)
			of->hue = all->hues++ % MARKS;
	}
	for (i = 0; i < all->list.count; i++)
		if (all->list.items[i].made && all->list.items[i].idle)
			all->list.items[i].hue = hue_of(all, &all->list.items[i]);
}

/* Those of one n-D mesh (NULL: of none), the axes before what is flattened from them. */
static void add_all(struct arena *arena, struct communicators *all, const struct plan *plan,
		    const char *view, const char *parent)
{
	int flattened;
	size_t i;

	for (flattened = 0; flattened < 2; flattened++)
		for (i = 0; i < plan->meshes.count; i++) {
			const struct mesh *mesh = &plan->meshes.items[i];
			bool mine = view ? mesh->view && !strcmp(mesh->view, view) : !mesh->view;
			if (mine && is_flattened(mesh) == flattened &&
			    layout_size(&mesh->layout) > 1)
				add(arena, all, plan, mesh, parent);
		}
}

struct communicators communicators_of(struct arena *arena, const struct plan *plan)
{
	struct communicators all = { .single = NULL };
	size_t i;

	for (i = 0; i < plan->views.count; i++)
		add_all(arena, &all, plan, plan->views.items[i].name, plan->views.items[i].name);
	add_all(arena, &all, plan, NULL, plan->views.count || !plan->root.axes ? "" : "root");
	set_hues(&all);
	for (i = 0; i < plan->meshes.count; i++)
		if (layout_size(&plan->meshes.items[i].layout) == 1)
			all.single = all.single ? arena_printf(arena, "%s, %s", all.single,
							       plan->meshes.items[i].name)
						: plan->meshes.items[i].name;
	return all;
}

int64_t place_of_rank(const struct cluster *cluster, int64_t rank)
{
	const struct topology *topology = cluster->topology;
	int64_t nodes = topology && topology->domain > 1 ? topology->domain : 1;

	return topology ? topology_place(topology, rank).node / nodes : 0;
}

/* A chain's steps from one node to another, in the first group. */
static int64_t far_steps(const struct cluster *cluster, const struct layout *layout)
{
	int64_t size = layout_size(layout), i, far = 0, before = place_of_rank(cluster, 0);

	for (i = 1; i < size; i++) {
		int64_t place = place_of_rank(cluster, layout_offset(layout, i));
		far += place != before;
		before = place;
	}
	return far;
}

/* Peers of the first rank on other nodes. */
static int64_t far_peers(const struct cluster *cluster, const struct layout *layout)
{
	int64_t size = layout_size(layout), own = place_of_rank(cluster, 0), i, far = 0;

	for (i = 1; i < size; i++)
		far += place_of_rank(cluster, layout_offset(layout, i)) != own;
	return far;
}

struct crossing crossing_of(const struct cluster *cluster, const struct communicator *communicator)
{
	const struct layout *layout = &communicator->layout;
	int64_t size = layout_size(layout);
	struct crossing crossing = { .counted = size <= MEMBERS_COUNTED };
	struct spans spans;

	if (!cluster->topology || !topology_spans(cluster->topology, layout, &spans))
		return (struct crossing) { .known = false };
	crossing.known = true;
	crossing.places = cluster->topology->domain > 1 ? spans.domains_max : spans.nodes_max;
	crossing.inside = crossing.places == 1;
	crossing.domains = cluster->topology->domain > 1 && spans.nodes_max > 1;
	if (communicator->pattern == PATTERN_RING && size > 2) {
		crossing.counted = true;
		crossing.hops = size;
		crossing.far = crossing.inside ? 0 : crossing.places;
	} else if (crossing.counted) {
		bool pairs = communicator->pattern == PATTERN_PAIRS;
		crossing.hops = size - 1;
		crossing.far = pairs ? far_peers(cluster, layout) : far_steps(cluster, layout);
	}
	return crossing;
}
