#include "framework/torch/fsdp.h"

#include "framework/torch/reshard.h"

#include <inttypes.h>
#include <string.h>

/*
 * Placements on a parameter: torch@v2.8.0 distributed/fsdp/_fully_shard/_fsdp_param.py
 * (_init_sharded_param). Tensor parallelism: the plan every published script of llama's shape
 * uses, columns for what enters a block, rows for what leaves it.
 */

/* How tensor parallelism cuts the parameters whose names match. */
static const struct {
	const char *pattern; /* behind "layers.N."; "*" is one part */
	int dim;
} cuts[] = {
	{ "attention.wq.weight", 0 },
	{ "attention.wk.weight", 0 },
	{ "attention.wv.weight", 0 },
	{ "attention.wq.bias", 0 },
	{ "attention.wk.bias", 0 },
	{ "attention.wv.bias", 0 },
	{ "attention.wq_b.weight", 0 },
	{ "attention.wkv_b.weight", 0 },
	{ "attention.wo.weight", 1 },
	{ "feed_forward.w1.weight", 0 },
	{ "feed_forward.w3.weight", 0 },
	{ "feed_forward.w1.bias", 0 },
	{ "feed_forward.w3.bias", 0 },
	{ "feed_forward.w2.weight", 1 },
	{ "moe.shared_experts.w1.weight", 0 },
	{ "moe.shared_experts.w3.weight", 0 },
	{ "moe.shared_experts.w2.weight", 1 },
	{ "tok_embeddings.weight", 0 },
	{ "output.weight", 0 },
};

/* The name without "layers.N.". */
static const char *within_layer(const char *fqn)
{
	const char *dot = strncmp(fqn, "layers.", 7) ? NULL : strchr(fqn + 7, '.');

	return dot ? dot + 1 : fqn;
}

static struct placement tensor_placement(const struct parameter *parameter)
{
	const char *name = within_layer(parameter->fqn);
	size_t i;

	for (i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++)
		if (!strcmp(cuts[i].pattern, name))
			return (struct placement) { PLACE_SHARD, cuts[i].dim, 0 };
	return (struct placement) { PLACE_REPLICATE, 0, 0 };
}

static void add_dim(struct sharded *sharded, const struct mesh_dim *dim, struct placement placement)
{
	sharded->dim[sharded->dims] = *dim;
	sharded->dim[sharded->dims++].placement = placement;
}

/* FSDP2 cuts dim 0, strided where tensor parallelism has cut it more than once before. */
static struct placement shard_placement(const struct wrapping *wrapping, struct placement tensor)
{
	int64_t factor = 1;

	if (wrapping->tensor && tensor.kind == PLACE_SHARD && tensor.dim == 0)
		factor = layout_size(wrapping->tensor->layout);
	if (factor > 1 && torch_has(wrapping->torch, TORCH_STRIDED_SHARD))
		return (struct placement) { PLACE_STRIDED_SHARD, 0, factor };
	return (struct placement) { PLACE_SHARD, 0, 0 };
}

/* Up to 2.7 what TP has cut along dim 0 must divide evenly once more. */
static void check_even(struct plan *plan, const struct wrapping *wrapping,
		       const struct parameter *parameter, struct placement shard)
{
	int64_t parts;

	if (shard.kind != PLACE_STRIDED_SHARD || torch_has(wrapping->torch, TORCH_UNEVEN_STRIDED))
		return;
	parts = layout_size(wrapping->shard->layout) * shard.factor;
	if (parameter->shape[0] % parts)
		plan_raise(plan, "NotImplementedError", "fully_shard",
			   "FSDP+TP sharding does not support uneven sharding for now: tensor dim "
			   "0 has "
			   "size %" PRId64 " which cannot be evenly sharded into %" PRId64
			   " shards.",
			   parameter->shape[0], parts);
}

/* Elements of one rank's padded shard: every dim 0 is padded to a multiple of the ranks that share.
 */
static int64_t padded_elements(const struct wrapping *wrapping, const struct parameter *parameter,
			       struct placement tensor)
{
	int64_t elements = 1, length, offset;
	int i;

	for (i = 0; i < parameter->dims; i++) {
		length = parameter->shape[i];
		if (tensor.kind == PLACE_SHARD && tensor.dim == i)
			chunk(length, layout_size(wrapping->tensor->layout), 0, &length, &offset);
		if (i == 0)
			chunk(length, layout_size(wrapping->shard->layout), 0, &length, &offset);
		elements *= length;
	}
	return elements;
}

/* The unit of a block, or of what no block holds; made when first needed. */
static int unit_of(struct plan *plan, const struct wrapping *wrapping, const char *name, bool root)
{
	struct unit unit = { .name = name, .shard = *wrapping->shard->layout };
	size_t i;

	for (i = plan->units.count; i-- > 0;)
		if (!strcmp(plan->units.items[i].name, name))
			return (int)i;
	reshard_unit(&unit, wrapping->torch, reshard_policy(wrapping->reshard), root);
	vec_push(plan->arena, &plan->units, unit);
	return (int)plan->units.count - 1;
}

static void wrap_parameter(struct plan *plan, const struct wrapping *wrapping,
			   const struct parameter *parameter)
{
	struct sharded sharded = { .parameter = parameter, .unit = -1 };
	struct placement tensor = tensor_placement(parameter), shard;
	bool block = parameter->layer >= 0;

	if (!wrapping->tensor)
		tensor.kind = PLACE_REPLICATE;
	if (wrapping->replicate)
		add_dim(&sharded, wrapping->replicate,
			(struct placement) { PLACE_REPLICATE, 0, 0 });
	if (wrapping->shard) {
		const char *name =
			block ? arena_printf(plan->arena, "layers.%d", parameter->layer) : "(root)";
		shard = shard_placement(wrapping, tensor);
		check_even(plan, wrapping, parameter, shard);
		add_dim(&sharded, wrapping->shard, shard);
		sharded.unit = unit_of(plan, wrapping, name, !block);
		plan->units.items[sharded.unit].parameters++;
		plan->units.items[sharded.unit].shard_elements +=
			padded_elements(wrapping, parameter, tensor);
	}
	if (wrapping->tensor)
		add_dim(&sharded, wrapping->tensor, tensor);
	vec_push(plan->arena, &plan->parameters, sharded);
}

/* torch@v2.4.0 distributed/device_mesh.py, get_parent_mesh_dim, called by _init_sharded_param. */
const char wrap_hsdp_with_tensor_text[] = "The child mesh can only be a 1D mesh.";

bool wrap_is_flat(const struct settings *settings)
{
	return !strcmp(setting_text(settings, FIELD_FSDP_VERSION, "2"), "1");
}

bool wrap_takes_hsdp_with_tensor(const struct torch_release *torch)
{
	return torch_has(torch, TORCH_STRIDED_SHARD);
}

void wrap_model(struct plan *plan, const struct model *model, const struct wrapping *wrapping)
{
	size_t i;

	for (i = 0; model && i < model->parameters.count; i++)
		wrap_parameter(plan, wrapping, &model->parameters.items[i]);
}
