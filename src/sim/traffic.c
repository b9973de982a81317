#include "sim/traffic.h"

#include "cost/units.h"
#include "sim/data_parallel.h"
#include "sim/recompute.h"
#include "sim/workload/experts.h"

#include <math.h>
#include <string.h>

static const char expert_unit[] = "experts of a block", expert_bucket[] = "a bucket of experts";

/* What rows are derived from. */
struct book {
	struct arena *arena;
	const struct profile *profile;
	const struct workload *work;
	struct traffics *traffics;
	const struct holdings *stages;
	double blocks[KINDS]; /* of that pipeline rank, without and with experts */
	double batches;
	int64_t rank; /* of the pipeline */
};

/* How often the units of a stage are gathered and reduced in a step. */
struct times {
	double first[2], last[2]; /* gathered before a forward, a backward pass; by lets_go */
	double reduced;
};

static bool same_call(const struct call *a, const struct call *b)
{
	return a->op == b->op && a->group == b->group && a->bytes == b->bytes;
}

/* Adds calls to the row that has them already, or makes one. */
static void put(struct book *book, enum traffic_axis axis, const char *what, struct call call,
		double count)
{
	struct traffic row = {
		.axis = axis, .what = what, .call = call, .count = count, .exposed = -1
	};
	struct lane lane;
	size_t i;

	row.call.bytes = ceil(call.bytes);
	if (call.group->ranks < 2 || call.bytes <= 0 || count <= 0)
		return;
	for (i = 0; i < book->traffics->list.count; i++)
		if (same_call(&book->traffics->list.items[i].call, &row.call)) {
			book->traffics->list.items[i].count += count;
			return;
		}
	row.nodes = call_nodes(book->work, book->profile, &call);
	if (book->profile) {
		lane = call_lane(book->work, book->profile, &call);
		row.time = collective_time(&lane.route, call.op, row.call.bytes);
	}
	vec_push(book->arena, &book->traffics->list, row);
}

/* Times that a block sends what it sends in its forward pass: in that and backward, again by the
 * share that is computed again, and in passes that have no backward one. */
static double passes(const struct workload *work, double again)
{
	return 2 + again + (double)work->passes;
}

static double blocks(const struct book *book)
{
	return book->blocks[DENSE] + book->blocks[EXPERTS];
}

/* ---- data parallel ---- */

/* What a pipeline rank computes of one stage, in its order. */
static void follow(const struct workload *work, const struct actions *actions, int32_t stage,
		   struct times *times)
{
	struct data_gathered gathered = { { false, false } };
	int64_t backwards = 0;
	size_t i;
	int k;

	for (i = 0; i < actions->list.count; i++) {
		const struct action *action = &actions->list.items[i];
		bool forward = action->kind == ACTION_FORWARD;
		if (action->stage != stage)
			continue;
		for (k = 0; k < 2 && action->kind != ACTION_WEIGHT; k++) {
			times->first[k] += forward && !gathered.here[k];
			times->last[k] += !forward && !gathered.here[k];
		}
		if (action->kind != ACTION_WEIGHT)
			data_passed(work, &gathered, forward);
		if (!forward && action->kind != ACTION_INPUT &&
		    workload_ends(work, work->microbatches, backwards++))
			gathered = (struct data_gathered) { { false, false } };
	}
}

/* Without a pipeline every microbatch gathers, and reduces unless that waits for the last; in one a
 * stage reduces once, and so in each of several pipelines. */
static struct times times_of(const struct book *book, int32_t stage)
{
	const struct workload *work = book->work;
	const int64_t each = workload_shape(work, work->microbatches).microbatches;
	const int64_t pipelines = work->microbatches / each;
	struct times times = { { 0 }, { 0 }, (double)pipelines };
	struct actions actions = { 0 };

	if (work->pp > 1) {
		workload_order(book->arena, work, work->microbatches, (int32_t)book->rank,
			       &actions);
		follow(work, &actions, stage, &times);
		return times;
	}
	times.first[0] = times.first[1] = times.last[1] = book->batches;
	times.reduced = workload_waits_whole(work) ? 1 : book->batches;
	return times;
}

