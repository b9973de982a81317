#ifndef SIM_WORKLOAD_H
#define SIM_WORKLOAD_H

#include "cost/attention.h"
#include "cost/kernel.h"
#include "framework/casting.h"
#include "framework/optimizer.h"
#include "framework/wing.h"
#include "sim/schedule.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What one step does, in the terms that costs depend on: the sizes of the model, the groups of a
 * plan, the batch, the numbers' formats, what is recomputed, and by what software. Groups, shards,
 * copies and stages are the plan's; settings of any dialect give the rest, and what nobody said is
 * the framework's habit of its date.
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
	RECOMPUTE_MODULES,   /* modules of each block (Megatron's selective) */
	RECOMPUTE_OPERATORS, /* everything but a list of costly operators (TorchTitan's op) */
	RECOMPUTE_LAYERS,    /* every k-th layer */
	RECOMPUTE_FULL
};

/* Modules of a block that Megatron can compute again, by sim/recompute.c's names. */
enum module {
	MODULE_CORE,   /* of attention */
	MODULE_NORMS,  /* that no product has inside */
	MODULE_LATENT, /* products from latent to all heads */
	MODULE_MLP,    /* of blocks without experts */
	MODULE_MOE,    /* all of the others' but attention and norms */
	MODULE_SHARED, /* experts */
	MODULE_GATES,  /* of routed experts */
	MODULES
};

/* What becomes of logits: sim/logits.h. */
enum loss_kind {
	LOSS_USUAL, /* as its framework does */
	LOSS_WHOLE,
	LOSS_IN_PLACE,
	LOSS_CHUNKED,
	LOSS_RECOMPUTED,
	LOSS_TILED,
	LOSS_FUSED
};

/* Where the frozen model is that answers are held against: training.reference.held. */
enum reference_held {
	REFERENCE_NONE,
	REFERENCE_HOST,	  /* its bytes take the trained model's place while it computes */
	REFERENCE_WHOLE,  /* on each data-parallel rank */
	REFERENCE_BLOCKS, /* cut as the trained parameters are, and gathered as these are */
	REFERENCE_MODEL	  /* cut so, and gathered all at once */
};

/* How parameters, gradients and optimizer state are cut over data-parallel ranks. */
enum zero { ZERO_NONE, ZERO_OPTIMIZER, ZERO_GRADIENTS, ZERO_PARAMETERS };

/* How ZeRO-3 brings the weights of routed experts to a rank: with the block, its module at once, or
 * one after the other. */
enum expert_fetch { FETCH_BLOCK, FETCH_LEAF, FETCH_WEIGHT };

/* How ranks that cut sequences between them let each query meet all keys. */
enum key_exchange {
	EXCHANGE_GATHER,  /* keys and values are gathered, and their gradients go round */
	EXCHANGE_RING,	  /* both go round while attention is computed on what is there */
	EXCHANGE_NOTHING, /* each meets those of its own part alone */
	EXCHANGE_HEADS	  /* tokens are exchanged for heads, and back: Ulysses */
};

/* Ranks that do something together, as the plan joins them; one rank alone has no modes. */
struct group {
	const char *name; /* of the plan's mesh: "dp_shard_cp", "tp" */
	struct layout layout;
	int64_t ranks; /* of one group */
};

/* Parameters are dense, or of routed experts, which may have ranks of their own. */
enum kind { DENSE, EXPERTS, KINDS };

/* What does not work as it should at one position of the pipeline: its worst rank and node. */
struct hurt {
	double slow;	 /* a rank computes so many times as long; at least 1 */
	double adapters; /* that a node has lost; 0: none */
};

struct workload {
	const struct model *model;
	const char *framework;		/* that trains, or "torch" */
	const struct wing *wing;	/* what is known of it, or NULL */
	const char *version;		/* as the config names it, or "" */
	moment_t when;			/* its date, or 0 */
	moment_t since;			/* that, or the date of the PyTorch below it, or 0 */
	struct habits does, does_since; /* at these dates */
	enum software software;
	bool deepspeed; /* its engine runs the step */
	bool megatron;	/* the passes are those of Megatron Core */
	bool own_file;	/* what the config does not say has a default: job_says_all */

