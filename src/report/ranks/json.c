#include "report/ranks/view.h"

#include "base/json.h"

#include <inttypes.h>
#include <string.h>

struct writer {
	struct json_writer json;
	const struct ranks_view *view;
};

static void layout_member(struct json_writer *json, const struct layout *layout)
{
	json_object(json, "layout");
	json_ints(json, "sizes", layout->size, layout->modes);
	json_ints(json, "strides", layout->stride, layout->modes);
	json_object_end(json);
}

static void count_member(struct json_writer *json, const char *key, int64_t min, int64_t max)
{
	json_object(json, key);
	json_int(json, "min", min);
	json_int(json, "max", max);
	json_object_end(json);
}

/* ---- nodes ---- */

static void topology_member(struct writer *w)
{
	static const char *const orders[] = {
		[ORDER_BLOCK] = "block",
		[ORDER_CYCLIC] = "cyclic",
		[ORDER_C10D] = "torchrun-c10d",
	};
	const struct topology *topology = w->view->topology;
	struct json_writer *json = &w->json;

	if (!topology) {
		json_null(json, "topology");
		return;
	}
	json_object(json, "topology");
	json_string(json, "order", orders[topology->order]);
	json_bool(json, "assumed", topology->assumed);
	json_int(json, "nodes", topology->nodes);
	json_int(json, "nodes_used", topology->used);
	json_int(json, "slots", topology->capacity);
	json_int(json, "gpus", topology->gpus);
	json_int(json, "nodes_per_domain", topology->domain);
	json_string(json, "hosts", topology->hosts ? w->view->job->hosts->source->path : NULL);
	json_object_end(json);
}

/* Every node with its ranks; null when there are too many. */
static void nodes_member(struct writer *w)
{
	const struct topology *topology = w->view->topology;
	struct json_writer *json = &w->json;
	int64_t ranks[HOST_SLOTS_MAX], node, count;

	if (!topology || (topology->nodes > RANKS_LISTED && !w->view->expand)) {
		json_null(json, "nodes");
		return;
	}
	json_array(json, "nodes");
	for (node = 0; node < topology->nodes; node++) {
		count = ranks_of_node(topology, node, ranks);
		json_object(json, NULL);
		json_int(json, "node", node);
		json_string(json, "host", topology->hosts ? topology->hosts[node]->name : NULL);
		json_ints(json, "ranks", ranks, (int)count);
		json_object_end(json);
	}
	json_array_end(json);
}

/* ---- axes ---- */

static void spans_members(struct json_writer *json, const struct communicator *axis)
{
	const struct spans *spans = &axis->spans;

	if (!axis->placed) {
		json_null(json, "spans");
		return;
	}
	json_object(json, "spans");
	count_member(json, "nodes", spans->nodes_min, spans->nodes_max);
	count_member(json, "domains", spans->domains_min, spans->domains_max);
	json_int(json, "inside", spans->inside);
	json_string(json, "within_node", within_name(spans->node));
	json_string(json, "within_domain", within_name(spans->domain));
	json_bool(json, "assumed", spans->assumed);
	json_object_end(json);
}

static void axis_item(struct writer *w, const struct communicator *axis)
{
	struct json_writer *json = &w->json;
	int64_t members = layout_size(&axis->layout);
	size_t i;

	json_object(json, NULL);
	json_array(json, "names");
	for (i = 0; i < axis->names.count; i++)
		json_string(json, NULL, axis->names.items[i]);
	json_array_end(json);
	layout_member(json, &axis->layout);
	json_int(json, "groups", w->view->plan->world / members);
	json_int(json, "members", members);
	spans_members(json, axis);
	json_array(json, "traffic");
	for (i = 0; i < axis->traffic.count; i++)
		json_string(json, NULL, axis->traffic.items[i]);
	json_array_end(json);
	json_object_end(json);
}

static void axes_member(struct writer *w)
{
	size_t i;

	json_array(&w->json, "axes");
	for (i = 0; i < w->view->axes.count; i++)
		axis_item(w, &w->view->axes.items[i]);
	json_array_end(&w->json);
}

/* ---- ranks ---- */

/* The members of a group; null when there are too many. */
static void members(struct writer *w, const char *key, const struct layout *layout, int64_t rank)
{
	int64_t base = layout_base(layout, rank), size = layout_size(layout), i;

	if (size > RANKS_LISTED && !w->view->expand) {
		json_null(&w->json, key);
		return;
	}
	json_array(&w->json, key);
	for (i = 0; i < size; i++)
		json_int(&w->json, NULL, base + layout_offset(layout, i));
	json_array_end(&w->json);
}

static void group_item(struct writer *w, const struct communicator *axis, int64_t rank)
{
	struct json_writer *json = &w->json;
	int64_t nodes[RANKS_LISTED], count;

	json_object(json, NULL);
	json_string(json, "axis", axis->names.items[0]);
	json_int(json, "index", layout_index(&axis->layout, rank));
	members(w, "ranks", &axis->layout, rank);
	if (w->view->topology) {
		count = nodes_of_group(w->view, &axis->layout, rank, nodes, RANKS_LISTED);
		if (count <= RANKS_LISTED)
			json_ints(json, "nodes", nodes, (int)count);
		else
			json_null(json, "nodes");
	} else {
		json_null(json, "nodes");
	}
	json_object_end(json);
}

static void place_members(struct writer *w, int64_t rank)
{
	const struct topology *topology = w->view->topology;
	struct json_writer *json = &w->json;
	struct place place;

	if (!topology) {
		json_null(json, "node");
		json_null(json, "host");
		json_null(json, "local_rank");
		return;
	}
	place = topology_place(topology, rank);
	json_int(json, "node", place.node);
	json_string(json, "host", topology->hosts ? topology->hosts[place.node]->name : NULL);
	json_int(json, "local_rank", place.slot);
}

