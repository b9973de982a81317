#include "report/ranks/text.h"

#include "base/text.h"
#include "plan/compare.h"

#include <inttypes.h>
#include <string.h>

enum { LABEL = 14, NODES_NAMED = 4 };

void ranks_line(struct ranks_page *page, const char *label, const char *text)
{
	const int indent = LABEL + 2;

	buf_printf(page->out, "  %-*s", LABEL, label);
	if (strlen(label) >= LABEL)
		buf_printf(page->out, "\n%*s", indent, "");
	wrap_text(page->out, text, indent, indent, page->style.columns);
	buf_char(page->out, '\n');
}

const char *ranks_axis_names(struct arena *arena, const struct communicator *axis)
{
	const char *names = "";
	size_t i;

	for (i = 0; i < axis->names.count; i++)
		names = arena_printf(arena, "%s%s%s", names, i ? ", " : "", axis->names.items[i]);
	return text_on_line(arena, names);
}

const char *ranks_node_names(struct ranks_page *page, const int64_t *nodes, int64_t shown,
			     int64_t count)
{
	const char *names = "";
	int64_t i;

	for (i = 0; i < shown; i++)
		names = arena_printf(page->arena, "%s%s%s", names, i ? ", " : "",
				     topology_name(page->arena, page->view->topology, nodes[i]));
	if (count > shown)
		names = arena_printf(page->arena, "%s and %s more", names,
				     text_count(page->arena, count - shown));
	return names;
}

/* ---- nodes ---- */

/* "pp 0, dp_replicate 1": coordinates that all ranks of a node have in common. */
static const char *common_coordinates(struct ranks_page *page, const int64_t *ranks, int64_t count)
{
	const struct ranks_view *view = page->view;
	const char *text = "";
	size_t i;
	int64_t r;

	for (i = 0; i < view->axes.count; i++) {
		const struct communicator *axis = &view->axes.items[i];
		int64_t index = count ? layout_index(&axis->layout, ranks[0]) : 0;
		if (!axis->parallel)
			continue;
		for (r = 1; r < count && layout_index(&axis->layout, ranks[r]) == index; r++)
			;
		if (count && r == count)
			text = arena_printf(page->arena, "%s%s%s %" PRId64, text, *text ? ", " : "",
					    axis->names.items[0], index);
	}
	return text;
}

static void put_node(struct ranks_page *page, int64_t node, int width)
{
	enum { RANKS = 16 };
	int64_t ranks[HOST_SLOTS_MAX], count = ranks_of_node(page->view->topology, node, ranks);
	const char *text = count ? numbers_text(page->arena, ranks, count) : "idle";
	const char *common = common_coordinates(page, ranks, count);
	const char *name = topology_name(page->arena, page->view->topology, node);
	int indent = width + RANKS + 6;

	if (!*common) {
		buf_printf(page->out, "  %-*s  %s\n", width, name, text);
		return;
	}
	buf_printf(page->out, "  %-*s  %-*s  ", width, name, RANKS, text);
	if (strlen(text) > RANKS)
		buf_printf(page->out, "\n%*s", indent, "");
	wrap_text(page->out, common, indent, indent, page->style.columns);
	buf_char(page->out, '\n');
}

/* The last node from `first` on that has as many ranks as it. */
static int64_t last_alike(const struct topology *topology, int64_t first)
{
	int64_t count = topology_ranks(topology, first), last = first;

	while (last + 1 < topology->nodes && topology_ranks(topology, last + 1) == count)
		last++;
	return last;
}

static int name_width(struct ranks_page *page)
{
	const struct topology *topology = page->view->topology;
	size_t width = strlen("node"), length;
	int64_t node;

	for (node = 0; node < topology->nodes; node++) {
		if (!topology->hosts)
			node = topology->nodes - 1; /* the longest number */
		length = strlen(topology_name(page->arena, topology, node));
		width = length > width ? length : width;
	}
	return width > 30 ? 30 : (int)width;
}

/* Nodes with equally many ranks: all of a few, else two, how many more, and the last. */
static void put_run(struct ranks_page *page, int64_t first, int64_t last, int width)
{
	enum { WHOLE = 8, HEAD = 2 };
	int64_t node;

	for (node = first; node <= last; node++) {
		if (last - first >= WHOLE && !page->view->expand && node == first + HEAD) {
			buf_printf(page->out, "  ... %s nodes alike\n",
				   text_count(page->arena, last - node));
			node = last;
		}
		put_node(page, node, width);
	}
}

