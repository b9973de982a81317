#include "draw/page.h"

#include "base/text.h"

#include <string.h>

double page_room(const struct canvas *canvas)
{
	return canvas->metrics.width - 2 * canvas->metrics.margin;
}

double page_gap(const struct canvas *canvas)
{
	return canvas->metrics.line[PART_TEXT];
}

static const char *cluster_words(const struct subject *subject)
{
	int64_t nodes = cluster_nodes(&subject->cluster);

	if (!subject->cluster.per_node)
		return "GPUs per node unknown";
	return arena_printf(subject->arena, "%s node%s of %lld GPU%s",
			    text_count(subject->arena, nodes), nodes == 1 ? "" : "s",
			    (long long)subject->cluster.per_node,
			    subject->cluster.per_node == 1 ? "" : "s");
}

double page_title(struct canvas *canvas, const struct subject *subject, const char *title)
{
	double x = canvas->metrics.margin, y = canvas->metrics.margin;
	const char *line = arena_printf(subject->arena, "%s%s%s ranks  ·  %s", subject->versions,
					*subject->versions ? "  ·  " : "",
					text_count(subject->arena, subject->cluster.world),
					cluster_words(subject));

	y = canvas_paragraph(canvas, PART_TITLE, x, y, page_room(canvas), title);
	y = canvas_paragraph(canvas, PART_QUIET, x, y, page_room(canvas), line);
	return y + page_gap(canvas);
}

struct arrange page_arrange(const struct subject *subject, const struct plan *plan)
{
	struct arrange wanted = { .cluster = subject->cluster, .expand = subject->expand };
	int64_t per_node = subject->cluster.per_node;
	int i;

	for (i = 0; per_node && !subject->cluster.cyclic && i < plan->root.axes; i++) {
		struct axis axis = axis_of_root(plan, i);
		if (axis.layout.size[0] < 2)
			continue;
		if (axis.layout.stride[0] % per_node == 0) {
			wanted.row_name = axis.name;
			wanted.rows = axis.layout.size[0];
		}
		break; /* only the outermost axis can be rows */
	}
	return wanted;
}

const char *page_where(const struct subject *subject, const struct layout *layout)
{
	if (!subject->cluster.per_node)
		return "";
	if (cluster_holds(&subject->cluster, layout))
		return arena_printf(subject->arena, "inside a node (%s)", subject->inside);
	return arena_printf(subject->arena, "crosses nodes (%s)", subject->between);
}

/* How the axis is shown in cells: coloured letters, or numbers. */
static void draw_key(struct canvas *canvas, char shown, double x, double y)
{
	const struct metrics *metrics = &canvas->metrics;
	double side = metrics->line[PART_MEMBER] + (metrics->characters ? 0 : 2);
	double top = y + (metrics->line[PART_TEXT] - side) / 2, step = metrics->characters ? 2 : 20;
	char text[2] = { 0, 0 };
	int i;

	for (i = 0; i < 3 && shown; i++) {
		text[0] = (char)(shown + i);
		if (shown == 'A')
			canvas_rectangle(canvas, PART_CELL, i, x + i * step, top, side, side, NULL);
		canvas_text(canvas, PART_MEMBER, ANCHOR_MIDDLE, x + i * step + side / 2,
			    top + (side - metrics->line[PART_MEMBER]) / 2,
			    arena_strdup(canvas->arena, text));
	}
}

double page_legend_axis(struct canvas *canvas, const struct subject *subject,
			const struct axis *axis, char shown, double y)
{
	bool characters = canvas->metrics.characters;
	double x = canvas->metrics.margin, unit = characters ? 1 : 8;
	int64_t size = layout_size(&axis->layout);
	struct layout flat = layout_coalesce(axis->layout);
	const char *stride = "", *where = page_where(subject, &axis->layout);
	struct arena *arena = subject->arena;

	if (flat.modes == 1)
		stride = arena_printf(arena, ", stride %s", text_count(arena, flat.stride[0]));
	draw_key(canvas, shown, x, y);
	canvas_text(canvas, PART_TEXT, ANCHOR_START, x + 8 * unit, y,
		    canvas_clip(canvas, PART_TEXT, 18 * unit, axis->name));
	canvas_text(canvas, PART_QUIET, ANCHOR_START, x + 27 * unit, y,
		    arena_printf(arena, "%s group%s of %s%s",
				 text_count(arena, subject->cluster.world / size),
				 subject->cluster.world == size ? "" : "s", text_count(arena, size),
				 stride));
	canvas_text(canvas, PART_QUIET, ANCHOR_START, x + 57 * unit, y, where);
	return y + canvas->metrics.line[PART_TEXT];
}

double page_assumptions(struct canvas *canvas, const struct subject *subject, double y)
{
	const char *words = "Assumes block ranks: neighbours in rank are neighbours in a node "
			    "(cluster.rank_order).";

	if (!subject->cluster.per_node)
		words = "One block, for how many GPUs a node has is not known: set "
			"cluster.gpus_per_node.";
	else if (subject->cluster.cyclic)
		words = "Ranks are dealt out to the nodes in turn (cluster.rank_order: cyclic).";
	else if (cluster_nodes(&subject->cluster) == 1)
		return y;
	return canvas_paragraph(canvas, PART_QUIET, canvas->metrics.margin, y, page_room(canvas),
				words);
}

const char *page_trouble(const struct plan *plan)
{
	if (plan->unmodelled)
		return plan->unmodelled_why ? plan->unmodelled_why : "this is not modelled";
	if (plan->error)
		return arena_printf(plan->arena, "%s: %s", plan->error->type, plan->error->message);
	return NULL;
}
