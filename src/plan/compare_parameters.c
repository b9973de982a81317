#include "plan/comparison.h"

#include <inttypes.h>
#include <string.h>

static bool same_dim(const struct mesh_dim *a, const struct mesh_dim *b)
{
	return a->placement.kind == b->placement.kind && a->placement.dim == b->placement.dim &&
	       a->placement.factor == b->placement.factor &&
	       (a->layout == b->layout || layout_same_groups(a->layout, b->layout));
}

static bool same_box(const struct box *a, const struct box *b)
{
	return a->dims == b->dims &&
	       !memcmp(a->shape, b->shape, sizeof(*a->shape) * (size_t)a->dims) &&
	       !memcmp(a->offset, b->offset, sizeof(*a->offset) * (size_t)a->dims);
}

/* True when the dims, without those of one rank, are the same word for word. */
static bool same_words(const struct sharded *a, const struct sharded *b)
{
	int i = 0, j = 0;

	for (;; i++, j++) {
		while (i < a->dims && layout_size(a->dim[i].layout) == 1)
			i++;
		while (j < b->dims && layout_size(b->dim[j].layout) == 1)
			j++;
		if (i == a->dims || j == b->dims)
			return i == a->dims && j == b->dims;
		if (!same_dim(&a->dim[i], &b->dim[j]))
			return false;
	}
}

/*
 * True when every rank owns the same box on both sides. Beyond the words only ranks that sit at
 * the ends of some mesh dim are looked at: two plans that cut alike there cut alike everywhere.
 */
static bool same_parts(const struct sharded *a, const struct sharded *b)
{
	int i, j;

	if (same_words(a, b))
		return true;
	for (i = 0; i < a->dims + b->dims; i++) {
		const struct layout *layout =
			i < a->dims ? a->dim[i].layout : b->dim[i - a->dims].layout;
		const int64_t last = layout_size(layout) - 1, members[] = { 0, 1, last / 2, last };
		for (j = 0; j < 4; j++) {
			int64_t rank = members[j] > last ? 0 : layout_offset(layout, members[j]);
			struct box left = plan_box(a, rank), right = plan_box(b, rank);
			if (!same_box(&left, &right))
				return false;
		}
	}
	return a->dims + b->dims > 0;
}

/* "R S(0) on 2 x 8"; "whole" when nothing cuts it. */
static char *placements_text(struct arena *arena, const struct sharded *sharded)
{
	char *words = arena_strdup(arena, ""), *sizes = words;
	int i;

	for (i = 0; i < sharded->dims; i++) {
		int64_t size = layout_size(sharded->dim[i].layout);
		if (size == 1)
			continue;
		words = arena_printf(arena, "%s%s%s", words, *words ? " " : "",
				     placement_text(arena, sharded->dim[i].placement));
		sizes = arena_printf(arena, "%s%s%" PRId64, sizes, *sizes ? " x " : "", size);
	}
	return *words ? arena_printf(arena, "%s on %s", words, sizes)
		      : arena_strdup(arena, "whole");
}

static bool same_shape(const struct parameter *a, const struct parameter *b)
{
	return a->dims == b->dims &&
	       !memcmp(a->shape, b->shape, sizeof(*a->shape) * (size_t)a->dims);
}

/* "[4096, 1024]" */
static char *sizes_text(struct arena *arena, const int64_t *sizes, int count)
{
	char *text = arena_strdup(arena, "[");
	int i;

	for (i = 0; i < count; i++)
		text = arena_printf(arena, "%s%s%" PRId64, text, i ? ", " : "", sizes[i]);
	return arena_printf(arena, "%s]", text);
}

static char *shape_text(struct arena *arena, const struct parameter *parameter)
{
	return sizes_text(arena, parameter->shape, parameter->dims);
}

/* What the first rank of the mesh holds; no other holds more. */
static char *local_text(struct arena *arena, const struct sharded *sharded)
{
	struct box box = plan_box(sharded, 0);

	return sizes_text(arena, box.shape, box.dims);
}

/*
 * One parameter on both sides, either of which may lack it. Those whose names differ in the number
 * of their block alone, and that are laid out alike, make up one batch.
 */
struct pair {
	const struct sharded *left, *right;
};

struct batch {
	struct pair pair; /* its first member */
	bool differs;
	size_t at;   /* its difference, when there is one */
	size_t next; /* the next batch of that pattern, or NONE */
};

#define NONE ((size_t)-1)

struct batches {
	struct comparison *c;
	VEC(struct batch) list;
	struct map patterns; /* to the first batch of each */
};

