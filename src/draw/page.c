#include "draw/page.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

double page_room(const struct canvas *canvas)
{
	return canvas->metrics.width - 2 * canvas->metrics.margin;
}

double page_gap(const struct canvas *canvas)
{
	return canvas->metrics.line[PART_TEXT];
}

/* "1 node", "2,048 nodes". */
static const char *count_words(struct arena *arena, int64_t count, const char *what)
{
	return arena_printf(arena, "%s %s%s", text_count(arena, count), what,
			    count == 1 ? "" : "s");
}

static const char *cluster_words(const struct subject *subject)
{
	struct arena *arena = subject->arena;

	if (!subject->cluster.per_node)
		return "GPUs per node unknown";
	return arena_printf(arena, subject->cluster.topology->slots ? "%s of %s" : "%s of up to %s",
			    count_words(arena, cluster_nodes(&subject->cluster), "node"),
			    count_words(arena, subject->cluster.per_node, "GPU"));
}

double page_title(struct canvas *canvas, const struct subject *subject, const char *title)
{
	double x = canvas->metrics.margin, y = x;
	const char *line = arena_printf(subject->arena, "%s%s%s  ·  %s", subject->versions,
					*subject->versions ? "  ·  " : "",
					count_words(subject->arena, subject->cluster.world, "rank"),
					cluster_words(subject));

	y = canvas_paragraph(canvas, PART_TITLE, x, y, page_room(canvas), title);
	y = canvas_paragraph(canvas, PART_QUIET, x, y, page_room(canvas), line);
	return y + page_gap(canvas);
}

struct arrange page_arrange(const struct subject *subject, const struct plan *plan)
{
	struct arrange wanted = { .cluster = subject->cluster, .expand = subject->expand };
	int64_t per_node = subject->cluster.per_node;
	struct axes axes = axes_of(plan);
	int i;

	for (i = 0; cluster_is_regular(&subject->cluster) && i < axes.count; i++) {
		const struct layout *layout = &axes.list[i].layout;
		if (layout->stride[0] % per_node)
			break; /* neither do the ones further in fill nodes */
		if (!i) {
			wanted.row_name = axes.list[i].name;
			wanted.rows = layout->size[0];
		} else if (wanted.landmarks.count < FOLD_MARKS) {
			wanted.landmarks.index[wanted.landmarks.count++] =
				layout->stride[0] / per_node;
		}
	}
	return wanted;
}

/* "inside a node", "crosses nodes", with what joins them. */
static const char *where_words(const struct subject *subject, const struct layout *layout)
{
	if (!subject->cluster.per_node)
		return "";
	if (cluster_holds(&subject->cluster, layout))
		return arena_printf(subject->arena, "inside a node (%s)", subject->inside);
	if (cluster_domain_holds(&subject->cluster, layout))
		return arena_printf(subject->arena, "inside a domain of nodes (%s)",
				    subject->inside);
	return subject->between
		       ? arena_printf(subject->arena, "crosses nodes (%s)", subject->between)
		       : "crosses nodes";
}

/* How the axis is shown in cells: coloured letters, or numbers, of its first groups. */
static void draw_key(struct canvas *canvas, char shown, int64_t groups, double x, double y)
{
	const struct metrics *metrics = &canvas->metrics;
	double side = metrics->line[PART_MEMBER] + (metrics->characters ? 0 : 2);
	double top = y + (metrics->line[PART_TEXT] - side) / 2, step = metrics->characters ? 2 : 20;
	char text[2] = { 0, 0 };
	int i;

	for (i = 0; i < 3 && i < groups && shown; i++) {
		text[0] = (char)(shown + i);
		if (shown == 'A')
			canvas_rectangle(canvas, PART_CELL, i, x + i * step, top, side, side, NULL);
		canvas_text(canvas, PART_MEMBER, ANCHOR_MIDDLE, x + i * step + side / 2,
			    top + (side - metrics->line[PART_MEMBER]) / 2,
			    arena_strdup(canvas->arena, text));
	}
}

static const char *groups_cell(const struct subject *subject, const struct axis *axis)
{
	struct arena *arena = subject->arena;
	struct layout flat = layout_coalesce(axis->layout);
	int64_t size = layout_size(&axis->layout), groups = subject->cluster.world / size;
	const char *stride = "";

	if (flat.modes == 1)
		stride = arena_printf(arena, ", stride %s", text_count(arena, flat.stride[0]));
	return arena_printf(arena, "%s group%s of %s%s", text_count(arena, groups),
			    groups == 1 ? "" : "s", text_count(arena, size), stride);
}

double page_legend_line(struct canvas *canvas, enum part part, int hue, double x, double y,
			const char *text)
{
	const struct metrics *metrics = &canvas->metrics;
	double sample = metrics->characters ? 3 : 30, after = metrics->characters ? 1 : 10;
	double middle = y + metrics->line[PART_TEXT] / 2;

	if (part < PARTS)
		canvas_line(canvas, part, hue, x, middle, x + sample, middle);
	x += sample + after;
	canvas_text(canvas, PART_QUIET, ANCHOR_START, x,
		    y + (metrics->line[PART_TEXT] - metrics->line[PART_QUIET]) / 2,
		    canvas_clip(canvas, PART_QUIET, metrics->width - metrics->margin - x, text));
	return y + metrics->line[PART_TEXT];
}

/* How much goes over the groups, where that is known, and where they are. */
static const char *traffic_words(const struct subject *subject, const struct axis *axis)
{
	const double bytes = subject_received(subject, &axis->layout);
	const char *where = where_words(subject, &axis->layout);

	if (!(bytes > 0))
		return where;
	return arena_printf(subject->arena, "%s%s%s", text_bytes(subject->arena, bytes),
			    *where ? ", " : "", where);
}

