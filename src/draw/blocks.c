#include "draw/blocks.h"

#include "base/text.h"

enum { ROWS = 16, COLUMNS = 8, COLUMNS_FOLDED = 5 };

bool blocks_cut(const struct mesh_dim *dim)
{
	return (dim->placement.kind == PLACE_SHARD || dim->placement.kind == PLACE_STRIDED_SHARD) &&
	       layout_size(dim->layout) > 1;
}

/* Who holds a part of one dim, at the first part of every other one. */
static const struct owner *owner_at(const struct blocks *blocks, int dim, int64_t part)
{
	const struct spread *spread = blocks->owners.spread;
	int64_t box = part;
	int i;

	for (i = dim + 1; i < spread->dims; i++)
		box *= spread->parts[i];
	return &blocks->owners.block[box];
}

/* The mesh dim that cuts a dim first, where another one cuts what it leaves; else NULL. */
static const struct mesh_dim *outer_cut(const struct blocks *blocks, int dim)
{
	const struct mesh_dim *outer = NULL;
	int i, count = 0;

	for (i = 0; i < blocks->sharded->dims; i++)
		if (blocks_cut(&blocks->sharded->dim[i]) &&
		    blocks->sharded->dim[i].placement.dim == dim) {
			outer = &blocks->sharded->dim[i];
			count++;
		}
	return count > 1 ? outer : NULL;
}

/* Worth showing: the first part that is shorter, and where the second slice begins. */
static struct landmarks landmarks_of(const struct blocks *blocks, int dim)
{
	const struct mesh_dim *outer = outer_cut(blocks, dim);
	const int64_t *at = blocks->owners.spread->at[dim];
	int64_t parts = blocks->owners.spread->parts[dim], part;
	struct landmarks marks = { .count = 0 };

	for (part = 1; part < parts; part++)
		if (at[part + 1] - at[part] < at[1]) {
			marks.index[marks.count++] = part;
			break;
		}
	for (part = 1; outer && part < parts; part++)
		if (layout_index(outer->layout, owner_at(blocks, dim, part)->first[0]) !=
		    layout_index(outer->layout, owner_at(blocks, dim, 0)->first[0])) {
			marks.index[marks.count++] = part - 1;
			marks.index[marks.count++] = part;
			break;
		}
	return marks;
}

static void choose_sides(struct blocks *blocks, bool expand)
{
	const struct spread *spread = blocks->owners.spread;
	const struct fold whole = { .total = 1, .shown = 1 };
	int dim;

	blocks->down = blocks->across = (struct side) { -1, whole };
	for (dim = 0; dim < spread->dims; dim++) {
		bool rows = blocks->down.dim < 0;
		struct side *side = rows ? &blocks->down : &blocks->across;
		int64_t parts = spread->parts[dim];
		int64_t most = rows ? ROWS : parts > COLUMNS ? COLUMNS_FOLDED : COLUMNS;
		struct landmarks marks;
		if (parts < 2)
			continue;
		if (side->dim >= 0) {
			blocks->more = true;
			continue;
		}
		side->dim = dim;
		marks = landmarks_of(blocks, dim);
		side->fold = fold_of(parts, expand ? parts : most, &marks);
	}
}

void blocks_init(struct blocks *blocks, struct arena *arena, const struct plan *plan,
		 const struct sharded *sharded, const struct layout *axis, bool expand)
{
	*blocks = (struct blocks) { .arena = arena, .plan = plan, .sharded = sharded };
	blocks->owners = owners_of(arena, plan, sharded, axis);
	choose_sides(blocks, expand);
}

void blocks_fold(struct blocks *blocks)
{
	struct fold *fold = &blocks->across.fold;
	struct landmarks marks = landmarks_of(blocks, blocks->across.dim);

	*fold = fold_of(fold->total, fold->shown - 1, &marks);
}

/* The box at a place of the table; dims that are neither rows nor columns are at their first part.
 */