static void put_nodes(struct ranks_page *page)
{
	const struct topology *topology = page->view->topology;
	enum { RUNS = 8 };
	int width = 0, runs = 0;
	int64_t first, last;

	if (!topology) {
		style_heading(&page->style, page->out, "Nodes");
		ranks_line(page, "not known",
			   "how many ranks a node has: give --set cluster.gpus_per_node=8, or "
			   "--hosts FILE");
		return;
	}
	width = name_width(page);
	style_heading(
		&page->style, page->out, "Nodes: %s with %s ranks%s",
		text_count(page->arena, topology->nodes), text_count(page->arena, topology->world),
		topology->gpus > topology->world
			? arena_printf(page->arena, ", %s GPUs idle",
				       text_count(page->arena, topology->gpus - topology->world))
			: "");
	buf_printf(page->out, "  %-*s  %-16s  all its ranks have\n", width, "node", "ranks");
	for (first = 0; first < topology->nodes; first = last + 1, runs++) {
		last = last_alike(topology, first);
		if (runs == RUNS && last + 1 < topology->nodes && !page->view->expand) {
			buf_printf(page->out, "  ... %s nodes\n",
				   text_count(page->arena, topology->nodes - 1 - first));
			first = last = topology->nodes - 1;
		}
		put_run(page, first, last, width);
	}
}

/* ---- groups ---- */

/* "2", "1-2", "" when places are not known. */
static const char *span_text(struct arena *arena, const struct communicator *axis)
{
	const struct spans *spans = &axis->spans;

	if (!axis->placed)
		return "?";
	if (spans->nodes_min == spans->nodes_max)
		return text_count(arena, spans->nodes_max);
	return arena_printf(arena, "%" PRId64 "-%" PRId64, spans->nodes_min, spans->nodes_max);
}

/* "yes", "no", "assumed", "4 of 6". */
static const char *inside_text(struct arena *arena, const struct communicator *axis)
{
	const struct spans *spans = &axis->spans;

	if (!axis->placed)
		return "?";
	if (spans->inside && spans->inside < spans->groups)
		return arena_printf(arena, "%s of %s", text_count(arena, spans->inside),
				    text_count(arena, spans->groups));
	return within_name(spans->node);
}

/* As wide as its column, where another one follows. */
static const char *pad_text(struct arena *arena, const char *text)
{
	return arena_printf(arena, "%-11s", text);
}

static void put_traffic(struct ranks_page *page, const struct communicator *axis)
{
	size_t i;

	for (i = 0; i < axis->traffic.count; i++) {
		buf_text(page->out, "      ");
		wrap_text(page->out, axis->traffic.items[i], 6, 6, page->style.columns);
		buf_char(page->out, '\n');
	}
}

static void put_axis(struct ranks_page *page, const struct communicator *axis, bool racks)
{
	enum { NAMES = 26 };
	const char *names = ranks_axis_names(page->arena, axis);
	int64_t members = layout_size(&axis->layout);

	if (strlen(names) > NAMES) {
		buf_printf(page->out, "  %s\n", names);
		names = "";
	}
	buf_printf(page->out, "  %-*s  %9s  %9s  %7s  %s%s\n", NAMES, names,
		   text_count(page->arena, page->view->plan->world / members),
		   text_count(page->arena, members), span_text(page->arena, axis),
		   racks ? pad_text(page->arena, inside_text(page->arena, axis))
			 : inside_text(page->arena, axis),
		   racks && axis->placed ? within_name(axis->spans.domain) : "");
	put_traffic(page, axis);
}

static void put_axes(struct ranks_page *page)
{
	const struct ranks_view *view = page->view;
	bool racks = view->topology && view->topology->domain > 1;
	size_t i;

	if (!view->axes.count)
		return;
	style_heading(&page->style, page->out,
		      "Groups, the nodes that each touches, and what they carry");
	buf_printf(page->out, "  %-26s  %9s  %9s  %7s  %s\n", "axis", "groups", "of ranks", "nodes",
		   racks ? "in node    in rack" : "in node");
	for (i = 0; i < view->axes.count; i++)
		put_axis(page, &view->axes.items[i], racks);
}

/* ---- one rank ---- */