/* Whether groups stay inside nodes, with a piece of the line or band that shows it. */
static void draw_where(struct canvas *canvas, const struct subject *subject,
		       const struct legend_row *row, double x, double y)
{
	const struct layout *layout = &row->axis.layout;
	bool inside = cluster_holds(&subject->cluster, layout) ||
		      cluster_domain_holds(&subject->cluster, layout);
	bool known = subject->cluster.per_node > 0, letter = row->key == 'A';
	enum part line = !known || !row->key ? PARTS
			 : letter	     ? PART_LINK
			 : inside	     ? PARTS
					     : PART_THIN_LINK;
	double middle = y + canvas->metrics.line[PART_TEXT] / 2, band = canvas->metrics.band;

	if (letter && known && inside && canvas->metrics.characters)
		line = PARTS;
	else if (letter && known && inside)
		canvas_rectangle(canvas, PART_BAND, 0, x, middle - band - 2, 30, 2 * band + 4,
				 NULL);
	page_legend_line(canvas, line, line == PART_LINK ? 0 : -1, x, y,
			 traffic_words(subject, &row->axis));
}

/* What the bytes in a legend are, where it has any. */
static const char *bytes_words(const struct subject *subject, const struct legend *legend)
{
	size_t i;

	for (i = 0; i < legend->rows.count; i++)
		if (subject_received(subject, &legend->rows.items[i].axis.layout) > 0)
			return subject->carried->seen
				       ? "Bytes are what a rank received over the groups."
				       : "Bytes are what a rank receives over the groups in a "
					 "step.";
	return "";
}

double page_legend(struct canvas *canvas, const struct subject *subject,
		   const struct legend *legend, double y)
{
	bool characters = canvas->metrics.characters;
	double x = canvas->metrics.margin + (characters ? 7 : 70), gap = characters ? 1 : 28;
	double most = characters ? 20 : 240, name_width = 0, groups_width = 0;
	size_t i;

	for (i = 0; i < legend->rows.count; i++) {
		const struct axis *axis = &legend->rows.items[i].axis;
		const char *groups = groups_cell(subject, axis);
		name_width = fmax(name_width, canvas_text_width(canvas, PART_TEXT, axis->name));
		groups_width = fmax(groups_width, canvas_text_width(canvas, PART_TEXT, groups));
	}
	name_width = fmin(name_width, most);
	for (i = 0; i < legend->rows.count; i++) {
		const struct legend_row *row = &legend->rows.items[i];
		draw_key(canvas, row->key, subject->cluster.world / layout_size(&row->axis.layout),
			 canvas->metrics.margin, y);
		canvas_text(canvas, PART_TEXT, ANCHOR_START, x, y,
			    canvas_clip(canvas, PART_TEXT, name_width, row->axis.name));
		canvas_text(canvas, PART_TEXT, ANCHOR_START, x + name_width + gap, y,
			    groups_cell(subject, &row->axis));
		draw_where(canvas, subject, row, x + name_width + groups_width + 2 * gap, y);
		y += canvas->metrics.line[PART_TEXT] + (characters ? 0 : 4);
	}
	y = canvas_paragraph(canvas, PART_QUIET, canvas->metrics.margin, y, page_room(canvas),
			     bytes_words(subject, legend));
	return y + page_gap(canvas) / 2;
}

/* Who says which ranks share a node. */
static const char *order_words(const struct subject *subject)
{
	const struct topology *topology = subject->cluster.topology;

	if (!topology)
		return "One block, for how many GPUs a node has is not known: set "
		       "cluster.gpus_per_node.";
	if (topology->used == 1)
		return "";
	if (topology->assumed)
		return "Assumes block ranks: neighbours in rank are neighbours in a node "
		       "(cluster.rank_order).";
	switch (topology->order) {
	case ORDER_CYCLIC:
		return "Ranks are dealt out to the nodes in turn (cluster.rank_order: cyclic).";
	case ORDER_C10D:
		return "Ranks fill one node after the other, nodes by host name "
		       "(cluster.rank_order: torchrun-c10d).";
	case ORDER_BLOCK:
		break;
	}
	return arena_printf(subject->arena, "Ranks fill one node after the other (%s).",
			    subject->rank_order ? "cluster.rank_order: block"
			    : topology->hosts	? "cluster.hosts"
						: "as the launcher has it");
}

double page_assumptions(struct canvas *canvas, const struct subject *subject, double y)
{
	return canvas_paragraph(canvas, PART_QUIET, canvas->metrics.margin, y, page_room(canvas),
				order_words(subject));
}

const char *page_trouble(const struct plan *plan)
{
	if (plan->unmodelled)
		return plan->unmodelled_why ? plan->unmodelled_why : "this is not modelled";
	if (plan->error)
		return arena_printf(plan->arena, "%s: %s", plan->error->type,
				    text_join_lines(plan->arena, plan->error->message, true));
	return NULL;
}

const struct plan *page_plan(const struct subject *subject, const char **why)
{
	*why = subject->applied ? page_trouble(subject->applied) : NULL;
	return subject->applied && !*why ? subject->applied : subject->requested;
}

double page_head(struct canvas *canvas, const struct subject *subject, const char *title,
		 const char *why)
{
	double y;

	canvas->title = title;
	y = page_title(canvas, subject, title);
	if (!why)
		return y;
	why = arena_printf(subject->arena, "As requested; what is applied is not drawn: %s", why);
	return canvas_paragraph(canvas, PART_ALERT, canvas->metrics.margin, y, page_room(canvas),
				why) +
	       page_gap(canvas);
}
