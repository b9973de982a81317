#ifndef TESTS_UNIT_DRAW_SUBJECT_H
#define TESTS_UNIT_DRAW_SUBJECT_H

#include "draw/figure.h"

#include "unit/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Plans made by hand, and an arena per test. */

struct sizes {
	int64_t pp, replicate, shard, tp;
};

static inline void put_dim(struct arena *arena, struct sharded *sharded, const char *name,
			   struct layout layout, struct placement placement)
{
	struct layout *copy = arena_new(arena, struct layout);

	*copy = layout;
	if (layout_size(&layout) > 1)
		sharded->dim[sharded->dims++] = (struct mesh_dim) { name, copy, placement };
}

/* A matrix of 1,000 rows, which few numbers of ranks divide: FSDP over tensor parallelism. */
static inline void put_parameter(struct arena *arena, struct plan *plan, struct sizes sizes)
{
	struct parameter *parameter = arena_new(arena, struct parameter);
	struct sharded sharded = { .parameter = parameter, .unit = -1 };
	enum placement_kind kind = sizes.tp > 1 ? PLACE_STRIDED_SHARD : PLACE_SHARD;

	*parameter = (struct parameter) { .fqn = "layers.0.attention.wq.weight",
					  .dims = 2,
					  .shape = { 1000, 64 } };
	put_dim(arena, &sharded, "dp_replicate",
		layout_axis(sizes.replicate, sizes.shard * sizes.tp),
		(struct placement) { PLACE_REPLICATE, 0, 0 });
	put_dim(arena, &sharded, "dp_shard", layout_axis(sizes.shard, sizes.tp),
		(struct placement) { kind, 0, sizes.tp });
	put_dim(arena, &sharded, "tp", layout_axis(sizes.tp, 1),
		(struct placement) { PLACE_SHARD, 0, 0 });
	vec_push(arena, &plan->parameters, sharded);
}

/* TorchTitan's order of axes. */
static inline struct plan *plan_of(struct arena *arena, struct sizes sizes)
{
	const char *names[] = { "pp", "dp_replicate", "dp_shard", "tp" };
	const int64_t size[] = { sizes.pp, sizes.replicate, sizes.shard, sizes.tp };
	struct plan *plan = plan_new(arena, PLAN_APPLIED);
	int64_t stride;
	int i;

	plan->world = 1;
	for (i = 0; i < 4; i++) {
		plan->world *= size[i];
		if (size[i] < 2)
			continue;
		vec_push(arena, &plan->meshes,
			 ((struct mesh) { .name = names[i],
					  .exists = true,
					  .backend = "nccl",
					  .from_count = 1,
					  .from = { names[i] } }));
		plan->root.names[plan->root.axes] = names[i];
		plan->root.sizes[plan->root.axes++] = size[i];
	}
	for (i = 0, stride = plan->world; i < plan->root.axes; i++) {
		stride /= plan->root.sizes[i];
		plan->meshes.items[i].layout = layout_axis(plan->root.sizes[i], stride);
	}
	if (sizes.shard > 1)
		vec_push(arena, &plan->meshes,
			 ((struct mesh) { .name = "dp_shard_cp",
					  .layout = layout_axis(sizes.shard, sizes.tp),
					  .exists = true,
					  .flattened = true,
					  .from_count = 1,
					  .from = { "dp_shard" } }));
	put_parameter(arena, plan, sizes);
	plan->degrees = (struct degrees) { .pp = sizes.pp, .tp = sizes.tp };
	plan->dense.strategy = sizes.replicate > 1 && sizes.shard > 1 ? STRATEGY_HSDP
			       : sizes.replicate > 1		      ? STRATEGY_DDP
			       : sizes.shard > 1		      ? STRATEGY_FSDP
								      : STRATEGY_NONE;
	if (sizes.shard > 1)
		plan->dense.shard = layout_axis(sizes.shard, sizes.tp);
	if (sizes.replicate > 1)
		plan->dense.replicate = layout_axis(sizes.replicate, sizes.tp * sizes.shard);
	return plan;
}

/* The same with replicas and shards flattened into one group: the HSDP collapse. */
static inline struct plan *collapsed(struct arena *arena, struct sizes sizes)
{
	struct plan *plan = plan_of(arena, sizes);

	plan->dense.strategy = STRATEGY_FSDP;
	plan->dense.shard = layout_axis(sizes.replicate * sizes.shard, sizes.tp);
	plan->dense.replicate = (struct layout) { 0 };
	return plan;
}

/* Nodes of `per_node` GPUs (0: not known); the order of ranks as a config says it, or NULL. */
static inline struct cluster cluster_with(struct arena *arena, int64_t world, int64_t per_node,
					  const char *order)
{
	struct settings *settings = arena_new(arena, struct settings);
	struct findings findings;

	settings_init(settings);
	findings_init(&findings, arena);
	if (per_node)
		settings_put_int(settings, arena, FIELD_CLUSTER_GPUS_PER_NODE, per_node,
				 ORIGIN_GIVEN);
	if (order)
		settings_put_text(settings, FIELD_CLUSTER_RANK_ORDER, order, ORIGIN_GIVEN);
	return cluster_of(topology_new(arena, settings, world, NULL, &findings), world);
}

static inline struct subject subject_of(struct arena *arena, const struct plan *requested,
					const struct plan *applied, int64_t per_node)
{
	return (struct subject) {
		.arena = arena,
		.name = "train.yaml",
		.versions = "torchtitan v0.2.0, torch 2.9.0",
		.requested = requested,
		.applied = applied,
		.cluster = cluster_with(arena, requested->world, per_node, NULL),
		.inside = "NVLink",
		.between = "InfiniBand",
	};
}

#endif
