#include "sim/traffic.h"

#include "sim/layer.h"

#include <math.h>
#include <string.h>

/* What rows are derived from. */
struct book {
	struct arena *arena;
	const struct profile *profile;
	const struct workload *work;
	struct traffics *traffics;
	struct layer dense, experts;	    /* a block of either kind */
	double dense_blocks, expert_blocks; /* of the stage with the most */
	double batches;
};

/* What a row says beside where it runs: its axis, its group's name and what is carried. */
struct cargo {
	enum traffic_axis axis;
	const char *group, *what;
};

static double doubles(int64_t value)
{
	return (double)value;
}

static void put(struct book *book, struct cargo cargo, const char *op, struct rank_group group,
		double bytes, double count)
{
	struct traffic row = { .axis = cargo.axis,
			       .group = cargo.group,
			       .what = cargo.what,
			       .op = collective_find(op),
			       .communicator = group,
			       .bytes = ceil(bytes),
			       .count = count,
			       .exposed = -1 };
	struct lane lane;

	if (group.ranks < 2 || bytes <= 0 || count <= 0)
		return;
	lane = network_lane(book->profile, book->work->gpus_per_node, group);
	row.nodes = lane.route.place.nodes;
	row.time = collective_time(&lane.route, row.op, row.bytes);
	vec_push(book->arena, &book->traffics->list, row);
}

/* Times that what a block's forward pass sends is sent again by recomputation. */
static double repeats(const struct workload *work)
{
	if (work->recompute == RECOMPUTE_FULL)
		return 1;
	return work->recompute == RECOMPUTE_LAYERS ? 1 / doubles(work->recompute_every) : 0;
}

static double blocks(const struct book *book)
{
	return book->dense_blocks + book->expert_blocks;
}

/* Bytes of an element as FSDP gathers it, and as other state is gathered. */
static double gathered_bytes(const struct workload *work)
{
	if (work->format <= FORMAT_TF32)
		return 4;
	return work->fp8_gather && work->zero == ZERO_PARAMETERS ? 1 : 2;
}

/*
 * Gathers of a unit per step, FSDP2: before it is computed and again before its backward pass where
 * it was let go; what is kept in a pipeline is kept through all microbatches.
 */
static double gathers(const struct book *book)
{
	if (book->work->reshard)
		return 2 * book->batches;
	return book->work->pp > 1 ? 1 : book->batches;
}

/* Reductions per step: of every microbatch, in a pipeline of the last alone. */
static double scatters(const struct book *book)
{
	return book->work->pp > 1 ? 1 : book->batches;
}

/* A unit of FSDP of `elements` over `group`; copies of it meet over dp_replicate. */
static void put_unit(struct book *book, struct cargo cargo, struct rank_group group,
		     double elements, double count)
{
	const struct workload *work = book->work;
	struct rank_group copies = { work->replicate, group.ranks * group.stride };
	double reduced = doubles(work->grad_bytes) * elements;

	put(book, cargo, "all_gather", group, gathered_bytes(work) * elements,
	    count * gathers(book));
	put(book, cargo, "reduce_scatter", group, reduced, count * scatters(book));
	cargo.group = "dp_replicate";
	put(book, cargo, "all_reduce", copies, reduced / doubles(group.ranks),
	    count * scatters(book));
}

/* Ranks that share one expert's parameters, and how far apart they are. */
static struct rank_group expert_group(const struct workload *work)
{
	struct rank_group group = { work->dp * work->cp * work->tp / (work->ep * work->etp),
				    work->ep * work->etp };

	return group;
}

/* Experts have ranks of their own; otherwise their parameters lie in their block's unit. */
static bool apart(const struct workload *work)
{
	return work->ep > 1 || work->etp != work->tp;
}

/* Elements of the embedding on this rank: of the output where it has weights of its own, too. */
static double table_elements(const struct workload *work)
{
	return doubles(work->model->vocab) * doubles(work->model->hidden) / doubles(work->tp);
}

static double tables(const struct workload *work)
{
	return work->model->tied_embeddings || work->pp > 1 ? 1 : 2;
}

