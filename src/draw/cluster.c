#include "draw/cluster.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

enum {
	ROWS_ALONE = 8,	  /* rows of nodes shown when each row is one node */
	ROWS_OF_MANY = 4, /* else */
	COLUMNS = 4,	  /* of nodes, when some are left out */
	LINES_IN_NODE = 9,
	LINE_CELLS = 8
};

struct cluster cluster_of(const struct topology *topology, int64_t world)
{
	return (struct cluster) { .world = world,
				  .per_node = topology ? topology->most : 0,
				  .topology = topology };
}

int64_t cluster_nodes(const struct cluster *cluster)
{
	return cluster->topology ? cluster->topology->used : 1;
}

bool cluster_is_regular(const struct cluster *cluster)
{
	return cluster->topology && cluster->topology->slots &&
	       cluster->topology->order != ORDER_CYCLIC;
}

int64_t cluster_rank(const struct cluster *cluster, int64_t node, int64_t slot)
{
	if (cluster->topology)
		return topology_rank(cluster->topology, node, slot);
	return slot < cluster->world ? slot : -1;
}

bool cluster_holds(const struct cluster *cluster, const struct layout *layout)
{
	struct spans spans;

	if (!cluster->topology || cluster_nodes(cluster) == 1 || layout_size(layout) == 1)
		return true;
	return topology_spans(cluster->topology, layout, &spans) && spans.nodes_max == 1;
}

bool cluster_domain_holds(const struct cluster *cluster, const struct layout *layout)
{
	struct spans spans;

	return cluster->topology && cluster->topology->domain > 1 &&
	       topology_spans(cluster->topology, layout, &spans) && spans.domains_max == 1;
}

bool cluster_joined(const struct cluster *cluster, int64_t a, int64_t b)
{
	int64_t nodes = cluster->topology ? cluster->topology->domain : 1;

	return nodes > 1 && a / nodes == b / nodes;
}

static bool has(const struct fold *fold, int64_t index)
{
	int64_t i;

	for (i = 0; i < fold->shown; i++)
		if (fold->index[i] == index)
			return true;
	return false;
}

static void show(struct fold *fold, int64_t most, int64_t index)
{
	int64_t i;

	if (fold->shown >= most || index >= fold->total || has(fold, index))
		return;
	for (i = fold->shown++; i > 0 && fold->index[i - 1] > index; i--)
		fold->index[i] = fold->index[i - 1];
	fold->index[i] = index;
}

struct fold fold_of(int64_t total, int64_t most, const struct landmarks *landmarks)
{
	struct fold fold = { .total = total };
	int64_t index;
	int i;

	if (total <= most) {
		fold.shown = total;
		return fold;
	}
	if (most > FOLD_MARKS)
		most = FOLD_MARKS;
	show(&fold, most, 0);
	show(&fold, most, total - 1);
	show(&fold, most, 1);
	for (i = 0; landmarks && i < landmarks->count; i++)
		show(&fold, most, landmarks->index[i]);
	for (index = 2; fold.shown < most; index++)
		show(&fold, most, index);
	return fold;
}

int64_t fold_index(struct fold fold, int64_t position)
{
	return fold.shown < fold.total ? fold.index[position] : position;
}

bool fold_gap(struct fold fold, int64_t position)
{
	return position > 0 && fold_index(fold, position) != fold_index(fold, position - 1) + 1;
}

static bool fold_any(struct fold fold)
{
	return fold.shown < fold.total;
}

/* How many are left out just before that position. */
static int64_t hidden(struct fold fold, int64_t position)
{
	return fold_index(fold, position) - fold_index(fold, position - 1) - 1;
}

static int digits(int64_t number)
{
	int count = 1;

	while (number /= 10)
		count++;
	return count;
}

static double cells_width(const struct canvas *canvas, const struct arrangement *arrangement)
{
	return (double)arrangement->per_line *
		       (arrangement->cell_width + canvas->metrics.cell_gap) -
	       canvas->metrics.cell_gap;
}

/* A node is at least as wide as its name. */
static double node_width(const struct canvas *canvas, const struct arrangement *arrangement,
			 const struct arrange *wanted)
{
	const char *name = arena_printf(canvas->arena, "node %lld",
					(long long)cluster_nodes(&wanted->cluster) - 1);

	return fmax(cells_width(canvas, arrangement), canvas_text_width(canvas, PART_QUIET, name)) +
	       2 * canvas->metrics.padding;
}

