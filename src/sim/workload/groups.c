#include "sim/workload/groups.h"

#include "base/number.h"
#include "framework/grid.h"

#include <string.h>

static struct group group_of(const struct layout *layout, const char *name)
{
	return (struct group) { name, *layout, layout_size(layout) };
}

static struct group axis_of(const struct plan *plan, const char *role)
{
	const struct mesh *mesh = plan_mesh(plan, role);
	const struct layout alone = { 0 };

	return mesh ? group_of(&mesh->layout, mesh->name) : group_of(&alone, role);
}

/* What is handed to fully_shard or DDP for a dim of its mesh: the last one shards. */
static const char *mesh_name(const struct plan *plan, const struct sharding *sharding, bool shards)
{
	const struct layout *layout = shards ? &sharding->shard : &sharding->replicate;
	const char *name = !shards		       ? "dp_replicate"
			   : sharding == &plan->expert ? "efsdp"
						       : "dp_shard_cp";
	const struct mesh *mesh = NULL;

	if (!sharding->named_dims && sharding->mesh_count)
		name = sharding->mesh[shards ? sharding->mesh_count - 1 : 0];
	mesh = plan_mesh(plan, name);
	return mesh && layout_same_groups(&mesh->layout, layout)
		       ? name
		       : plan_mesh_over(plan, layout, name);
}

static enum zero zero_of(const struct sharding *sharding)
{
	const struct run_cut *run = &sharding->run;

	if (layout_size(&sharding->shard) > 1 || (run->name && run->held[HELD_PARAMETER]))
		return ZERO_PARAMETERS;
	/* instances of one rank each repeat it; with one rank in all it is kept as if it were cut
	 */
	if (!run->name || (layout_size(&run->layout) < 2 && layout_size(&sharding->replicate) > 1))
		return ZERO_NONE;
	return run->held[HELD_GRADIENT] ? ZERO_GRADIENTS : ZERO_OPTIMIZER;
}

/* Instances of an optimizer that each cut its state: their ranks, and those of all others. */
static void read_instances(struct workload *work, const struct sharding *sharding, enum kind kind)
{
	const struct run_cut *run = &sharding->run;
	struct layout instance, others;

	if (!grid_split(&sharding->replicate, layout_size(&run->layout), &instance, &others) ||
	    !layout_same_groups(&instance, &run->layout))
		return;
	work->data[kind] = group_of(&run->layout, run->name);
	work->copies[kind] = group_of(&others, plan_mesh_over(work->plan, &others, "instances"));
}

/* Who meets over gradients of one kind of parameters, and who repeats what those share. */
static void read_sharing(struct workload *work, const struct sharding *sharding, enum kind kind)
{
	const struct plan *plan = work->plan;
	const struct run_cut *run = &sharding->run;
	const struct layout alone = { 0 };
	const struct group shared =
		run->name && run->held[HELD_PARAMETER]
			? group_of(&run->layout, run->name)
			: group_of(&sharding->shard, mesh_name(plan, sharding, true));

	work->copies[kind] = group_of(&alone, "dp_replicate");
	work->shares[kind] = zero_of(sharding) == ZERO_PARAMETERS;
	work->data[kind] = group_of(&sharding->replicate, mesh_name(plan, sharding, false));
	if (!work->shares[kind]) {
		if (zero_of(sharding) != ZERO_NONE &&
		    !layout_same_groups(&run->layout, &sharding->replicate))
			read_instances(work, sharding, kind);
		return;
	}
	if (!layout_same_groups(&shared.layout, &sharding->replicate))
		work->copies[kind] = work->data[kind];
	work->data[kind] = shared;
}

/* Ranks that cut each routed expert: what its placements cut beside experts and data parallel. */
static int64_t expert_tensor(const struct plan *plan)
{
	const struct sharded *sharded;
	int64_t ranks = 1;
	size_t i;
	int k;

	for (i = 0; i < plan->parameters.count && !plan->parameters.items[i].parameter->expert; i++)
		;
	if (i == plan->parameters.count)
		return 1;
	sharded = &plan->parameters.items[i];
	for (k = 0; k < sharded->dims; k++) {
		const struct mesh_dim *dim = &sharded->dim[k];
		if (strcmp(dim->name, "ep") != 0 && dim->placement.kind != PLACE_REPLICATE &&
		    dim->layout != &plan_sharding(plan, sharded->parameter)->shard)
			ranks *= layout_size(dim->layout);
	}
	return ranks;
}

void workload_groups(struct workload *work)
{
	const struct plan *plan = work->plan;
	const struct sharding *experts = plan->has_expert ? &plan->expert : &plan->dense;
	int64_t alike;

	work->world = plan->world;
	work->tensor = axis_of(plan, "tp");
	work->context = axis_of(plan, "cp");
	work->sequence = axis_of(plan, "sp");
	work->expert = axis_of(plan, "ep");
	work->pipeline = axis_of(plan, "pp");
	work->tp = work->tensor.ranks;
	work->cp = work->context.ranks;
	work->sp = work->sequence.ranks;
	work->ep = work->expert.ranks;
	work->pp = work->pipeline.ranks;
	work->etp = expert_tensor(plan);
	alike = multiply(multiply(work->tp, work->pp), multiply(work->cp, work->sp));
	work->dp = work->world / alike > 0 ? work->world / alike : 1;
	read_sharing(work, &plan->dense, DENSE);
	work->kept = axis_of(plan, "post_forward");
	read_sharing(work, experts, EXPERTS);
	work->zero = work->shares[EXPERTS] ? ZERO_PARAMETERS : zero_of(&plan->dense);
}
