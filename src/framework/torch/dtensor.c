#include "framework/torch/dtensor.h"

#include "base/buf.h"
#include "base/die.h"
#include "framework/torch/mesh_state.h"

#include <inttypes.h>
#include <string.h>

/*
 * Read in torch/distributed/tensor/_utils.py and placement_types.py of the wheels 2.6.0 (A), 2.8.0
 * (B), 2.11.0.dev20251221 and 2.14.0 (C), and run on all releases from 2.2 to 2.15. The peculiar
 * sums of A and B are theirs.
 */

struct problem {
	struct torch_world *world;
	int dims, mesh_dims;
	const int64_t *shape, *mesh, *coordinate;
	const struct placement *placements;
};

static bool is_shard(struct placement placement)
{
	return placement.kind == PLACE_SHARD || placement.kind == PLACE_STRIDED_SHARD;
}

/* str(placement): S(0), _S(0, 2). */
static const char *text_of(struct arena *arena, struct placement placement)
{
	if (placement.kind == PLACE_STRIDED_SHARD)
		return arena_printf(arena, "_S(%d, %" PRId64 ")", placement.dim, placement.factor);
	return placement_text(arena, placement);
}

static void put_repr(struct buf *out, struct placement placement)
{
	switch (placement.kind) {
	case PLACE_REPLICATE:
		buf_text(out, "Replicate()");
		break;
	case PLACE_PARTIAL:
		buf_text(out, "Partial(sum)");
		break;
	case PLACE_SHARD:
		buf_printf(out, "Shard(dim=%d)", placement.dim);
		break;
	case PLACE_STRIDED_SHARD:
		buf_printf(out, "_StridedShard(dim=%d, sf=%" PRId64 ")", placement.dim,
			   placement.factor);
		break;
	}
}

/* The tuple of all placements as Python prints it. */
static const char *all_text(const struct problem *p)
{
	struct buf out;
	const char *text;
	int i;

	buf_init(&out);
	buf_char(&out, '(');
	for (i = 0; i < p->mesh_dims; i++) {
		if (i)
			buf_text(&out, ", ");
		put_repr(&out, p->placements[i]);
	}
	buf_text(&out, p->mesh_dims == 1 ? ",)" : ")");
	text = arena_strndup(p->world->arena, out.data, out.length);
	buf_release(&out);
	return text;
}

static void raise_ended(const struct problem *p, const char *where, int at)
{
	torch_raise(
		p->world, "NotImplementedError", TORCH_STRIDED_SHARD, TORCH_OFFSETS_LEFT_TO_RIGHT,
		1,
		arena_printf(
			p->world->arena,
			"Strided sharding does not allow Shard() to appear after the strided part "
			"has ended. %s at %s %d in %s violates this assumption.",
			text_of(p->world->arena, p->placements[at]), where, at, all_text(p)));
}

static bool dim_exists(const struct problem *p, int dim)
{
	if (dim < p->dims)
		return true;
	torch_raise(p->world, "AssertionError", TORCH_FEATURES, TORCH_OFFSETS_LEFT_TO_RIGHT, 1,
		    arena_printf(p->world->arena, "Sharding dim %d greater than tensor ndim %d",
				 dim, p->dims));
	return false;
}

/* Cuts one dim once more, A and B: a smaller offset is added to the one so far, a larger replaces
 * it. */
static void cut(const struct problem *p, struct box *box, int dim, int mesh_dim)
{
	int64_t length, offset;

	chunk(box->shape[dim], p->mesh[mesh_dim], p->coordinate[mesh_dim], &length, &offset);
	box->shape[dim] = length;
	if (box->offset[dim] <= offset)
		box->offset[dim] = offset;
	else
		box->offset[dim] += offset;
}

/*
 * A, with strided shards: every dim's offset is its local size times the number of its shard, which
 * is right only where all shards are equal.
 */
