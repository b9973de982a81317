#include "evidence/observed/color.h"

#include <stdbool.h>
#include <stddef.h>

/* Ranks hashed for one colour, and for all of a file. */
enum { WORK_ONE = 1 << 20, WORK_ALL = 1 << 26, MOST_MEMBERS = 1 << 20 };

/* xxHash's primes, as Objects/tupleobject.c of CPython has them. */
#define PRIME_1 11400714785074694791U
#define PRIME_2 14029467366897019727U
#define PRIME_5 2870177450012600261U

static uint64_t lane(uint64_t sum, int64_t rank)
{
	sum += (uint64_t)rank * PRIME_2; /* a small int's hash is itself */
	sum = sum << 31 | sum >> 33;
	return sum * PRIME_1;
}

/* Of the sum over all lanes. */
static int64_t finish(uint64_t sum, int64_t count)
{
	sum += (uint64_t)count ^ (PRIME_5 ^ 3527539U);
	if (sum == UINT64_MAX)
		sum = 1546275796U;
	/* |hash|, hash being of 64 bits with a sign */
	return (int64_t)((sum >> 63 ? -sum : sum) % (1U << 31));
}

int64_t split_color(const int64_t *ranks, int64_t count)
{
	uint64_t sum = PRIME_5;
	int64_t i;

	for (i = 0; i < count; i++)
		sum = lane(sum, ranks[i]);
	return finish(sum, count);
}

/* Rows of `inner` ranks `near` apart, `far` from row to row; rising. */
struct shape {
	int64_t start, outer, far, inner, near;
};

static int64_t color_of_shape(const struct shape *shape)
{
	uint64_t sum = PRIME_5;
	int64_t i, j;

	for (i = 0; i < shape->outer; i++)
		for (j = 0; j < shape->inner; j++)
			sum = lane(sum, shape->start + i * shape->far + j * shape->near);
	return finish(sum, shape->outer * shape->inner);
}

struct search {
	struct split_decoder *decoder;
	int64_t color, size, rank, key, work;
	struct shape found;
	int64_t hits;
};

/* Whether the search goes on. */
static bool try_shape(struct search *search, const struct shape *shape)
{
	if (search->work > WORK_ONE || search->decoder->work > WORK_ALL)
		return false;
	search->work += search->size;
	search->decoder->work += search->size;
	if (color_of_shape(shape) == search->color) {
		search->found = *shape;
		search->hits++;
	}
	return true;
}

/* Ranks a stride apart, with the known one at its place or from every start. */
static void try_strides(struct search *search)
{
	const int64_t size = search->size, world = search->decoder->world;
	struct shape shape = { 0, 1, 0, size, 1 };
	int64_t start;

	for (; (size - 1) * shape.near < world; shape.near++) {
		const int64_t room = world - (size - 1) * shape.near;
		const int64_t known = search->rank - search->key * shape.near;
		if (search->rank >= 0) {
			shape.start = known;
			if (known >= 0 && known < room && !try_shape(search, &shape))
				return;
			continue;
		}
		for (start = 0; start < room; start++) {
			shape.start = start;
			if (!try_shape(search, &shape))
				return;
		}
	}
}

static bool try_rows(struct search *search, int64_t outer, int64_t near)
{
	const int64_t world = search->decoder->world, inner = search->size / outer;
	const int64_t row = search->key / inner, column = search->key % inner;
	int64_t far;

	for (far = (inner - 1) * near + 1; (outer - 1) * far + (inner - 1) * near < world; far++) {
		struct shape shape = { search->rank - row * far - column * near, outer, far, inner,
				       near };
		const int64_t last = shape.start + (outer - 1) * far + (inner - 1) * near;
		if (world % far || far == inner * near || shape.start < 0 || last >= world)
			continue;
		if (!try_shape(search, &shape))
			return false;
	}
	return true;
}

/* Two dimensions of a mesh with another one between them. */
static void try_tables(struct search *search)
{
	const int64_t world = search->decoder->world;
	int64_t outer, near;

	for (outer = 2; outer <= search->size / 2; outer++)
		for (near = 1; !(search->size % outer) && near < world; near++)
			if (!(world % near) && !try_rows(search, outer, near))
				return;
}

static const int64_t *members_of(struct arena *arena, const struct shape *shape)
{
	const int64_t size = shape->outer * shape->inner;
	int64_t *ranks = arena_array(arena, (size_t)size, sizeof(*ranks)), i;

	for (i = 0; i < size; i++)
		ranks[i] = shape->start + i / shape->inner * shape->far +
			   i % shape->inner * shape->near;
	return ranks;
}

const int64_t *split_members(struct split_decoder *decoder, int64_t color, int64_t size,
			     int64_t rank, int64_t key)
{
	struct search search = {
		.decoder = decoder, .color = color, .size = size, .rank = rank, .key = key
	};

	if (size < 2 || size > decoder->world || size > MOST_MEMBERS || color < 0 || key < 0 ||
	    key >= size || rank >= decoder->world)
		return NULL;
	try_strides(&search);
	if (!search.hits && rank >= 0)
		try_tables(&search);
	return search.hits == 1 ? members_of(decoder->arena, &search.found) : NULL;
}
