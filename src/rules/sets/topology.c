#include "rules/axes.h"
#include "rules/facts.h"
#include "rules/raised.h"
#include "rules/processes.h"

#include <inttypes.h>

/* ---- what is asked of groups ---- */

/* The plan whose groups are known to be those; NULL for what is only assumed of a framework. */
static const struct plan *placed(const struct job *job)
{
	const struct plan *plan = job->applied;

	return plan->error || plan->unmodelled || plan->assumed ? NULL : plan;
}

/* The ranks that NVLink joins: a node's, or those of a rack. */
static int64_t fast_ranks(const struct topology *topology)
{
	return topology->most * topology->domain;
}

static const char *unit_name(const struct topology *topology)
{
	return topology->domain > 1 ? "NVLink domain" : "node";
}

/* How the groups of a layout lie over nodes; false for nobody, and where it is not known. */
static bool lie(const struct job *job, const struct layout *layout, struct spans *spans)
{
	return layout->modes && layout_size(layout) > 1 &&
	       topology_spans(job->topology, layout, spans);
}

static bool axis_lies(const struct job *job, const char *name, struct spans *spans)
{
	const struct plan *plan = placed(job);
	const struct mesh *mesh = plan ? plan_mesh(plan, name) : NULL;

	return mesh && lie(job, &mesh->layout, spans);
}

/*
 * Of groups that nobody laid out only their size is known: those larger than a node cross it in
 * any order.
 */
static bool too_large(const struct job *job, int64_t degree, struct spans *spans)
{
	int64_t fast = fast_ranks(job->topology);

	if (placed(job) || job->applied->error || degree <= fast)
		return false;
	*spans = (struct spans) { .members = degree };
	spans->domains_min = spans->domains_max = (degree + fast - 1) / fast;
	return true;
}

/* "each tp group of 16 ranks spans 2 nodes of 8 GPUs", and under which assumption. */
static struct finding *find_crossing(const struct rule *rule, struct job *job, enum field_id field,
				     const char *axis, const struct spans *spans)
{
	const struct topology *topology = job->topology;
	struct span place = first_place(job, &field, 1);
	struct finding *finding;

	finding = finding_add(
		job->findings, rule->id, place,
		"each %s group of %" PRId64 " ranks spans %s%" PRId64 " %ss of %" PRId64 " GPUs%s",
		axis, spans->members, spans->domains_min < spans->domains_max ? "up to " : "",
		spans->domains_max, unit_name(topology), fast_ranks(topology),
		spans->assumed ? ", if ranks are in blocks" : "");
	relate_setting(job, finding, FIELD_CLUSTER_GPUS_PER_NODE);
	relate_setting(job, finding, FIELD_CLUSTER_RANK_ORDER);
	return finding;
}

/* The largest divisor of a degree whose groups fill a node evenly. */
static int64_t fitting(const struct topology *topology, int64_t degree)
{
	int64_t fast = fast_ranks(topology), fits = degree < fast ? degree : fast;

	while (fits > 1 && (degree % fits || fast % fits))
		fits--;
	return fits;
}

/* ---- axes that cross ---- */

/* pp sits inside nodes while tp crosses them: the rule of its own says it better. */
static bool inverted(const struct job *job)
{
	struct spans pp, tp;

	return axis_lies(job, "pp", &pp) && axis_lies(job, "tp", &tp) && pp.node != WITHIN_NO &&
	       tp.domain == WITHIN_NO;
}

static void check_tp(const struct rule *rule, struct job *job)
{
	int64_t tp = degree_of(job, FIELD_TP), fits = fitting(job->topology, tp);
	struct finding *finding;
	struct spans spans = { 0 };

	if (tp <= 1 || inverted(job))
		return;
	if (!(axis_lies(job, "tp", &spans) && spans.domains_min > 1) && !too_large(job, tp, &spans))
		return;
	finding = find_crossing(rule, job, FIELD_TP, "tp", &spans);
	finding_consequence(job->findings, finding,
			    "every layer's all-reduces (or all-gathers and reduce-scatters), in "
			    "forward and backward, go over the network between nodes");
	if (fits == tp)
		finding_fix(job->findings, finding,
			    "put tp innermost and ranks in blocks: its groups would fit");
	else
		finding_fix(job->findings, finding,
			    "use %s %" PRId64 " and give the factor %" PRId64
			    " to pp, data parallel or cp",
			    axis_key(job, FIELD_TP), fits, tp / fits);
}

