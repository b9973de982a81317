#include "report/ranks/text.h"

#include "base/text.h"
#include "plan/compare.h"
#include "report/plan/fold.h"

#include <inttypes.h>
#include <string.h>

enum { NAMED = 4, REPLICAS = 8 };

static void put_what(struct ranks_page *page)
{
	const struct ranks_view *view = page->view;
	const struct loss *loss = &view->loss;
	int64_t nodes = (int64_t)view->lost_nodes.count;

	style_heading(&page->style, page->out, "Lost: %s of %s ranks",
		      text_count(page->arena, loss->count),
		      text_count(page->arena, view->plan->world));
	if (nodes)
		ranks_line(page, nodes == 1 ? "node" : "nodes",
			   ranks_node_names(page, view->lost_nodes.items,
					    nodes < NAMED ? nodes : NAMED, nodes));
	ranks_line(page, "ranks",
		   loss->count ? numbers_text(page->arena, loss->ranks, loss->count)
			       : "none: nothing is lost");
}

/* ---- groups ---- */

static void put_group(struct ranks_page *page, const struct communicator *axis)
{
	struct group_loss lost = loss_groups(&page->view->loss, &axis->layout);
	const char *text;

	if (!lost.broken || !axis->traffic.count)
		return;
	text = arena_printf(page->arena, "%s of %s%s", text_count(page->arena, lost.broken),
			    text_count(page->arena, lost.groups),
			    lost.broken == lost.gone ? ", with no rank left" : "");
	if (lost.gone && lost.gone < lost.broken)
		text = arena_printf(page->arena, "%s, %s of them with no rank left", text,
				    text_count(page->arena, lost.gone));
	text = arena_printf(page->arena, "%s: %s%s", text,
			    group_text(page->arena, &axis->layout, lost.first),
			    lost.broken > 1 ? ", ..." : "");
	ranks_line(page, ranks_axis_names(page->arena, axis), text);
}

static void put_groups(struct ranks_page *page)
{
	size_t i;

	if (!page->view->axes.count)
		return;
	style_heading(&page->style, page->out, "Broken groups");
	for (i = 0; i < page->view->axes.count; i++)
		put_group(page, &page->view->axes.items[i]);
}

/* ---- copies ---- */

static void put_replicas(struct ranks_page *page, const struct replica_loss *lost)
{
	int64_t broken = (int64_t)lost->broken.count, shown = broken < REPLICAS ? broken : REPLICAS;

	if (lost->replicas == 1) {
		ranks_line(page, "replicas", "there is one, and it is broken");
		return;
	}
	ranks_line(page, "replicas",
		   arena_printf(page->arena, "%s of %s are whole; broken: %s%s",
				text_count(page->arena, lost->replicas - broken),
				text_count(page->arena, lost->replicas),
				numbers_text(page->arena, lost->broken.items, shown),
				shown < broken ? ", .." : ""));
}

/* "tok_embeddings.weight, layers.0-31.attention.wq.weight and 3 more". */
static const char *gone_names(struct ranks_page *page, const struct parameter_loss *lost, int stage)
{
	enum { NAMES = 3 };
	const struct plan *plan = page->view->plan;
	const char *text = "";
	struct fold fold;
	size_t i;

	fold_init(&fold, page->arena);
	for (i = 0; i < lost->gone.count; i++) {
		const struct sharded *sharded = &plan->parameters.items[lost->gone.items[i]];
		if (stage < 0 || sharded->stage == stage)
			fold_add(&fold, sharded->parameter->fqn, "", i);
	}
	for (i = 0; i < fold.rows.count && i < NAMES; i++)
		text = arena_printf(page->arena, "%s%s%s", text, i ? ", " : "",
				    fold_name(page->arena, &fold.rows.items[i]));
	if (fold.rows.count > NAMES)
		text = arena_printf(page->arena, "%s, ...", text);
	return text;
}

/* How many parameters a stage has, and of how many a part is gone. */
static void count_stage(struct ranks_page *page, const struct parameter_loss *lost, int stage,
			size_t *all, size_t *gone)
{
	const struct plan *plan = page->view->plan;
	size_t i;

	*all = *gone = 0;
	for (i = 0; i < plan->parameters.count; i++)
		*all += stage < 0 || plan->parameters.items[i].stage == stage;
	for (i = 0; i < lost->gone.count; i++)
		*gone += stage < 0 || plan->parameters.items[lost->gone.items[i]].stage == stage;
}

static void put_held(struct ranks_page *page, const struct parameter_loss *lost, const char *label,
		     int stage)
{
	size_t all, gone;

	count_stage(page, lost, stage, &all, &gone);
	if (!gone)
		ranks_line(
			page, label,
			arena_printf(page->arena,
				     "every part of all %zu parameters is held by a rank that is "
				     "left",
				     all));
	else
		ranks_line(page, label,
			   arena_printf(page->arena, "parts of %zu of %zu parameters are gone: %s",
					gone, all, gone_names(page, lost, stage)));
}

