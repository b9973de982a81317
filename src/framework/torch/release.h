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
	int minor;       /* 2.MINOR */
	int patch;
	int nightly;     /* YYYYMMDD of a dev build, or 0 for a release */
	const char *label; /* "2.9.0", "2.11.0.dev20251221" */
};

/* What changed between versions; the table with source of each is in release.c. */
enum torch_feature {
	TORCH_TUPLE_SLICING,      /* mesh["a", "b"]; 2.4, #127465 */
	TORCH_FLATTEN,            /* DeviceMesh._flatten; 2.5, #132632 */
	TORCH_STRIDED_SHARD,      /* _StridedShard; 2.5, #130760 */
	TORCH_SHARD_MESH_FROM_ROOT, /* FSDP takes the shard mesh from the root; 2.7, #143248 */
	TORCH_SCHEDULE_CHECKS_MICROBATCHES, /* 2.7, #144702 */
	TORCH_UNEVEN_STRIDED,     /* FSDP + TP on one uneven dim; 2.8, #150490 */
	TORCH_NESTED_SLICING,     /* submesh of a submesh; 2.9, #158899 */
	TORCH_FLATTEN_NAMES_CHECKED, /* 2.9, #161311 */
	TORCH_DUALPIPEV,          /* 2.9 */
	TORCH_LAYOUTS,            /* CuTe bookkeeping, _unflatten, _concatenate; 2.10, #161224 */
	TORCH_ROWS_BY_COMPLEMENT, /* order of group creation; 2.10 */
	TORCH_OFFSETS_LEFT_TO_RIGHT, /* metadata algorithm C; 2.11 */
	TORCH_ORTHOGONAL_SLICING, /* non-contiguous flattened dims; 2.14 */
	TORCH_FEATURES
};

/* "2.8", "2.8.0", "2.11.0.dev20251221", "latest"; false on anything else or outside 2.2 ... 2.14. */
bool torch_parse(struct arena *arena, const char *text, struct torch_release *torch);

/* The nightly of a day (YYYYMMDD). */
struct torch_release torch_of_date(struct arena *arena, int date);

/* The newest release known. */
struct torch_release torch_latest(void);

bool torch_has(const struct torch_release *torch, enum torch_feature feature);

#endif
