#include "framework/torchtitan/tp_plan.h"

#include "base/text.h"

#include <string.h>

/*
 * torchtitan@73a0e6979d models/{llama3,llama4,deepseek_v3,qwen3,gpt_oss}/infra/parallelize.py,
 * b5bcd76c66 models/common/{decoder_sharding,moe_sharding}.py for the names of 2026. A bias of a
 * rowwise layer is added after the reduction and stays whole.
 */
struct cut {
	const char *pattern;
	int dim;
};

static const struct cut outside[] = {
	{ "tok_embeddings.weight", 0 },
	{ "output.weight", 0 },
	{ "lm_head.weight", 0 },
	{ NULL, 0 },
};

/* Behind "layers.N.". */
static const struct cut blocks[] = {
	{ "attention.wq.*", 0 },
	{ "attention.wk.*", 0 },
	{ "attention.wv.*", 0 },
	{ "attention.wo.weight", 1 },
	{ "attention.wq_b.weight", 0 },
	{ "attention.wkv_b.weight", 0 },
	{ "attention.qkv_linear.*.*", 0 },
	{ "attention.sinks", 0 },
	{ "feed_forward.w1.*", 0 },
	{ "feed_forward.w3.*", 0 },
	{ "feed_forward.w2.weight", 1 },
	{ "moe.shared_experts.w1.weight", 0 },
	{ "moe.shared_experts.w3.weight", 0 },
	{ "moe.shared_experts.w2.weight", 1 },
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

struct placement tp_plan_placement(const char *fqn)
{
	struct placement placement = { .kind = PLACE_REPLICATE };
	const char *inner = within_block(fqn), *name = inner ? inner : fqn;
	const struct cut *cut;

	for (cut = inner ? blocks : outside; cut->pattern; cut++)
		if (text_matches(cut->pattern, name)) {
			placement.kind = PLACE_SHARD;
			placement.dim = cut->dim;
			break;
		}
	return placement;
}