static void check_ep(const struct rule *rule, struct job *job)
{
	int64_t ep = degree_of(job, FIELD_EP);
	struct finding *finding;
	struct spans spans = { 0 };

	if (ep <= 1)
		return;
	if (!(axis_lies(job, "ep", &spans) && spans.domains_min > 1) && !too_large(job, ep, &spans))
		return;
	finding = find_crossing(rule, job, FIELD_EP, "ep", &spans);
	finding_consequence(job->findings, finding,
			    "the all-to-alls of every mixture-of-experts layer, two in forward and "
			    "two in backward, go over the network between nodes");
}

/* Larger than a node cp cannot but cross; that is what it is used for. */
static void check_cp(const struct rule *rule, struct job *job)
{
	int64_t cp = degree_of(job, FIELD_CP), tp = degree_of(job, FIELD_TP);
	struct finding *finding;
	struct spans spans = { 0 };

	if (!axis_lies(job, "cp", &spans) || spans.domain != WITHIN_NO ||
	    cp * tp > fast_ranks(job->topology))
		return;
	finding = find_crossing(rule, job, FIELD_CP, "cp", &spans);
	finding_consequence(job->findings, finding,
			    "keys and values of every attention layer go over the network between "
			    "nodes, though cp * tp = %" PRId64 " ranks would fit into a node",
			    cp * tp);
}

static void check_pp(const struct rule *rule, struct job *job)
{
	struct finding *finding;
	struct spans spans = { 0 };

	if (!inverted(job))
		return;
	axis_lies(job, "tp", &spans);
	finding = find_crossing(rule, job, FIELD_TP, "tp", &spans);
	finding->message =
		arena_printf(job->arena, "%s, while pp keeps to its node", finding->message);
	relate_setting(job, finding, FIELD_PP);
	finding_consequence(job->findings, finding,
			    "the heaviest traffic, of every layer, goes over the network; the "
			    "lightest, one activation per microbatch, over NVLink");
}

/* HSDP the wrong way round. */
static void check_replicas(const struct rule *rule, struct job *job)
{
	const struct plan *plan = placed(job);
	struct spans shard, replicate;
	struct finding *finding;

	if (!plan || !lie(job, &plan->dense.shard, &shard) ||
	    !lie(job, &plan->dense.replicate, &replicate) || shard.domain != WITHIN_NO ||
	    replicate.node == WITHIN_NO)
		return;
	finding = find_crossing(rule, job, FIELD_DP_SHARD, "dp_shard", &shard);
	finding->message =
		arena_printf(job->arena, "%s, while the %" PRId64 " replicas sit together in one",
			     finding->message, replicate.members);
	relate_setting(job, finding, FIELD_DP_REPLICATE);
	finding_consequence(
		job->findings, finding,
		"parameters are gathered over the network, in forward and backward, and "
		"only gradients are reduced over NVLink: FSDP without replicas sends no "
		"more over the network");
}

/* ---- groups of which some fit and some do not ---- */

static const struct {
	const char *axis;
	enum field_id field;
} straddling[] = {
	{ "tp", FIELD_TP },
	{ "cp", FIELD_CP },
	{ "ep", FIELD_EP },
	{ "dp_shard", FIELD_DP_SHARD },
};

/* The innermost axis only: where it straddles, so do all that are built on it. */
static void check_straddle(const struct rule *rule, struct job *job)
{
	const struct topology *topology = job->topology;
	struct finding *finding;
	struct spans spans = { 0 };
	size_t i;

	for (i = 0; i < sizeof(straddling) / sizeof(*straddling); i++) {
		if (!axis_lies(job, straddling[i].axis, &spans) ||
		    spans.domains_min == spans.domains_max || spans.members > fast_ranks(topology))
			continue;
		finding = find_crossing(rule, job, straddling[i].field, straddling[i].axis, &spans);
		finding->message = arena_printf(
			job->arena, "some of the %s groups of %" PRId64 " ranks straddle %ss",
			straddling[i].axis, spans.members, unit_name(topology));
		if (topology->domain == 1)
			finding_actual(job->findings, finding,
				       "%" PRId64 " of %" PRId64
				       " groups sit in one node, the others in up to %" PRId64,
				       spans.inside, spans.groups, spans.nodes_max);
		finding_consequence(job->findings, finding,
				    "the slowest group sets the pace of all");
		finding_fix(job->findings, finding,
			    "use a degree that divides the %" PRId64 " ranks of a %s",
			    fast_ranks(topology), unit_name(topology));
		return;
	}
}

/* ---- GPUs without a rank ---- */

/* The world was set against the cluster: world-not-cluster says so, or --world asks "what if". */
static bool world_disagrees(const struct job *job)
{
	const struct setting *world = job->world_from;

	return world && (world->origin == ORIGIN_GIVEN || world->origin == ORIGIN_SET);
}

