#include "evidence/observed/rank_set.h"

#include "base/buf.h"

#include <inttypes.h>
#include <string.h>

static void make_room(struct arena *arena, struct rank_set *set, size_t bytes)
{
	size_t capacity = set->capacity ? set->capacity : 64;
	uint8_t *bits;

	while (capacity < bytes)
		capacity *= 2;
	bits = arena_alloc(arena, capacity);
	if (set->capacity)
		memcpy(bits, set->bits, set->capacity);
	set->bits = bits;
	set->capacity = capacity;
}

bool rank_set_has(const struct rank_set *set, int64_t rank)
{
	const size_t byte = (size_t)rank / 8;

	return rank >= 0 && byte < set->capacity && (set->bits[byte] >> (rank % 8) & 1);
}

void rank_set_add(struct arena *arena, struct rank_set *set, int64_t rank)
{
	if (rank < 0 || rank > RANK_SET_MOST || rank_set_has(set, rank))
		return;
	if ((size_t)rank / 8 >= set->capacity)
		make_room(arena, set, (size_t)rank / 8 + 1);
	set->bits[rank / 8] |= (uint8_t)(1 << rank % 8);
	set->count++;
}

void rank_set_join(struct arena *arena, struct rank_set *set, const struct rank_set *other)
{
	int64_t rank;

	for (rank = 0; rank < 8 * (int64_t)other->capacity; rank++)
		if (rank_set_has(other, rank))
			rank_set_add(arena, set, rank);
}

const char *rank_set_text(struct arena *arena, const struct rank_set *set)
{
	const int64_t end = 8 * (int64_t)set->capacity;
	int64_t rank, last;
	const char *text;
	struct buf out;

	if (!set->count)
		return NULL;
	buf_init(&out);
	for (rank = 0; rank < end; rank = last + 1) {
		last = rank;
		if (!rank_set_has(set, rank))
			continue;
		while (rank_set_has(set, last + 1))
			last++;
		buf_printf(&out, "%s%" PRId64, out.length ? ", " : "", rank);
		if (last > rank)
			buf_printf(&out, "-%" PRId64, last);
	}
	text = arena_strdup(arena, out.data);
	buf_release(&out);
	return text;
}