static void put_experts(struct ranks_page *page, const struct parameter_loss *lost)
{
	const char *text = "";
	size_t i;

	for (i = 0; i < lost->experts.count; i++) {
		const struct loss_range *range = &lost->experts.items[i];
		text = arena_printf(page->arena, "%s%s%" PRId64, text, i ? "," : "", range->first);
		if (range->last > range->first)
			text = arena_printf(page->arena, "%s-%" PRId64, text, range->last);
	}
	if (page->view->plan->has_expert)
		ranks_line(page, "experts",
			   *text ? arena_printf(page->arena, "parts of experts %s are gone", text)
				 : "every expert is held by a rank that is left");
}

static void put_stages(struct ranks_page *page, const struct parameter_loss *lost)
{
	const struct plan *plan = page->view->plan;
	size_t i, all, gone, whole = 0;

	for (i = 0; plan->stages.count > 1 && i < plan->stages.count; i++) {
		const char *label =
			arena_printf(page->arena, "stage %d", plan->stages.items[i].index);
		count_stage(page, lost, (int)i, &all, &gone);
		whole += !gone;
		if (gone)
			put_held(page, lost, label, (int)i);
	}
	if (whole && whole < plan->stages.count)
		ranks_line(page, "stages",
			   arena_printf(page->arena, "the other %zu are whole", whole));
}

/* Without a model: parts as the axes cut them. */
static void put_parts(struct ranks_page *page, const char *label, bool expert)
{
	const struct mesh *pp = plan_mesh(page->view->plan, "pp");
	int64_t stages = pp ? layout_size(&pp->layout) : 1, stage;
	struct part_loss sum = { 0 };

	for (stage = 0; stage < stages; stage++) {
		struct part_loss lost = loss_parts(&page->view->loss, stage, expert);
		sum.parts += lost.parts;
		sum.gone += lost.gone;
	}
	if (!sum.parts)
		return;
	ranks_line(page, label,
		   sum.gone ? arena_printf(page->arena, "%s of %s parts are gone",
					   text_count(page->arena, sum.gone),
					   text_count(page->arena, sum.parts))
			    : arena_printf(page->arena,
					   "each of the %s parts is held by a rank that is left",
					   text_count(page->arena, sum.parts)));
}

/* True when every part is still somewhere. */
static bool put_copies(struct ranks_page *page, const struct replica_loss *replicas)
{
	const struct plan *plan = page->view->plan;
	struct parameter_loss lost = loss_parameters(&page->view->loss);

	style_heading(&page->style, page->out, "Copies of the parameters");
	put_replicas(page, replicas);
	if (!plan_places(plan)) {
		put_parts(page, "parts", false);
		if (plan->has_expert)
			put_parts(page, "experts", true);
		return !loss_parts(&page->view->loss, -1, false).gone;
	}
	put_held(page, &lost, "parameters", -1);
	put_stages(page, &lost);
	put_experts(page, &lost);
	return !lost.gone.count;
}

/* ---- what goes on ---- */

static void put_torchft(struct ranks_page *page, const struct replica_loss *replicas)
{
	int64_t groups = ranks_replica_groups(page->view->job);
	int64_t whole = replicas->replicas - (int64_t)replicas->broken.count;

	if (groups)
		ranks_line(page, "torchft",
			   arena_printf(page->arena,
					"this world is one of %" PRId64
					" replica groups; the others (%" PRId64
					") go on, if fault_tolerance.min_replica_size allows",
					groups, groups - 1));
	else if (replicas->replicas > 1 && whole)
		ranks_line(page, "torchft",
			   arena_printf(page->arena,
					"is not used (fault_tolerance.enabled); were each of the "
					"%s replicas a replica group of its own, %s would go on",
					text_count(page->arena, replicas->replicas),
					text_count(page->arena, whole)));
}

static void put_nccl(struct ranks_page *page)
{
	int64_t left = page->view->plan->world - page->view->loss.count;

	if (left)
		ranks_line(page, "NCCL",
			   arena_printf(page->arena,
					"nothing: the %s ranks that live wait in their next "
					"collective with a lost one until it times out, then all "
					"stop",
					text_count(page->arena, left)));
	else
		ranks_line(page, "NCCL", "nothing: no rank of this world is left");
}

static void put_future(struct ranks_page *page, const struct replica_loss *replicas, bool whole)
{
	const char *text = "only from the last checkpoint";

	if (ranks_replica_groups(page->view->job))
		text = "this replica group starts again and takes its state from another one";
	else if (whole)
		text = "a full copy is left in the memory of the ranks that live; a restart reads "
		       "the last checkpoint all the same";
	style_heading(&page->style, page->out, "What goes on");
	put_nccl(page);
	put_torchft(page, replicas);
	ranks_line(page, "recovery", text);
}

void ranks_text_lost(struct ranks_page *page)
{
	struct replica_loss replicas;
	bool whole = true;

	put_what(page);
	if (!page->view->loss.count)
		return;
	put_groups(page);
	replicas = loss_replicas(&page->view->loss);
	if (!page->view->plan->unmodelled)
		whole = put_copies(page, &replicas);
	put_future(page, &replicas, whole && !page->view->plan->unmodelled);
}