static void number_shards(const struct problem *p, struct box *box)
{
	int64_t count[PARAMETER_DIMS], index[PARAMETER_DIMS] = { 0 };
	bool seen[PARAMETER_DIMS] = { false }, ended[PARAMETER_DIMS] = { false };
	int i;

	for (i = 0; i < p->dims; i++)
		count[i] = 1;
	for (i = 0; i < p->mesh_dims; i++)
		if (is_shard(p->placements[i]))
			count[p->placements[i].dim] *= p->mesh[i];
	for (i = 0; i < p->mesh_dims; i++) {
		struct placement of = p->placements[i];
		if (!is_shard(of))
			continue;
		if (ended[of.dim]) {
			raise_ended(p, "idx", i);
			return;
		}
		ended[of.dim] = seen[of.dim];
		if (of.kind == PLACE_STRIDED_SHARD) {
			seen[of.dim] = true;
			index[of.dim] +=
				count[of.dim] / (of.factor * p->mesh[i]) * p->coordinate[i];
		} else {
			count[of.dim] /= p->mesh[i];
			index[of.dim] += count[of.dim] * p->coordinate[i];
		}
	}
	for (i = 0; i < p->dims; i++)
		box->offset[i] = box->shape[i] * index[i];
}

/* 2.2 cuts no dim into more parts than it has elements. */
static bool large_enough(const struct problem *p, const struct box *box, int mesh_dim)
{
	int dim = p->placements[mesh_dim].dim;

	if (torch_has(&p->world->torch, TORCH_EMPTY_SHARDS) || box->shape[dim] >= p->mesh[mesh_dim])
		return true;
	torch_raise(p->world, "AssertionError", TORCH_FEATURES, TORCH_EMPTY_SHARDS, 1,
		    arena_printf(p->world->arena,
				 "Size to be sharded on dim %d must be at least as large as the "
				 "number of devices in that dimension %" PRId64,
				 dim, p->mesh[mesh_dim]));
	return false;
}

/* Up to 2.7. */
static void algorithm_a(const struct problem *p, struct box *box)
{
	bool strided = false;
	int i;

	for (i = 0; i < p->mesh_dims; i++) {
		if (!is_shard(p->placements[i]))
			continue;
		if (!dim_exists(p, p->placements[i].dim) || !large_enough(p, box, i))
			return;
		strided = strided || p->placements[i].kind == PLACE_STRIDED_SHARD;
		cut(p, box, p->placements[i].dim, i);
	}
	if (strided)
		number_shards(p, box);
}

/*
 * The strided shards of a dim that wait for its plain one follow it, the last first; their factors
 * must be what has been cut by then. Appends mesh dims to `order`.
 */
static bool follow(const struct problem *p, int plain, int *order, int *count)
{
	int dim = p->placements[plain].dim, i;
	int64_t aggregate = p->mesh[plain];

	for (i = plain - 1; i >= 0; i--) {
		struct placement of = p->placements[i];
		if (of.kind != PLACE_STRIDED_SHARD || of.dim != dim)
			continue;
		if (of.factor != aggregate) {
			torch_raise(
				p->world, "RuntimeError", TORCH_OFFSETS_EXPLICIT_ORDER,
				TORCH_OFFSETS_LEFT_TO_RIGHT, 1,
				arena_printf(p->world->arena,
					     "Can only convert _StridedShard to ordered Shard if "
					     "split_factor(%" PRId64
					     ") == aggregate mesh size (%" PRId64 ")",
					     of.factor, aggregate));
			return false;
		}
		aggregate *= p->mesh[i];
		order[(*count)++] = i;
	}
	return true;
}

static bool strided_before(const struct problem *p, int at)
{
	int i;

	for (i = 0; i < at; i++)
		if (p->placements[i].kind == PLACE_STRIDED_SHARD &&
		    p->placements[i].dim == p->placements[at].dim)
			return true;
	return false;
}

/*
 * The mesh dims in the order in which B cuts, or -1. A strided shard without a plain one of its dim
 * to the right is dropped: B takes that dim for whole.
 */
static int explicit_order(const struct problem *p, int *order)
{
	unsigned int ended = 0; /* bit d: the strided part of tensor dim d is over */
	int count = 0, i;

	for (i = 0; i < p->mesh_dims; i++) {
		int dim = p->placements[i].dim;
		if (p->placements[i].kind != PLACE_SHARD)
			continue;
		if (dim < PARAMETER_DIMS && (ended & 1U << dim)) {
			raise_ended(p, "mesh dim", i);
			return -1;
		}
		order[count++] = i;
		if (dim >= PARAMETER_DIMS || !strided_before(p, i))
			continue;
		ended |= 1U << dim;
		if (!follow(p, i, order, &count))
			return -1;
	}
	return count;
}

