#include "framework/torchtitan/tp_plan.h"

#include "base/text.h"

#include <stddef.h>

/*
 * torchtitan@73a0e6979d models/{llama3,llama4,deepseek_v3,qwen3,gpt_oss}/infra/parallelize.py,
 * b5bcd76c66 models/common/{decoder_sharding,moe_sharding}.py for the names of 2026. A bias of a
 * rowwise layer is added after the reduction and stays whole.
 */
static const struct {
	const char *pattern;
	int dim;
} cuts[] = {
	{ "tok_embeddings.weight", 0 },
	{ "layers.*.attention.wq.*", 0 },
	{ "layers.*.attention.wk.*", 0 },
	{ "layers.*.attention.wv.*", 0 },
	{ "layers.*.attention.wo.weight", 1 },
	{ "layers.*.attention.wq_b.weight", 0 },
	{ "layers.*.attention.wkv_b.weight", 0 },
	{ "layers.*.attention.qkv_linear.*.*", 0 },
	{ "layers.*.attention.sinks", 0 },
	{ "layers.*.feed_forward.w1.*", 0 },
	{ "layers.*.feed_forward.w3.*", 0 },
	{ "layers.*.feed_forward.w2.weight", 1 },
	{ "layers.*.moe.shared_experts.w1.weight", 0 },
	{ "layers.*.moe.shared_experts.w3.weight", 0 },
	{ "layers.*.moe.shared_experts.w2.weight", 1 },
	{ "output.weight", 0 },
	{ "lm_head.weight", 0 },
};

struct placement tp_plan_placement(const char *fqn)
{
	struct placement placement = { .kind = PLACE_REPLICATE };
	size_t i;

	for (i = 0; i < sizeof(cuts) / sizeof(*cuts); i++)
		if (text_matches(cuts[i].pattern, fqn)) {
			placement.kind = PLACE_SHARD;
			placement.dim = cuts[i].dim;
			break;
		}
	return placement;
}
