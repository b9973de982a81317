#include "report/ranks/view.h"

#include "base/buf.h"
#include "base/text.h"
#include "rules/facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- communicators ---- */

/* What axes carry by their name, whatever the framework. */
static const struct {
	const char *name, *traffic;
} by_name[] = {
	{ "pp", "activations: send and receive, each microbatch" },
	{ "tp", "activations: all-reduce or all-gather and reduce-scatter, each layer" },
	{ "etp", "expert activations, each MoE layer" },
	{ "ep", "tokens: all-to-all, each MoE layer" },
};

/* Of ranks that cut sequences, or NULL: those of Ulysses exchange heads for tokens. */
static const char *exchanged(const struct ranks_view *view, const char *name)
{
	const bool context = !strcmp(name, "cp");

	if (!context && strcmp(name, "sp") != 0)
		return NULL;
	return strcmp(setting_text(&view->job->settings, FIELD_CP_METHOD,
				   context ? "ring" : "ulysses"),
		      "ulysses")
		       ? "keys and values, each attention layer"
		       : "tokens for heads: all-to-all, each attention layer";
}

static void add_traffic(struct ranks_view *view, struct communicator *axis, const char *traffic)
{
	size_t i;

	for (i = 0; i < axis->traffic.count; i++)
		if (!strcmp(axis->traffic.items[i], traffic))
			return;
	vec_push(view->arena, &axis->traffic, traffic);
}

/* What the sharding of parameters sends along these groups. */
static void add_sharing(struct ranks_view *view, struct communicator *axis,
			const struct sharding *sharding, const char *whose)
{
	if (sharding->shard.modes && layout_same_groups(&sharding->shard, &axis->layout))
		add_traffic(view, axis,
			    arena_printf(view->arena,
					 "%sparameters: all-gather; gradients: reduce-scatter; "
					 "each layer",
					 whose));
	if (sharding->replicate.modes && layout_same_groups(&sharding->replicate, &axis->layout))
		add_traffic(view, axis,
			    arena_printf(view->arena, "%sgradients: all-reduce, each step", whose));
}

static struct communicator *axis_of(struct ranks_view *view, const struct layout *layout)
{
	struct communicator axis = { .layout = *layout };
	size_t i;

	for (i = 0; i < view->axes.count; i++)
		if (layout_same_groups(&view->axes.items[i].layout, layout))
			return &view->axes.items[i];
	axis.placed = view->topology && topology_spans(view->topology, layout, &axis.spans);
	vec_push(view->arena, &view->axes, axis);
	return &view->axes.items[view->axes.count - 1];
}

static void add_mesh(struct ranks_view *view, const struct mesh *mesh)
{
	struct communicator *axis;
	struct layout rest;
	size_t i;

	if (layout_size(&mesh->layout) < 2 || (mesh->backend && !strcmp(mesh->backend, "fake")) ||
	    !layout_complement(&mesh->layout, view->plan->world, &rest))
		return;
	axis = axis_of(view, &mesh->layout);
	vec_push(view->arena, &axis->names, mesh->name);
	for (i = 0; i < sizeof(by_name) / sizeof(*by_name); i++)
		if (!strcmp(by_name[i].name, mesh->name))
			add_traffic(view, axis, by_name[i].traffic);
	if (exchanged(view, mesh->name))
		add_traffic(view, axis, exchanged(view, mesh->name));
}

static void add_loss(struct ranks_view *view, struct communicator *axis)
{
	size_t i;

	for (i = 0; i < axis->names.count; i++)
		if (!strcmp(axis->names.items[i], "dp_cp") || !strcmp(axis->names.items[i], "loss"))
			add_traffic(view, axis, "the loss, when it is logged");
}