/* Cells side by side: a whole node if there is room, else the half of it. */
static void shape_node(const struct canvas *canvas, struct arrangement *arrangement, int64_t most,
		       const struct arrange *wanted)
{
	const struct metrics *metrics = &canvas->metrics;
	int64_t slots = wanted->cluster.per_node ? wanted->cluster.per_node : wanted->cluster.world;
	int64_t lines;

	arrangement->per_line = slots < most ? slots : most;
	for (;;) {
		arrangement->node_width = node_width(canvas, arrangement, wanted);
		if (arrangement->node_width <= wanted->width || arrangement->per_line < 2)
			break;
		arrangement->per_line = (arrangement->per_line + 1) / 2;
	}
	lines = (slots + arrangement->per_line - 1) / arrangement->per_line;
	arrangement->lines = fold_of(lines, wanted->expand ? lines : LINES_IN_NODE, NULL);
	arrangement->node_height =
		metrics->head + metrics->padding - metrics->cell_gap +
		(double)arrangement->lines.shown * (metrics->cell_height + metrics->cell_gap) +
		(fold_any(arrangement->lines) ? metrics->line[PART_QUIET] : 0);
}

/* The nodes as a table as square as can be: for drawings that leave nothing out. */
static void grid_square(struct arrangement *arrangement, int64_t nodes, double gap)
{
	double tall = arrangement->node_height + gap, wide = arrangement->node_width + gap;
	int64_t columns = (int64_t)ceil(sqrt((double)nodes * tall / wide));

	arrangement->row_name = NULL;
	arrangement->columns = fold_of(columns, columns, NULL);
	arrangement->rows.total = arrangement->rows.shown = (nodes + columns - 1) / columns;
}

/* How many nodes there is room for, side by side, when some of `total` are left out. */
static int64_t columns_that_fit(const struct canvas *canvas, const struct arrangement *arrangement,
				int64_t total, double room)
{
	const struct metrics *metrics = &canvas->metrics;
	int64_t fit;

	for (fit = total < COLUMNS ? total : COLUMNS; fit > 2; fit--) {
		int64_t folds = fit == total ? 0 : fit == 3 ? 1 : 2;
		double gaps = (double)(fit - 1 - folds) * metrics->across_gap +
			      (double)folds * metrics->across_fold_gap;
		if ((double)fit * arrangement->node_width + gaps <= room)
			break;
	}
	return fit;
}

static void measure(const struct canvas *canvas, struct arrangement *arrangement)
{
	arrangement->width = arrangement_x(canvas, arrangement, arrangement->columns.shown - 1) +
			     arrangement->node_width;
	arrangement->height =
		arrangement_y(arrangement, arrangement->rows.shown - 1) + arrangement->node_height;
}

/* True when nodes that each are one member of their axis, or of none, lie two in a row. */
static bool lie_in_pairs(const struct canvas *canvas, const struct arrangement *arrangement,
			 int64_t nodes, double room)
{
	return nodes > 3 && nodes % 2 == 0 &&
	       2 * arrangement->node_width + canvas->metrics.across_gap <= room;
}

/* The table of nodes: rows along an axis of several nodes if there is one, else by twos. */
static void shape_grid(const struct canvas *canvas, struct arrangement *arrangement,
		       const struct arrange *wanted)
{
	int64_t nodes = cluster_nodes(&wanted->cluster);
	bool rows = wanted->row_name && wanted->rows > 0 && nodes % wanted->rows == 0;
	int64_t across = rows ? nodes / wanted->rows : 1, fit;
	bool many = across > 1 || (wanted->expand && nodes > ROWS_ALONE);

	arrangement->row_name = rows ? wanted->row_name : NULL;
	arrangement->nodes_per_member = across;
	shape_node(canvas, arrangement, many ? LINE_CELLS / 2 : LINE_CELLS, wanted);
	if (across == 1 && lie_in_pairs(canvas, arrangement, nodes, wanted->width))
		across = 2;
	fit = columns_that_fit(canvas, arrangement, across, wanted->width);
	if (fit < across && fit < COLUMNS && fit < wanted->landmarks.count + 3 &&
	    arrangement->per_line > 2) {
		shape_node(canvas, arrangement, LINE_CELLS / 4, wanted);
		fit = columns_that_fit(canvas, arrangement, across, wanted->width);
	}
	arrangement->columns = fold_of(across, fit, &wanted->landmarks);
	arrangement->rows = fold_of(nodes / across, across > 1 ? ROWS_OF_MANY : ROWS_ALONE, NULL);
}

struct arrangement arrangement_of(const struct canvas *canvas, const struct arrange *wanted)
{
	const struct metrics *metrics = &canvas->metrics;
	struct arrangement arrangement = { .cluster = wanted->cluster };
	int chars = digits(wanted->cluster.world - 1);