static void put_peers(struct ranks_page *page, int64_t rank)
{
	const struct ranks_view *view = page->view;
	size_t i;

	for (i = 0; i < view->axes.count; i++) {
		const struct communicator *axis = &view->axes.items[i];
		int64_t nodes[NODES_NAMED], count = 0;
		const char *names = ranks_axis_names(page->arena, axis), *text;

		text = arena_printf(
			page->arena, "%" PRId64 " of %" PRId64 " in %s",
			layout_index(&axis->layout, rank), layout_size(&axis->layout),
			group_text(page->arena, &axis->layout, layout_base(&axis->layout, rank)));
		if (view->topology)
			count = nodes_of_group(view, &axis->layout, rank, nodes, NODES_NAMED);
		if (count)
			text = arena_printf(
				page->arena, "%s on %s", text,
				ranks_node_names(page, nodes,
						 count < NODES_NAMED ? count : NODES_NAMED, count));
		ranks_line(page, names, text);
	}
}

static void put_stages(struct ranks_page *page, int64_t rank)
{
	const struct plan *plan = page->view->plan;
	const char *text = "";
	size_t i;

	if (plan->stages.count < 2)
		return;
	for (i = 0; i < plan->stages.count; i++) {
		const struct stage *stage = &plan->stages.items[i];
		if (stage->pp_rank == plan_pp_rank(plan, rank))
			text = arena_printf(page->arena, "%s%s%d", text, *text ? ", " : "",
					    stage->index);
	}
	ranks_line(page, "stages",
		   arena_printf(page->arena, "%s of %zu", text, plan->stages.count));
}

static void put_shared(struct ranks_page *page, int64_t rank)
{
	const struct plan *plan = page->view->plan;
	const struct layout *replicate = &plan->dense.replicate;
	struct layout readers, same;

	if (ranks_share_data(page->view, &readers, &same))
		ranks_line(page, "samples",
			   arena_printf(page->arena, "as data rank %" PRId64 " of %" PRId64 "%s%s",
					layout_index(&readers, rank), layout_size(&readers),
					layout_size(&same) > 1 ? ", the same as " : ", alone",
					layout_size(&same) > 1
						? group_text(page->arena, &same,
							     layout_base(&same, rank))
						: ""));
	if (layout_size(replicate) > 1)
		ranks_line(page, "copies",
			   arena_printf(page->arena, "its part of the parameters is on %s, too",
					group_text(page->arena, replicate,
						   layout_base(replicate, rank))));
}

static void put_rank(struct ranks_page *page, int64_t rank)
{
	const struct topology *topology = page->view->topology;
	struct place place;

	style_heading(&page->style, page->out, "Rank %" PRId64, rank);
	if (topology) {
		place = topology_place(topology, rank);
		ranks_line(page, "host",
			   arena_printf(page->arena, "%s, local rank %" PRId64 "%s",
					topology_name(page->arena, topology, place.node),
					place.slot,
					topology->assumed ? " (block ranks assumed)" : ""));
	}
	put_stages(page, rank);
	put_peers(page, rank);
	put_shared(page, rank);
}

static void put_paragraph(struct ranks_page *page, const char *text)
{
	if (!text)
		return;
	buf_char(page->out, '\n');
	wrap_text(page->out, text, 0, 0, page->style.columns);
	buf_char(page->out, '\n');
}

static void put_trouble(struct ranks_page *page)
{
	const struct plan *plan = page->view->plan;
	const char *why = plan->unmodelled ? plan->unmodelled_why : NULL;

	put_paragraph(page, ranks_hosts_trouble(page->view));
	if (plan->error)
		why = arena_printf(page->arena, "It stops while it is built: %s%s%s",
				   plan->error->type, *plan->error->message ? ": " : "",
				   text_join_lines(page->arena, plan->error->message, true));
	put_paragraph(page, why);
}

void report_ranks_text(const struct ranks_view *view, struct buf *out, bool color, int columns)
{
	struct ranks_page page = { view, view->arena, out, { color, columns } };
	size_t i;
	int64_t rank;

	report_assumptions(view->job, out, color, columns);
	put_trouble(&page);
	if (!view->losing && !view->ranks.ranges.count) {
		put_nodes(&page);
		put_axes(&page);
	}
	for (i = 0; i < view->ranks.ranges.count; i++)
		for (rank = view->ranks.ranges.items[i].first;
		     rank <= view->ranks.ranges.items[i].last; rank++)
			put_rank(&page, rank);
	if (view->losing)
		ranks_text_lost(&page);
}
