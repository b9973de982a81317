#include "draw/owners.h"

#include "base/text.h"

#include <string.h>

static void add(struct owner *owner, int64_t rank, int64_t place)
{
	if (!owner->count)
		owner->place = place;
	else if (owner->place != place)
		owner->place = -1;
	if (owner->count < OWNERS_NAMED)
		owner->first[owner->count] = rank;
	owner->count++;
}

struct owners owners_of(struct arena *arena, const struct plan *plan, const struct sharded *sharded,
			const struct layout *axis)
{
	struct owners owners = { .sharded = sharded,
				 .spread = spread_of(arena, sharded, plan->world) };
	int64_t rank;

	owners.block = arena_array(arena, (size_t)owners.spread->boxes, sizeof(*owners.block));
	for (rank = 0; rank < plan->world; rank++) {
		int32_t box = owners.spread->box_of[rank];
		if (!plan_rank_has_stage(plan, rank, sharded->stage))
			continue;
		add(box < 0 ? &owners.none : &owners.block[box], rank,
		    axis ? layout_index(axis, rank) : -1);
		owners.ranks++;
	}
	return owners;
}

char *owner_text(struct arena *arena, const struct owner *owner, int most)
{
	const char *words = "";
	int i;

	for (i = 0; i < most && i < owner->count && i < OWNERS_NAMED; i++)
		words = arena_printf(arena, "%s%s%lld", words, i ? ", " : "",
				     (long long)owner->first[i]);
	if (i == owner->count)
		return arena_strdup(arena, words);
	return arena_printf(arena, "%s ⋯ ×%s", words, text_count(arena, owner->count));
}

/* True when fully_shard cuts over these groups. */
static bool is_fsdp(const struct plan *plan, const struct layout *layout)
{
	return layout_same_groups(layout, &plan->dense.shard) ||
	       (plan->has_expert && layout_same_groups(layout, &plan->expert.shard));
}

int64_t owners_padded(const struct plan *plan, const struct sharded *sharded, int dim, int64_t rank)
{
	int64_t length = sharded->parameter->shape[dim], offset;
	int i;

	for (i = sharded->dims - 1; i >= 0; i--) {
		const struct mesh_dim *cut = &sharded->dim[i];
		int64_t ways = layout_size(cut->layout);
		if ((cut->placement.kind != PLACE_SHARD &&
		     cut->placement.kind != PLACE_STRIDED_SHARD) ||
		    cut->placement.dim != dim || ways == 1)
			continue;
		if (is_fsdp(plan, cut->layout))
			return (length + ways - 1) / ways;
		chunk(length, ways, layout_index(cut->layout, rank), &length, &offset);
	}
	return 0;
}