static const char *what_of(const struct book *book, const struct holding *holding, enum kind kind)
{
	double ends = holding->shares[kind].whole;

	if (kind == EXPERTS)
		return expert_unit;
	if (holding->layer == HOLDING_HEAD)
		return holding->last[kind] > ends ? "embedding, output" : "output";
	if (holding->layer == HOLDING_EMBEDDING)
		return holding->first[kind] > ends ? "embedding, output" : "embedding";
	return model_layer_has_experts(book->work->model, holding->layer) ? "a block with experts"
									  : "a block";
}

/* A unit is gathered in one call, and of a block what comes apart in others. */
static void put_gather(struct book *book, const char *what, enum kind kind, double elements,
		       bool block, double times)
{
	const struct workload *work = book->work;
	const struct apart apart = block ? workload_apart(work, elements) : (struct apart) { 0 };

	put(book, TRAFFIC_DATA, what, call_gather(work, kind, elements - apart.elements, block),
	    times);
	if (apart.calls > 0)
		put(book, TRAFFIC_DATA, "some experts of a block",
		    call_gather(work, kind, apart.elements / apart.calls, block),
		    times * apart.calls);
}

/* The calls of one unit of FSDP. */
static void put_unit(struct book *book, const struct holding *holding, const struct times *times,
		     enum kind kind)
{
	const struct workload *work = book->work;
	const char *what = what_of(book, holding, kind);
	bool block = holding->layer != HOLDING_EMBEDDING && holding->layer != HOLDING_HEAD;

	put_gather(book, what, kind, holding->first[kind], block, times->first[holding->lets_go]);
	if (kind == DENSE && holding->kept_over && work->kept.ranks > 1)
		put(book, TRAFFIC_DATA, what, call_gather_kept(work, holding->last[kind], block),
		    times->last[holding->lets_go]);
	else
		put_gather(book, what, kind, holding->last[kind], block,
			   times->last[holding->lets_go]);
	put(book, TRAFFIC_DATA, what, call_reduce(work, kind, holding->first[kind]),
	    times->reduced);
	put(book, TRAFFIC_DATA, what, call_copies(work, kind, holding->first[kind]),
	    times->reduced);
}

/* A frozen model that is gathered all at once. */
static void put_whole(struct book *book, int32_t stage, int64_t passes)
{
	double elements;
	size_t i;
	int kind;

	for (kind = 0; kind < KINDS; kind++) {
		elements = 0;
		for (i = 0; i < book->stages[stage].list.count; i++)
			elements += book->stages[stage].list.items[i].first[kind];
		put(book, TRAFFIC_DATA, "the reference model",
		    call_gather(book->work, kind, elements, true), (double)passes * book->batches);
	}
}

static void put_sharded(struct book *book, int32_t stage)
{
	struct times times = times_of(book, stage);
	const struct data_apart apart = data_apart_of(book->work);
	size_t i;
	int kind;

	put_whole(book, stage, apart.whole);
	times.first[1] += (double)apart.parts * book->batches;

	for (kind = 0; kind < KINDS; kind++)
		for (i = 0; i < book->stages[stage].list.count; i++)
			put_unit(book, &book->stages[stage].list.items[i], &times, kind);
}

/*
 * Elements of a gradient bucket: DDP's (bucket_cap_mb, torch's own is 25 MiB);
 * Megatron's where it overlaps (40 million, or a million per data-parallel rank), one otherwise;
 * DeepSpeed's reduce_bucket_size.
 */
static double bucket_elements(const struct workload *work)
{
	double bytes = (double)work->grad_bytes;

	if (work->deepspeed)
		return 500000000;
	if (work->software >= SOFTWARE_MEGATRON)
		return work->overlap_grads
			       ? fmax(40000000, 1000000 * (double)work->data[DENSE].ranks)
			       : HUGE_VAL;
	return (work->wing && work->wing->bucket_mib ? work->wing->bucket_mib : 25) * 1048576 /
	       bytes;
}

/* Gradients of `elements` are reduced once per step, or with each microbatch, and their parameters
 * gathered once. */