	const struct plan *plan;	 /* whose step it is; NULL: it has none */
	const struct holdings *holdings; /* of its stages (sim/holding.h) */
	int64_t world, gpus_per_node, nodes;
	struct group tensor, context, sequence, expert, pipeline;
	struct group data[KINDS];   /* gradients meet: those who share a copy, or all who repeat */
	struct group copies[KINDS]; /* those who repeat what others share; else one rank */
	struct group kept;  /* units stay cut over it between passes, where a number says so */
	bool shares[KINDS]; /* `data` shares parameters; else it repeats them */
	int64_t tp, pp, cp, ep, etp; /* ranks of these groups; etp: that cut each expert */
	int64_t sp;		     /* of `sequence`, which cuts what `context` leaves of one */
	int64_t dp;		     /* ranks that see different samples */
	enum zero zero;
	bool zero_said; /* or left at a default that is known */
	bool sequence_parallel;

	const struct schedule *schedule; /* with pp > 1, one that takes its stages, or NULL */
	const char *asked;   /* the schedule that the config names, where it is another; or NULL */
	const char *refused; /* why it was not taken, in a sentence; or NULL */
	int64_t virtual_stages; /* per rank; 1 without interleaving */
	int64_t group;		/* Megatron's microbatches in a row of one stage; 0: as ranks */
	int64_t microbatches, micro; /* per step; samples in each */
	int64_t sequences;	     /* of a sample: an answer and the one it is preferred to */
	int64_t pipelined; /* microbatches after which a pipeline drains; 0: all of a step */
	int64_t seq;
	bool lengths_open; /* that is the greatest length: how long sequences are, their data says
			    */
	bool sharing_open; /* what starts the job may say who shares the model, and is not here */

	enum format_kind format; /* of matrix products */
	enum format_kind core;	 /* of those of the attention core and the output layer */
	bool one_copy; /* fp8 weights in one layout do for all products: Blackwell, one scale each
			*/
	bool fuses_experts; /* activations between their products are cast where they are made */
	bool casts_once;    /* to fp8 by Transformer Engine rather than torchao */
	bool fp8_gather;    /* FSDP gathers the fp8 weights of blocks */
	bool rowwise;	    /* fp8 with a scale for each row */
	bool param_fp16;
	bool clones_fp32;     /* ZeRO-3 updates a clone of fp32 parameters */
	int64_t stored_bytes; /* of a parameter, as plain PyTorch keeps it */
	int64_t param_bytes;  /* of an element, as gathered and computed with */
	int64_t grad_bytes;   /* per element, as reduced */
	enum casting casting;
	bool autocast;		       /* products cast fp32 weights and inputs to 16 bits */
	bool gradients_said;	       /* their type is given */
	bool narrow_gradients;	       /* bf16 where Megatron would accumulate in fp32 */
	bool fused_norms;	       /* RMSNorm is one kernel */
	bool fused_gate;	       /* and so is the product of SwiGLU */
	bool drops_hidden;	       /* of Megatron's blocks: a share of what both halves add */
	bool drops_scores;	       /* and of attention's probabilities */
	bool flash;		       /* the attention core never writes its scores */
	enum attention_kind attention; /* then: whose kernels */
	enum recompute recompute;
	unsigned modules;	 /* RECOMPUTE_MODULES: a bit of each */
	bool stops_early;	 /* but for its last product */
	int64_t recompute_every; /* RECOMPUTE_LAYERS: each so many-th block */
	int64_t recompute_first; /* or the first blocks of each stage; 0: not so */
	int64_t recompute_unit;	 /* RECOMPUTE_FULL: blocks of which one input is kept */
	enum loss_kind loss;
	bool loss_unknown;	/* what the config says of it is not known */
	int64_t loss_chunks;	/* parts of the tokens that it takes one by one; 0: not said */
	int64_t loss_tokens;	/* or tokens at a time; 0: not said */
	bool whole_logits;	/* gathered over tp before the loss */
	bool host_inputs;	/* those of recomputed blocks wait in host memory */
	bool host_stash;	/* the last of them are on the device, too, at the loss */
	bool recompute_unknown; /* what the config says of it is not known */
	bool recompute_said;	/* a mode is given */
	bool recompute_partly;	/* modules of a list that is not given may be, too */
	bool cpu_offload;	/* of parameters and optimizer state */
	struct optimizer optimizer;
	double master, moments; /* bytes of an element of its copy of parameters, and of Adam's
				   state; 0: as the framework keeps them */
	double widened;		/* of copies of that state that an update makes and lets go */
	double offload;		/* share of the optimizer state that waits in host memory */
	bool whole_graph;	/* one CUDA graph is the whole step */
	double captured; /* share of a block's launches, of those that graphs can take, in some */
	bool overlap_tp, overlap_grads, overlap_params;
	bool reduces_last;  /* where FSDP reduces, it does so after the last pass of a step */
	bool hides_experts; /* their traffic, where a schedule computes two passes together */
	bool async_tp;	    /* products and their collectives in slices, by PyTorch */
	double imbalance;   /* tokens of the fullest rank's experts over those of the mean one */
	bool loops_experts; /* a block computes expert by expert (sim/workload/experts.h) */
	bool old_models;    /* transformers' before 5.0, whose experts are computed so */
	bool packs_experts; /* of which all are one parameter */
	enum expert_fetch fetch;
	int64_t permutes; /* times a routed token is read or written on its way, beside sends */
	const struct node *not_counted; /* what the config asks for beside, in words: a first one */
	bool gathers_tokens;  /* those of all ranks, to each of which experts pick theirs */
	bool sends_once;      /* tokens go once to each place that has any of their experts */
	bool scatters_sends;  /* between stages: each tp rank a part of what is whole on all */
	bool waits_for_sends; /* a stage does nothing until the next one has what it sent */
	enum key_exchange context_exchange, sequence_exchange;
	double rollout_share;  /* of memory, of an engine on the same cards; 0: none */
	int64_t rollout_tp;    /* its ranks that share weights */
	bool rollout_offloads; /* the trainer leaves the card to it */
	const char *kernels;   /* training.kernels, or "" */

