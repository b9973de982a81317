#include "plan/spread.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

static bool cuts(const struct mesh_dim *dim, int tensor_dim)
{
	return (dim->placement.kind == PLACE_SHARD || dim->placement.kind == PLACE_STRIDED_SHARD) &&
	       dim->placement.dim == tensor_dim;
}

static bool same_dim(const struct mesh_dim *a, const struct mesh_dim *b)
{
	int i;

	if (a->placement.kind != b->placement.kind || a->placement.dim != b->placement.dim ||
	    a->placement.factor != b->placement.factor || a->layout->modes != b->layout->modes)
		return false;
	for (i = 0; i < a->layout->modes; i++)
		if (a->layout->size[i] != b->layout->size[i] ||
		    a->layout->stride[i] != b->layout->stride[i])
			return false;
	return true;
}

bool sharded_alike(const struct sharded *a, const struct sharded *b)
{
	int i;

	if (a->dims != b->dims || a->parameter->dims != b->parameter->dims ||
	    memcmp(a->parameter->shape, b->parameter->shape,
		   (size_t)a->parameter->dims * sizeof(int64_t)) != 0)
		return false;
	for (i = 0; i < a->dims; i++)
		if (!same_dim(&a->dim[i], &b->dim[i]))
			return false;
	return true;
}

/* One dim of a tensor, cut by the mesh dims that shard it, the innermost first. */
struct cutting {
	int mesh_dims;
	const struct mesh_dim *dim[MESH_AXES];
	int64_t ways;	  /* coordinates of all of them */
	int64_t *start;	  /* by coordinate; -1: empty */
	int32_t *part_of; /* by coordinate; -1: empty */
};

static void cut_once(struct cutting *cutting, int64_t size, int64_t way)
{
	int64_t rest = way, offset = 0, length = size, more;
	int i;

	for (i = cutting->mesh_dims - 1; i >= 0; i--) {
		int64_t n = layout_size(cutting->dim[i]->layout);
		chunk(length, n, rest % n, &length, &more);
		offset += more;
		rest /= n;
	}
	cutting->start[way] = length ? offset : -1;
}

static int by_value(const void *a, const void *b)
{
	int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

	return (left > right) - (left < right);
}

