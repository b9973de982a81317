#ifndef PLAN_LAYOUT_H
#define PLAN_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Mesh algebra: a communicator is not a list of ranks but sizes and strides,
 * as in CuTe and in torch/distributed/_mesh_layout.py from 2.10 on. The layout
 * (4:2) in a world of 16 is the group {0,2,4,6} and all its translations. A
 * million ranks cost what sixteen cost.
 *
 * Modes are ordered outermost first (row-major): member i of a group is the
 * mixed-radix number i over `size`, dotted with `stride`.
 */
enum { LAYOUT_MODES = 12 };

struct layout {
	int modes;
	int64_t size[LAYOUT_MODES], stride[LAYOUT_MODES];
};

/* The layout of one axis. */
struct layout layout_axis(int64_t size, int64_t stride);

/* Row-major over the given sizes: the last one has stride 1. At most LAYOUT_MODES. */
struct layout layout_row_major(const int64_t *sizes, int count);

/* The modes of `outer` followed by those of `inner`: flattening two axes into one. */
struct layout layout_join(struct layout outer, struct layout inner);

/* Without size-1 modes, and with modes merged that are contiguous in each other. */
struct layout layout_coalesce(struct layout layout);

/*
 * The one form of a rank set: modes by falling stride, without size-1 modes, contiguous ones
 * merged. Equal rank sets have equal canonical layouts, whatever the order of their members.
 */
struct layout layout_canonical(const struct layout *layout);

/* Members of one group: the product of the sizes. */
int64_t layout_size(const struct layout *layout);

/* One more than the largest offset of a member from the group's first. */
int64_t layout_extent(const struct layout *layout);

/* Offset of member `index` from the group's first rank. */
int64_t layout_offset(const struct layout *layout, int64_t index);

/*
 * The modes that fill the rest of a world of that many ranks, row-major: group
 * g of a layout starts at layout_offset(complement, g). False when the layout does
 * not tile the world (overlapping or not dividing).
 */
bool layout_complement(const struct layout *layout, int64_t world, struct layout *rest);

/* Which member of its group a rank is. Requires a layout that tiles the world. */
int64_t layout_index(const struct layout *layout, int64_t rank);

/* First rank of the group a rank is in. */
int64_t layout_base(const struct layout *layout, int64_t rank);

/* True when both cut every world into the same rank sets, whatever the order inside. */
bool layout_same_groups(const struct layout *a, const struct layout *b);

/* True when all groups lie inside aligned blocks of `block` consecutive ranks (a node). */
bool layout_within(const struct layout *layout, int64_t block);

#endif
