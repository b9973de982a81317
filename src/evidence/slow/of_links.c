#include "cost/network.h"
#include "evidence/slow/study.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Causes that lie between devices: the links, and who comes last. */

/* ---- rates of links ---- */

/* Calls of fewer bytes measure latencies, and a quarter off is the model's own affair. */
static const double large = 1 << 20, slower = 1.25;

static void change_network(struct arena *arena, struct forecast *then,
			   const struct slow_change *change)
{
	(void)arena;
	then->profile.numbers[FIGURE_NIC_BANDWIDTH].value /= change->amount;
}

static void change_links(struct arena *arena, struct forecast *then,
			 const struct slow_change *change)
{
	struct number *numbers = then->profile.numbers;

	(void)arena;
	numbers[FIGURE_LINK_BANDWIDTH].value /= change->amount;
	if (profile_get(&then->profile, FIGURE_LINKS) <= 0)
		numbers[FIGURE_PCIE_BANDWIDTH].value /= change->amount;
}

/* What calls over one class of links took at the quickest, and should. */
struct pace {
	double quickest, expected; /* us; 0: none was timed */
	struct witness witness;
};

static struct pace pace_of(const struct study *study, bool inside)
{
	struct pace pace = { .witness = { -1, 0 } };
	size_t i;

	for (i = 0; i < study->measured->calls.count; i++) {
		const struct call_deviation *row = &study->measured->calls.items[i];
		const struct group_family *family =
			&study->observed->families.list.items[row->family];
		if (!(row->quickest > 0) || !(row->expected > 0) || !family->regular ||
		    row->bytes < large * row->calls ||
		    inside != (network_nodes(NULL, study->yardstick->gpus_per_node,
					     &family->layout) == 1))
			continue;
		if (pace.expected <= 0)
			pace.witness = row->first->call.witness;
		pace.quickest += row->quickest;
		pace.expected += row->expected;
	}
	return pace;
}

static void judge_pace(const struct study *study, struct slow_cause *cause, bool inside)
{
	const struct pace pace = pace_of(study, inside);

	if (pace.expected <= 0) {
		cause->says = arena_join(study->arena, "no large call ",
					 inside ? "within a node" : "between nodes", " was timed");
		return;
	}
	cause->witness = pace.witness;
	cause->change.amount = pace.quickest / pace.expected;
	cause->basis = cause->change.amount > slower ? SLOW_SHOWN : SLOW_EXCLUDED;
	cause->says =
		arena_printf(study->arena,
			     "at the quickest, calls %s take %.3g times what the model "
			     "expects of these links",
			     inside ? "within a node" : "between nodes", cause->change.amount);
}

/* Sockets where the forecast has remote memory access. */
static void judge_socket(const struct study *study, struct slow_cause *cause)
{
	const struct capture *capture = study->observed->capture;

	if (cause->basis == SLOW_SHOWN || !capture->network ||
	    strcmp(capture->network, "Socket") != 0)
		return;
	cause->basis = SLOW_SHOWN;
	cause->witness = capture->network_from;
	cause->says = "NCCL says that it uses sockets between nodes, and no adapter's remote "
		      "memory access; how slow they are no timed call tells";
	cause->change.amount = (double)NAN;
}

static bool judge_network(const struct study *study, struct slow_cause *cause)
{
	cause->change.apply = change_network;
	if (study->base.work.nodes < 2)
		return false;
	judge_pace(study, cause, false);
	judge_socket(study, cause);
	return true;
}

static bool judge_links(const struct study *study, struct slow_cause *cause)
{
	cause->change.apply = change_links;
	if (study->base.work.gpus_per_node < 2)
		return false;
	judge_pace(study, cause, true);
	return true;
}

static const char *need_rate(struct arena *arena, double amount)
{
	return arena_printf(arena, "at %.2g of its rate it would be all of it", 1 / amount);
}

const struct slow_row slow_row_network = {
	.name = "network-rate",
	.title = "the network between nodes is below its rate",
	.next = "nccl-tests between pairs of nodes, counters of the adapters, NCCL_DEBUG=INFO for "
		"the adapters in use; parplan calibrate makes a profile of such tables",
	.judge = judge_network,
	.need = need_rate,
	.most = 256,
	.traced = true,
};

const struct slow_row slow_row_links = {
	.name = "link-rate",
	.title = "the links within a node are below their rate",
	.next = "nccl-tests within each node, nvidia-smi nvlink --status and topo -m",
	.judge = judge_links,
	.need = need_rate,
	.most = 64,
	.traced = true,
};

/* ---- who comes last ---- */

static void change_rank(struct arena *arena, struct forecast *then,
			const struct slow_change *change)
{
	const int64_t pp = then->work.pp;
	struct hurt *hurt = arena_array(arena, (size_t)pp, sizeof(*hurt));
	int64_t i;

	for (i = 0; i < pp; i++)
		hurt[i].slow = 1;
	hurt[change->at < pp ? change->at : 0].slow = change->amount;
	then->work.hurt = hurt;
}

/* The family whose last rank costs most: what it is waited for per step. */
static double worst_wait(const struct study *study, struct seen_straggler *worst, bool *told)
{
	const struct observed *observed = study->observed;
	double wait, most = 0;
	size_t i;

	worst->rank = -1;
	for (i = 0; i < observed->families.list.count; i++) {
		const struct seen_straggler found = straggler_of(observed, (int32_t)i);
		*told = *told || found.others > 0;
		if (found.rank < 0 || !observed->steps)
			continue;
		wait = 1e-6 * found.wait * (double)found.calls / (double)observed->steps;
		if (wait <= most)
			continue;
		*worst = found;
		most = wait;
	}
	return most;
}

static int64_t position_of(const struct study *study, int64_t rank)
{
	const struct plan *plan = study->base.work.plan;

	return plan && plan_mesh(plan, "pp") && rank < study->base.work.world
		       ? plan_pp_rank(plan, rank)
		       : 0;
}

static bool judge_straggler(const struct study *study, struct slow_cause *cause)
{
	struct seen_straggler last;
	bool told = false;
	const double wait = worst_wait(study, &last, &told);

	if (study->job->world < 2)
		return false;
	cause->change = (struct slow_change) { .apply = change_rank };
	cause->says = "times of calls by two ranks of one group would tell: traces of both";
	if (told) {
		cause->basis = SLOW_EXCLUDED;
		cause->says = "of the ranks that were traced none is waited for";
	}
	if (last.rank < 0)
		return true;
	cause->basis = SLOW_SHOWN;
	cause->change.amount = 1 + wait / study_computing(study);
	cause->change.at = position_of(study, last.rank);
	cause->says = arena_printf(study->arena,
				   "rank %" PRId64 " comes last to the calls of its group, and the "
				   "others wait %.3g s a step for it",
				   last.rank, wait);
	return true;
}

static const char *need_rank(struct arena *arena, double amount)
{
	return arena_printf(arena, "one rank %.3g times as slow would be all of it", amount);
}

const struct slow_row slow_row_straggler = {
	.name = "straggler",
	.title = "one rank is slower than the others",
	.next = "that rank's clocks, errors (nvidia-smi -q) and processors; another host in its "
		"place",
	.judge = judge_straggler,
	.need = need_rank,
	.most = 16,
	.traced = true,
};
