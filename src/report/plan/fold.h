#ifndef REPORT_PLAN_FOLD_H
#define REPORT_PLAN_FOLD_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

#include <stdint.h>

/*
 * Names that differ only in the number of a block, "layers.7.attention.wq", and are alike in
 * what a report says of them, become one row: "layers.0-31.attention.wq".
 */
struct fold_row {
	const char *pattern;  /* "layers.*.attention.wq" */
	VEC(int64_t) numbers; /* what the star stands for, one for each name */
	size_t at;	      /* index of the first one in the caller's list */
};

struct fold {
	struct arena *arena;
	struct map map;
	VEC(struct fold_row) rows;
};

void fold_init(struct fold *fold, struct arena *arena);

/* Adds element `at` of the caller's list; `what` is all that its row will say beside the name. */
void fold_add(struct fold *fold, const char *name, const char *what, size_t at);

/*
 * "layers.0-31.attention.wq", "layers.0,2,..,46.moe", "layers.0-6,63-70.w"; the name itself
 * when it stands alone, the pattern when its numbers are too many to say.
 */
char *fold_name(struct arena *arena, const struct fold_row *row);

#endif