static void check_idle(const struct rule *rule, struct job *job)
{
	static const enum field_id places[] = { FIELD_LAUNCH_PER_NODE, FIELD_WORLD,
						FIELD_CLUSTER_NODES, FIELD_CLUSTER_HOSTS };
	const struct topology *topology = job->topology;
	int64_t last = topology->slots ? job->world % topology->slots : 0;
	int64_t idle = topology->gpus - job->world;
	struct finding *finding;

	if (idle <= 0 || (world_disagrees(job) && !last) || start_leaves_idle(job))
		return;
	if (world_disagrees(job))
		idle = topology->slots - last;
	finding = finding_add(job->findings, rule->id,
			      first_place(job, places, sizeof(places) / sizeof(*places)),
			      "%" PRId64 " GPU%s no rank", idle, idle == 1 ? " has" : "s have");
	if (last)
		finding_actual(job->findings, finding,
			       "%" PRId64 " ranks on nodes of %" PRId64
			       " GPUs: the last node has %" PRId64 " rank%s",
			       job->world, topology->slots, last, last == 1 ? "" : "s");
	else
		finding_actual(job->findings, finding,
			       "%" PRId64 " ranks on %" PRId64 " node%s with %" PRId64 " GPUs",
			       job->world, topology->nodes, topology->nodes == 1 ? "" : "s",
			       topology->gpus);
	relate_setting(job, finding, FIELD_LAUNCH_GPUS_REQUESTED);
	relate_setting(job, finding, FIELD_CLUSTER_GPUS_PER_NODE);
}

/* ---- torchrun's order ---- */

static void check_names(const struct rule *rule, struct job *job)
{
	const struct topology *topology = job->topology;
	const struct host *const *by_name = topology->hosts;
	const struct host *by_line = job->hosts ? job->hosts->list.items : NULL;
	struct finding *finding;
	int64_t node = 0;

	if (!by_name || !by_line || topology->order != ORDER_C10D)
		return;
	while (node < topology->nodes && by_name[node] == &by_line[node])
		node++;
	if (node == topology->nodes)
		return;
	finding =
		finding_add(job->findings, rule->id, fact(job, FIELD_CLUSTER_RANK_ORDER)->span,
			    "%s comes before %s in torchrun's order of names, but after it in the "
			    "file of hosts",
			    by_name[node]->name, by_line[node].name);
	finding_relate(job->findings, finding, by_line[node].span,
		       "the file has this host at place %" PRId64, node);
	finding_actual(job->findings, finding, "ranks from %" PRId64 " on are on %s",
		       topology_rank(topology, node, 0), by_name[node]->name);
}

#define MEGATRON_MOE "NVIDIA/Megatron-LM@022bcb5a megatron/core/transformer/moe/README.md"
#define LLAMA3	     "https://arxiv.org/abs/2407.21783 section 3.3.2"

