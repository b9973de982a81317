#ifndef SIM_WORKLOAD_H
#define SIM_WORKLOAD_H

#include "cost/kernel.h"
#include "framework/job.h"
#include "sim/schedule.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What one step does, in the terms that costs depend on: the sizes of the model, how it is cut
 * over ranks, the batch, the numbers' formats, what is recomputed, and by what software. Made
 * from the settings of any dialect; what nobody said is the framework's habit of its date.
 */

/* Who launches the kernels, and how far they are fused. */
enum software {
	SOFTWARE_EAGER,	   /* PyTorch without compilation */
	SOFTWARE_COMPILED, /* torch.compile */
	SOFTWARE_MEGATRON, /* Megatron-LM and its like before Transformer Engine */
	SOFTWARE_ENGINE	   /* Megatron core with Transformer Engine */
};

/* What the backward pass computes again. */
enum recompute {
	RECOMPUTE_NONE,
	RECOMPUTE_ATTENTION, /* the attention core (Megatron's selective) */
	RECOMPUTE_OPERATORS, /* everything but a list of costly operators (TorchTitan's op) */
	RECOMPUTE_LAYERS,    /* every k-th layer */
	RECOMPUTE_FULL
};

/* How parameters, gradients and optimizer state are cut over data-parallel ranks. */
enum zero { ZERO_NONE, ZERO_OPTIMIZER, ZERO_GRADIENTS, ZERO_PARAMETERS };

/* What does not work as it should at one position of the pipeline: its worst rank and node. */
struct hurt {
	double slow;	 /* a rank computes so many times as long; at least 1 */
	double adapters; /* that a node has lost; 0: none */
};

struct workload {
	const struct model *model;
	const char *framework; /* "torchtitan", "megatron", ... or "torch" */
	const char *version;   /* as the config names it, or "" */
	moment_t when;	       /* its date, or 0 */
	moment_t since;	       /* that, or the date of the PyTorch below it, or 0 */
	enum software software;
	bool deepspeed; /* its engine runs the step */

	int64_t world, gpus_per_node, nodes;
	int64_t tp, pp, cp, ep, etp;
	int64_t dp;	   /* ranks that see different samples */
	int64_t replicate; /* copies of the parameters; dp * cp = replicate * shard */
	int64_t shard;	   /* ranks that share them (ZeRO-3, FSDP) or their state (ZeRO-1, 2) */
	enum zero zero;
	bool sequence_parallel;
	bool reshard; /* ZeRO-3: gathered parameters are let go after the forward pass */

	const struct schedule *schedule; /* with pp > 1, one that takes this shape */
	const char *asked;   /* the schedule that the config names, where it is another; or NULL */
	const char *refused; /* why it was not taken, in a sentence; or NULL */
	int64_t virtual_stages;	     /* per rank; 1 without interleaving */
	const int64_t *stage_layers; /* blocks of each stage; NULL: cut evenly */
	int64_t microbatches, micro; /* per step; sequences in each */
	int64_t seq;

	enum format_kind format; /* of matrix products */
	bool one_copy;	 /* fp8 weights in one layout do for all products: Blackwell, one scale each
			  */
	bool fp8_gather; /* FSDP gathers fp8 weights */
	bool param_fp16;
	int64_t grad_bytes;    /* per element, as reduced */
	bool gradients_said;   /* their type is given */
	bool narrow_gradients; /* bf16 where Megatron would accumulate in fp32 */
	bool fused_norms;      /* RMSNorm is one kernel */
	bool fused_gate;       /* and so is the product of SwiGLU */
	bool flash;	       /* the attention core never writes its scores */
	enum recompute recompute;
	int64_t recompute_every; /* RECOMPUTE_LAYERS */
	bool host_inputs;	 /* those of recomputed blocks wait in host memory */
	bool recompute_said;	 /* a mode is given */
	bool recompute_partly;	 /* modules of a list that is not given may be, too */
	bool cpu_offload, cuda_graph;
	bool overlap_tp, overlap_grads, overlap_params;
	bool sends_once;     /* tokens go once to each place that has any of their experts */
	bool cp_rotates;     /* keys and values go round the ranks rather than to all */
	const char *kernels; /* training.kernels, or "" */

	const struct hurt *hurt; /* per pipeline rank; NULL: everything works as it should */
};

/*
 * The device and network of a job: presets, then the config's own numbers. `gpu` (may be NULL) is
 * the device where the config names none. NULL, or a sentence naming what is missing and how to
 * give it.
 */
const char *workload_profile(struct profile *profile, const struct job *job, const char *gpu);

/* Fills a workload that runs on `gpu`; the same answer. */
const char *workload_read(struct workload *workload, const struct profile *gpu,
			  const struct job *job);

/* What its schedule is asked for, with so many microbatches. */
struct pipeline_shape workload_shape(const struct workload *workload, int64_t microbatches);

/*
 * The numbers that hold at one position of the pipeline: `profile` itself, or a copy in the arena
 * with the adapters that a node there has lost.
 */
const struct profile *workload_profile_at(struct arena *arena, const struct profile *profile,
					  const struct workload *workload, int64_t rank);

/* Products of Megatron with Transformer Engine add gradients of weights to the fp32 ones. */
bool workload_fuses_gradients(const struct workload *workload);

/* Tokens in one microbatch on one rank, after context parallelism. */
int64_t workload_tokens(const struct workload *workload);

#endif