	enum reference_held reference;
	bool reference_stays;	  /* once it is gathered all at once it stays so */
	int64_t reference_bytes;  /* of its elements */
	int64_t reference_passes; /* over each microbatch, as long as a forward one */
	int64_t passes;		  /* with those of the trained model that have no backward one */
	bool scalar_head;	  /* a number takes the place of logits */

	const struct hurt *hurt; /* per pipeline rank; NULL: everything works as it should */
};

/*
 * The device and network of a job: presets, then the config's own numbers. `gpu` (may be NULL) is
 * the device where the config names none. NULL, or a sentence naming what is missing and how to
 * give it.
 */
const char *workload_profile(struct profile *profile, const struct job *job, const char *gpu);

/*
 * Fills a workload of a plan of the job that runs on `gpu` (NULL: the device is not known, and what
 * depends on it is not to be used); the same answer. What is known is filled in either case, so
 * that traffic_of may be asked for what needs no more.
 */
const char *workload_read(struct workload *workload, const struct profile *gpu,
			  const struct job *job, const struct plan *plan);

/* What follows from a plan and the framework it is of: its groups, what the ranks of its stages
 * hold, and what that framework does at its version. */
struct workload workload_of_plan(struct arena *arena, const struct job *job,
				 const struct plan *plan);

/* The same as workload_read, with a workload_of_plan that all jobs of that plan share. */
const char *workload_read_on(struct workload *workload, const struct profile *gpu,
			     const struct job *job, const struct workload *plan);

/* As if it computed in the narrowest type that any plan of the job computes in: the least of time
 * and memory. */
void workload_put_narrowest(struct workload *workload, const struct profile *gpu,
			    const struct job *job);

/* The schedule that a name stands for in this software, whatever it takes; NULL: none is known. */
const struct schedule *workload_schedule(const struct workload *workload, const char *name);

/* What its schedule is asked for, with so many microbatches; those of one pipeline where it
 * drains after fewer. */
