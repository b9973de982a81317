#include "evidence/observed/roles.h"

#include "base/text.h"

#include <string.h>

/*
 * Elements up to which calls carry no parameters and no activations: a loss, a norm, counts of
 * tokens; all-reduces of whole vectors of statistics are a little longer.
 */
enum { CONTROL_ELEMENTS = 64, CONTROL_REDUCED = 1024 };

/* Different calls of one rank that are held against each other: training has some hundred. */
enum { LEDGER_MOST = 4096 };

const char *seen_role_name(enum seen_role role)
{
	static const char *const names[SEEN_ROLES] = {
		[SEEN_UNKNOWN] = "unknown", [SEEN_CONTROL] = "control",
		[SEEN_SHARD] = "shard",	    [SEEN_REPLICATE] = "replicate",
		[SEEN_DDP] = "ddp",	    [SEEN_ZERO] = "zero",
		[SEEN_TENSOR] = "tp",	    [SEEN_TENSOR_PLAIN] = "tp without sequence parallelism",
		[SEEN_PIPELINE] = "pp",	    [SEEN_CONTEXT] = "cp",
		[SEEN_EXPERT] = "ep",	    [SEEN_BUFFERS] = "buffers",
	};

	return names[role];
}

/* Words of descriptions as frameworks give them, the more telling first. */
static const struct {
	const char *word;
	enum seen_role role;
} words[] = {
	{ "fsdp", SEEN_SHARD },		 { "dp_shard", SEEN_SHARD },	{ "expert", SEEN_EXPERT },
	{ "tensor", SEEN_TENSOR },	 { "pipeline", SEEN_PIPELINE }, { "context", SEEN_CONTEXT },
	{ "mesh_tp", SEEN_TENSOR },	 { "mesh_pp", SEEN_PIPELINE },	{ "mesh_cp", SEEN_CONTEXT },
	{ "mesh_ep", SEEN_EXPERT },	 { "ulysses", SEEN_CONTEXT },	{ "mesh_sp", SEEN_CONTEXT },
	{ "data_parallel", SEEN_SHARD },
};

static enum seen_role hint_of(struct arena *arena, const struct group_family *family)
{
	size_t i, k;

	for (i = 0; i < family->names.count; i++) {
		const char *name = text_lower(arena, family->names.items[i]);
		for (k = 0; k < sizeof(words) / sizeof(*words); k++)
			if (strstr(name, words[k].word))
				return words[k].role;
	}
	return SEEN_UNKNOWN;
}

/* The flows of one rank. */
struct ledger {
	struct families *families;
	VEC(struct group_flow *) flows;
};

static enum seen_role hint(const struct ledger *ledger, const struct group_flow *flow)
{
	return hint_of(ledger->families->arena, &ledger->families->list.items[flow->family]);
}

static void decide(struct group_flow *flow, enum seen_role role, bool strong)
{
	flow->role = role;
	flow->strong = strong;
}

static bool is_open(const struct group_flow *flow, enum seen_op op)
{
	return flow->call.op == op && flow->role == SEEN_UNKNOWN;
}

/* Integers of 16 bits and more are counts, indices and tokens; bytes may be float8. */
static bool is_integer(const char *dtype)
{
	return (!strncmp(dtype, "int", 3) || !strncmp(dtype, "uint16", 6) ||
		!strncmp(dtype, "uint32", 6) || !strncmp(dtype, "uint64", 6) ||
		!strcmp(dtype, "bool")) &&
	       strcmp(dtype, "int8") != 0;
}

/* ---- control traffic ---- */

static void find_control(struct ledger *ledger)
{
	size_t i;

	for (i = 0; i < ledger->flows.count; i++) {
		struct group_flow *flow = ledger->flows.items[i];
		int64_t elements = flow_elements(flow);
		if (ledger->families->list.items[flow->family].size == 1 ||
		    flow->call.op == SEEN_BARRIER || is_integer(flow->call.dtype) ||
		    (elements >= 0 && elements <= CONTROL_ELEMENTS))
			decide(flow, SEEN_CONTROL, true);
		else if (flow->call.op == SEEN_BROADCAST)
			decide(flow, SEEN_BUFFERS, true);
	}
}

/* ---- all-gathers and reduce-scatters ---- */

/* Whole elements of an all-gather or a reduce-scatter; bytes where those are all there is. */
static bool is_pair(const struct group_flow *gather, const struct group_flow *scatter)
{
	if (gather->family != scatter->family || gather->start != scatter->start)
		return false;
	if (gather->call.out > 0 && scatter->call.in > 0)
		return gather->call.out == scatter->call.in;
	return gather->call.out <= 0 && scatter->call.in <= 0;
}

