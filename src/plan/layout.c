#include "plan/layout.h"

#include "base/die.h"

#include <string.h>

static void append(struct layout *layout, int64_t size, int64_t stride)
{
	if (layout->modes == LAYOUT_MODES)
		bug("layout of more than %d modes", LAYOUT_MODES);
	layout->size[layout->modes] = size;
	layout->stride[layout->modes] = stride;
	layout->modes++;
}

struct layout layout_axis(int64_t size, int64_t stride)
{
	struct layout layout = { 0 };

	append(&layout, size, stride);
	return layout;
}

struct layout layout_row_major(const int64_t *sizes, int count)
{
	struct layout layout = { 0 };
	int64_t stride = 1;
	int i;

	for (i = 0; i < count; i++)
		append(&layout, sizes[i], 0);
	for (i = count - 1; i >= 0; i--) {
		layout.stride[i] = stride;
		stride *= sizes[i];
	}
	return layout;
}

struct layout layout_join(struct layout outer, struct layout inner)
{
	int i;

	for (i = 0; i < inner.modes; i++)
		append(&outer, inner.size[i], inner.stride[i]);
	return outer;
}

struct layout layout_coalesce(struct layout layout)
{
	struct layout out = { 0 };
	int i;

	for (i = 0; i < layout.modes; i++) {
		if (layout.size[i] == 1)
			continue;
		if (out.modes && out.stride[out.modes - 1] == layout.size[i] * layout.stride[i]) {
			out.size[out.modes - 1] *= layout.size[i];
			out.stride[out.modes - 1] = layout.stride[i];
		} else {
			append(&out, layout.size[i], layout.stride[i]);
		}
	}
	return out;
}

int64_t layout_size(const struct layout *layout)
{
	int64_t size = 1;
	int i;

	for (i = 0; i < layout->modes; i++)
		size *= layout->size[i];
	return size;
}

int64_t layout_extent(const struct layout *layout)
{
	int64_t extent = 1;
	int i;

	for (i = 0; i < layout->modes; i++)
		extent += (layout->size[i] - 1) * layout->stride[i];
	return extent;
}

int64_t layout_offset(const struct layout *layout, int64_t index)
{
	int64_t offset = 0;
	int i;

	for (i = layout->modes - 1; i >= 0; i--) {
		offset += index % layout->size[i] * layout->stride[i];
		index /= layout->size[i];
	}
	return offset;
}

/* The modes by falling stride; size-1 modes dropped. */
static struct layout sorted(const struct layout *layout)
{
	struct layout out = { 0 };
	int i, j;

	for (i = 0; i < layout->modes; i++) {
		if (layout->size[i] == 1)
			continue;
		append(&out, layout->size[i], layout->stride[i]);
		for (j = out.modes - 1; j > 0 && out.stride[j - 1] < out.stride[j]; j--) {
			int64_t size = out.size[j], stride = out.stride[j];
			out.size[j] = out.size[j - 1];
			out.stride[j] = out.stride[j - 1];
			out.size[j - 1] = size;
			out.stride[j - 1] = stride;
		}
	}
	return out;
}

bool layout_complement(const struct layout *layout, int64_t world, struct layout *rest)
{
	struct layout modes = sorted(layout);
	int64_t above = world; /* stride of the mode outside the current one, times its size */
	int i;

	memset(rest, 0, sizeof(*rest));
	if (world < 1)
		return false;
	for (i = 0; i < modes.modes; i++) {
		int64_t covers = modes.size[i] * modes.stride[i];
		if (modes.stride[i] < 1 || covers < 1 || above % covers)
			return false;
		if (above > covers)
			append(rest, above / covers, covers);
		above = modes.stride[i];
	}
	if (above > 1)
		append(rest, above, 1);
	return true;
}

int64_t layout_index(const struct layout *layout, int64_t rank)
{
	int64_t index = 0;
	int i;

	for (i = 0; i < layout->modes; i++)
		index = index * layout->size[i] +
			(layout->size[i] == 1 ? 0 : rank / layout->stride[i] % layout->size[i]);
	return index;
}

int64_t layout_base(const struct layout *layout, int64_t rank)
{
	return rank - layout_offset(layout, layout_index(layout, rank));
}

struct layout layout_canonical(const struct layout *layout)
{
	return layout_coalesce(sorted(layout));
}

/* True when both have the same modes in the same order. */
static bool same_modes(const struct layout *a, const struct layout *b)
{
	int i;

	if (a->modes != b->modes)
		return false;
	for (i = 0; i < a->modes; i++)
		if (a->size[i] != b->size[i] || a->stride[i] != b->stride[i])
			return false;
	return true;
}

bool layout_same_groups(const struct layout *a, const struct layout *b)
{
	struct layout x, y;

	if (same_modes(a, b))
		return true;
	x = layout_canonical(a);
	y = layout_canonical(b);
	return same_modes(&x, &y);
}

bool layout_within(const struct layout *layout, int64_t block)
{
	struct layout modes = sorted(layout);

	return !modes.modes || (modes.size[0] * modes.stride[0] <= block &&
				block % (modes.size[0] * modes.stride[0]) == 0);
}