static void put_buckets(struct book *book, enum kind kind, double elements)
{
	const char *what = kind == EXPERTS ? expert_bucket : "a bucket";
	double buckets = fmax(ceil(elements / bucket_elements(book->work)), 1);
	double each = elements / buckets;

	put(book, TRAFFIC_DATA, what, call_reduce(book->work, kind, each),
	    buckets * (workload_reduces_each(book->work) ? book->batches : 1));
	put(book, TRAFFIC_DATA, what, call_copies(book->work, kind, each), buckets);
	put(book, TRAFFIC_DATA, what, call_gather(book->work, kind, each, true), buckets);
}

static void put_data(struct book *book)
{
	const struct workload *work = book->work;
	double elements[KINDS] = { 0 };
	int32_t stage;
	size_t i;
	int kind;

	for (stage = 0; stage < holding_stages(work); stage++) {
		if (work->pp > 1 && work->plan->stages.items[stage].pp_rank != book->rank)
			continue;
		if (work->zero == ZERO_PARAMETERS)
			put_sharded(book, stage);
		for (i = 0; i < book->stages[stage].list.count; i++)
			for (kind = 0; kind < KINDS; kind++)
				elements[kind] +=
					book->stages[stage].list.items[i].shares[kind].whole;
	}
	for (kind = 0; kind < KINDS && work->zero != ZERO_PARAMETERS; kind++)
		put_buckets(book, kind, elements[kind]);
}

/* ---- activations ---- */

/* Two all-reduces each way, or as many all-gathers and reduce-scatters. */
static void put_tensor(struct book *book)
{
	const struct workload *work = book->work;
	double count = 0;
	int kind;

	for (kind = 0; kind < KINDS; kind++)
		count += 2 * book->blocks[kind] * book->batches *
			 passes(work, recompute_sends(work, kind));
	put(book, TRAFFIC_TENSOR, "a block's activations", call_tensor(work, false), count);
	put(book, TRAFFIC_TENSOR, "a block's activations", call_tensor(work, true), count);
}

/*
 * Keys and values are gathered, or go round the ring while the core computes; their gradients go
 * round in either case. Or tokens become heads, and heads tokens.
 */
static void put_exchange(struct book *book, const struct group *group, enum key_exchange exchange)
{
	const struct workload *work = book->work;
	const double count = blocks(book) * book->batches;
	const double times = passes(work, recompute_share(work));
	const double hops = exchange == EXCHANGE_RING ? (double)group->ranks - 1 : 1;
	struct call heads[CALL_HEADS];
	int i;

	if (exchange == EXCHANGE_NOTHING)
		return;
	if (exchange == EXCHANGE_HEADS) {
		call_heads(work, group, heads);
		for (i = 0; i < CALL_HEADS; i++)
			put(book, TRAFFIC_CONTEXT, "tokens for heads", heads[i], count * times);
		return;
	}
	put(book, TRAFFIC_CONTEXT, "keys and values",
	    call_keys(work, group, exchange == EXCHANGE_GATHER), count * times * hops);
	put(book, TRAFFIC_CONTEXT, "their gradients", call_keys_gradients(work, group),
	    count * (double)group->ranks);
}

/* Tokens go to their experts and back, and so do gradients. */
static void put_expert(struct book *book)
{
	const struct workload *work = book->work;
	const double count =
		book->blocks[EXPERTS] * book->batches * passes(work, recompute_sends_experts(work));

	put(book, TRAFFIC_EXPERT, "tokens to experts and back",
	    call_expert(work, book->profile, false), count);
	put(book, TRAFFIC_EXPERT, "tokens to experts and back",
	    call_expert(work, book->profile, true), count);
}

/* Stages send activations on and their gradients back, where the next one is another rank's. */
static void put_pipeline(struct book *book)
{
	const struct plan *plan = book->work->plan;
	int32_t stage, count = 0;

	for (stage = 1; stage < holding_stages(book->work); stage++) {
		int64_t before = plan->stages.items[stage - 1].pp_rank;
		int64_t here = plan->stages.items[stage].pp_rank;
		if (before != here)
			count += (before == book->rank) + (here == book->rank);
	}
	put(book, TRAFFIC_PIPELINE, "activations, their gradients", call_pipeline(book->work),
	    book->batches * (double)count);
}

/* ---- the account ---- */

