#include "rules/expect.h"

#include "base/text.h"
#include "input/node.h"
#include "rules/facts.h"
#include "rules/raised.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Expectations about process groups: where they lie, how large and how many they are, who is in. */

#define PLACES "within-node|within-nvlink-domain|across-nodes"

/* The groups that go by one name. */
struct axis_groups {
	const struct expected *expected;
	const char *name;
	struct layout layout; /* without modes: every rank by itself */
	enum field_id field;  /* the degree of that name, or FIELD_COUNT */
};

/* Names beside those of meshes: who shares and who repeats parameters, whatever the mesh is called.
 */
static const struct layout *sharing(const struct plan *plan, const char *name)
{
	const struct sharding *expert = plan->has_expert ? &plan->expert : &plan->dense;

	if (!strcmp(name, "dp_shard"))
		return &plan->dense.shard;
	if (!strcmp(name, "dp_replicate"))
		return &plan->dense.replicate;
	if (!strcmp(name, "expert_shard"))
		return &expert->shard;
	return !strcmp(name, "expert_replicate") ? &expert->replicate : NULL;
}

/* False when the plan has nothing of that name. */
static bool find_groups(struct axis_groups *groups)
{
	const struct plan *plan = groups->expected->job->applied;
	const struct layout *layout = sharing(plan, groups->name);
	const struct mesh *mesh = plan_mesh(plan, groups->name);

	groups->field = expect_axis(groups->name);
	if (!layout && mesh)
		layout = &mesh->layout;
	if (layout)
		groups->layout = layout_canonical(layout);
	return layout || groups->field != FIELD_COUNT;
}

static void find_unknown_groups(struct job *job, const struct node *want)
{
	static const char *const own[] = { "dp_shard",	   "dp_replicate",
					   "expert_shard", "expert_replicate",
					   "pp",	   "cp",
					   "tp",	   "ep" };
	VEC(const char *) names = { 0 };
	size_t i, k;

	for (i = 0; i < sizeof(own) / sizeof(*own); i++)
		vec_push(job->arena, &names, own[i]);
	for (i = 0; i < job->applied->meshes.count; i++) {
		const char *name = job->applied->meshes.items[i].name;
		for (k = 0; k < sizeof(own) / sizeof(*own); k++)
			if (!strcmp(own[k], name))
				break;
		if (k == sizeof(own) / sizeof(*own))
			vec_push(job->arena, &names, name);
	}
	expect_unknown(job, want, names.items, names.count);
}

static const char *all_groups(const struct axis_groups *groups)
{
	const struct job *job = groups->expected->job;

	if (!groups->layout.modes)
		return "every rank by itself";
	return groups_text(job->arena, &groups->layout, job->world, 4);
}

static struct finding *failed(const struct axis_groups *groups, const struct node *want,
			      const char *message)
{
	struct job *job = groups->expected->job;
	struct finding *finding = expect_failed(groups->expected, want, "%s", message);

	finding_actual(job->findings, finding, "%s: %s", groups->name, all_groups(groups));
	expect_relate_degree(groups->expected, finding, groups->field);
	return finding;
}

/* ---- where they lie ---- */

/*
 * The largest degree with which an axis keeps to blocks of `block` ranks, all inside it staying as
 * it is; 0: none. Needs one mode.
 */
static int64_t degree_within(const struct axis_groups *groups, int64_t block)
{
	const struct layout *layout = &groups->layout;
	int64_t degree;

	if (layout->modes != 1 || layout->stride[0] >= block)
		return 0;
	for (degree = layout->size[0] - 1; degree > 1; degree--)
		if (layout->size[0] % degree == 0 && block % (degree * layout->stride[0]) == 0)
			return degree;
	return 0;
}

/* Where groups are to lie. */
enum reach { REACH_NODE, REACH_DOMAIN, REACH_ACROSS };

static enum reach reach_of(const char *word)
{
	if (!strcmp(word, "within-node"))
		return REACH_NODE;
	return !strcmp(word, "across-nodes") ? REACH_ACROSS : REACH_DOMAIN;
}