static void put_sharded(struct book *book)
{
	const struct workload *work = book->work;
	struct rank_group group = { work->shard, work->tp }, experts = expert_group(work);
	struct cargo cargo = { TRAFFIC_DATA, work->cp > 1 ? "dp_shard_cp" : "dp_shard", "a block" };
	double inside = apart(work) ? 0 : book->experts.expert_parameters;

	put_unit(book, cargo, group, book->dense.parameters, book->dense_blocks);
	cargo.what = "a block with experts";
	put_unit(book, cargo, group, book->experts.parameters + inside, book->expert_blocks);
	cargo.what = work->pp > 1 ? "embedding or output" : "embedding, output";
	put_unit(book, cargo, group, table_elements(work), tables(work));
	if (!apart(work) || experts.ranks < work->replicate)
		return;
	cargo = (struct cargo) { TRAFFIC_DATA, "edp", "experts of a block" };
	experts.ranks /= work->replicate;
	put_unit(book, cargo, experts, book->experts.expert_parameters, book->expert_blocks);
}

/*
 * Elements of a gradient bucket: torchtitan's DDP (bucket_cap_mb=100) and torch's own (25 MiB);
 * Megatron's where it overlaps (40 million, or a million per data-parallel rank), one otherwise;
 * DeepSpeed's reduce_bucket_size.
 */
static double bucket_elements(const struct workload *work)
{
	double bytes = doubles(work->grad_bytes);

	if (work->deepspeed)
		return 5e8;
	if (work->software >= SOFTWARE_MEGATRON)
		return work->overlap_grads ? fmax(40e6, 1e6 * doubles(work->dp * work->cp))
					   : HUGE_VAL;
	return (strcmp(work->framework, "torchtitan") != 0 ? 25 : 100) * 1048576 / bytes;
}

/*
 * Gradients of `elements` are reduced and their parameters gathered once per step. Without a
 * sharded state, and in Megatron and DeepSpeed before 2023 with one, gradients are all-reduced.
 */
static void put_reduced(struct book *book, struct cargo cargo, struct rank_group group,
			double elements)
{
	const struct workload *work = book->work;
	bool whole = work->zero == ZERO_NONE || work->software == SOFTWARE_MEGATRON;
	double buckets = ceil(elements / bucket_elements(work)), each;

	buckets = fmax(buckets, 1); /* a bucket without end holds all */
	each = elements / buckets;
	put(book, cargo, whole ? "all_reduce" : "reduce_scatter", group,
	    doubles(work->grad_bytes) * each, buckets);
	if (work->zero != ZERO_NONE)
		put(book, cargo, "all_gather", group, gathered_bytes(work) * each, buckets);
}

static void put_data(struct book *book)
{
	const struct workload *work = book->work;
	struct rank_group group = { work->dp * work->cp, work->tp };
	struct cargo cargo = { TRAFFIC_DATA, work->cp > 1 ? "dp_cp" : "dp", "a bucket" };
	double experts = book->expert_blocks * book->experts.expert_parameters;
	double dense = book->dense_blocks * book->dense.parameters +
		       book->expert_blocks * book->experts.parameters +
		       tables(work) * table_elements(work);

	if (work->zero == ZERO_PARAMETERS) {
		put_sharded(book);
		return;
	}
	put_reduced(book, cargo, group, apart(work) ? dense : dense + experts);
	cargo.group = "edp";
	cargo.what = "a bucket of experts";
	if (apart(work))
		put_reduced(book, cargo, expert_group(work), experts);
}

/* Two all-reduces each way, or as many all-gathers and reduce-scatters. */
static void put_tensor(struct book *book)
{
	const struct workload *work = book->work;
	struct rank_group group = { work->tp, 1 };
	struct cargo cargo = { TRAFFIC_TENSOR, "tp", "a block's activations" };
	double bytes = 2 * doubles(workload_tokens(work)) * doubles(work->model->hidden);
	double count = 2 * blocks(book) * book->batches * (2 + repeats(work));

	if (!work->sequence_parallel) {
		put(book, cargo, "all_reduce", group, bytes, count);
		return;
	}
	put(book, cargo, "all_gather", group, bytes, count);
	put(book, cargo, "reduce_scatter", group, bytes, count);
}