static void count_blocks(const struct book *book, const struct holdings *stage,
			 double counts[KINDS])
{
	const struct model *model = book->work->model;
	size_t i;

	for (i = 0; i < stage->list.count; i++) {
		int layer = stage->list.items[i].layer;
		if (layer == HOLDING_HEAD) /* with blocks that predict more tokens, like the last */
			counts[model_layer_has_experts(model, model->layers - 1)] +=
				(double)model->mtp;
		else if (layer != HOLDING_EMBEDDING)
			counts[model_layer_has_experts(model, layer)]++;
	}
}

/* The pipeline rank with the most blocks, of equals the first. */
static void choose_rank(struct book *book)
{
	const struct workload *work = book->work;
	double(*counts)[KINDS] = arena_array(book->arena, (size_t)work->pp, sizeof(*counts));
	int32_t stage;
	int64_t rank;

	for (stage = 0; stage < holding_stages(work); stage++) {
		rank = work->pp > 1 ? work->plan->stages.items[stage].pp_rank : 0;
		count_blocks(book, &book->stages[stage], counts[rank]);
	}
	for (rank = 0; rank < work->pp; rank++)
		if (!rank || counts[rank][0] + counts[rank][1] > blocks(book)) {
			book->rank = rank;
			memcpy(book->blocks, counts[rank], sizeof(book->blocks));
		}
	book->traffics->rank = work->pp > 1 ? layout_offset(&work->pipeline.layout, book->rank) : 0;
}

void traffic_of(struct arena *arena, const struct profile *profile, const struct workload *work,
		struct traffics *traffics)
{
	struct book book = { .arena = arena,
			     .profile = profile,
			     .work = work,
			     .traffics = traffics,
			     .stages = work->holdings,
			     .batches = (double)work->microbatches };

	if (work->pp > 1 && !work->schedule)
		return;
	choose_rank(&book);
	put_data(&book);
	put_tensor(&book);
	put_exchange(&book, &work->context, work->context_exchange);
	put_exchange(&book, &work->sequence, work->sequence_exchange);
	put_expert(&book);
	put_pipeline(&book);
}

void traffic_expose(struct traffics *traffics, const struct step *step)
{
	const double exposed[TRAFFIC_AXES] = { [TRAFFIC_DATA] = step->data,
					       [TRAFFIC_TENSOR] = step->tensor,
					       [TRAFFIC_CONTEXT] = step->context,
					       [TRAFFIC_EXPERT] = step->expert,
					       [TRAFFIC_PIPELINE] = -1 };
	double all[TRAFFIC_AXES] = { 0 };
	struct traffic *row;
	size_t i;

	for (i = 0; i < traffics->list.count; i++) {
		row = &traffics->list.items[i];
		all[row->axis] += MICRO * row->count * row->time.time;
	}
	for (i = 0; i < traffics->list.count; i++) {
		row = &traffics->list.items[i];
		if (exposed[row->axis] >= 0)
			row->exposed = fmin(1, exposed[row->axis] / all[row->axis]);
	}
}

double traffic_received(const struct traffic *traffic)
{
	return traffic->count * call_received(&traffic->call);
}

double traffic_over(const struct traffics *traffics, const struct layout *layout)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < traffics->list.count; i++)
		if (layout_same_groups(&traffics->list.items[i].call.group->layout, layout))
			sum += traffic_received(&traffics->list.items[i]);
	return sum;
}

bool traffic_is_first(const struct traffics *traffics, size_t row)
{
	const struct layout *groups = &traffics->list.items[row].call.group->layout;
	size_t i;

	for (i = 0; i < row; i++)
		if (layout_same_groups(&traffics->list.items[i].call.group->layout, groups))
			return false;
	return true;
}

const char *traffic_content(const struct traffic *traffic)
{
	bool experts = traffic->what == expert_unit || traffic->what == expert_bucket;

	if (traffic->axis == TRAFFIC_TENSOR)
		return "activations";
	if (traffic->axis != TRAFFIC_DATA)
		return traffic->what;
	if (!strcmp(traffic->call.op->name, "all_gather"))
		return experts ? "parameters of experts" : "parameters";
	return experts ? "gradients of experts" : "gradients";
}

double traffic_bus(const struct traffic *traffic)
{
	if (traffic->time.time <= 0)
		return 0;
	return call_received(&traffic->call) / (traffic->time.time * MICRO) / GIGA;
}
