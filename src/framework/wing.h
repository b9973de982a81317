#ifndef FRAMEWORK_WING_H
#define FRAMEWORK_WING_H

#include "framework/job.h"
#include "plan/exception.h"

/*
 * What is known of a framework by its name, whether it has a model of its own or not. The file that
 * defines `wing_NAME` lies in its folder, src/wings/; rules and forecasts ask for habits, never for
 * a name.
 */

/* What a framework does that others ask about. */
enum habit {
	HABIT_END,

	/* ---- what it is ---- */
	HABIT_TRAINER,	  /* its whole trainer is read, commit by commit: no script of one's own is
			     left */
	HABIT_MEGATRON,	  /* runs Megatron Core: its groups, batches and asks */
	HABIT_ENGINE,	  /* trainers stand on it, and speak first */
	HABIT_HF_TRAINER, /* its loop is transformers' Trainer */

	/* ---- batches ---- */
	HABIT_ASSERTS_TRIPLE,	/* micro batch, accumulation and global batch must agree */
	HABIT_BATCH_OVER_RANKS, /* the global batch is cut over ranks, whatever the micro batch */
	HABIT_FILLS_PIPELINE,	/* 1F1B wants a micro-batch for each stage but one */
	HABIT_ROLLOUT, /* an engine that generates is laid over the ranks, of tp 2 unless given */

	/* ---- heads and sequences ---- */
	HABIT_KV_AT_LEAST,   /* there must be as many key/value heads as tp */
	HABIT_KV_UNEVEN,     /* tp cuts key/value heads unevenly */
	HABIT_CUTS_UNPADDED, /* sequences are cut as they are, in cp parts */

	/* ---- context parallelism and packing ---- */
	HABIT_CUTS_PACK,	 /* cp cuts a whole pack, not each of its documents */
	HABIT_ALIGNED_DOCUMENTS, /* packed documents must be aligned to its chunks */
	HABIT_RING_KERNEL, /* it is a kernel of flash attention that takes one packed sequence */

	/* ---- experts ---- */
	HABIT_EP_IN_PRODUCT, /* ep is a factor of the product of the degrees */
	HABIT_ETP_ONE,	     /* etp is 1 unless given */

	/* ---- pipelines ---- */
	HABIT_WEIGHS_LAYERS, /* stages have layers by weight, not by number */

	/* ---- strategies ---- */
	HABIT_WANTS_TP_PLAN,	/* tp needs a plan of what it cuts */
	HABIT_ENGINE_FILE,	/* an engine's own file stands beside settings of the same */
	HABIT_STRATEGY_DROPPED, /* FSDP2 drops a sharding strategy but for resharding */
	HABIT_BARE_DEGREES,	/* degrees stand at the top of its file, not in a block */

	/* ---- checkpoints ---- */
	HABIT_FILES_BY_RANK,   /* one file for each rank of tp, pp and ep */
	HABIT_WORD_RUNS,       /* a rank's part of ZeRO-1's and 2's vector is whole words */
	HABIT_OPTIMIZER_PARTS, /* one part of the optimizer state for each data-parallel rank */

	/* ---- degrees ---- */
	HABIT_AXES_NAMED,      /* its degrees go by the names of the axes, not of its keys */
	HABIT_NO_FREE_DEGREE,  /* -1 is no degree */
	HABIT_CLAMPS,	       /* tp is min(tp, world) where nothing checks it first */
	HABIT_TAKES_BY_FLOOR,  /* degrees take ranks one after the other, by floor division */
	HABIT_IGNORES_DEGREES, /* what it has no use for it drops and says nothing */
	HABIT_LORA_RECIPE,     /* a recipe for LoRA reads no degrees */
	HABIT_SIZED_AXES, /* its mesh has the axes above 1 only, and FSDP asks for dp_shard_cp */

	/* ---- the step ---- */
	HABIT_TIED_APART,   /* tied weights are wrapped in two units */
	HABIT_CLIPS_STAGES, /* gradients are clipped by the norm of one pipeline stage */

	/* ---- the launch ---- */
	HABIT_NODES_ALIKE,     /* every machine is taken for like this one */
	HABIT_TASK_PER_DEVICE, /* srun must start a task for each device */