/* What another flow of the rank says for a pair being parameters: other units, copies. */
static int vote(const struct group_flow *other, const struct group_flow *gather,
		const struct group_flow *scatter)
{
	bool same = other->family == gather->family && other->start == gather->start;

	if (same)
		return other->call.op == SEEN_ALL_GATHER && other->role != SEEN_CONTROL &&
		       other->call.out != gather->call.out;
	return other->call.op == SEEN_ALL_REDUCE && scatter->call.out > 0 &&
			       other->call.in == scatter->call.out
		       ? 3
		       : 0;
}

/* What speaks for parameters (above 0) or activations (below) where shapes are not known. */
static int weigh(const struct ledger *ledger, const struct group_flow *gather,
		 const struct group_flow *scatter)
{
	enum seen_role word = hint(ledger, gather);
	int weight = 0;
	size_t i;

	if (word != SEEN_UNKNOWN)
		weight += word == SEEN_SHARD ? 2 : -2;
	if (*gather->call.dtype && *scatter->call.dtype &&
	    strcmp(gather->call.dtype, scatter->call.dtype) != 0)
		weight += 2;
	for (i = 0; i < ledger->flows.count; i++)
		weight += vote(ledger->flows.items[i], gather, scatter);
	return weight;
}

/* A group that is named for tensor parallelism, beside one that is named for data parallelism. */
static bool is_tensor_by_name(const struct ledger *ledger, const struct group_flow *flow)
{
	size_t i;

	for (i = 0; hint(ledger, flow) == SEEN_TENSOR && i < ledger->flows.count; i++)
		if (ledger->flows.items[i]->family != flow->family &&
		    hint(ledger, ledger->flows.items[i]) == SEEN_SHARD)
			return true;
	return false;
}

static void decide_pair(const struct ledger *ledger, struct group_flow *gather,
			struct group_flow *scatter)
{
	int dims = gather->call.dims ? gather->call.dims : scatter->call.dims;
	bool sized = gather->call.out > 0;
	int weight;

	if (dims == 1 && !is_tensor_by_name(ledger, gather)) {
		decide(gather, SEEN_SHARD, sized);
		decide(scatter, SEEN_SHARD, sized);
		return;
	}
	if (dims) {
		enum seen_role role =
			hint(ledger, gather) == SEEN_EXPERT ? SEEN_EXPERT : SEEN_TENSOR;
		decide(gather, role, sized);
		decide(scatter, role, sized);
		return;
	}
	weight = weigh(ledger, gather, scatter);
	decide(gather, weight >= 0 ? SEEN_SHARD : SEEN_TENSOR,
	       sized && (weight >= 2 || weight <= -2));
	decide(scatter, gather->role, gather->strong);
}

static void find_pairs(struct ledger *ledger)
{
	size_t i, k;

	for (i = 0; i < ledger->flows.count; i++) {
		struct group_flow *gather = ledger->flows.items[i];
		if (gather->call.op != SEEN_ALL_GATHER || gather->role == SEEN_CONTROL)
			continue;
		for (k = 0; k < ledger->flows.count; k++) {
			struct group_flow *scatter = ledger->flows.items[k];
			if (scatter->call.op == SEEN_REDUCE_SCATTER &&
			    scatter->role != SEEN_CONTROL && is_pair(gather, scatter))
				decide_pair(ledger, gather, scatter);
		}
	}
}

static bool shards_elsewhere(const struct ledger *ledger, int32_t family)
{
	size_t i;

	for (i = 0; i < ledger->flows.count; i++) {
		const struct group_flow *flow = ledger->flows.items[i];
		if (flow->role == SEEN_SHARD && flow->strong && flow->family != family)
			return true;
	}
	return false;
}

/* Pairs without shapes beside those that surely shard parameters, over other ranks: activations. */
static void find_second_pairs(struct ledger *ledger)
{
	size_t i;

	for (i = 0; i < ledger->flows.count; i++) {
		struct group_flow *flow = ledger->flows.items[i];
		if (flow->role == SEEN_SHARD && !flow->strong && !flow->call.dims &&
		    shards_elsewhere(ledger, flow->family))
			flow->role = SEEN_TENSOR;
	}
}

/* What activations of so many dimensions are: heads are apart in keys and values alone. */
static enum seen_role half_role(enum seen_role word, const struct group_flow *flow)
{
	if (word == SEEN_CONTEXT || word == SEEN_EXPERT)
		return word;
	return word != SEEN_TENSOR && flow->call.dims > 3 ? SEEN_CONTEXT : SEEN_TENSOR;
}

