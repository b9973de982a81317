#include "plan/placement.h"

#include "base/number.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

char *placement_text(struct arena *arena, struct placement placement)
{
	switch (placement.kind) {
	case PLACE_REPLICATE:
		return arena_strdup(arena, "R");
	case PLACE_PARTIAL:
		return arena_strdup(arena, "P");
	case PLACE_SHARD:
		return arena_printf(arena, "S(%d)", placement.dim);
	case PLACE_STRIDED_SHARD:
		break;
	}
	return arena_printf(arena, "SS(%d,%" PRId64 ")", placement.dim, placement.factor);
}

bool placement_parse(const char *text, struct placement *placement)
{
	bool strided = !strncmp(text, "SS(", 3);
	int64_t dim, factor = 0;

	memset(placement, 0, sizeof(*placement));
	if (!strcmp(text, "R") || !strcmp(text, "P")) {
		placement->kind = *text == 'R' ? PLACE_REPLICATE : PLACE_PARTIAL;
		return true;
	}
	if (!strided && strncmp(text, "S(", 2) != 0)
		return false;
	text += strided ? 3 : 2;
	if (!text_digits(&text, 9, &dim) || dim > 1000)
		return false;
	if (strided) {
		if (*text++ != ',')
			return false;
		text += strspn(text, " ");
		if (!text_digits(&text, 9, &factor) || factor < 1)
			return false;
	}
	placement->kind = strided ? PLACE_STRIDED_SHARD : PLACE_SHARD;
	placement->dim = (int)dim;
	placement->factor = factor;
	return !strcmp(text, ")");
}

int64_t box_volume(const struct box *box)
{
	int64_t volume = 1;
	int i;

	for (i = 0; i < box->dims; i++)
		volume = multiply(volume, box->shape[i]);
	return volume;
}

bool box_overlap(const struct box *a, const struct box *b)
{
	int i;

	for (i = 0; i < a->dims; i++)
		if (a->offset[i] + a->shape[i] <= b->offset[i] ||
		    b->offset[i] + b->shape[i] <= a->offset[i])
			return false;
	return true;
}

void chunk(int64_t size, int64_t n, int64_t index, int64_t *length, int64_t *offset)
{
	int64_t most = size / n + (size % n != 0);
	int64_t start = most && index > size / most ? size : index * most;

	if (start > size)
		start = size;
	*length = size - start < most ? size - start : most;
	*offset = start;
}