/* Elements of the keys and values of one rank in one block. */
static double keys_and_values(const struct workload *work)
{
	const struct model *model = work->model;
	double width = 2 * fmax(doubles(model->kv_heads), 1) * doubles(model->head_dim);

	if (model->kv_lora > 0)
		width = doubles(model->heads) *
			doubles(model->qk_nope + model->qk_rope + model->v_dim);
	return doubles(workload_tokens(work)) * width / doubles(work->tp);
}

/*
 * Keys and values are gathered, or go round the ring while the core computes; their gradients go
 * round in either case, in fp32 with torch (torch/distributed/tensor/experimental/_attention.py,
 * 2.8) and in bf16 with others (Transformer Engine's point-to-point method).
 */
static void put_context(struct book *book)
{
	const struct workload *work = book->work;
	struct rank_group group = { work->cp, work->tp };
	struct cargo cargo = { TRAFFIC_CONTEXT, "cp", "keys and values" };
	double part = keys_and_values(work), steps = doubles(work->cp);
	double count = blocks(book) * book->batches, passes = 2 + repeats(work);

	if (work->cp_rotates)
		put(book, cargo, "send_recv", group, 2 * part, count * passes * (steps - 1));
	else
		put(book, cargo, "all_gather", group, 2 * steps * part, count * passes);
	cargo.what = "their gradients";
	put(book, cargo, "send_recv", group, (work->software <= SOFTWARE_COMPILED ? 4 : 2) * part,
	    count * steps);
}

/* Tokens go to their experts and back, and so do gradients. */
static void put_expert(struct book *book)
{
	const struct workload *work = book->work;
	struct rank_group group = { work->ep, work->etp };
	struct cargo cargo = { TRAFFIC_EXPERT, "ep", "tokens to experts and back" };
	double rows = doubles(workload_tokens(work)) * doubles(work->model->topk) *
		      doubles(work->etp) / doubles(work->tp);

	put(book, cargo, "all_to_all", group, 2 * rows * doubles(work->model->hidden),
	    2 * book->expert_blocks * book->batches * (2 + repeats(work)));
}

/* A stage in the middle sends activations on and their gradients back. */
static void put_pipeline(struct book *book)
{
	const struct workload *work = book->work;
	struct rank_group pair = { work->pp > 1 ? 2 : 1, work->world / work->pp };
	struct cargo cargo = { TRAFFIC_PIPELINE, "pp", "activations, their gradients" };

	put(book, cargo, "send_recv", pair,
	    2 * doubles(workload_tokens(work)) * doubles(work->model->hidden) / doubles(work->tp),
	    2 * book->batches * doubles(work->virtual_stages));
}

void traffic_of(struct arena *arena, const struct profile *profile, const struct workload *work,
		struct traffics *traffics)
{
	const struct model *model = work->model;
	const double most = ceil(doubles(model->layers) / doubles(work->pp));
	struct book book = { .arena = arena,
			     .profile = profile,
			     .work = work,
			     .traffics = traffics,
			     .dense_blocks = most,
			     .batches = doubles(work->microbatches) };

	if (model->experts > 0) {
		book.expert_blocks = fmin(most, ceil(doubles(model->layers - model->dense_layers) /
						     doubles(work->pp)));
		book.dense_blocks = most - book.expert_blocks;
		book.experts = layer_cost(profile, work, true);
	}
	if (book.dense_blocks > 0)
		book.dense = layer_cost(profile, work, false);
	put_data(&book);
	put_tensor(&book);
	put_context(&book);
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
		all[row->axis] += 1e-6 * row->count * row->time.time;
	}
	for (i = 0; i < traffics->list.count; i++) {
		row = &traffics->list.items[i];
		if (exposed[row->axis] >= 0)
			row->exposed = fmin(1, exposed[row->axis] / all[row->axis]);
	}
}

double traffic_bus(const struct traffic *traffic)
{
	if (traffic->time.time <= 0)
		return 0;
	return traffic->bytes / traffic->time.time / 1e3 *
	       traffic->op->traffic(doubles(traffic->communicator.ranks));
}
