#ifndef FRAMEWORK_TORCH_RELEASE_H
#define FRAMEWORK_TORCH_RELEASE_H

#include "base/arena.h"
#include "input/document.h"

#include <stdbool.h>

/*
 * PyTorch by version. A behaviour is asked for by name, never by comparing
 * numbers at the place of use: torch_has(torch, TORCH_NESTED_SLICING). Releases go by
 * their minor number, nightlies by the day the change was merged.
 */
struct torch_release {
	int minor; /* 2.MINOR */
	int patch;
	int nightly;	   /* YYYYMMDD of a dev build, or 0 for a release */
	const char *label; /* "2.9.0", "2.11.0.dev20251221" */
};

/* What changed between versions; the table in release.c has date, pull request and a sentence. */
enum torch_feature {
	TORCH_SLICE_BY_OWN_NAME,     /* a 1-D mesh may be sliced by its own name; 2.3 */
	TORCH_EMPTY_SHARDS,	     /* a dim may be smaller than the mesh dim that cuts it; 2.3 */
	TORCH_PIPELINING,	     /* torch.distributed.pipelining; 2.4 */
	TORCH_UNEVEN_STRIDES,	     /* uneven shards have strides of their own; 2.4, #118836 */
	TORCH_TUPLE_SLICING,	     /* mesh["a", "b"]; 2.4, #127465 */
	TORCH_STATE_DICT_2D_REFUSED, /* HSDP, FSDP with TP: no state_dict; 2.4 alone, #129519 */
	TORCH_FLATTEN,		     /* DeviceMesh._flatten, slices only of roots; 2.5, #132632 */
	TORCH_STRIDED_SHARD,	     /* _StridedShard; 2.5, #130760 */
	TORCH_SCHEDULE_CLASSES,	     /* get_schedule_class; 2.5 */
	TORCH_INTERLEAVED_ROUNDS,    /* Interleaved1F1B goes in rounds; 2.6 */
	TORCH_MULTI_OF_ONE,	     /* one stage per rank in schedules of several; 2.6 */
	TORCH_SCHEDULE_NAMES,	     /* schedules in any case, listed in errors; 2.6 */
	TORCH_ZBV,		     /* ZBVZeroBubble; 2.6 */
	TORCH_UNEVEN_EXTENSIONS,     /* FSDP leaves padding to all-gather extensions; 2.6 */
	TORCH_CP_BALANCED,	  /* context_parallel balances causal work, in 2 * cp chunks; 2.6 */
	TORCH_FLATTENED_SIZES,	  /* slicing a flattened axis of 3 dims; 2.6, #138945 */
	TORCH_SIZES_COMPARED,	  /* DCP refuses a tensor of another size; 2.6 */
	TORCH_CROSS_MESH_CHECKED, /* operands of several meshes are a ValueError; 2.7 */
	TORCH_SHARD_MESH_FROM_ROOT, /* FSDP takes the shard mesh from the root; 2.7, #143248 */
	TORCH_SCHEDULE_CHECKS_MICROBATCHES, /* 2.7, #144702 */
	TORCH_UNEVEN_STRIDED,		    /* FSDP + TP on one uneven dim; 2.8, #150490 */
	TORCH_OFFSETS_EXPLICIT_ORDER,	    /* metadata algorithm B; 2.8 */
	TORCH_LOCAL_RANK_TRUSTED,	    /* devices are not counted under LOCAL_RANK; 2.8 */
	TORCH_STREAMS_STASHED,		    /* NCCL's tensors are stashed, not recorded; 2.8 */
	TORCH_ROOT_RESHARD_AUTO,	    /* the root reshards where told to; 2.8, #155319 */
	TORCH_NESTED_SLICING,		    /* submesh of a submesh; 2.9, #158899 */
	TORCH_SHORT_MESH_TEXTS,		    /* repr shows shape and strides; 2.9, #158822 */
	TORCH_FLATTEN_REFUSES_AXES,  /* _flatten refuses names of the root's axes; 2.9, #160709 */
	TORCH_TP_ANY_AXIS,	     /* TP mesh need not be the innermost; 2.9, #157216 */
	TORCH_GLOO_AVERAGES,	     /* gloo divides where asked to average; 2.9 */
	TORCH_ONE_RANK_SUMMED,	     /* FSDP over one rank; 2.9, #157529 */
	TORCH_DUALPIPEV,	     /* 2.9 */
	TORCH_CROSS_MESH_UNNAMED,    /* ... a RuntimeError that tells the operator alone; 2.9 */
	TORCH_ROOTS_NAME_EXPERTS,    /* "same parent mesh" speaks of TP/EP; 2.9 */
	TORCH_FLATTEN_NAMES_CHECKED, /* and of other flattened meshes; 2.10, #161311 */
	TORCH_SCHEDULE_REFUSES_COMPILE, /* zero bubble, compiled submodules; 2.10, #162511 */
	TORCH_STRIDED_TRANSPOSED,	/* _StridedShard splits by tp first; 2.10, #163843 */
	TORCH_CROSS_MESH_NAMED,		/* ... a RuntimeError that tells the meshes; 2.10 */
	TORCH_LAYOUTS,		  /* CuTe bookkeeping, _unflatten, _concatenate; 2.10, #161224 */
	TORCH_ROWS_BY_COMPLEMENT, /* order of group creation; 2.10 */
	TORCH_DEFAULT_GROUP_PER_AXIS,  /* any axis as large as the world reuses the default
					  group; 2.10 */
	TORCH_PLAN_VALIDATED_BY_SWEEP, /* DCP no longer compares all pairs of chunks; 2.10 */
	TORCH_OFFSETS_LEFT_TO_RIGHT,   /* metadata algorithm C; 2.10 */
	TORCH_UNIT_STRIDES,	      /* a flattened axis of one rank has stride 1; 2.11, #169454 */
	TORCH_OUTSIDERS_SLICE,	      /* slicing needs no groups of ranks outside the mesh; 2.11 */
	TORCH_GPIPE_ANY_MICROBATCHES, /* GPipe takes fewer than stages again; 2.11, #171462 */
	TORCH_CUDNN_FIRST,	      /* attention is cuDNN's on Hopper and Blackwell; 2.11 */
	TORCH_REPEATED_NAMES_TEXT,    /* one sentence, not two arguments; 2.12 */
	TORCH_RESHARD_TEXT,	      /* of DTensors over fewer ranks; 2.12 */
	TORCH_SHARED_REFUSED,	      /* a parameter in two FSDP groups; 2.13, #176225 */
	TORCH_CP_BALANCE_OPTIONAL,    /* context_parallel goes on unbalanced; 2.13, #183968 */
	TORCH_ORTHOGONAL_SLICING,     /* non-contiguous flattened dims; 2.13 */
	TORCH_CONCATENATE_TEXT,	      /* "meshes", not "meshs"; 2.14 */
	TORCH_FEATURES
};

