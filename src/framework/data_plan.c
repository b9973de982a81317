#include "framework/data_plan.h"

#include "framework/placing.h"
#include "framework/torch/exceptions.h"

#include <inttypes.h>
#include <string.h>

int64_t data_plan_degree(const struct job *job, enum field_id field, int64_t otherwise)
{
	return setting_int(&job->settings, field, otherwise);
}

void data_plan_blame(const struct job *job, struct plan *plan)
{
	static const enum field_id fields[] = { FIELD_DP,	    FIELD_DP_SHARD,
						FIELD_DP_REPLICATE, FIELD_CP,
						FIELD_SP,	    FIELD_TP,
						FIELD_EP,	    FIELD_LAUNCH_PROCESSES };
	size_t i;
	int count = 0;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (setting_given(&job->settings.items[fields[i]]) && count++ < 4)
			plan_blame(plan, &job->settings.items[fields[i]]);
}

bool data_plan_too_large(const struct job *job, struct plan *plan, int64_t ranks)
{
	struct told told;

	if (ranks <= job->world)
		return false;
	told = exception_tell(plan->arena, PYTORCH(MESH_LARGER),
			      VALUE(arena_printf(plan->arena, " %" PRId64, job->world)),
			      VALUE(ranks));
	told.rule = "degrees-product"; /* the degrees are the framework's own */
	exception_raise_told(plan, told);
	return true;
}

static enum strategy strategy_of(const struct sharding *sharding)
{
	if (sharding->shard.modes)
		return sharding->replicate.modes ? STRATEGY_HSDP : STRATEGY_FSDP;
	return sharding->replicate.modes ? STRATEGY_DDP : STRATEGY_NONE;
}

/* Whatever has more than one rank is flattened under its name, be it one axis or more. */
static void put_joints(struct plan *plan, const struct grid *grid)
{
	static const struct {
		const char *name, *axes;
	} joints[] = {
		{ "dp", "dp_replicate|dp_shard" },
		{ "dp_shard_cp", "dp_shard|cp" },
		{ "dp_cp", "dp_replicate|dp_shard|cp" },
	};
	struct layout layout;
	size_t i;

	for (i = 0; i < sizeof(joints) / sizeof(joints[0]); i++) {
		layout = layout_coalesce(grid_over(grid, joints[i].axes));
		if (!layout.modes)
			continue;
		grid_group(plan, grid, joints[i].name, joints[i].axes, false);
		plan->meshes.items[plan->meshes.count - 1].layout = layout;
		plan->meshes.items[plan->meshes.count - 1].flattened = true;
	}
}

static void put_meshes(struct plan *plan, const struct data_plan *data)
{
	const struct grid *grid = &data->grid;
	struct layout shard = layout_coalesce(grid_over(grid, data->shard));
	int i;

	grid_root(plan, grid);
	for (i = 0; i < grid->count; i++)
		grid_group(plan, grid, grid->name[i], grid->name[i], false);
	if (data->joined)
		put_joints(plan, grid);
	if (!shard.modes || plan_mesh(plan, data->flat) ||
	    strcmp(plan_mesh_over(plan, &shard, data->flat), data->flat) != 0)
		return;
	grid_group(plan, grid, data->flat, data->shard, false);
	plan->meshes.items[plan->meshes.count - 1].layout = shard;
}

static void put_sharing(struct plan *plan, const struct data_plan *data)
{
	struct sharding *dense = &plan->dense;

	dense->shard = layout_coalesce(grid_over(&data->grid, data->shard));
	dense->replicate = layout_coalesce(grid_over(&data->grid, data->replicate));
	dense->strategy = strategy_of(dense);
	if (dense->replicate.modes)
		dense->mesh[dense->mesh_count++] =
			plan_mesh_over(plan, &dense->replicate, "dp_replicate");
	if (dense->shard.modes)
		dense->mesh[dense->mesh_count++] =
			data->joined ? data->flat : plan_mesh_over(plan, &dense->shard, data->flat);
	if (!data->expert_shard)
		return;
	plan->has_expert = true;
	plan->expert = *dense;
	plan->expert.shard = layout_coalesce(grid_over(&data->grid, data->expert_shard));
}

void data_plan_apply(struct plan *plan, const struct data_plan *data)
{
	if (!grid_fits(plan, &data->grid))
		return;
	put_meshes(plan, data);
	put_sharing(plan, data);
}