/* Activations without their other half: a window that ends too early, keys and values over cp. */
static void find_halves(struct ledger *ledger)
{
	size_t i;

	for (i = 0; i < ledger->flows.count; i++) {
		struct group_flow *flow = ledger->flows.items[i];
		if (!is_open(flow, SEEN_ALL_GATHER) && !is_open(flow, SEEN_REDUCE_SCATTER))
			continue;
		if (flow->call.dims >= 2)
			decide(flow, half_role(hint(ledger, flow), flow), false);
	}
}

/* The same elements in other pieces: bucketed units. Sums are equal, or gathered twice. */
static void find_buckets(struct ledger *ledger)
{
	size_t i, k;

	for (i = 0; i < ledger->flows.count; i++) {
		struct group_flow *gather = ledger->flows.items[i];
		int64_t gathered = 0, scattered = 0;
		if (!is_open(gather, SEEN_ALL_GATHER) || gather->call.dims > 1)
			continue;
		for (k = 0; k < ledger->flows.count; k++) {
			const struct group_flow *flow = ledger->flows.items[k];
			if (flow->family != gather->family || flow->role == SEEN_CONTROL)
				continue;
			if (flow->call.op == SEEN_ALL_GATHER && flow->call.out > 0)
				gathered += flow->call.out * flow->call.count;
			if (flow->call.op == SEEN_REDUCE_SCATTER && flow->call.in > 0)
				scattered += flow->call.in * flow->call.count;
		}
		if (scattered && (gathered == scattered || gathered == 2 * scattered))
			decide(gather, SEEN_SHARD, gather->call.dims == 1);
	}
}

/* Reduce-scatters that nothing gathers again belong to the sharding of their group. */
static void find_lone_scatters(struct ledger *ledger)
{
	size_t i, k;

	for (i = 0; i < ledger->flows.count; i++) {
		struct group_flow *scatter = ledger->flows.items[i];
		if (!is_open(scatter, SEEN_REDUCE_SCATTER) && !is_open(scatter, SEEN_ALL_GATHER))
			continue;
		for (k = 0; k < ledger->flows.count; k++) {
			const struct group_flow *flow = ledger->flows.items[k];
			if (flow->role == SEEN_SHARD && flow->family == scatter->family)
				decide(scatter, SEEN_SHARD, false);
		}
	}
}

/* ---- all-reduces ---- */

/* What reduce-scatters of this rank leave, summed once more over other ranks. */
static bool follows_scatter(const struct ledger *ledger, const struct group_flow *reduce,
			    bool *strong)
{
	size_t i;

	for (i = 0; i < ledger->flows.count; i++) {
		const struct group_flow *scatter = ledger->flows.items[i];
		bool other = scatter->family != reduce->family;
		if (scatter->call.op != SEEN_REDUCE_SCATTER || scatter->role != SEEN_SHARD ||
		    !other || (reduce->call.dims > 1 && scatter->call.dims == 1))
			continue;
		*strong = reduce->call.in > 0;
		if (reduce->call.in > 0
			    ? reduce->call.in == scatter->call.out
			    : scatter->call.out <= 0 && scatter->call.count == reduce->call.count)
			return true;
	}
	return false;
}

static bool has_role(const struct ledger *ledger, enum seen_role role, int32_t family)
{
	size_t i;

	for (i = 0; i < ledger->flows.count; i++)
		if (ledger->flows.items[i]->role == role &&
		    (family < 0 || ledger->flows.items[i]->family == family))
			return true;
	return false;
}

/* Whether parameters are gathered over the same ranks that all-reduce gradients. */
static bool gathers_flat(const struct ledger *ledger, int32_t family)
{
	size_t i;

	for (i = 0; i < ledger->flows.count; i++) {
		const struct group_flow *flow = ledger->flows.items[i];
		if (flow->family == family && flow->call.op == SEEN_ALL_GATHER &&
		    flow->call.dims == 1 && flow->role == SEEN_UNKNOWN)
			return true;
	}
	return false;
}

/* Buckets differ in size; activations of one model do not. */
static bool has_other_size(const struct ledger *ledger, const struct group_flow *reduce)
{
	size_t i;

	for (i = 0; i < ledger->flows.count; i++) {
		const struct group_flow *flow = ledger->flows.items[i];
		if (flow->family == reduce->family && flow->call.op == SEEN_ALL_REDUCE &&
		    flow->call.in > CONTROL_REDUCED && flow->call.in != reduce->call.in)
			return true;
	}
	return false;
}

