#ifndef FRAMEWORK_HABIT_H
#define FRAMEWORK_HABIT_H

#include <stdbool.h>
#include <stdint.h>

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
	HABIT_KTO_PAIRS,	/* KTO holds answers against others of a device's batch */
	HABIT_GENERATION_BATCH, /* answers of a prompt divide those that all ranks generate
				   together */
	HABIT_ROLLOUT, /* an engine that generates is laid over the ranks, of tp 2 unless given */

	/* ---- heads and sequences ---- */
	HABIT_KV_AT_LEAST,   /* there must be as many key/value heads as tp */
	HABIT_KV_UNEVEN,     /* tp cuts key/value heads unevenly */
	HABIT_CUTS_UNPADDED, /* sequences are cut as they are, in cp parts */

	/* ---- context parallelism and packing ---- */
	HABIT_OWN_LENGTHS,   /* sequences are as long as what they are made of, and batches as their
				longest, unless they are packed or padded to the greatest length */
	HABIT_PACKS_BATCHES, /* and packing lays those of a batch end to end: it fills nothing up */
	HABIT_CUTS_PACK,     /* cp cuts a whole pack, not each of its documents */
	HABIT_ALIGNED_DOCUMENTS, /* packed documents must be aligned to its chunks */
	HABIT_CUTS_ALONE,	 /* cp cuts sequences, whichever attention there is */
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
	HABIT_FIXED_RECIPES,   /* some of its recipes read no degrees */
	HABIT_ULYSSES_INSIDE,  /* ranks of Ulysses are some of data parallelism's, under FSDP */
	HABIT_REPEATS_KEYS,    /* Ulysses repeats heads of keys for more ranks, also as cp */
	HABIT_RING_BEYOND,     /* a ring cuts sequences further than Ulysses can by heads */
	HABIT_SIZED_AXES, /* its mesh has the axes above 1 only, and FSDP asks for dp_shard_cp */

	/* ---- the step ---- */
	HABIT_TIED_APART,   /* tied weights are wrapped in two units */
	HABIT_CLIPS_STAGES, /* gradients are clipped by the norm of one pipeline stage */

	/* ---- the launch ---- */
	HABIT_DEVICE_MAP,      /* without an engine a process has its equal part of the devices */
	HABIT_NODES_ALIKE,     /* every machine is taken for like this one */
	HABIT_TASK_PER_DEVICE, /* srun must start a task for each device */

	/* ---- a step and its memory ---- */
	HABIT_MEGATRON_STEP,	  /* its passes are those of Megatron Core */
	HABIT_TRANSFORMER_ENGINE, /* layers are built from Transformer Engine */
	HABIT_ENGINE_CASTS,	  /* its fp8 is that of Transformer Engine */
	HABIT_SCATTERS_SENDS,	  /* each tp rank sends its part to the next stage, where they are
				     gathered */
	HABIT_OVERLAPS,	  /* Megatron's reductions and products overlap unless told otherwise */
	HABIT_NO_BUFFERS, /* it makes no user buffers of Transformer Engine's, by which tp overlaps
			   */
	HABIT_BY_RECIPES, /* its configs are changes of recipes, which overlap and say so elsewhere
			   */
	HABIT_SENDS_ONCE, /* recipes dispatch tokens by DeepEP or HybridEP unless they say otherwise
			   */
	HABIT_FUSES_EXPERTS,   /* both products of routed experts are one operation where they are
				  fp8 */
	HABIT_MEGATRON_BLOCKS, /* its blocks are those of Megatron-LM before Transformer Engine */
	HABIT_TRANSFORMERS_MODELS, /* its models are those of transformers */
	HABIT_MODELS_LOOP, /* experts of its models are computed one by one, in a loop of Python */
	HABIT_LOOPS_EXPERTS, /* and so are its own of the time when those were, where their version
				is not pinned */
	HABIT_EXPERTS_WHOLE, /* it has ZeRO-3 gather all experts of a block at once */
	HABIT_EXPERTS_APART, /* ZeRO-3 gathers experts weight by weight unless it is told otherwise
			      */
	HABIT_NARROW_NORMS,  /* RMSNorm multiplies by its weights in the type of its input */
	HABIT_SPREADS_KEYS,  /* its attention lays keys and values out for all heads */
	HABIT_COPIES_KEYS,   /* and so it does those of a single head */
	HABIT_JOINS_HEADS,   /* its attention cuts one product in three, and joins what it rotated
				of each head with the rest */
	HABIT_MASKS_WINDOWS, /* it masks all that is outside of a block's window of tokens */
	HABIT_CAPS_SCORES,   /* it caps scores of models that have them capped, which no kernel does
			      */
	HABIT_AUTOCASTS,     /* 16 bits without FSDP are torch.autocast over fp32 parameters */
	HABIT_TRITON_ATTENTION, /* attention is Triton's FlashAttention unless told otherwise */
	HABIT_CAPTURES,		/* its recipes for racks of NVLink capture launches unless they say
				   otherwise */
	HABIT_RECOMPUTES_MODULES,   /* selective recomputation is a list of modules */
	HABIT_WEIGHS_OUTSIDE,	    /* routed tokens are weighted outside the experts */
	HABIT_FP8_ALONE,	    /* fp8 weights are kept alone, and gradients reduced in bf16 */
	HABIT_RECOMPUTES_OPERATORS, /* what is not said of recomputation is the list of operators */
	HABIT_KEEPS_MAGNITUDES,	    /* whose list has what float8 takes its maxima of */
	HABIT_LISTS_BY_MODEL, /* each model has its own list, without products that add biases */
	HABIT_SENDS_AGAIN,    /* whose lists lack what experts of other ranks are sent */
	HABIT_KEEPS_SUMS,     /* which has the sum of experts' outputs, a product in fp32 */
	HABIT_WIDE_ROUTER,    /* routers multiply in fp32 */
	HABIT_STOPS_EARLY,    /* recomputation ends with what the backward pass reads */
	HABIT_REDUCES_LAST, /* FSDP reduces gradients after the last of a step's passes, unless told
			       otherwise, and keeps whole ones until then */
	HABIT_REDUCES_EACH, /* after each, though what it stands on does so after the last */
	HABIT_REDUCES_SHARDS, /* fully_shard's after each all the same: its no_sync is of FSDP1 */
	HABIT_REDUCES_FP32,   /* gradients are reduced in fp32 unless told otherwise */
	HABIT_STORES_BF16,    /* parameters are stored in bf16 unless told otherwise */
	HABIT_STORES_FP32,    /* in fp32, though what it stands on does so in bf16 */
	HABIT_STORES_AS_COMPUTED, /* in the type that they are computed with */
	HABIT_CLONES_FP32,	  /* of fp32 parameters that ranks share a clone is updated */
	HABIT_SEQUENCE_PARALLEL, /* tensor parallelism cuts sequences, too, unless told otherwise */
	HABIT_FUSED_NORM,	 /* RMSNorm is one kernel */
	HABIT_FUSED_SWIGLU,	 /* SwiGLU is one kernel, which keeps its input alone */
	HABIT_FUSED_ADAM,	 /* Adam is the fused one */
	HABIT_NARROW_ADAM,	 /* it reads moments of bf16 as they are */
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
	HABIT_LOSS_SPLIT,     /* in chunks, in the type of the logits, which the loop holds */
	HABIT_LOGITS_CHUNKED, /* in eight chunks, whose bf16 logits are kept */
	HABIT_LOGITS_HELD,    /* the loop holds fp32 logits during the backward pass */
	HABIT_LOGITS_COPIED,  /* the maximum is subtracted into another copy of the logits */
	HABIT_FUSED_QKV,      /* one product makes queries, keys and values */
	HABIT_CUDNN_FIRST,    /* attention is cuDNN's where the device has it */

	/* ---- its pipelines ---- */
	HABIT_STAGE_BUFFERS,	/* stages are PyTorch's, with buffers for each microbatch */
	HABIT_OUTPUTS_RETURNED, /* whose last one returns what it made of all microbatches */

	/* ---- groups ---- */
	HABIT_MEGATRON_GROUPS, /* cp ranks repeat parameters unless FSDP shares them over dp;
				  experts have a grid */
	HABIT_EXPERT_TENSOR,   /* tensor parallelism of experts has ranks of its own */

	/* ---- what a trainer that is read commit by commit has, and does ---- */
	HABIT_HAS_REPLICAS,   /* a degree dp_replicate */
	HABIT_HAS_CP,	      /* context parallelism */
	HABIT_HAS_EP,	      /* expert parallelism */
	HABIT_HAS_ETP,	      /* a degree of the experts' tensor parallelism */
	HABIT_ETP_BY_TP,      /* experts are cut by tp */
	HABIT_MESH_VIEWS,     /* its meshes are views of one */
	HABIT_REPLICAS_LOST,  /* with ep, experts are shared over the replicas */
	HABIT_FT_MANAGED,     /* torchft has a mesh of its own */
	HABIT_FT_HOOK,	      /* torchft reduces in a hook of FSDP's modules */
	HABIT_FT_GONE,	      /* there is no torchft in it */
	HABIT_COUNTS_TOKENS,  /* batches are counted in tokens */
	HABIT_SKIPS_FLOAT8,   /* float8 is left out, with a word in the log, where a device lacks it
			       */
	HABIT_COUNTS_MICRO,   /* microbatches are counted, and have no size */
	HABIT_CAPTURES_ALONE, /* passes are captured unless told otherwise, but no pipelines and
				 no tokens that wait for the host */
	HABIT_STEPS_AT_ONCE,  /* it adds up no gradients of several passes */
	HABIT_LENGTH_FREE,    /* nothing asks what tp and cp cut sequences into */
	HABIT_LENGTH_DIVISOR, /* it asks that tp * 2 * cp divide them */
	HABIT_CP_FLEX_LLAMA,  /* cp takes FlexAttention in the Llamas alone */
	HABIT_CP_TP_FAILS,    /* qwen3 fails with cp and tp in the first forward pass */
	HABIT_VIEWS_PLAIN,    /* attention views plain tensors */
	HABIT_LOOPS_V,	      /* stages of schedules that want a V lie in a loop */
	HABIT_LOOPS_DUAL_PIPE,	/* those of DualPipeV do */
	HABIT_SPREADS_ENDS,	/* ends of the model count as layers where stages are dealt out */
	HABIT_SUMS_STAGES,	/* with pp gradients are those of the summed loss */
	HABIT_CASTS_BY_SHARDS,	/* mixed precision comes with fully_shard alone: casting.h */
	HABIT_REPLICAS_CAST,	/* and with the replicate that is one of FSDP2's */
	HABIT_COMPILES_ITSELF,	/* it compiles the stages' modules by a key of its file */
	HABIT_PYTHON_CONFIG,	/* its configs are Python */
	HABIT_NAMES_QUANTIZE,	/* converters are called "quantize.NAME" */
	HABIT_FLOAT8_TP_LOST,	/* the plan of tp looks for the old names */
	HABIT_FLOAT8_ALL_SIZES, /* float8 leaves out the output, and no sizes */
	HABIT_LOADING_EXCLUDES, /* parts of a checkpoint can be left out of loading */
	HABIT_EXCLUDES_PAIR,	/* not the optimizer's without the scheduler's */
	HABITS
};

/* A set of them. */
struct habits {
	uint64_t bits[HABITS / 64 + 1];
};

static inline void habits_put(struct habits *habits, enum habit habit)
{
	habits->bits[habit / 64] |= UINT64_C(1) << habit % 64;
}

static inline bool habits_have(const struct habits *habits, enum habit habit)
{
	return habits->bits[habit / 64] >> habit % 64 & 1;
}

#endif