/* clang-format off */
static const struct rule rules[] = {
	{ &rule_hosts_unreadable, NEEDS_NOTHING, NULL },
	{ &rule_hosts_syntax, NEEDS_NOTHING, NULL },
	{ &rule_hosts_duplicate, NEEDS_NOTHING, NULL },
	{ &rule_hosts_too_few, NEEDS_NOTHING, NULL },
	{ &rule_hosts_slots, NEEDS_NOTHING, NULL },
	{ &(const struct rule_id){
		.name = "tp-across-nodes",
		.code = "G110",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_REPORTED,
		.summary = "tensor-parallel groups are larger than an NVLink domain",
		.explanation =
			"Tensor parallelism communicates in every layer, forward and backward, "
			"and nothing else can be computed meanwhile. Over NVLink that is cheap; "
			"between nodes it is many times slower. parplan assumes that NVLink joins "
			"the GPUs of a node; cluster.fabric: nvl72 joins the 72 of a rack.",
		.remedy = "Lower tp to the GPUs of a node and use pp, dp_shard or cp for the rest.",
		.source = "https://github.com/OpenRLHF/OpenRLHF/issues/758; " MEGATRON_MOE,
	  },
	  NEEDS_WORLD | NEEDS_CLUSTER, check_tp },
	{ &(const struct rule_id){
		.name = "ep-across-nodes",
		.code = "G111",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_DERIVED,
		.summary = "expert-parallel groups are larger than an NVLink domain",
		.explanation =
			"Each mixture-of-experts layer sends every token to its experts and back, "
			"all to all. Megatron Core's guide keeps ep (times tp) inside the NVLink "
			"domain and scales further by pp. A large ep is sometimes intended; then "
			"the dispatcher matters (DeepEP).",
		.remedy = "Lower ep to the GPUs of a node, or choose a dispatcher made for it.",
		.source = MEGATRON_MOE,
	  },
	  NEEDS_WORLD | NEEDS_CLUSTER, check_ep },
	{ &(const struct rule_id){
		.name = "cp-across-nodes",
		.code = "G112",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_DERIVED,
		.summary = "context-parallel groups cross nodes though they would fit into one",
		.explanation =
			"Context parallelism exchanges keys and values in every attention layer; "
			"after tp it is the axis that gains most from NVLink. The order tp, cp, "
			"pp, dp from the inside out puts it there. parplan does not report groups "
			"larger than a node.",
		.remedy = "Keep ranks in blocks, and cp next to tp in the order of axes.",
		.source = LLAMA3,
	  },
	  NEEDS_WORLD | NEEDS_CLUSTER, check_cp },
	{ &(const struct rule_id){
		.name = "pp-inside-nodes",
		.code = "G113",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_DERIVED,
		.summary = "pipeline stages share nodes while tensor parallelism crosses them",
		.explanation =
			"A pipeline sends one activation per microbatch from stage to stage; "
			"tensor parallelism reduces activations in every layer. Neighbouring tp "
			"ranks belong on one node. A cyclic distribution of ranks over nodes does "
			"the opposite.",
		.remedy = "Put ranks in blocks (srun --distribution=block), tp innermost.",
		.source = "NVIDIA/Megatron-LM@00caa53a megatron/core/parallel_state.py "
			  "initialize_model_parallel; " LLAMA3,
	  },
	  NEEDS_WORLD | NEEDS_CLUSTER, check_pp },
	{ &(const struct rule_id){
		.name = "replicas-inside-nodes",
		.code = "G114",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_DERIVED,
		.summary = "HSDP shards across nodes and replicates inside them",
		.explanation =
			"Hybrid sharding exists to keep the all-gathers of parameters on the fast "
			"links of a node; between nodes only gradients are reduced. With the axes "
			"the other way round it costs the memory of replicas and saves nothing.",
		.remedy = "Swap the axes: dp_shard inside the node, dp_replicate across.",
		.source = "https://docs.pytorch.org/docs/stable/fsdp.html ShardingStrategy.HYBRID_SHARD",
	  },
	  NEEDS_WORLD | NEEDS_CLUSTER, check_replicas },
	{ &(const struct rule_id){
		.name = "groups-straddle-nodes",
		.code = "G115",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_DERIVED,
		.summary = "some groups of an axis sit in one node, others straddle two",
		.explanation =
			"When the group size does not divide the ranks of a node, some groups fit "
			"into a node and others cross its edge. All groups wait for each other at "
			"the next collective of an outer axis, so the groups across the edge set "
			"the pace.",
		.remedy = "Use degrees whose product divides the ranks of a node.",
		.source = "arithmetic",
	  },
	  NEEDS_WORLD | NEEDS_CLUSTER, check_straddle },
	{ &(const struct rule_id){
		.name = "idle-gpus",
		.code = "G116",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_DERIVED,
		.summary = "the cluster has GPUs that no rank uses",
		.explanation =
			"You pay for whole nodes. Ranks that do not fill the last node, or fewer "
			"processes per node than GPUs, leave some without work.",
		.remedy = "Fill the nodes, or rent fewer.",
		.source = "arithmetic",
	  },
	  NEEDS_WORLD | NEEDS_CLUSTER, check_idle },
	{ &(const struct rule_id){
		.name = "hosts-by-name",
		.code = "G117",
		.severity = SEVERITY_NOTE,
		.evidence = EVIDENCE_DERIVED,
		.summary = "torchrun's c10d rendezvous ranks nodes in another order than the file",
		.explanation =
			"The c10d rendezvous sorts the nodes by their address as text, then "
			"numbers them; --node_rank and the order of launch play no part. "
			"\"node10\" is before \"node2\". Neighbours in the rack are then not "
			"neighbours in rank, so groups cross more switches than the file "
			"suggests.",
		.remedy = "Use names with leading zeros, or --rdzv_backend=static with --node_rank; "
			  "or sort the file.",
		.source = "https://github.com/pytorch/pytorch/issues/191190; "
			  "torch/distributed/elastic/rendezvous/dynamic_rendezvous.py "
			  "_mark_rendezvous_complete",
	  },
	  NEEDS_WORLD | NEEDS_CLUSTER, check_names },
};
/* clang-format on */

const struct ruleset ruleset_topology = {
	"topology",
	"Where ranks sit",
	rules,
	sizeof(rules) / sizeof(*rules),
};