static bool alike(const struct sharded *a, const struct sharded *b)
{
	int i;

	if (!a || !b)
		return a == b;
	if (a->dims != b->dims || !same_shape(a->parameter, b->parameter))
		return false;
	for (i = 0; i < a->dims; i++)
		if (!same_dim(&a->dim[i], &b->dim[i]))
			return false;
	return true;
}

/* Describes how the two sides of a pair differ; count and subject are the caller's. */
static struct difference describe(struct comparison *c, const struct pair *pair)
{
	const struct sharded *left = pair->left, *right = pair->right;
	struct arena *arena = c->arena;
	struct difference d = { .kind = DIFFERENCE_PLACEMENT, .count = 1 };

	d.left = left ? shape_text(arena, left->parameter) : difference_absent;
	d.right = right ? shape_text(arena, right->parameter) : difference_absent;
	d.left_local = left ? local_text(arena, left) : NULL;
	d.right_local = right ? local_text(arena, right) : NULL;
	if (!left || !right)
		return d;
	if (!same_shape(left->parameter, right->parameter)) {
		d.left = arena_printf(arena, "%s, %s", d.left, placements_text(arena, left));
		d.right = arena_printf(arena, "%s, %s", d.right, placements_text(arena, right));
		return d;
	}
	d.left = placements_text(arena, left);
	d.right = placements_text(arena, right);
	if (!strcmp(d.left, d.right))
		d.right = arena_printf(arena, "%s, other ranks", d.right);
	return d;
}

/* The batch of the pair, made when it is the first of its kind. */
static struct batch *batch_of(struct batches *batches, const struct pair *pair, const char *pattern,
			      bool *made)
{
	struct batch batch = { .pair = *pair, .next = NONE };
	int64_t found = map_find(&batches->patterns, pattern);
	size_t at = found < 0 ? NONE : (size_t)found, last = NONE;

	*made = false;
	for (; at != NONE && batches->list.items; at = batches->list.items[at].next) {
		struct batch *known = &batches->list.items[at];
		if (alike(known->pair.left, pair->left) && alike(known->pair.right, pair->right))
			return known;
		last = at;
	}
	*made = true;
	vec_push(batches->c->arena, &batches->list, batch);
	if (last == NONE)
		map_add(&batches->patterns, pattern, (uint32_t)(batches->list.count - 1));
	else
		batches->list.items[last].next = batches->list.count - 1;
	return &batches->list.items[batches->list.count - 1];
}

static bool differ(const struct pair *pair)
{
	return !pair->left || !pair->right ||
	       !same_shape(pair->left->parameter, pair->right->parameter) ||
	       !same_parts(pair->left, pair->right);
}

static void compare_pair(struct batches *batches, const struct pair *pair)
{
	struct comparison *c = batches->c;
	const char *fqn = (pair->left ? pair->left : pair->right)->parameter->fqn, *pattern;
	struct batch *batch;
	struct difference d;
	bool made;

	if (pair->left && pair->right && alike(pair->left, pair->right))
		return;
	pattern = layer_pattern(c->arena, fqn);
	batch = batch_of(batches, pair, pattern, &made);
	if (made) {
		batch->differs = differ(pair);
		if (!batch->differs)
			return;
		d = describe(c, pair);
		d.subject = arena_strdup(c->arena, fqn);
		batch->at = c->found.list.count;
		vec_push(c->arena, &c->found.list, d);
	} else if (batch->differs) {
		c->found.list.items[batch->at].count++;
		c->found.list.items[batch->at].subject = pattern;
	}
}

static const char *parameter_at(const void *list, size_t at)
{
	const struct sharded *items = list;

	return items[at].parameter->fqn;
}

void compare_parameters(struct comparison *c)
{
	const struct plan *left = c->left.plan, *right = c->right.plan;
	struct batches batches = { .c = c, .patterns = { .arena = c->arena } };
	struct names there = { .arena = c->arena,
			       .list = right->parameters.items,
			       .count = right->parameters.count,
			       .name = parameter_at };
	bool *met;
	size_t i;

	if (!left->parameters.count || !right->parameters.count || left->stages_assumed ||
	    right->stages_assumed)
		return;
	met = arena_array(c->arena, right->parameters.count, sizeof(*met));
	for (i = 0; i < left->parameters.count; i++) {
		struct pair pair = { .left = &left->parameters.items[i] };
		int64_t at = names_find(&there, pair.left->parameter->fqn, i);
		if (pair.left->copy)
			continue;
		if (at >= 0) {
			pair.right = &right->parameters.items[at];
			met[at] = true;
		}
		compare_pair(&batches, &pair);
	}
	for (i = 0; i < right->parameters.count; i++) {
		const struct pair pair = { .right = &right->parameters.items[i] };
		if (!met[i] && !pair.right->copy)
			compare_pair(&batches, &pair);
	}
}