void ranks_view_init(struct ranks_view *view, const struct job *job)
{
	size_t i;

	memset(view, 0, sizeof(*view));
	view->arena = job->arena;
	view->job = job;
	view->plan = job_plan(job);
	view->topology = job->topology;
	if (view->plan->unmodelled)
		return;
	for (i = 0; i < view->plan->meshes.count; i++)
		add_mesh(view, &view->plan->meshes.items[i]);
	for (i = 0; i < view->axes.count; i++) {
		add_sharing(view, &view->axes.items[i], &view->plan->dense, "");
		if (view->plan->has_expert)
			add_sharing(view, &view->axes.items[i], &view->plan->expert, "expert ");
		view->axes.items[i].parallel = view->axes.items[i].traffic.count > 0;
		add_loss(view, &view->axes.items[i]);
	}
}

/* ---- what is lost ---- */

static const char *lose_ranks(struct ranks_view *view, const char *text)
{
	struct rank_list list = { 0 };
	const char *error = rank_list_read(view->arena, text, &list);
	int64_t rank;

	if (error)
		return error;
	if (list.ranges.items[0].last >= view->plan->world)
		return arena_printf(view->arena,
				    "there is no rank %" PRId64 ": the world has ranks 0-%" PRId64,
				    list.ranges.items[0].last, view->plan->world - 1);
	for (rank = list.ranges.items[0].first; rank <= list.ranges.items[0].last; rank++)
		vec_push(view->arena, &view->lost_ranks, rank);
	return NULL;
}

static const char *no_node(const struct ranks_view *view, const char *name)
{
	const struct topology *topology = view->topology;

	if (!topology)
		return arena_printf(view->arena,
				    "which ranks are on '%s' is not known: give "
				    "--set cluster.gpus_per_node=8, or --hosts FILE",
				    name);
	return arena_printf(view->arena, "there is no node '%s'; they are %s to %s", name,
			    topology_name(view->arena, topology, 0),
			    topology_name(view->arena, topology, topology->nodes - 1));
}

static const char *lose_node(struct ranks_view *view, const char *name)
{
	int64_t node = view->topology ? topology_find(view->topology, name) : -1;
	int64_t ranks[HOST_SLOTS_MAX], count, i;

	if (node < 0)
		return no_node(view, name);
	vec_push(view->arena, &view->lost_nodes, node);
	count = ranks_of_node(view->topology, node, ranks);
	for (i = 0; i < count; i++)
		vec_push(view->arena, &view->lost_ranks, ranks[i]);
	return NULL;
}

const char *ranks_view_lose(struct ranks_view *view, const char *words)
{
	static const char prefix[] = "rank:";
	const char *error = NULL;

	while (!error) {
		size_t length = strcspn(words, ",");
		const char *word = arena_strndup(view->arena, words, length);
		if (text_starts(word, prefix))
			error = lose_ranks(view, word + strlen(prefix));
		else
			error = lose_node(view, word);
		if (!words[length])
			break;
		words += length + 1;
	}
	return error;
}

