#include "report/plan/held.h"

/* True when every mode of one lies inside a mode of the other. */
static bool lies_inside(const struct layout *layout, const struct layout *within)
{
	const struct layout a = layout_canonical(layout), b = layout_canonical(within);
	int i, j;

	for (i = 0; i < a.modes; i++) {
		for (j = 0; j < b.modes; j++)
			if (a.stride[i] % b.stride[j] == 0 &&
			    a.stride[i] * a.size[i] <= b.stride[j] * b.size[j])
				break;
		if (j == b.modes)
			return false;
	}
	return a.modes > 0 || b.modes == 0;
}

struct held_dims plan_held(const struct plan *plan, const struct sharded *sharded, enum held held)
{
	const struct run_cut *run = &plan_sharding(plan, sharded->parameter)->run;
	const struct held_dim flat = { .name = run->name, .flat = true };
	bool waits = plan_is_run(plan, sharded->parameter, held);
	const bool cut = waits;
	struct held_dims dims = { 0 };
	int i;

	for (i = 0; i < sharded->dims; i++) {
		const struct mesh_dim *dim = &sharded->dim[i];
		if (!cut || dim->placement.kind != PLACE_REPLICATE ||
		    !lies_inside(dim->layout, &run->layout)) {
			dims.item[dims.count++] = (struct held_dim) { .name = dim->name,
								      .placement = dim->placement };
		} else if (waits) {
			dims.item[dims.count++] = flat;
			waits = false;
		}
	}
	if (waits)
		dims.item[dims.count++] = flat;
	return dims;
}

char *held_dim_text(struct arena *arena, const struct held_dim *dim)
{
	return dim->flat ? arena_strdup(arena, "F") : placement_text(arena, dim->placement);
}

const char *plan_run_text(struct arena *arena, const struct run_cut *run)
{
	static const char *const names[HELDS] = { "parameters", "gradients", "optimizer state" };
	const char *text = NULL;
	int i;

	for (i = 0; i < HELDS && run->layout.modes; i++)
		if (run->held[i])
			text = text ? arena_printf(arena, "%s, %s", text, names[i]) : names[i];
	return text;
}
