#ifndef TESTS_UNIT_SIM_WORKLOADS_H
#define TESTS_UNIT_SIM_WORKLOADS_H

#include "sim/workload.h"

#include <string.h>

/* Llama 3 8B, whose figures follow from its public config by hand. */
static inline struct model llama3_8b(void)
{
	struct model model;

	memset(&model, 0, sizeof(model));
	model.layers = 32;
	model.hidden = 4096;
	model.heads = 32;
	model.kv_heads = 8;
	model.head_dim = 128;
	model.ffn = 14336;
	model.vocab = 128256;
	model.gated_mlp = true;
	return model;
}

/* One sequence of 8192 tokens on each of eight ranks, in bf16, under Megatron core. */
static inline struct workload eight_ranks(const struct model *model)
{
	struct workload work;

	memset(&work, 0, sizeof(work));
	work.model = model;
	work.framework = "megatron";
	work.version = work.kernels = "";
	work.software = SOFTWARE_ENGINE;
	work.world = work.gpus_per_node = work.dp = work.shard = 8;
	work.nodes = work.tp = work.pp = work.cp = work.ep = work.etp = 1;
	work.replicate = work.virtual_stages = work.microbatches = work.micro = 1;
	work.zero = ZERO_OPTIMIZER;
	work.seq = 8192;
	work.format = FORMAT_BF16;
	work.grad_bytes = 4;
	work.recompute_every = 1;
	work.fused_norms = work.fused_gate = work.flash = work.recompute_said = true;
	return work;
}

static inline struct profile h100(struct arena *arena)
{
	struct profile profile;

	arena_init(arena);
	profile_init(&profile, arena);
	profile_gpu(&profile, "h100-sxm");
	profile_fabric(&profile, "ib");
	return profile;
}

#endif