/* One row of the history. */
struct torch_change {
	enum torch_feature feature;
	int minor;	     /* first release that has it */
	int nightly;	     /* YYYYMMDD: first nightly that has it */
	const char *pull;    /* "pytorch#158899", or where it was read */
	const char *summary; /* what is so from then on, a clause without full stop */
};

/*
 * "2.8", "2.8.0", "2.9.1", "2.8.0+cu126", "2.11.0.dev20251221", "latest"; with or without a leading
 * "v". False on anything else and outside 2.2 ... 2.15 (nightlies: one minor more).
 */
bool torch_parse(struct arena *arena, const char *text, struct torch_release *torch);

/* The nightly of a day (YYYYMMDD); days before the first one known give that of 2.2. */
struct torch_release torch_of_date(struct arena *arena, int date);

/* When it came out; what is older or newer than 2.2 to 2.10 came out with the nearest of them. */
moment_t torch_released(struct torch_release torch);

/* The newest release known. */
struct torch_release torch_latest(void);

/* "2.2 to 2.15": the releases that torch_parse knows, for messages. */
const char *torch_known(void);

bool torch_has(const struct torch_release *torch, enum torch_feature feature);

/* The row of a feature. */
const struct torch_change *torch_change_of(enum torch_feature feature);

#endif