	if (wanted->mark_width > chars)
		chars = wanted->mark_width;
	arrangement.cell_width =
		fmax(metrics->cell_min, chars * metrics->digit + metrics->cell_padding);
	arrangement.gap = metrics->gap;
	shape_grid(canvas, &arrangement, wanted);
	if (wanted->expand && (fold_any(arrangement.rows) || fold_any(arrangement.columns)))
		grid_square(&arrangement, cluster_nodes(&wanted->cluster), metrics->gap);
	else if (fold_any(arrangement.rows))
		arrangement.gap = fmax(arrangement.gap, metrics->fold_gap);
	arrangement.first_gap = arrangement.gap;
	if (wanted->links && arrangement.columns.total == 1)
		arrangement.first_gap = fmax(arrangement.gap, metrics->link_gap);
	measure(canvas, &arrangement);
	return arrangement;
}

int64_t arrangement_node(const struct arrangement *arrangement, int64_t row, int64_t column)
{
	int64_t node = fold_index(arrangement->rows, row) * arrangement->columns.total +
		       fold_index(arrangement->columns, column);

	return node < cluster_nodes(&arrangement->cluster) ? node : -1;
}

double arrangement_x(const struct canvas *canvas, const struct arrangement *arrangement,
		     int64_t column)
{
	const struct metrics *metrics = &canvas->metrics;
	double x = (double)column * (arrangement->node_width + metrics->across_gap);
	int64_t i;

	if (fold_any(arrangement->columns))
		for (i = 1; i <= column; i++)
			if (fold_gap(arrangement->columns, i))
				x += metrics->across_fold_gap - metrics->across_gap;
	return x;
}

double arrangement_y(const struct arrangement *arrangement, int64_t row)
{
	double y = (double)row * (arrangement->node_height + arrangement->gap);

	return row ? y + arrangement->first_gap - arrangement->gap : y;
}

/* Bands behind runs of neighbours of one group. */
static void draw_bands(struct canvas *canvas, const struct arrangement *arrangement,
		       const struct mark *marks, int64_t count, double x, double y)
{
	const struct metrics *metrics = &canvas->metrics;
	double step = arrangement->cell_width + metrics->cell_gap;
	int64_t from, to;

	for (from = 0; from < count; from = to) {
		for (to = from + 1; to < count && marks[to].letter == marks[from].letter;)
			to++;
		if (to - from > 1 && marks[from].letter >= 0)
			canvas_rectangle(canvas, PART_BAND, marks[from].hue,
					 x + (double)from * step - metrics->band, y - metrics->band,
					 (double)(to - from) * step - metrics->cell_gap +
						 2 * metrics->band,
					 metrics->cell_height + 2 * metrics->band, NULL);
	}
}

/* The next cell of the same group, or `count`. */
static int64_t next_of_group(const struct mark *marks, int64_t count, int64_t from)
{
	int64_t to;

	for (to = from + 1; to < count && marks[to].letter != marks[from].letter;)
		to++;
	return to;
}

/* Which group of its line a cell is in, counted from the left. */
static int64_t lane_of(const struct mark *marks, int64_t cell)
{
	int64_t first = 0, lanes = 0, i;

	while (marks[first].letter != marks[cell].letter)
		first++;
	for (i = 0; i < first; i++)
		lanes += next_of_group(marks, first, i) == first;
	return lanes;
}

/* Lines behind the cells, seen between them, from each to the next one of its group further on. */
static void draw_rails(struct canvas *canvas, const struct arrangement *arrangement,
		       const struct panel *panel, const struct mark *marks, int64_t count, double x,
		       double y)
{
	const struct metrics *metrics = &canvas->metrics;
	double step = arrangement->cell_width + metrics->cell_gap;
	int64_t from, to;

	for (from = 0; from < count && !metrics->characters; from++) {
		double level =
			y + metrics->cell_height * 0.14 * (double)(2 + lane_of(marks, from) % 4);
		to = next_of_group(marks, count, from);
		if (marks[from].letter < 0 || to == count || to == from + 1)
			continue;
		canvas_line(canvas, PART_LINK, marks[from].hue, x + ((double)from + 0.5) * step,
			    level, x + ((double)to + 0.5) * step - metrics->cell_gap, level);
		canvas_thicken(canvas, panel->letter_thickness > 0 ? panel->letter_thickness : 2.5);
	}
}

