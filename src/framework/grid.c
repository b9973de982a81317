#include "framework/grid.h"

#include "base/number.h"
#include "input/field.h"

#include <string.h>

void grid_axis(struct grid *grid, const char *name, int64_t size)
{
	grid->name[grid->count] = name;
	grid->size[grid->count++] = size;
}

int64_t grid_size(const struct grid *grid)
{
	int64_t product = 1;
	int i;

	for (i = 0; i < grid->count; i++)
		product = multiply(product, grid->size[i]);
	return product;
}

struct layout grid_over(const struct grid *grid, const char *axes)
{
	struct layout layout = { 0 };
	int64_t stride = 1;
	int i;

	for (i = grid->count - 1; i >= 0; stride *= grid->size[i--])
		if (grid->size[i] > 1 && words_have(axes, grid->name[i]))
			layout = layout_join(layout_axis(grid->size[i], stride), layout);
	return layout;
}

void grid_root(struct plan *plan, const struct grid *grid)
{
	int i;

	plan->root.name = "root";
	for (i = 0; i < grid->count; i++)
		if (grid->size[i] > 1) {
			plan->root.names[plan->root.axes] = grid->name[i];
			plan->root.sizes[plan->root.axes++] = grid->size[i];
		}
}

void grid_group(struct plan *plan, const struct grid *grid, const char *name, const char *axes,
		bool always)
{
	struct mesh mesh = { .name = name, .backend = "nccl" };
	int i;

	mesh.layout = grid_over(grid, axes);
	mesh.exists = mesh.layout.modes > 0 || always;
	for (i = 0; i < grid->count; i++)
		if (words_have(axes, grid->name[i]))
			mesh.from[mesh.from_count++] = grid->name[i];
	mesh.flattened = mesh.from_count > 1;
	vec_push(plan->arena, &plan->meshes, mesh);
}

bool grid_split(const struct layout *layout, int64_t count, struct layout *inner,
		struct layout *outer)
{
	int i;

	*inner = *outer = (struct layout) { 0 };
	for (i = layout->modes - 1; i >= 0; i--) {
		int64_t size = layout->size[i], take = count < size ? count : size;
		if (size % take || count % take)
			return false;
		count /= take;
		*inner = layout_join(layout_axis(take, layout->stride[i]), *inner);
		*outer = layout_join(layout_axis(size / take, layout->stride[i] * take), *outer);
	}
	*inner = layout_coalesce(*inner);
	*outer = layout_coalesce(*outer);
	return count == 1;
}

/* What whoever shares and repeats is called. */
static enum strategy strategy_of(const struct sharding *dense)
{
	if (dense->shard.modes)
		return dense->replicate.modes ? STRATEGY_HSDP : STRATEGY_FSDP;
	return dense->replicate.modes ? STRATEGY_DDP : STRATEGY_NONE;
}

bool grid_fits(struct plan *plan, const struct grid *grid)
{
	int i;

	for (i = 0; i < grid->count; i++)
		if (grid->size[i] < 1)
			break;
	if (i == grid->count && grid_size(grid) == plan->world)
		return true;
	plan->unmodelled = true;
	plan->unmodelled_why = "The degrees do not make the world: its groups are not laid out.";
	return false;
}

void grid_lay(struct plan *plan, const struct grid *grid, const char *shard, const char *replicate)
{
	int i;

	if (!grid_fits(plan, grid))
		return;
	grid_root(plan, grid);
	for (i = 0; i < grid->count; i++)
		grid_group(plan, grid, grid->name[i], grid->name[i], false);
	plan->dense.shard = grid_over(grid, shard);
	plan->dense.replicate = grid_over(grid, replicate);
	plan->dense.strategy = strategy_of(&plan->dense);
}
