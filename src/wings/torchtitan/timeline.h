#ifndef WINGS_TORCHTITAN_TIMELINE_H
#define WINGS_TORCHTITAN_TIMELINE_H

#include "framework/timeline.h"

/*
 * TorchTitan's history as far as a plan depends on it.
 *
 * To add a TorchTitan change: a row in timeline.c and, for a new value of a trait, the code
 * that acts on it in parallel_dims.c, mesh.c, data_parallel.c or parallelize.c.
 */
enum trait {
	TRAIT_AXES,		/* enum titan_axes */
	TRAIT_DP_RENAMED,	/* the only data-parallel axis above 1 is called "dp" */
	TRAIT_DP_FLATTENED,	/* enum titan_flatten: who makes "dp" */
	TRAIT_CP_FLATTENED,	/* enum titan_cp */
	TRAIT_FSDP_MESH,	/* enum titan_fsdp: the mesh expression given to fully_shard */
	TRAIT_FSDP_NEEDS_SHARD, /* fully_shard only when dp_shard > 1, cp does not count */
	TRAIT_DDP,		/* enum titan_ddp */
	TRAIT_EP,		/* enum titan_ep */
	TRAIT_FT_MESH,		/* enum titan_ft */
	TRAIT_BATCH_FAKE,	/* "batch" has the fake backend */
	TRAIT_EP_NEEDS_TP,	/* llama4 and qwen3 ask for mesh "tp" whenever ep > 1 */
	TRAIT_EXPERT_MESH,	/* enum titan_expert */
	TRAIT_FULL_DTENSOR, /* enum titan_families: with parallelism.spmd_backend full_dtensor */
	TRAIT_SPMD_TYPES,   /* enum titan_families: with spmd_types */
	TRAIT_SPMD, /* enum titan_spmd: the default backend; traits up to here shape meshes */
	TRAIT_SPMD_TYPES_OVERLAP,  /* spmd_types is a word without meshes of its own */
	TRAIT_CP_NEEDS_SPMD_TYPES, /* cp under partial_dtensor is refused */
	TRAIT_CP_LOGGED,	   /* enum titan_cp_logged */
	TRAIT_SEQ_LEN,		   /* enum titan_seq_len */
	TRAIT_UNITS,		   /* enum titan_units: what fully_shard is called on */
	TRAIT_NAMES,		   /* enum titan_names: of modules and parameters */
	TRAIT_EXPERTS_DIM,	   /* enum titan_experts_dim: that fully_shard cuts */
	TRAIT_EXPERTS_UNIT,	   /* experts are a unit of their own even without ep */
	TRAIT_STRATEGY_LOGGED,	   /* enum titan_strategy_logged */
	TRAIT_PIPELINES,	   /* enum titan_families: that have them; at first the others do */
	TRAIT_FLEX_DEFAULT,	   /* FlexAttention unless a flavour says otherwise */
	TRAIT_DEEPSEEK_COMPILES,   /* enum titan_deepseek */
	TRAIT_DEEPSEEK_EP_UNTOLD,  /* its experts are wrapped with their blocks: ep is not told */
	TRAIT_HEADS_CHECKED,	   /* enum titan_heads: tp must divide heads and kv_heads */
	TRAIT_VARLEN_PP_REFUSED,   /* VarlenAttention in a pipeline */
	TRAIT_PP,		   /* enum titan_pp: how the model is split over stages */
	TRAIT_PP_V,		   /* enum titan_pp_v: schedules whose stages lie in a V */
	TRAIT_PP_ABSTRACT_REFUSED, /* PipelineScheduleSingle is refused in TorchTitan's words */
	TRAIT_PP_DEGREE_NAMED,	   /* messages about stages say pp_degree, not pp_size */
	TRAIT_PP_LOOPED,	   /* enum titan_looped: which schedules are built, and of what */
	TRAIT_MICROBATCHES,	   /* enum titan_microbatches */
	TRAIT_TOKENS,		   /* batches are counted in tokens */
	TRAIT_CUDA_GRAPHS,	   /* passes are captured, unless the config says otherwise */
	TRAIT_UNKNOWN_KEYS_RAISE,
	TRAIT_PYTHON_CONFIG,   /* no TOML any more */
	TRAIT_CONVERTER_NAMES, /* 1: "quantize.linear.float8"; 0: "float8" */
	TRAIT_FLOAT8_TP_LOST,  /* the TP plan looks for a converter name that no longer exists */
	TRAIT_DATALOADER,      /* enum titan_dataloader: resuming on other degrees */
	TRAIT_CP_ATTENTION,    /* enum titan_cp_attention: kernels cp is refused with */
	TRAIT_CP_TP_REFUSED,   /* enum titan_cp_tp: families that run cp without tp only */
	TRAIT_ROPE,	       /* enum titan_rope: sequences beyond the rotary embedding */
	TRAIT_ASYNC_TP_CONFIG, /* what it needs is asked of the config */
	TRAIT_BATCH_CHECKED,   /* gradient accumulation: the global batch must fit */
	TRAIT_EXCLUDE_FROM_LOADING,
	TRAIT_LR_SCHEDULER_RESHARDS,
	TRAIT_COMPILED_NAMES_KEPT, /* a resumed compiled model is saved under its own names */
	TRAIT_MODEL_FLATTENED,	   /* no "model." before parameters in a checkpoint */
	TRAIT_OWN_SCHEDULES,	   /* schedules by TorchTitan's own names: "interleaved_1f1b" */
	TRAIT_COUNT
};

