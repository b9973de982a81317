#include "draw/cluster.h"

#include <string.h>

/*
 * What joins the nodes. A group that has ranks on several nodes is drawn as a chain from each
 * node to the next one on the canvas that has a member of it; groups run side by side.
 */
enum {
	SIDE_BY_SIDE = 8, /* more groups between two nodes become one line with their number */
	NODE_RANKS = 1024,
	NODES_JOINED = 64
};

/* One node on the canvas. */
struct spot {
	int64_t node;
	double x, y;
};

struct chain {
	const struct layout *layout;
	enum part part;
	bool lettered; /* lines have the colours of the groups */
	double thickness;
};

static struct spot spot_of(const struct canvas *canvas, const struct arrangement *arrangement,
			   const struct panel *panel, int64_t row, int64_t column)
{
	return (struct spot) {
		.node = arrangement_node(arrangement, row, column),
		.x = panel->x + arrangement_x(canvas, arrangement, column),
		.y = panel->y + arrangement_y(arrangement, row),
	};
}

static bool has_member(const struct cluster *cluster, const struct layout *layout, int64_t node,
		       int64_t base)
{
	int64_t slot;

	for (slot = 0; slot < cluster->per_node; slot++) {
		int64_t rank = cluster_rank(cluster, node, slot);
		if (rank >= 0 && layout_base(layout, rank) == base)
			return true;
	}
	return false;
}

/* True when an earlier slot of the node is in the same group. */
static bool seen(const struct cluster *cluster, const struct layout *layout, int64_t node,
		 int64_t slot, int64_t base)
{
	int64_t i;

	for (i = 0; i < slot; i++)
		if (layout_base(layout, cluster_rank(cluster, node, i)) == base)
			return true;
	return false;
}

/* Counts the groups with members on both nodes; `ranks` gets one rank of each, at most
 * SIDE_BY_SIDE. */
static int64_t shared_groups(const struct cluster *cluster, const struct layout *layout, int64_t a,
			     int64_t b, int64_t *ranks)
{
	int64_t slot, count = 0;

	for (slot = 0; slot < cluster->per_node; slot++) {
		int64_t rank = cluster_rank(cluster, a, slot), base;
		if (rank < 0)
			break;
		base = layout_base(layout, rank);
		if (seen(cluster, layout, a, slot, base) || !has_member(cluster, layout, b, base))
			continue;
		if (count < SIDE_BY_SIDE)
			ranks[count] = rank;
		count++;
	}
	return count;
}

/* True when the groups asked for do not join these nodes although the real ones do. */
static bool unasked(const struct cluster *cluster, const struct marking *marking, int64_t a,
		    int64_t b)
{
	int64_t ranks[SIDE_BY_SIDE];

	return marking->has_asked && !shared_groups(cluster, &marking->asked, a, b, ranks);
}

/* The part of the way across a node at which line `i` of `count` runs. */
static double share(int64_t i, int64_t count)
{
	return ((double)i + 0.5) / (double)count;
}

/* Between nodes of one NVLink domain the band goes on. */
static void draw_domain(struct canvas *canvas, int hue, double x, double y, double to_x,
			double to_y)
{
	double band = canvas->metrics.band;

	if (canvas->metrics.characters)
		return;
	if (to_x > x)
		canvas_rectangle(canvas, PART_BAND, hue, x, y - band, to_x - x, 2 * band, NULL);
	else
		canvas_rectangle(canvas, PART_BAND, hue, x - band, y, 2 * band, to_y - y, NULL);
}

static void draw_line(struct canvas *canvas, const struct arrangement *arrangement,
		      const struct chain *chain, enum part part, int hue, struct spot a,
		      struct spot b, double way)
{
	double inner = canvas->metrics.padding, top = canvas->metrics.head, x, y, to_x, to_y;

	if (a.x < b.x) {
		x = a.x + arrangement->node_width;
		to_x = b.x;
		y = to_y = a.y + top + way * (arrangement->node_height - top - inner);
	} else {
		x = to_x = a.x + inner + way * (arrangement->node_width - 2 * inner);
		y = a.y + arrangement->node_height;
		to_y = b.y;
	}
	if (cluster_joined(&arrangement->cluster, a.node, b.node))
		draw_domain(canvas, hue, x, y, to_x, to_y);
	canvas_line(canvas, part, hue, x, y, to_x, to_y);
	canvas_thicken(canvas, chain->thickness);
}

/* A link that passes over nodes in between goes round them. */
static void draw_detour(struct canvas *canvas, const struct arrangement *arrangement,
			const struct chain *chain, enum part part, int hue, struct spot a,
			struct spot b)
{
	double w = arrangement->node_width, h = arrangement->node_height;
	double room = canvas->metrics.across_gap * 0.8;

	if (a.x < b.x)
		canvas_arc(canvas, part, hue, a.x + w / 2, a.y + h, b.x + w / 2, b.y + h,
			   canvas->metrics.gap * 0.6);
	else
		canvas_arc(canvas, part, hue, a.x + w, a.y + h / 2, b.x + w, b.y + h / 2, room);
	canvas_thicken(canvas, chain->thickness);
}

