#include "framework/tp_plan.h"

#include "base/text.h"

#include <string.h>

/*
 * torchtitan@73a0e6979d models/{llama3,llama4,deepseek_v3,qwen3,gpt_oss}/infra/parallelize.py,
 * b5bcd76c66 models/common/{decoder_sharding,moe_sharding}.py for the names of 2026. A bias of a
 * rowwise layer is added after the reduction and stays whole.
 */
struct cut {
	const char *pattern; /* of what follows the module */
	int dim;
};

static const struct {
	const char *module;
	struct cut cuts[9];
} modules[] = {
	{ "attention.",
	  { { "wq.*", 0 },
	    { "wk.*", 0 },
	    { "wv.*", 0 },
	    { "wo.weight", 1 },
	    { "wq_b.weight", 0 },
	    { "wkv_b.weight", 0 },
	    { "qkv_linear.*.*", 0 },
	    { "sinks", 0 } } },
	{ "feed_forward.", { { "w1.*", 0 }, { "w3.*", 0 }, { "w2.weight", 1 } } },
	{ "moe.shared_experts.", { { "w1.weight", 0 }, { "w3.weight", 0 }, { "w2.weight", 1 } } },
};

/* Outside the blocks. */
static const struct cut ends[] = {
	{ "tok_embeddings.weight", 0 },
	{ "output.weight", 0 },
	{ "lm_head.weight", 0 },
	{ NULL, 0 },
};

/* What follows "layers.N.", or NULL. */
static const char *within_block(const char *fqn)
{
	static const char layers[] = "layers.";

	if (!text_starts(fqn, layers))
		return NULL;
	fqn += strlen(layers);
	fqn += strcspn(fqn, ".");
	return *fqn ? fqn + 1 : NULL;
}

static struct placement placement_of(const struct cut *cut, const char *name)
{
	struct placement placement = { .kind = PLACE_REPLICATE };

	for (; cut->pattern; cut++)
		if (text_matches(cut->pattern, name)) {
			placement.kind = PLACE_SHARD;
			placement.dim = cut->dim;
			break;
		}
	return placement;
}

struct placement tp_plan_placement(const char *fqn)
{
	const char *name = within_block(fqn);
	size_t i;

	if (!name)
		return placement_of(ends, fqn);
	for (i = 0; i < sizeof(modules) / sizeof(*modules); i++)
		if (text_starts(name, modules[i].module))
			return placement_of(modules[i].cuts, name + strlen(modules[i].module));
	return (struct placement) { .kind = PLACE_REPLICATE };
}

/* The last name of an expert's weight and the dim that tensor parallel cuts; -1: it stays whole. */
static const struct {
	const char *name;
	int dim;
} expert_cuts[] = {
	{ "w1", 1 },	       { "w2", 2 },
	{ "w3", 1 },	       { "w1_EFD", 1 },
	{ "w2_EDF", 2 },       { "w3_EFD", 1 },
	{ "mlp1_weight", 1 },  { "mlp1_bias", 1 },
	{ "mlp2_weight", 2 },  { "mlp1_weight_EGD", 1 },
	{ "mlp1_bias_EG", 1 }, { "mlp2_weight_EDF", 2 },
};

/* Transposed are llama4's w1, w2 and w3; the fused experts of gpt_oss came later and never were. */
struct placement tp_plan_expert(const struct parameter *parameter, bool transposed)
{
	struct placement placement = { .kind = PLACE_REPLICATE };
	const char *name = strrchr(parameter->fqn, '.');
	bool turned = transposed && name && name[1] == 'w';
	size_t i;

	for (i = 0; name && i < sizeof(expert_cuts) / sizeof(*expert_cuts); i++)
		if (!strcmp(expert_cuts[i].name, name + 1)) {
			placement.kind = PLACE_SHARD;
			placement.dim = turned ? 3 - expert_cuts[i].dim : expert_cuts[i].dim;
		}
	return placement;
}