enum titan_axes {
	AXES_NONE,
	AXES_DP,   /* pp, dp, tp */
	AXES_HSDP, /* pp, dp_replicate, dp_shard, tp */
	AXES_CP,   /* pp, dp_replicate, dp_shard, cp, tp */
	AXES_VIEWS /* one world axis, unflattened into views */
};
enum titan_heads {
	HEADS_UNCHECKED,
	HEADS_CHECKED_KV,	/* by the models with key/value heads, each for itself */
	HEADS_CHECKED_KV_ASKED, /* by all, which fails where there are no key/value heads */
	HEADS_CHECKED_ALL
};
enum titan_flatten {
	FLATTEN_NONE,
	FLATTEN_HSDP,  /* "dp" only when both degrees are above 1 */
	FLATTEN_ALWAYS /* "dp" from whatever is above 1 */
};
enum titan_cp {
	CP_NONE,
	CP_IN_PARALLELIZE,  /* "dp_cp" made while parallelizing; needs data parallel */
	CP_DP_CP,	    /* "dp_cp" made with the mesh; needs data parallel */
	CP_DP_CP_OPTIONAL,  /* the same, not made without dp_shard */
	CP_DP_SHARD_CP,	    /* "dp_shard_cp" */
	CP_DP_SHARD_CP_LOSS /* "dp_shard_cp" and the loss mesh "dp_cp" */
};
enum titan_fsdp {
	FSDP_NONE,
	FSDP_DP,	  /* world_mesh["dp"] */
	FSDP_HSDP,	  /* ["dp_replicate", "dp_shard"] or "dp"; with cp 1-D "dp_cp" */
	FSDP_COLLAPSED,	  /* "dp_cp" or "dp", always 1-D: issue 711 */
	FSDP_DP_SHARD_CP, /* ("dp_replicate",)? + ("dp_shard_cp",) */
	FSDP_VIEW,	  /* ["dp_replicate"]? + ["fsdp"] of the dense view */
	FSDP_ALWAYS	  /* the same, also when fsdp has one rank */
};
enum titan_ddp {
	DDP_NONE,
	DDP_WORLD_1D,	/* refused when the world mesh has more than one axis */
	DDP_NOT_CP,	/* refused with cp, then as DDP_WORLD_1D */
	DDP_WORLD_SIZE, /* llama3, llama4: refused unless dp_replicate is the world; others never */
	DDP_ANY		/* never refused */
};
enum titan_ep {
	EP_NONE,
	EP_BORROWED,	  /* dp2ep: dp_shard_mod_ep, dp_shard_in_ep; ep covers cp */
	EP_ETP,		  /* the same with etp in {tp, 1} */
	EP_SPARSE_ETP,	  /* efsdp, ep, etp; nothing checked */
	EP_SPARSE,	  /* efsdp, ep */
	EP_SPARSE_CHECKED /* ep must divide dp_shard * cp * tp */
};
enum titan_ft {
	FT_NONE,
	FT_MANAGED_MESH, /* dp_replicate is kept at size 1 in a ManagedDeviceMesh */
	FT_HOOK,	 /* the plain mesh and an all-reduce hook on FSDP modules */
	FT_GONE		 /* left the core trainer */
};
enum titan_expert {
	EXPERT_OWN_MESH,     /* experts are a unit of their own on dp_shard_mod_ep / efsdp */
	EXPERT_FIRST_DIM,    /* per-parameter mesh, sharded over its first dim: wrong under HSDP */
	EXPERT_PER_PARAMETER /* per-parameter mesh, right */
};
enum titan_cp_logged {
	CP_NOT_LOGGED,
	CP_LOGGED_AFTER,
	CP_LOGGED_BEFORE
}; /* the data-parallel line */
/* Models that shard on the storage mesh under a backend; the others ask for "fsdp" in vain. */
enum titan_families {
	FAMILIES_UNKNOWN, /* the backend is not known and means partial_dtensor */
	FAMILIES_NONE,
	FAMILIES_LLAMA3,
	FAMILIES_LLAMA3_QWEN3,
	FAMILIES_ALL_BUT_GPT_OSS,
	FAMILIES_ALL
};
enum titan_spmd { SPMD_NONE, SPMD_PARTIAL_DTENSOR, SPMD_TYPES };
enum titan_seq_len {
	SEQ_LEN_UNCHECKED,
	SEQ_LEN_PRODUCT, /* llama3 and llama4: tp * cp */
	SEQ_LEN_DIVISOR, /* every parallelize function: tp * 2 * cp */
	SEQ_LEN_TOKENS	 /* tokens per microbatch */
};
enum titan_units {
	UNITS_BLOCKS,	    /* blocks; the root holds embeddings, norm and output */
	UNITS_SPLIT_LLAMA3, /* llama3: tok_embeddings, blocks, [norm, output]; others as before */
	UNITS_SPLIT_ENDS,   /* so in all models */
	UNITS_TIED_BUT_LLAMA3, /* both ends before the blocks, one unit where tied; llama3 as before
				*/
	UNITS_TIED	       /* so in all models */
};
enum titan_names {
	NAMES_TRANSPOSED, /* experts w1 [E, dim, ffn] */
	NAMES_OUTPUT,	  /* experts w1 [E, ffn, dim] */
	NAMES_LM_HEAD,	  /* output is lm_head */
	NAMES_HEAD	  /* moe.routed_experts.inner_experts */
};
enum titan_experts_dim {
	EXPERTS_ROWS,	    /* 0 */
	EXPERTS_COLUMNS_EP, /* 1 where there are more ranks than experts, with ep */
	EXPERTS_COLUMNS	    /* so without ep, too */
};
enum titan_deepseek {
	DEEPSEEK_REFUSES, /* torch.compile */
	DEEPSEEK_COMPILES,
	DEEPSEEK_DDP_BROKEN /* DDP asks for a key that has moved */
};
enum titan_strategy_logged {
	LOGGED_STRATEGY, /* "Applied FSDP to the model" */
	LOGGED_FULLY_SHARD,
	LOGGED_FULLY_SHARD_BUT_LLAMA3
};
enum titan_pp {
	PP_NONE,	     /* refused */
	PP_GIVEN_POINTS,     /* split points alone say how many stages there are */
	PP_SPLIT_POINTS,     /* made where none are given */
	PP_LAYERS_PER_STAGE, /* the ends are set first, the middle stages share what remains */
	PP_RIGID_LAYERS,     /* embedding and output count as layers; layers_per_stage must fit */
	PP_FQNS		     /* lists of module names; split points are refused */
};
enum titan_looped {
	LOOPED_TWO,	  /* only the 1F1B of several stages gets more than the first of them */
	LOOPED_NO_CUSTOM, /* all get them; the base classes are refused */
	LOOPED_ALL
};
enum titan_microbatches {
	MICROBATCHES_SIZED,	/* pipeline_parallel_microbatch_size */
	MICROBATCHES_COUNTED,	/* pipeline_parallel_microbatches, else as many as ranks */
	MICROBATCHES_AS_STAGES, /* else as many as stages */
	MICROBATCHES_CHECKED	/* the same, and the batch must be a multiple */
};
enum titan_pp_v { PP_V_NONE, PP_V_ZERO_BUBBLE, PP_V_DUAL_PIPE /* as well */ };
enum titan_cp_attention {
	CP_ATTENTION_NOT_FLEX,	  /* the Llamas refuse flex, also with selective checkpointing */
	CP_ATTENTION_IN_PROGRESS, /* everything but SDPA "is still in progress" */
	CP_ATTENTION_SDPA_ONLY,	  /* the same; deepseek_v3 says it in other words */
	CP_ATTENTION_BY_MODEL,	  /* the Llamas take flex as well */
	CP_ATTENTION_NOT_VARLEN,  /* SDPA and flex in every model */
	CP_ATTENTION_FLEX_ONLY
};
enum titan_rope {
	ROPE_WARNS,
	ROPE_REFUSED,
	ROPE_LONGER /* qwen3's reach is that of its checkpoints */
};

enum titan_cp_tp { CP_TP_MEETS, CP_TP_REFUSED, CP_TP_REFUSED_BUT_QWEN3 };

enum titan_dataloader {
	DATALOADER_BY_RANK, /* missing keys when growing, silent loss when shrinking */
	DATALOADER_ASSERTS, /* "dp_degree is inconsistent ..." */
	DATALOADER_RAISES   /* ValueError */
};

extern const struct timeline timeline_torchtitan;

/* What TorchTitan does at a moment. */
void titan_traits(moment_t when, int traits[TRAIT_COUNT]);

#endif