struct pipeline_shape workload_shape(const struct workload *workload, int64_t microbatches);

/* Whether a stage's pipeline ends with a backward pass, after so many of them in a step. */
bool workload_ends(const struct workload *workload, int64_t microbatches, int64_t backwards);

/* Appends all computations of a pipeline rank in a step of so many microbatches, in order; of
 * several pipelines whole ones. */
void workload_order(struct arena *arena, const struct workload *workload, int64_t microbatches,
		    int32_t rank, struct actions *actions);

/*
 * The numbers that hold at one position of the pipeline: `profile` itself, or a copy in the arena
 * with the adapters that a node there has lost.
 */
const struct profile *workload_profile_at(struct arena *arena, const struct profile *profile,
					  const struct workload *workload, int64_t rank);

/* Products of Megatron with Transformer Engine add gradients of weights to the fp32 ones. */
bool workload_fuses_gradients(const struct workload *workload);

/*
 * DeepSpeed's BF16_Optimizer accumulates gradients in fp32 beside the bf16 ones; it takes the place
 * of ZeRO-1 where gradients accumulate in fp32, as Megatron-DeepSpeed's do (deepspeed@edaa7221
 * runtime/engine.py, _do_optimizer_sanity_check).
 */
bool workload_keeps_both_gradients(const struct workload *workload);

/*
 * Whether gradients are reduced after each microbatch of a step without a pipeline, rather than
 * after the last: FSDP's, and those of ZeRO-2, which keeps no whole ones (deepspeed@38327e07f
 * runtime/zero/stage_1_and_2.py, reduce_ready_partitions_and_remove_grads).
 */
bool workload_reduces_each(const struct workload *work);

/*
 * Whether whole gradients of a step without a pipeline wait under FSDP for its last pass: no_sync
 * of FullyShardedDataParallel, set_requires_gradient_sync of fully_shard.
 */
bool workload_waits_whole(const struct workload *work);

/*
 * Bytes of each gradient between two passes. Of those that wait for the last fully_shard's are cast
 * to the type of the reduction (torch 2.13.0 _fsdp_param.py, to_accumulated_grad_if_needed),
 * FSDP1's stay as they are computed.
 */
int64_t workload_waiting_bytes(const struct workload *work);

/*
 * Whether gradients are scattered, and parameters gathered, in one buffer each where only the
 * optimizer's state is cut: Megatron-LM's own optimizer does so (NVIDIA/Megatron-LM@0e7a7425
 * megatron/core/distributed.py, Bucket.communicate; since March 2022). Of trainers before
 * Transformer Engine that only share its layout, DeepSpeed and Aleph Alpha's all-reduce bucket by
 * bucket (Aleph-Alpha/scaling@737f855 core/optimizer/allreduce.py): a config that names none of
 * Megatron's own files may be theirs.
 */
bool workload_scatters_whole(const struct workload *workload);

/* What its framework does at its date; and at that of the PyTorch below it where it has none. */
bool workload_does(const struct workload *workload, enum habit habit);
bool workload_does_since(const struct workload *workload, enum habit habit);

/* Reads both from the wing, once it is known and whenever it or a date is another. */
void workload_put_habits(struct workload *workload);

/* Whether the job overlaps nothing that it does not ask Megatron Core for: a file of a framework's
 * own. */
bool workload_waits_unless_told(const struct job *job);

/* "not all weights are trained (lora)", or that it is not known; NULL: all are. */
const char *workload_frozen(const struct job *job);

/* What the config asks for and no forecast counts, in words: the first of those, or NULL. */
const struct node *workload_not_counted(const struct job *job);

/* What keeps any step of the job from being forecast: no length of sequences, frozen weights; or
 * NULL. */
const char *workload_lacks(const struct job *job);

/* Sequences in one microbatch. */
int64_t workload_sequences(const struct workload *workload);

/* Tokens in one microbatch on one rank, after context parallelism. */
int64_t workload_tokens(const struct workload *workload);

/* Ranks over which each sequence is cut, of both groups; of them those between which heads are. */
int64_t workload_cut(const struct workload *workload);
int64_t workload_cut_heads(const struct workload *workload);

#endif