/* Why a rank is to blame; NULL: it is not. */
static const struct blame *blame_of(const struct panel *panel, int64_t rank)
{
	size_t i;

	for (i = 0; i < panel->blame_count; i++)
		if (panel->blames[i].rank == rank)
			return &panel->blames[i];
	return NULL;
}

static void draw_cell(struct canvas *canvas, const struct arrangement *arrangement,
		      const struct panel *panel, int64_t rank, const struct mark *mark, double x,
		      double y)
{
	const struct metrics *metrics = &canvas->metrics;
	const struct blame *blame = blame_of(panel, rank);
	const bool alert = mark->changed || blame;
	const enum part part = blame	       ? PART_ALERT_TAG
			       : mark->changed ? PART_CHANGED_CELL
					       : PART_CELL;
	double middle = x + arrangement->cell_width / 2;

	canvas_rectangle(canvas, part, blame ? -1 : mark->hue, x, y, arrangement->cell_width,
			 metrics->cell_height,
			 arena_printf(canvas->arena, "rank %lld%s%s", (long long)rank,
				      blame ? ": " : "", blame ? blame->class : ""));
	canvas_text(canvas, blame ? PART_ALERT : PART_RANK, ANCHOR_MIDDLE, middle,
		    y + metrics->rank_top, arena_printf(canvas->arena, "%lld", (long long)rank));
	if (*mark->text || blame)
		canvas_text(canvas, alert ? PART_MOVED : PART_MEMBER, ANCHOR_MIDDLE, middle,
			    y + metrics->member_top,
			    arena_join(canvas->arena, mark->text, blame ? "!" : "", ""));
}

/* One line of cells of a node. */
static void draw_line(struct canvas *canvas, const struct arrangement *arrangement,
		      const struct panel *panel, int64_t node, int64_t line, double x, double y)
{
	int64_t per_line = arrangement->per_line, count, i;
	int64_t per_node = arrangement->cluster.per_node;
	struct mark *marks = arena_array(canvas->arena, (size_t)per_line, sizeof(*marks));
	double step = arrangement->cell_width + canvas->metrics.cell_gap;

	for (count = 0; count < per_line; count++) {
		int64_t slot = line * per_line + count;
		int64_t rank = per_node && slot >= per_node
				       ? -1
				       : cluster_rank(&arrangement->cluster, node, slot);
		if (rank < 0)
			break;
		marks[count] = marking_of(panel->marking, rank);
	}
	draw_bands(canvas, arrangement, marks, count, x, y);
	draw_rails(canvas, arrangement, panel, marks, count, x, y);
	for (i = 0; i < count; i++)
		draw_cell(canvas, arrangement, panel,
			  cluster_rank(&arrangement->cluster, node, line * per_line + i), &marks[i],
			  x + (double)i * step, y);
}

/* The first rank of a node that is to blame; NULL: there is none. */
static const struct blame *blame_on(const struct arrangement *arrangement,
				    const struct panel *panel, int64_t node)
{
	const struct cluster *cluster = &arrangement->cluster;
	int64_t slot;
	size_t i;

	for (i = 0; cluster->per_node && i < panel->blame_count; i++)
		for (slot = 0; slot < cluster->per_node; slot++)
			if (cluster_rank(cluster, node, slot) == panel->blames[i].rank)
				return &panel->blames[i];
	return NULL;
}

/* "node 3", or its host's name. */
static const char *node_name(struct canvas *canvas, const struct arrangement *arrangement,
			     int64_t node)
{
	const struct topology *topology = arrangement->cluster.topology;

	return topology ? topology_name(canvas->arena, topology, node) : "all ranks";
}

static void draw_node_title(struct canvas *canvas, const struct arrangement *arrangement,
			    const struct panel *panel, int64_t node, double x, double y)
{
	const struct blame *blame = blame_on(arrangement, panel, node);
	const struct metrics *metrics = &canvas->metrics;
	double left = x + metrics->padding, right = x + arrangement->node_width - metrics->padding;
	double top =
		y + (metrics->head - metrics->line[PART_QUIET]) / 2 - (metrics->characters ? 0 : 1);
	const char *name = node_name(canvas, arrangement, node), *row;

	if (blame && blame->host && strcmp(blame->host, name) != 0)
		name = arena_join(canvas->arena, name, ": ", blame->host);
	name = canvas_clip(canvas, PART_QUIET, right - left, name);
	canvas_text(canvas, blame ? PART_ALERT : PART_QUIET, ANCHOR_START, left, top, name);
	if (!arrangement->row_name || !panel->name_rows)
		return;
	row = arena_printf(canvas->arena, "%s %lld", arrangement->row_name,
			   (long long)(node / arrangement->nodes_per_member));
	if (canvas_text_width(canvas, PART_QUIET, name) + metrics->digit +
		    canvas_text_width(canvas, PART_QUIET, row) >
	    right - left)
		return;
	canvas_text(canvas, PART_QUIET, ANCHOR_END, right, top, row);
}