static int64_t box_at(const struct blocks *blocks, int64_t row, int64_t column)
{
	const struct spread *spread = blocks->owners.spread;
	int64_t box = 0;
	int dim;

	for (dim = 0; dim < spread->dims; dim++) {
		int64_t part = dim == blocks->down.dim	   ? fold_index(blocks->down.fold, row)
			       : dim == blocks->across.dim ? fold_index(blocks->across.fold, column)
							   : 0;
		box = box * spread->parts[dim] + part;
	}
	return box;
}

const struct owner *blocks_owner(const struct blocks *blocks, int64_t row, int64_t column)
{
	return &blocks->owners.block[box_at(blocks, row, column)];
}

int64_t blocks_length(const struct blocks *blocks, const struct side *side, int64_t position)
{
	const int64_t *at;
	int64_t part = fold_index(side->fold, position);

	if (side->dim < 0)
		return 1;
	at = blocks->owners.spread->at[side->dim];
	return at[part + 1] - at[part];
}

/* "512–1,023", "7": first and last index of a part. */
const char *blocks_range(const struct blocks *blocks, const struct side *side, int64_t position)
{
	struct arena *arena = blocks->arena;
	int64_t part = fold_index(side->fold, position), first, last;

	if (side->dim < 0)
		return "all";
	first = blocks->owners.spread->at[side->dim][part];
	last = blocks->owners.spread->at[side->dim][part + 1] - 1;
	if (first == last)
		return text_count(arena, first);
	return arena_printf(arena, "%s–%s", text_count(arena, first), text_count(arena, last));
}

/* "tp cuts dim 0 in 8; fsdp cuts what is left of it in 4 (strided)": in the order it is done. */
static const char *cuts_words(const struct blocks *blocks)
{
	struct arena *arena = blocks->arena;
	const struct sharded *sharded = blocks->sharded;
	bool done[PARAMETER_DIMS] = { false };
	const char *words = "";
	int i;

	for (i = sharded->dims - 1; i >= 0; i--) {
		const struct mesh_dim *dim = &sharded->dim[i];
		bool strided = dim->placement.kind == PLACE_STRIDED_SHARD;
		if (!blocks_cut(dim))
			continue;
		words = arena_printf(
			arena, "%s%s%s cuts %sdim %d in %s%s", words, *words ? ", then " : "",
			dim->name, done[dim->placement.dim] ? "each piece of " : "",
			dim->placement.dim, text_count(arena, layout_size(dim->layout)),
			strided ? " (_StridedShard)" : "");
		done[dim->placement.dim] = true;
	}
	return *words ? words : "Nothing cuts it";
}

/* "dp_replicate repeats each block 2 times", or "". */
static const char *copies_words(const struct blocks *blocks)
{
	struct arena *arena = blocks->arena;
	const char *words = "";
	int i;

	for (i = 0; i < blocks->sharded->dims; i++) {
		const struct mesh_dim *dim = &blocks->sharded->dim[i];
		int64_t size = layout_size(dim->layout);
		if (blocks_cut(dim) || size < 2)
			continue;
		words = arena_printf(arena, "%s; %s repeats it %s times", words, dim->name,
				     text_count(arena, size));
	}
	return words;
}

/* What FSDP2 pads a row to, or 0 where it pads nothing. */
int64_t blocks_padded(const struct blocks *blocks, int64_t row)
{
	const struct owner *owner = blocks_owner(blocks, row, 0);
	int64_t padded;

	if (blocks->down.dim < 0)
		return 0;
	padded = owners_padded(blocks->plan, blocks->sharded, blocks->down.dim, owner->first[0]);
	return padded > blocks_length(blocks, &blocks->down, row) ? padded : 0;
}

int64_t blocks_slice(const struct blocks *blocks, const struct mesh_dim *outer, int64_t row)
{
	return layout_index(outer->layout, blocks_owner(blocks, row, 0)->first[0]);
}

const struct mesh_dim *blocks_outer(const struct blocks *blocks)
{
	return outer_cut(blocks, blocks->down.dim);
}

const char *blocks_words(const struct blocks *blocks)
{
	return arena_printf(blocks->arena, "%s%s", cuts_words(blocks), copies_words(blocks));
}