/* Where a value stands among sorted ones. */
static int64_t place_of(const int64_t *sorted, int64_t count, int64_t value)
{
	int64_t low = 0, high = count;

	while (low < high) {
		int64_t middle = low + (high - low) / 2;
		if (sorted[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The sorted starts, each once, and the end behind them. */
static const int64_t *cut_points(struct arena *arena, const int64_t *starts, int64_t count,
				 int64_t size, int64_t *parts)
{
	int64_t *at = arena_array(arena, (size_t)count + 1, sizeof(*at)), i, kept = 0;

	for (i = 0; i < count; i++)
		if (starts[i] >= 0)
			at[kept++] = starts[i];
	qsort(at, (size_t)kept, sizeof(*at), by_value);
	*parts = 0;
	for (i = 0; i < kept; i++)
		if (!*parts || at[*parts - 1] != at[i])
			at[(*parts)++] = at[i];
	at[*parts] = size;
	return at;
}

static void cut_dim(struct arena *arena, struct spread *spread, struct cutting *cutting, int dim)
{
	int64_t size = spread->shape[dim], way;

	cutting->start = arena_array(arena, (size_t)cutting->ways, sizeof(*cutting->start));
	cutting->part_of = arena_array(arena, (size_t)cutting->ways, sizeof(*cutting->part_of));
	for (way = 0; way < cutting->ways; way++)
		cut_once(cutting, size, way);
	spread->at[dim] =
		cut_points(arena, cutting->start, cutting->ways, size, &spread->parts[dim]);
	for (way = 0; way < cutting->ways; way++)
		cutting->part_of[way] =
			cutting->start[way] < 0
				? -1
				: (int32_t)place_of(spread->at[dim], spread->parts[dim],
						    cutting->start[way]);
}

/* Which part of a dim a rank has, or -1. */
static int32_t part_of_rank(const struct cutting *cutting, int64_t rank)
{
	int64_t way = 0;
	int i;

	for (i = 0; i < cutting->mesh_dims; i++)
		way = way * layout_size(cutting->dim[i]->layout) +
		      layout_index(cutting->dim[i]->layout, rank);
	return cutting->part_of[way];
}

static void place_ranks(struct arena *arena, struct spread *spread, const struct cutting *cutting)
{
	int32_t *box_of = arena_array(arena, (size_t)spread->ranks, sizeof(*box_of));
	int64_t rank, box;
	int i;

	for (rank = 0; rank < spread->ranks; rank++) {
		for (i = 0, box = 0; i < spread->dims && box >= 0; i++) {
			int32_t part = part_of_rank(&cutting[i], rank);
			box = part < 0 ? -1 : box * spread->parts[i] + part;
		}
		box_of[rank] = (int32_t)box;
	}
	spread->box_of = box_of;
}

struct spread *spread_of(struct arena *arena, const struct sharded *sharded, int64_t ranks)
{
	struct spread *spread = arena_new(arena, struct spread);
	struct cutting cutting[PARAMETER_DIMS];
	int i, j;

	memset(cutting, 0, sizeof(cutting));
	spread->dims = sharded->parameter->dims;
	memcpy(spread->shape, sharded->parameter->shape, sizeof(spread->shape));
	spread->ranks = ranks;
	spread->boxes = 1;
	for (i = 0; i < spread->dims; i++) {
		cutting[i].ways = 1;
		for (j = 0; j < sharded->dims; j++) {
			if (!cuts(&sharded->dim[j], i))
				continue;
			cutting[i].dim[cutting[i].mesh_dims++] = &sharded->dim[j];
			cutting[i].ways *= layout_size(sharded->dim[j].layout);
		}
		cut_dim(arena, spread, &cutting[i], i);
		spread->boxes *= spread->parts[i];
	}
	place_ranks(arena, spread, cutting);
	return spread;
}

struct box spread_box(const struct spread *spread, int64_t number)
{
	struct box box = { .dims = spread->dims };
	int i;

	if (spread->list)
		return spread->list[number];
	for (i = spread->dims - 1; i >= 0; i--) {
		int64_t part = number % spread->parts[i];
		box.offset[i] = spread->at[i][part];
		box.shape[i] = spread->at[i][part + 1] - spread->at[i][part];
		number /= spread->parts[i];
	}
	return box;
}

int64_t spread_volume(const struct spread *spread)
{
	int64_t volume = 1;
	int i;

	for (i = 0; i < spread->dims; i++)
		volume = multiply(volume, spread->shape[i]);
	return volume;
}

/* ---- Boxes that were read ---- */

/* The number of a box in the grid, or -1 when it is no cell of it. */
static int64_t cell_of(const struct spread *spread, const struct box *box)
{
	int64_t number = 0, part;
	int i;

	for (i = 0; i < spread->dims; i++) {
		part = place_of(spread->at[i], spread->parts[i], box->offset[i]);
		if (spread->at[i][part + 1] - spread->at[i][part] != box->shape[i])
			return -1;
		number = number * spread->parts[i] + part;
	}
	return number;
}

/* Numbers the boxes by cells; false when they are not all the cells, each once. */
static bool number_cells(struct arena *arena, struct spread *spread, const struct box *boxes,
			 int64_t count, int32_t *number)
{
	bool *seen = arena_array(arena, (size_t)spread->boxes, sizeof(*seen));
	int64_t i, cell;

	for (i = 0; i < count; i++) {
		if (number[i] < 0)
			continue;
		cell = cell_of(spread, &boxes[i]);
		if (cell < 0 || seen[cell])
			return false;
		seen[cell] = true;
		number[i] = (int32_t)cell;
	}
	return true;
}

/* Numbers them as they come. */
static void number_list(struct arena *arena, struct spread *spread, const struct box *boxes,
			int64_t count, int32_t *number)
{
	struct box *list = arena_array(arena, (size_t)count, sizeof(*list));
	int64_t i, kept = 0;

	for (i = 0; i < count; i++) {
		if (number[i] < 0)
			continue;
		number[i] = (int32_t)kept;
		list[kept++] = boxes[i];
	}
	spread->list = list;
	spread->boxes = kept;
}

struct spread *spread_of_boxes(struct arena *arena, int dims, const int64_t *shape,
			       const struct box *boxes, int64_t count, int32_t *number)
{
	struct spread *spread = arena_new(arena, struct spread);
	int64_t *starts = arena_array(arena, (size_t)count, sizeof(*starts)), i, kept = 0;
	bool whole = true; /* the cells begin at the first element */
	int dim;

	spread->dims = dims;
	memcpy(spread->shape, shape, (size_t)dims * sizeof(*shape));
	for (i = 0; i < count; i++) {
		number[i] = box_volume(&boxes[i]) ? 0 : -1;
		kept += !number[i];
	}
	spread->boxes = 1;
	for (dim = 0; dim < dims; dim++) {
		for (i = 0; i < count; i++)
			starts[i] = number[i] < 0 ? -1 : boxes[i].offset[dim];
		spread->at[dim] = cut_points(arena, starts, count, shape[dim], &spread->parts[dim]);
		spread->boxes = multiply(spread->boxes, spread->parts[dim]);
		whole = whole && (!kept || spread->at[dim][0] == 0);
	}
	if (!whole || spread->boxes != kept || !number_cells(arena, spread, boxes, count, number))
		number_list(arena, spread, boxes, count, number);
	return spread;
}