/* Lowers the degree until its groups fit, where ranks fill one node after the other. */
static void fix_place(const struct axis_groups *groups, struct finding *finding, enum reach reach)
{
	struct job *job = groups->expected->job;
	const struct topology *topology = job->topology;
	int64_t block = topology->slots * (reach == REACH_DOMAIN ? topology->domain : 1);
	int64_t degree, cp = degree_of(job, FIELD_CP);

	if (reach == REACH_ACROSS || topology->order == ORDER_CYCLIC || !block)
		return;
	degree = degree_within(groups, block);
	if (groups->field == FIELD_DP_SHARD)
		degree = degree % cp ? 0 : degree / cp;
	if (groups->field != FIELD_COUNT && degree > 0)
		expect_fix_degree(groups->expected, finding, groups->field, degree);
}

static bool lies_there(const struct spans *spans, enum reach reach)
{
	if (reach == REACH_ACROSS)
		return !spans->inside;
	return (reach == REACH_NODE ? spans->node : spans->domain) != WITHIN_NO;
}

/* "2 of its 8 groups of 16 ranks", or "its groups of 16 ranks". */
static const char *groups_meant(struct arena *arena, const struct spans *spans, int64_t count)
{
	if (spans->members == 1)
		return "its groups of one rank";
	if (count == spans->groups)
		return arena_printf(arena, "its groups of %" PRId64 " ranks", spans->members);
	return arena_printf(arena, "%" PRId64 " of its %" PRId64 " groups of %" PRId64 " ranks",
			    count, spans->groups, spans->members);
}

static const char *place_text(const struct axis_groups *groups, const struct spans *spans,
			      enum reach reach)
{
	const struct job *job = groups->expected->job;
	struct arena *arena = job->arena;
	bool across = reach == REACH_ACROSS;
	const char *who =
		groups_meant(arena, spans, across ? spans->inside : spans->groups - spans->inside);

	if (across)
		return arena_printf(arena, "%s keep to one node", who);
	if (reach == REACH_NODE)
		return arena_printf(arena, "%s touch %s%" PRId64 " nodes", who,
				    spans->nodes_min == spans->nodes_max ? "" : "up to ",
				    spans->nodes_max);
	return arena_printf(arena,
			    "groups of %" PRId64 " ranks touch up to %" PRId64
			    " NVLink domains of %" PRId64 " node%s",
			    spans->members, spans->domains_max, job->topology->domain,
			    job->topology->domain == 1 ? "" : "s");
}

static void judge_place(const struct axis_groups *groups, const struct node *want)
{
	static const enum field_id because[] = { FIELD_CLUSTER_GPUS_PER_NODE, FIELD_CLUSTER_HOSTS,
						 FIELD_CLUSTER_RANK_ORDER, FIELD_CLUSTER_FABRIC };
	struct job *job = groups->expected->job;
	const char *lacks = needs_lacking(NEEDS_CLUSTER, job);
	struct finding *finding;
	struct spans spans;
	enum reach reach;
	size_t i;

	if (!expect_shape(job, want, SHAPE_WORD, PLACES))
		return;
	reach = reach_of(want->text);
	if (lacks || !topology_spans(job->topology, &groups->layout, &spans)) {
		expect_unjudged(job, want, "%s",
				lacks ? lacks : "fewer ranks, or hosts that are alike");
		return;
	}
	if (lies_there(&spans, reach))
		return;
	finding = failed(groups, want,
			 arena_printf(job->arena, "expected %s %s, but %s", groups->name,
				      want->text, place_text(groups, &spans, reach)));
	finding_requested(job->findings, finding, "%s %s", groups->name, want->text);
	finding_actual(job->findings, finding, "%s: %s, %s", groups->name, all_groups(groups),
		       topology_order(job->topology));
	for (i = 0; i < sizeof(because) / sizeof(*because); i++)
		if (because[i] != FIELD_CLUSTER_FABRIC || reach == REACH_DOMAIN)
			relate_setting(job, finding, because[i]);
	fix_place(groups, finding, reach);
}

/* ---- how many, and who ---- */

static void judge_size(const struct axis_groups *groups, const struct node *want)
{
	struct job *job = groups->expected->job;
	int64_t got = layout_size(&groups->layout);
	struct finding *finding;

	if (!expect_shape(job, want, SHAPE_COUNT, NULL) || want->integer == got)
		return;
	finding = failed(groups, want,
			 arena_printf(job->arena,
				      "expected %s in groups of %" PRId64 ", they have %" PRId64
				      " rank%s",
				      groups->name, want->integer, got, got == 1 ? "" : "s"));
	if (groups->field != FIELD_COUNT &&
	    (groups->field != FIELD_DP_SHARD || degree_of(job, FIELD_CP) == 1))
		expect_fix_degree(groups->expected, finding, groups->field, want->integer);
}