/* 2.8 and 2.9. */
static void algorithm_b(const struct problem *p, struct box *box)
{
	int order[TORCH_AXES], count = explicit_order(p, order), i;

	for (i = 0; i < count; i++) {
		int dim = p->placements[order[i]].dim;
		if (!dim_exists(p, dim))
			return;
		cut(p, box, dim, order[i]);
		if (!box->shape[dim])
			box->offset[dim] = p->shape[dim];
	}
}

/* One cut of a list of indices: which part of how many, after splitting it `pieces` times. */
struct step {
	int64_t size, n, rank, pieces;
};

/* Length of the part of one piece. */
static int64_t part(const struct step *step, int64_t piece)
{
	int64_t length, offset;

	chunk(piece, step->n, step->rank, &length, &offset);
	return length;
}

/*
 * Element `index` of the part, as an index of the list before; *length is the part's length. The
 * list is cut into `pieces` chunks, each into n, and the part takes its chunk of each
 * (pytorch#163843).
 */
static int64_t before(const struct step *step, int64_t index, int64_t *length)
{
	int64_t piece = step->size / step->pieces + (step->size % step->pieces != 0);
	int64_t whole = piece ? step->size / piece : 0, rest = step->size - whole * piece;
	int64_t each = part(step, piece), start, got;

	*length = whole * each + part(step, rest);
	if (each && index / each < whole) {
		chunk(piece, step->n, step->rank, &got, &start);
		return index / each * piece + start + index % each;
	}
	chunk(rest, step->n, step->rank, &got, &start);
	return whole * piece + start + index - whole * each;
}

/* Cuts one tensor dim from left to right and follows its first element back to the whole. */
static void cut_dim(const struct problem *p, struct box *box, int dim)
{
	struct step steps[TORCH_AXES];
	int64_t length, index = 0;
	int count = 0, i;

	for (i = 0; i < p->mesh_dims; i++) {
		struct placement of = p->placements[i];
		if (!is_shard(of) || of.dim != dim)
			continue;
		steps[count] = (struct step) { box->shape[dim], p->mesh[i], p->coordinate[i],
					       of.kind == PLACE_SHARD ? 1 : of.factor };
		before(&steps[count++], 0, &box->shape[dim]);
	}
	for (i = count - 1; i >= 0; i--)
		index = before(&steps[i], index, &length);
	box->offset[dim] = count && !box->shape[dim] ? p->shape[dim] : index;
}

/* From 2.10 on. */
static void algorithm_c(const struct problem *p, struct box *box)
{
	int i;

	for (i = 0; i < p->mesh_dims; i++)
		if (is_shard(p->placements[i]) && p->placements[i].dim >= p->dims) {
			torch_raise(p->world, "IndexError", TORCH_OFFSETS_LEFT_TO_RIGHT,
				    TORCH_FEATURES, 1, "tuple index out of range");
			return;
		}
	for (i = 0; i < p->dims; i++)
		cut_dim(p, box, i);
}

static bool strided_exists(const struct problem *p)
{
	int i;

	for (i = 0; i < p->mesh_dims; i++)
		if (p->placements[i].kind == PLACE_STRIDED_SHARD)
			break;
	if (i == p->mesh_dims || torch_has(&p->world->torch, TORCH_STRIDED_SHARD))
		return true;
	torch_raise(p->world, "ImportError", TORCH_FEATURES, TORCH_STRIDED_SHARD, 1,
		    "cannot import name '_StridedShard'");
	return false;
}

struct box dtensor_box(struct torch_world *world, int dims, const int64_t *shape, int mesh_dims,
		       const int64_t *mesh, const struct placement *placements,
		       const int64_t *coordinate)
{
	const struct problem p = { world, dims, mesh_dims, shape, mesh, coordinate, placements };
	struct box box = { .dims = dims };

	if (dims < 0 || dims > PARAMETER_DIMS || mesh_dims < 0 || mesh_dims > TORCH_AXES)
		bug("tensor of %d dims on a mesh of %d", dims, mesh_dims);
	memcpy(box.shape, shape, (size_t)dims * sizeof(*shape));
	if (world->error.type || !strided_exists(&p))
		return box;
	if (torch_has(&world->torch, TORCH_OFFSETS_LEFT_TO_RIGHT))
		algorithm_c(&p, &box);
	else if (torch_has(&world->torch, TORCH_OFFSETS_EXPLICIT_ORDER))
		algorithm_b(&p, &box);
	else
		algorithm_a(&p, &box);
	return box;
}