static const char *hidden_ranks(const struct canvas *canvas, const struct arrangement *arrangement,
				int64_t ranks)
{
	const char *number = text_count(canvas->arena, ranks);
	const char *words = arena_printf(canvas->arena, "⋯ %s more ranks ⋯", number);

	if (canvas_text_width(canvas, PART_QUIET, words) <= arrangement->node_width)
		return words;
	return arena_printf(canvas->arena, "%s more", number);
}

static void draw_node(struct canvas *canvas, const struct arrangement *arrangement,
		      const struct panel *panel, int64_t node, double x, double y)
{
	const struct metrics *metrics = &canvas->metrics;
	double cells_y = y + metrics->head;
	double cells_x = x + (arrangement->node_width - cells_width(canvas, arrangement)) / 2;
	int64_t i;

	canvas_rectangle(canvas, PART_NODE, -1, x, y, arrangement->node_width,
			 arrangement->node_height, node_name(canvas, arrangement, node));
	if (blame_on(arrangement, panel, node))
		canvas_rectangle(canvas, PART_NOTICE, -1, x, y, arrangement->node_width,
				 arrangement->node_height, NULL);
	draw_node_title(canvas, arrangement, panel, node, x, y);
	for (i = 0; i < arrangement->lines.shown; i++) {
		if (fold_gap(arrangement->lines, i)) {
			int64_t ranks = hidden(arrangement->lines, i) * arrangement->per_line;
			canvas_text(canvas, PART_QUIET, ANCHOR_MIDDLE,
				    x + arrangement->node_width / 2, cells_y - metrics->band / 2,
				    hidden_ranks(canvas, arrangement, ranks));
			cells_y += metrics->line[PART_QUIET];
		}
		draw_line(canvas, arrangement, panel, node, fold_index(arrangement->lines, i),
			  cells_x, cells_y);
		cells_y += metrics->cell_height + metrics->cell_gap;
	}
}

/* How much is left out, in as many words as there is room for. */
static const char *fold_words(const struct canvas *canvas, int64_t count, const char *what,
			      double room)
{
	const char *number = text_count(canvas->arena, count);
	const char *words = arena_printf(canvas->arena, "⋯ %s more %s alike ⋯", number, what);

	if (canvas_text_width(canvas, PART_QUIET, words) + 2 * canvas->metrics.digit <= room)
		return words;
	return arena_printf(canvas->arena, "%s more", number);
}

/* Says how much is left out, between the rows and between the columns. */
static void draw_folds(struct canvas *canvas, const struct arrangement *arrangement,
		       const struct panel *panel)
{
	const char *what = arrangement->columns.total == 1 ? "nodes" : "rows of nodes";
	double across = canvas->metrics.across_fold_gap, half = arrangement->node_height / 2;
	int64_t row, column;

	for (row = 0; row < arrangement->rows.shown; row++) {
		double y = panel->y + arrangement_y(arrangement, row);
		if (fold_gap(arrangement->rows, row))
			canvas_tag(canvas, PART_QUIET, panel->x + arrangement->width / 2,
				   y - arrangement->gap / 2,
				   fold_words(canvas, hidden(arrangement->rows, row), what,
					      arrangement->width));
		for (column = 1; column < arrangement->columns.shown; column++)
			if (fold_gap(arrangement->columns, column))
				canvas_tag(canvas, PART_QUIET,
					   panel->x + arrangement_x(canvas, arrangement, column) -
						   across / 2,
					   y + half,
					   fold_words(canvas, hidden(arrangement->columns, column),
						      "", 0));
	}
}

void cluster_draw(struct canvas *canvas, const struct arrangement *arrangement,
		  const struct panel *panel)
{
	int64_t row, column;

	links_draw(canvas, arrangement, panel);
	for (row = 0; row < arrangement->rows.shown; row++)
		for (column = 0; column < arrangement->columns.shown; column++) {
			int64_t node = arrangement_node(arrangement, row, column);
			if (node >= 0)
				draw_node(canvas, arrangement, panel, node,
					  panel->x + arrangement_x(canvas, arrangement, column),
					  panel->y + arrangement_y(arrangement, row));
		}
	draw_folds(canvas, arrangement, panel);
}
