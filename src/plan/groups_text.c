#include "base/buf.h"
#include "plan/compare.h"

#include <inttypes.h>

/* Runs and groups that are written out when there are too many for all. */
enum { SHOWN_RUNS = 2, LISTED_RUN = 4, LISTED_RUNS = 4, SHOWN_GROUPS = 2 };

/* One stretch of ranks with equal steps: "0", "0,8", "0-7", "0,2,..,14". */
static void run_text(struct buf *out, int64_t first, int64_t size, int64_t stride)
{
	int64_t i;

	if (size > 2 && stride == 1) {
		buf_printf(out, "%" PRId64 "-%" PRId64, first, first + size - 1);
		return;
	}
	if (size > LISTED_RUN) {
		buf_printf(out, "%" PRId64 ",%" PRId64 ",..,%" PRId64, first, first + stride,
			   first + (size - 1) * stride);
		return;
	}
	for (i = 0; i < size; i++)
		buf_printf(out, "%s%" PRId64, i ? "," : "", first + i * stride);
}

/* One group: its innermost mode gives runs, the outer modes repeat them. */
static void put_group(struct buf *out, const struct layout *set, int64_t base)
{
	struct layout outer = *set;
	int64_t size = 1, stride = 1, runs, i;

	if (outer.modes) {
		outer.modes--;
		size = outer.size[outer.modes];
		stride = outer.stride[outer.modes];
	}
	runs = layout_size(&outer);
	buf_char(out, '{');
	for (i = 0; i < runs; i++) {
		if (runs > LISTED_RUNS && i == SHOWN_RUNS) {
			buf_text(out, ",..");
			i = runs - 1;
		}
		if (i)
			buf_char(out, ',');
		run_text(out, base + layout_offset(&outer, i), size, stride);
	}
	buf_char(out, '}');
}

/* The buffer's text in the arena; the buffer is gone. */
static char *kept(struct arena *arena, struct buf *out)
{
	char *text = arena_strdup(arena, out->data);

	buf_release(out);
	return text;
}

char *group_text(struct arena *arena, const struct layout *layout, int64_t base)
{
	struct layout set = layout_canonical(layout);
	struct buf out;

	buf_init(&out);
	put_group(&out, &set, base);
	return kept(arena, &out);
}

char *groups_text(struct arena *arena, const struct layout *layout, int64_t world, int64_t most)
{
	struct layout set = layout_canonical(layout), starts;
	int64_t groups, shown, i;
	struct buf out;

	if (!layout->modes)
		return arena_strdup(arena, "nobody");
	if (!layout_complement(&set, world, &starts))
		return arena_printf(arena,
				    "groups of %" PRId64 " that do not tile %" PRId64 " ranks",
				    layout_size(&set), world);
	groups = layout_size(&starts);
	shown = groups <= most ? groups : most < SHOWN_GROUPS ? most : SHOWN_GROUPS;
	buf_init(&out);
	for (i = 0; i < shown; i++) {
		if (i)
			buf_char(&out, ' ');
		put_group(&out, &set, layout_offset(&starts, i));
	}
	if (shown < groups)
		buf_printf(&out, " ... (%" PRId64 " groups)", groups);
	return kept(arena, &out);
}