static int64_t draw_chain(struct canvas *canvas, const struct arrangement *arrangement,
			  const struct panel *panel, const struct chain *chain, struct spot a,
			  struct spot b, bool neighbours)
{
	int64_t ranks[SIDE_BY_SIDE];
	int64_t count = shared_groups(&arrangement->cluster, chain->layout, a.node, b.node, ranks);
	int64_t lines = count > SIDE_BY_SIDE ? 1 : count, i;
	enum part part = chain->part;

	if (chain->lettered && count &&
	    unasked(&arrangement->cluster, panel->marking, a.node, b.node))
		part = PART_CHANGED_LINK;
	for (i = 0; i < lines; i++) {
		int hue = chain->lettered ? marking_of(panel->marking, ranks[i]).hue : -1;
		if (neighbours)
			draw_line(canvas, arrangement, chain, part, hue, a, b, share(i, lines));
		else if (!i)
			draw_detour(canvas, arrangement, chain, part, hue, a, b);
	}
	return count;
}

/* Joins a place with the next one to the right or below that shares groups with it. */
static int64_t draw_chains_from(struct canvas *canvas, const struct arrangement *arrangement,
				const struct panel *panel, const struct chain *chain, int64_t row,
				int64_t column, bool down)
{
	struct spot a = spot_of(canvas, arrangement, panel, row, column), b;
	int64_t steps = down ? arrangement->rows.shown - row : arrangement->columns.shown - column;
	int64_t step, count = 0;

	for (step = 1; step < steps && !count; step++) {
		b = spot_of(canvas, arrangement, panel, row + (down ? step : 0),
			    column + (down ? 0 : step));
		if (b.node < 0)
			break;
		count = draw_chain(canvas, arrangement, panel, chain, a, b, step == 1);
	}
	return count;
}

const char *links_words(const struct canvas *canvas, const struct arrangement *arrangement,
			const char *words)
{
	double room = arrangement->width - canvas->metrics.digit * 3;

	if (!words || canvas_text_width(canvas, PART_ALERT, words) <= room)
		return words;
	words = arena_strndup(canvas->arena, words, strcspn(words, ":"));
	return canvas_text_width(canvas, PART_ALERT, words) <= room ? words : NULL;
}

/* The words for so many groups; their number too when they are drawn as one line. */
static const char *words_for(const struct canvas *canvas, const struct arrangement *arrangement,
			     const char *words, int64_t groups)
{
	if (!groups || !words)
		return NULL;
	words = links_words(canvas, arrangement, words);
	if (!words || groups <= SIDE_BY_SIDE)
		return words;
	return links_words(
		canvas, arrangement,
		arena_printf(canvas->arena, "%s, %lld groups", words, (long long)groups));
}

/* Words on the first gap between rows: what the links there carry. */
static void draw_traffic(struct canvas *canvas, const struct arrangement *arrangement,
			 const struct panel *panel, int64_t lettered, int64_t numbered)
{
	double x = panel->x + arrangement->width / 2;
	double y = panel->y + arrangement->node_height + arrangement->first_gap / 2;
	double apart = canvas->metrics.line[PART_QUIET] / 2;
	const char *first = words_for(canvas, arrangement, panel->letter_traffic, lettered);
	const char *second = words_for(canvas, arrangement, panel->number_traffic, numbered);
	bool alert = lettered && unasked(&arrangement->cluster, panel->marking,
					 arrangement_node(arrangement, 0, 0),
					 arrangement_node(arrangement, 1, 0));

	if (first)
		canvas_tag(canvas, alert ? PART_ALERT : PART_QUIET, x, second ? y - apart : y,
			   first);
	if (second)
		canvas_tag(canvas, PART_QUIET, x, first ? y + apart : y, second);
}

/* Nodes so many or so large that lines between them would say nothing are not joined. */
static bool worth_linking(const struct arrangement *arrangement)
{
	return arrangement->cluster.per_node > 0 && arrangement->cluster.per_node <= NODE_RANKS &&
	       arrangement->rows.shown * arrangement->columns.shown <= NODES_JOINED;
}

void links_draw(struct canvas *canvas, const struct arrangement *arrangement,
		const struct panel *panel)
{
	const struct marking *marking = panel->marking;
	struct chain chains[2] = {
		{ marking->has_number ? &marking->number : NULL, PART_THIN_LINK, false,
		  panel->number_thickness },
		{ marking->has_letter ? &marking->letter : NULL, PART_LINK, true,
		  panel->letter_thickness },
	};
	int64_t row, column, found[2] = { 0, 0 };
	int i;

	if (!worth_linking(arrangement))
		return;
	for (i = 0; i < 2; i++)
		for (row = 0; chains[i].layout && row < arrangement->rows.shown; row++)
			for (column = 0; column < arrangement->columns.shown; column++) {
				int64_t down = draw_chains_from(canvas, arrangement, panel,
								&chains[i], row, column, true);
				if (!row && !column)
					found[i] = down;
				draw_chains_from(canvas, arrangement, panel, &chains[i], row,
						 column, false);
			}
	if (arrangement->columns.total == 1 && arrangement->rows.shown > 1)
		draw_traffic(canvas, arrangement, panel, found[1], found[0]);
}