static void decide_reduce(const struct ledger *ledger, struct group_flow *reduce)
{
	enum seen_role word = hint(ledger, reduce);
	bool strong = false;

	if (follows_scatter(ledger, reduce, &strong))
		decide(reduce, SEEN_REPLICATE, strong);
	else if (flow_elements(reduce) >= 0 && flow_elements(reduce) <= CONTROL_REDUCED)
		decide(reduce, SEEN_CONTROL, true);
	else if (reduce->call.dims > 1)
		decide(reduce, SEEN_TENSOR_PLAIN, word == SEEN_TENSOR || word == SEEN_UNKNOWN);
	else if (has_role(ledger, SEEN_SHARD, -1) || has_role(ledger, SEEN_TENSOR, reduce->family))
		return; /* gradients of norms under tp, or something that no plan has */
	else if (word == SEEN_TENSOR)
		decide(reduce, SEEN_TENSOR_PLAIN, false);
	else if (gathers_flat(ledger, reduce->family))
		decide(reduce, SEEN_ZERO, reduce->call.in > 0);
	else
		decide(reduce, SEEN_DDP,
		       reduce->call.in > 0 &&
			       (reduce->call.dims == 1 || has_other_size(ledger, reduce)));
}

static void find_reduces(struct ledger *ledger)
{
	size_t i;

	for (i = 0; i < ledger->flows.count; i++)
		if (is_open(ledger->flows.items[i], SEEN_ALL_REDUCE))
			decide_reduce(ledger, ledger->flows.items[i]);
}

/* ---- sends and exchanges ---- */

/* Positions in a group's ranks between which a send goes; 0: one of them is in no group. */
static int64_t distance(const struct families *families, const struct group_flow *flow)
{
	const struct group_family *family = &families->list.items[flow->family];
	int64_t size = family->size, apart;

	if (family->regular && size == 2)
		return 1; /* whoever it is */
	if (!family->regular || flow->call.rank < 0 || flow->call.peer < 0 ||
	    flow->call.peer >= families->world)
		return 0;
	if (layout_base(&family->layout, flow->call.peer) !=
	    layout_base(&family->layout, flow->call.rank))
		return 0;
	apart = layout_index(&family->layout, flow->call.peer) -
		layout_index(&family->layout, flow->call.rank);
	apart = apart < 0 ? -apart : apart;
	return apart > size - apart ? size - apart : apart;
}

/* Neighbours of a group pass on activations of [batch, sequence, hidden], keys and values [.., 4].
 */
static void find_sends(struct ledger *ledger)
{
	size_t i;

	for (i = 0; i < ledger->flows.count; i++) {
		struct group_flow *flow = ledger->flows.items[i];
		enum seen_role word;
		if (!is_open(flow, SEEN_SEND) && !is_open(flow, SEEN_RECV))
			continue;
		if (distance(ledger->families, flow) != 1)
			continue;
		word = hint(ledger, flow);
		if (word == SEEN_CONTEXT || (word != SEEN_PIPELINE && flow->call.dims > 3))
			decide(flow, SEEN_CONTEXT, word == SEEN_CONTEXT);
		else
			decide(flow, SEEN_PIPELINE, flow->call.dims <= 3);
	}
}

static void find_exchanges(struct ledger *ledger)
{
	size_t i;

	for (i = 0; i < ledger->flows.count; i++) {
		struct group_flow *flow = ledger->flows.items[i];
		if (!is_open(flow, SEEN_ALL_TO_ALL))
			continue;
		if (hint(ledger, flow) == SEEN_CONTEXT)
			decide(flow, SEEN_CONTEXT, false);
		else
			decide(flow, SEEN_EXPERT, flow->call.in != flow->call.out);
	}
}

/* ---- all of it ---- */

static void judge_rank(struct families *families, int64_t rank)
{
	static void (*const passes[])(struct ledger *) = {
		find_control,	    find_pairs,	  find_second_pairs, find_halves,    find_buckets,
		find_lone_scatters, find_reduces, find_sends,	     find_exchanges,
	};
	struct ledger ledger = { .families = families };
	size_t i;

	for (i = 0; i < families->flows.count; i++) {
		if (families->flows.items[i].call.rank != rank)
			continue;
		families->cut = families->cut || ledger.flows.count >= LEDGER_MOST;
		if (ledger.flows.count < LEDGER_MOST)
			vec_push(families->arena, &ledger.flows, &families->flows.items[i]);
	}
	for (i = 0; i < sizeof(passes) / sizeof(*passes); i++)
		passes[i](&ledger);
}

void roles_find(struct families *families)
{
	size_t i;

	for (i = 0; i < families->ranks.count; i++)
		judge_rank(families, families->ranks.items[i]);
	judge_rank(families, -1);
}