static int ascending(const void *left, const void *right)
{
	const int64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

void ranks_view_lost(struct ranks_view *view)
{
	int64_t *nodes = view->lost_nodes.items;
	size_t i, kept = 0;

	view->losing = true;
	view->loss = loss_of(view->arena, view->plan, view->lost_ranks.items,
			     (int64_t)view->lost_ranks.count);
	if (!view->lost_nodes.count)
		return;
	qsort(nodes, view->lost_nodes.count, sizeof(*nodes), ascending);
	for (i = 1; i < view->lost_nodes.count; i++)
		if (nodes[i] != nodes[kept])
			nodes[++kept] = nodes[i];
	view->lost_nodes.count = kept + 1;
}

/* ---- places ---- */

int64_t ranks_of_node(const struct topology *topology, int64_t node, int64_t *ranks)
{
	int64_t count = topology_ranks(topology, node), i;

	for (i = 0; i < count; i++)
		ranks[i] = topology_rank(topology, node, i);
	return count;
}

/* True when every number is as far from the one before it, and not next to it. */
static bool even_steps(const int64_t *numbers, int64_t count)
{
	int64_t i;

	for (i = 2; i < count; i++)
		if (numbers[i] - numbers[i - 1] != numbers[1] - numbers[0])
			return false;
	return count > 1 && numbers[1] - numbers[0] > 1;
}

char *numbers_text(struct arena *arena, const int64_t *numbers, int64_t count)
{
	enum { RUNS = 6, LISTED = 4 };
	int64_t first, last, runs = 0;
	struct buf text;
	char *copy;

	if (count > LISTED && even_steps(numbers, count))
		return arena_printf(arena, "%" PRId64 ",%" PRId64 ",..,%" PRId64, numbers[0],
				    numbers[1], numbers[count - 1]);
	buf_init(&text);
	for (first = 0; first < count; first = last + 1) {
		last = first;
		while (last + 1 < count && numbers[last + 1] == numbers[last] + 1)
			last++;
		if (++runs == RUNS && last + 1 < count) {
			buf_printf(&text, ",..,%" PRId64, numbers[count - 1]);
			break;
		}
		buf_printf(&text, "%s%" PRId64, first ? "," : "", numbers[first]);
		if (last > first)
			buf_printf(&text, "-%" PRId64, numbers[last]);
	}
	copy = arena_strdup(arena, text.data);
	buf_release(&text);
	return copy;
}

int64_t nodes_of_group(const struct ranks_view *view, const struct layout *layout, int64_t rank,
		       int64_t *nodes, int64_t most)
{
	struct layout set = layout_canonical(layout);
	int64_t base = layout_base(&set, rank), size = layout_size(&set), count, kept = 0, i;
	int64_t *all = arena_array(view->arena, (size_t)size, sizeof(*all));

	for (i = 0; i < size; i++)
		all[i] = topology_place(view->topology, base + layout_offset(&set, i)).node;
	qsort(all, (size_t)size, sizeof(*all), ascending);
	for (i = count = 0; i < size; i++) {
		if (i && all[i] == all[i - 1])
			continue;
		count++;
		if (kept < most)
			nodes[kept++] = all[i];
	}
	return count;
}

/* ---- data ---- */

bool ranks_share_data(const struct ranks_view *view, struct layout *readers, struct layout *same)
{
	static const char *const whole[] = { "batch", "dp" };
	const struct mesh *replicate = plan_mesh(view->plan, "dp_replicate");
	const struct mesh *shard = plan_mesh(view->plan, "dp_shard");
	size_t i;

	memset(readers, 0, sizeof(*readers));
	for (i = 0; i < sizeof(whole) / sizeof(*whole); i++) {
		const struct mesh *mesh = plan_mesh(view->plan, whole[i]);
		if (mesh) {
			*readers = mesh->layout;
			return layout_complement(readers, view->plan->world, same);
		}
	}
	if (!replicate && !shard)
		return false;
	if (replicate)
		*readers = replicate->layout;
	if (shard)
		*readers = layout_join(*readers, shard->layout);
	return layout_complement(readers, view->plan->world, same);
}

const char *ranks_hosts_trouble(const struct ranks_view *view)
{
	const struct findings *findings = view->job->findings;
	size_t i;

	for (i = 0; i < findings->list.count; i++) {
		const struct finding *finding = findings->list.items[i];
		if (finding->rule == &rule_hosts_too_few || finding->rule == &rule_hosts_slots)
			return arena_printf(view->arena, "%s: %s",
					    text_on_line(view->arena, finding->span.source->path),
					    finding->message);
	}
	return NULL;
}

int64_t ranks_replica_groups(const struct job *job)
{
	int64_t groups = setting_int(&job->settings, FIELD_FT_GROUP_SIZE, 0);

	if (!setting_bool(&job->settings, FIELD_FT_ENABLED, false) || groups < 2)
		return 0;
	if (job_does(job, HABIT_FT_GONE))
		return 0;
	return groups;
}