static void judge_count(const struct axis_groups *groups, const struct node *want)
{
	struct job *job = groups->expected->job;
	int64_t got = job->world / layout_size(&groups->layout);

	if (!expect_shape(job, want, SHAPE_COUNT, NULL) || want->integer == got)
		return;
	failed(groups, want,
	       arena_printf(job->arena, "expected %" PRId64 " groups of %s, there are %" PRId64,
			    want->integer, groups->name, got));
}

/* True when the list holds ranks of this world and none twice; else finds that it does not. */
static bool are_ranks(struct job *job, const struct node *list)
{
	const struct node *item, *before;

	if (list->kind != NODE_LIST || !list->first) {
		expect_misshapen(job, list, "lists of ranks: [[0, 8], [1, 9]]");
		return false;
	}
	for (item = list->first; item; item = item->next) {
		if (item->kind != NODE_SCALAR || item->type != SCALAR_INT || item->integer < 0 ||
		    item->integer >= job->world) {
			expect_misshapen(job, item,
					 arena_printf(job->arena, "a rank from 0 to %" PRId64,
						      job->world - 1));
			return false;
		}
		for (before = list->first; before != item; before = before->next)
			if (before->integer == item->integer) {
				expect_misshapen(job, item, "every rank once");
				return false;
			}
	}
	return true;
}

/* True when the ranks of the list are one group, in whatever order. */
static bool is_group(const struct axis_groups *groups, const struct node *list)
{
	int64_t base = layout_base(&groups->layout, list->first->integer), count = 0;
	const struct node *item;

	for (item = list->first; item; item = item->next, count++)
		if (layout_base(&groups->layout, item->integer) != base)
			return false;
	return count == layout_size(&groups->layout);
}

static const char *ranks_text(struct arena *arena, const struct node *list)
{
	enum { SHOWN = 16 };
	const struct node *item;
	char *text = arena_strdup(arena, "{");
	int count = 0;

	for (item = list->first; item && count < SHOWN; item = item->next, count++)
		text = arena_printf(arena, "%s%s%" PRId64, text, count ? "," : "", item->integer);
	return arena_printf(arena, "%s%s}", text, item ? ",..." : "");
}

static void judge_members(const struct axis_groups *groups, const struct node *want)
{
	struct job *job = groups->expected->job;
	const struct node *list, *first = NULL;
	int wrong = 0;
	int64_t rank;

	if (want->kind != NODE_LIST) {
		expect_misshapen(job, want, "lists of ranks: [[0, 8], [1, 9]]");
		return;
	}
	for (list = want->first; list; list = list->next) {
		if (!are_ranks(job, list))
			return;
		if (is_group(groups, list))
			continue;
		wrong++;
		first = first ? first : list;
	}
	if (!first)
		return;
	rank = first->first->integer;
	failed(groups, first,
	       arena_printf(
		       job->arena, "expected %s to be a group of %s; rank %" PRId64 " is in %s%s",
		       ranks_text(job->arena, first), groups->name, rank,
		       group_text(job->arena, &groups->layout, layout_base(&groups->layout, rank)),
		       wrong > 1 ? arena_printf(job->arena, " (%d such lists)", wrong) : ""));
}

static const struct {
	const char *name;
	void (*judge)(const struct axis_groups *groups, const struct node *want);
} members[] = {
	{ "place", judge_place },
	{ "size", judge_size },
	{ "count", judge_count },
	{ "members", judge_members },
};

enum { MEMBERS = sizeof(members) / sizeof(*members) };

static void judge_map(const struct axis_groups *groups, const struct node *map)
{
	const struct node *want;
	const char *names[MEMBERS];
	int i;

	for (want = map->first; want; want = want->next) {
		for (i = 0; i < MEMBERS; i++) {
			names[i] = members[i].name;
			if (!strcmp(members[i].name, want->key))
				break;
		}
		if (i < MEMBERS)
			members[i].judge(groups, want);
		else
			expect_unknown(groups->expected->job, want, names, MEMBERS);
	}
}

void expect_groups(const struct expected *expected)
{
	const struct node *want;

	for (want = expected->want->first; want; want = want->next) {
		struct axis_groups groups = { .expected = expected, .name = want->key };
		if (!find_groups(&groups))
			find_unknown_groups(expected->job, want);
		else if (want->kind == NODE_MAP)
			judge_map(&groups, want);
		else
			judge_place(&groups, want);
	}
}
