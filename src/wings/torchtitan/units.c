#include "wings/torchtitan/units.h"

#include "base/text.h"
#include "framework/torch/reshard.h"

#include <string.h>

/*
 * torchtitan apply_fsdp, which says of every unit but the root whether it reshards after forward:
 * parallelisms/parallelize_llama.py at d7cabfb6c, before there was a setting;
 * models/llama3/infra/parallelize.py at f7084fc78 (v0.1.0), 83e694105 and 73a0e6979d (v0.2.2);
 * experiments/llama4/infra/parallelize.py at 01f4e5022 and models/llama4/infra/parallelize.py at
 * 29624e37f (v0.2.0) and 73a0e6979d; distributed/fsdp.py, apply_fsdp_to_decoder, at b5bcd76c66.
 */

/* What the units are built from while they are built. */
struct builder {
	struct unit_map *map;
	struct job *job;
	struct plan *plan;
	const struct titan *titan;
	bool reshard, always; /* after forward: by default; under "always" */
};

/* How this model's units are made; llama3 has functions of its own, and changed at other times. */
static enum titan_units kind_of(const struct titan *titan)
{
	const enum titan_units kind = titan->traits[TRAIT_UNITS];
	const bool llama3 = !strcmp(titan->family, "llama3");

	if (kind == UNITS_SPLIT_LLAMA3)
		return llama3 ? UNITS_SPLIT_ENDS : UNITS_BLOCKS;
	if (kind == UNITS_TIED_BUT_LLAMA3)
		return llama3 ? UNITS_SPLIT_ENDS : UNITS_TIED;
	return kind;
}

static int push(struct builder *b, struct unit unit, struct reshard reshard, bool root)
{
	unit.shard = unit.expert ? b->plan->expert.shard : b->plan->dense.shard;
	reshard_unit(&unit, &b->titan->torch.torch, reshard, root);
	vec_push(b->plan->arena, &b->plan->units, unit);
	return (int)b->plan->units.count - 1;
}

static int add(struct builder *b, const char *name, int stage, bool expert, bool reshard)
{
	struct unit unit = { .name = name, .stage = stage, .expert = expert };

	return push(b, unit, reshard_flag(reshard), false);
}

/* v0.1.0 says so of the root without asking the setting, later versions leave it to fully_shard. */
static int add_root(struct builder *b, int stage)
{
	const bool said = kind_of(b->titan) == UNITS_BLOCKS;
	struct unit unit = { .name = "(root)", .stage = stage };

	return push(b, unit,
		    said ? reshard_flag(b->titan->degrees.pp <= 1) : (struct reshard) { 0 }, true);
}

/* v0.1.0 keeps the last block gathered, but not in a pipeline, where the policy says it all. */
static bool block_reshards(const struct builder *b, int64_t layer)
{
	const bool last = layer == b->job->model->layers - 1;

	if (kind_of(b->titan) == UNITS_BLOCKS && !b->always && last)
		return false;
	return b->reshard;
}

static void add_block(struct builder *b, int64_t layer, int stage)
{
	struct arena *arena = b->plan->arena;
	const char *name = model_layer_name(arena, layer);
	const bool reshard = block_reshards(b, layer);
	const bool own = b->plan->has_expert && model_layer_has_experts(b->job->model, layer);
	const char *experts = b->titan->traits[TRAIT_NAMES] == NAMES_HEAD
				      ? "moe.routed_experts.inner_experts"
				      : "moe.experts";
	const bool alone = b->titan->traits[TRAIT_EXPERTS_UNIT] &&
			   model_layer_has_experts(b->job->model, layer);

	if (own || alone)
		b->map->experts[layer] =
			add(b, arena_join(arena, name, ".", experts), stage, own, reshard);
	b->map->block[layer] = add(b, name, stage, false, reshard);
	if (b->plan->origin != PLAN_INTENDED &&
	    titan_loses_replicas(b->plan, b->titan, b->job->model, layer))
		b->plan->units.items[b->map->block[layer]].shard = b->plan->dense.replicate;
}

static void add_blocks(struct builder *b, int stage)
{
	int64_t layer;

	for (layer = 0; layer < b->job->model->layers; layer++)
		if (b->map->stage_of_layer[layer] == stage)
			add_block(b, layer, stage);
}

static void add_embedding(struct builder *b, int stage)
{
	if (b->map->stage_of_embedding == stage)
		b->map->embedding = add(b, "tok_embeddings", stage, false, b->reshard);
}

/* One unit for both, where the part has both; else they are left to the root. */
static void add_output(struct builder *b, int stage)
{
	const bool head = b->titan->traits[TRAIT_NAMES] >= NAMES_LM_HEAD;

	if (b->map->stage_of_norm != stage || b->map->stage_of_output != stage)
		return;
	b->map->norm = b->map->output =
		add(b, head ? "[norm, lm_head]" : "[norm, output]", stage, false, b->always);
}

/* With tied weights both ends and the norm are one unit. */
static void add_tied(struct builder *b, int stage)
{
	if (b->map->stage_of_embedding == stage)
		b->map->embedding = b->map->norm = b->map->output =
			add(b,
			    b->titan->traits[TRAIT_NAMES] >= NAMES_LM_HEAD
				    ? "[tok_embeddings, norm, lm_head]"
				    : "[tok_embeddings, norm, output]",
			    stage, false, b->always);
}

static bool root_has_parameters(const struct builder *b, int stage)
{
	const struct unit_map *m = b->map;

	return (m->stage_of_embedding == stage && m->embedding < 0) ||
	       (m->stage_of_norm == stage && m->norm < 0) ||
	       (m->stage_of_output == stage && m->output < 0);
}

static void add_stage(struct builder *b, int stage)
{
	const enum titan_units kind = kind_of(b->titan);

	if (kind == UNITS_TIED && b->job->model->tied_embeddings)
		add_tied(b, stage);
	else if (kind != UNITS_BLOCKS)
		add_embedding(b, stage);
	if (kind == UNITS_TIED && !b->job->model->tied_embeddings)
		add_output(b, stage);
	add_blocks(b, stage);
	if (kind == UNITS_SPLIT_ENDS)
		add_output(b, stage);
	if (root_has_parameters(b, stage))
		b->map->root[stage] = add_root(b, stage);
}

void titan_units_build(struct unit_map *map, struct job *job, struct plan *plan,
		       const struct titan *titan)
{
	const char *policy = reshard_said(&job->settings);
	struct builder b = { .map = map, .job = job, .plan = plan, .titan = titan };
	size_t i;

	b.always = !strcmp(policy, "always");
	b.reshard = b.always || (strcmp(policy, "never") != 0 && titan->degrees.pp <= 1);
	for (i = 0; i < plan->stages.count; i++)
		add_stage(&b, (int)i);
}