static void shared_members(struct writer *w, int64_t rank)
{
	struct json_writer *json = &w->json;
	struct layout readers, same;

	if (ranks_share_data(w->view, &readers, &same)) {
		json_int(json, "data_rank", layout_index(&readers, rank));
		members(w, "same_samples", &same, rank);
	} else {
		json_null(json, "data_rank");
		json_null(json, "same_samples");
	}
	members(w, "same_parameters", &w->view->plan->dense.replicate, rank);
}

static void rank_item(struct writer *w, int64_t rank)
{
	const struct plan *plan = w->view->plan;
	struct json_writer *json = &w->json;
	size_t i;

	json_object(json, NULL);
	json_int(json, "rank", rank);
	place_members(w, rank);
	json_array(json, "stages");
	for (i = 0; i < plan->stages.count; i++)
		if (plan_rank_has_stage(plan, rank, (int)i))
			json_int(json, NULL, plan->stages.items[i].index);
	json_array_end(json);
	json_array(json, "groups");
	for (i = 0; i < w->view->axes.count; i++)
		group_item(w, &w->view->axes.items[i], rank);
	json_array_end(json);
	shared_members(w, rank);
	json_object_end(json);
}

static void ranks_member(struct writer *w)
{
	const struct rank_list *list = &w->view->ranks;
	size_t i;
	int64_t rank;

	json_array(&w->json, "ranks");
	for (i = 0; i < list->ranges.count; i++)
		for (rank = list->ranges.items[i].first; rank <= list->ranges.items[i].last; rank++)
			rank_item(w, rank);
	json_array_end(&w->json);
}

/* ---- what is lost ---- */

static void broken_groups(struct writer *w)
{
	struct json_writer *json = &w->json;
	size_t i;

	json_array(json, "groups");
	for (i = 0; i < w->view->axes.count; i++) {
		const struct communicator *axis = &w->view->axes.items[i];
		struct group_loss lost = loss_groups(&w->view->loss, &axis->layout);
		json_object(json, NULL);
		json_string(json, "axis", axis->names.items[0]);
		json_int(json, "groups", lost.groups);
		json_int(json, "broken", lost.broken);
		json_int(json, "gone", lost.gone);
		json_object_end(json);
	}
	json_array_end(json);
}

static void replicas_member(struct writer *w)
{
	struct replica_loss lost = loss_replicas(&w->view->loss);
	struct json_writer *json = &w->json;

	json_object(json, "replicas");
	json_int(json, "count", lost.replicas);
	json_int(json, "whole", lost.replicas - (int64_t)lost.broken.count);
	json_ints(json, "broken", lost.broken.items, (int)lost.broken.count);
	json_object_end(json);
}

static void parameters_member(struct writer *w)
{
	struct parameter_loss lost = loss_parameters(&w->view->loss);
	const struct plan *plan = w->view->plan;
	struct json_writer *json = &w->json;
	size_t i;

	if (!plan_places(plan)) {
		json_null(json, "parameters");
		return;
	}
	json_object(json, "parameters");
	json_int(json, "count", (int64_t)plan->parameters.count);
	json_array(json, "gone");
	for (i = 0; i < lost.gone.count; i++)
		json_string(json, NULL, plan->parameters.items[lost.gone.items[i]].parameter->fqn);
	json_array_end(json);
	json_array(json, "experts_gone");
	for (i = 0; i < lost.experts.count; i++) {
		const int64_t range[] = { lost.experts.items[i].first, lost.experts.items[i].last };
		json_ints(json, NULL, range, 2);
	}
	json_array_end(json);
	json_object_end(json);
}

/* Without a model parts are counted as the axes cut them. */
static void parts_member(struct writer *w, const char *key, bool expert)
{
	const struct mesh *pp = plan_mesh(w->view->plan, "pp");
	int64_t stages = pp ? layout_size(&pp->layout) : 1, stage;
	struct json_writer *json = &w->json;

	json_array(json, key);
	for (stage = 0; stage < stages && (!expert || w->view->plan->has_expert); stage++) {
		struct part_loss lost = loss_parts(&w->view->loss, stage, expert);
		json_object(json, NULL);
		json_int(json, "pp_rank", stage);
		json_int(json, "parts", lost.parts);
		json_int(json, "gone", lost.gone);
		json_object_end(json);
	}
	json_array_end(json);
}

static void lost_member(struct writer *w)
{
	const struct ranks_view *view = w->view;
	struct json_writer *json = &w->json;

	if (!view->losing) {
		json_null(json, "lost");
		return;
	}
	json_object(json, "lost");
	json_ints(json, "nodes", view->lost_nodes.items, (int)view->lost_nodes.count);
	json_ints(json, "ranks", view->loss.ranks, (int)view->loss.count);
	broken_groups(w);
	replicas_member(w);
	parameters_member(w);
	parts_member(w, "parts", false);
	parts_member(w, "expert_parts", true);
	json_int(json, "torchft_replica_groups", ranks_replica_groups(view->job));
	json_object_end(json);
}

void report_ranks_json(const struct ranks_view *view, struct buf *out)
{
	struct writer w = { .view = view };
	struct json_writer *json = &w.json;

	json_begin(json, out);
	json_object(json, NULL);
	json_string(json, "schema", "parplan.ranks/1");
	json_int(json, "world_size", view->plan->world);
	topology_member(&w);
	nodes_member(&w);
	axes_member(&w);
	ranks_member(&w);
	lost_member(&w);
	json_string(json, "note",
		    view->plan->unmodelled ? view->plan->unmodelled_why
					   : ranks_hosts_trouble(view));
	json_object_end(json);
	buf_char(out, '\n');
}