	/* ---- a step and its memory ---- */
	HABIT_MEGATRON_STEP,	  /* its passes are those of Megatron Core */
	HABIT_TRANSFORMER_ENGINE, /* layers are built from Transformer Engine */
	HABIT_OVERLAPS,	  /* Megatron's reductions and products overlap unless told otherwise */
	HABIT_SENDS_ONCE, /* recipes dispatch tokens by DeepEP or HybridEP unless they say otherwise
			   */
	HABIT_RECOMPUTES_MODULES,   /* selective recomputation is a list of modules */
	HABIT_WEIGHS_OUTSIDE,	    /* routed tokens are weighted outside the experts */
	HABIT_FP8_ALONE,	    /* fp8 weights are kept alone, and gradients reduced in bf16 */
	HABIT_RECOMPUTES_OPERATORS, /* what is not said of recomputation is the list of operators */
	HABIT_REDUCES_FP32,	    /* gradients are reduced in fp32 unless told otherwise */
	HABIT_STORES_BF16,	    /* parameters are stored in bf16 unless told otherwise */
	HABIT_SEQUENCE_PARALLEL, /* tensor parallelism cuts sequences, too, unless told otherwise */
	HABIT_FUSED_NORM,	 /* RMSNorm is one kernel */
	HABIT_FUSED_ADAM,	 /* Adam is the fused one */
	HABIT_LOADS_LATE,	 /* kernels are loaded when they are first used */
	HABIT_AMAX_OVER_WORLD,	 /* float8's maxima are reduced over all ranks, not over the mesh */
	HABIT_MESH_REGISTERED,	 /* PyTorch looks into the root of its ManagedDeviceMesh */
	HABIT_CONNECTS_LATE,	 /* NCCL connects rings and trees when they are first used */
	HABIT_EMPTY_GRADIENTS,	 /* what is returned for gradients that were added up is kept */

	/* ---- its loss ---- */
	HABIT_LOSS_PARALLEL,  /* each tp rank has its part of the vocabulary */
	HABIT_LOSS_COMPILED,  /* compiled with the model */
	HABIT_LOSS_TRACED,    /* traced with the model, unfused */
	HABIT_LOSS_CHUNKED,   /* in eight chunks */
	HABIT_LOSS_FUSED,     /* in one kernel, the gradient over the logits */
	HABIT_LOGITS_CHUNKED, /* in eight chunks, whose bf16 logits are kept */
	HABIT_LOGITS_HELD,    /* the loop holds fp32 logits during the backward pass */

	/* ---- groups ---- */
	HABIT_MEGATRON_GROUPS, /* cp ranks repeat parameters unless FSDP shares them over dp;
				  experts have a grid */
	HABIT_EXPERT_TENSOR,   /* tensor parallelism of experts has ranks of its own */
	HABITS
};

/* A habit in the versions from `since` up to `until`; 0: from the first, to the last. */
struct habit_row {
	enum habit habit;
	moment_t since, until;
	bool undated;	  /* of a version whose date is not known as well */
	int major, minor; /* not 0: numbered releases before that one; without `until` only those */
	const char *what; /* what changed with `since`, where plans depend on it; or NULL */
};

struct wing {
	const char *name; /* as it is pinned */
	bool packaged;	  /* installed as a package of that name, whose version pins it */
	const struct habit_row *habits; /* ended by HABIT_END; NULL: none */
	const struct exceptions *tells; /* its table of exceptions, or NULL */
	const char *schedule; /* the one it has no name for, which its own stands for; or NULL */
	/* names it may be pinned by that say no version ("core", "zero"), ended by NULL; or NULL */
	const char *const *kinds;
	int bucket_mib;		   /* of DistributedDataParallel's buckets; 0: PyTorch's own 25 */
	const char *expert_plugin; /* without which it ignores ep; or NULL */
	const char *dump; /* a Python program that has it write what a config of its own Python
			     makes, in a form that a dialect of the wing reads; or NULL */
	/* what it stands on: habits and exceptions of that are its own, too */
	const struct wing *on;
};

extern const struct wing *const wings[]; /* ended by NULL */

/* The wing of that name, or NULL. */
const struct wing *wing_find(const char *name);

/* Whether it does so at that version, NULL where none is known. False for a wing that is NULL. */
bool wing_does(const struct wing *wing, enum habit habit, const struct version *version);

/* The wing whose name a version begins with, as that of a fork does: "deepspeed@2024-05"; or NULL.
 */
const struct wing *wing_joined(const char *version);

/* The first framework of the job that does so at its version, or NULL. */
const struct version *job_does(const struct job *job, enum habit habit);

/* Whether the framework whose own file the config is does so. */
bool file_does(const struct job *job, enum habit habit);

#endif
