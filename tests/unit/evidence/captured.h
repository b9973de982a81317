#ifndef TESTS_UNIT_EVIDENCE_CAPTURED_H
#define TESTS_UNIT_EVIDENCE_CAPTURED_H

#include "evidence/evidence.h"

/* Captures made in memory, as readers would fill them. */

static const struct evidence_source captured_source = { .name = "test", .record = "entry" };

static inline void capture_open(struct capture *capture, struct arena *arena, int64_t world,
				int64_t steps)
{
	struct evidence_file file = {
		.path = "run", .source = &captured_source, .rank = -1, .steps = steps
	};

	evidence_init(capture, arena);
	capture->world = world;
	vec_push(arena, &capture->files, file);
}

/* The group of a rank among those of `size` ranks, `stride` apart. */
static inline int32_t capture_group(struct capture *capture, const char *desc, int64_t rank,
				    int64_t size, int64_t stride)
{
	int64_t *ranks = arena_array(capture->arena, (size_t)size, sizeof(*ranks)), i;
	int64_t base = rank - rank / stride % size * stride;
	struct seen_group group = { .name = "",
				    .desc = desc,
				    .backend = "nccl",
				    .size = size,
				    .ranks = ranks,
				    .observer = rank,
				    .witness = { 0, (int64_t)capture->groups.count + 1 } };

	for (i = 0; i < size; i++)
		ranks[i] = base + i * stride;
	vec_push(capture->arena, &capture->groups, group);
	return (int32_t)capture->groups.count - 1;
}

/* A call of every step, or one without a mark where there are no steps. */
static inline void capture_call(struct capture *capture, int32_t group, struct seen_call call)
{
	int64_t steps = capture->files.items[0].steps, step;

	call.group = group;
	call.count = call.count ? call.count : 1;
	call.bytes = -1;
	call.witness = (struct witness) { 0, (int64_t)capture->calls.count + 1 };
	for (step = 0; step < (steps ? steps : 1); step++) {
		call.step = steps ? step : -1;
		vec_push(capture->arena, &capture->calls, call);
	}
}

enum { BLOCK = 218112000, EMBEDDING = 1050677248, BATCH = 4096 * 5120 };

/* FSDP as one rank makes it: two units, gathered twice and once, scattered in fp32. */
static inline void capture_fsdp(struct capture *capture, const char *desc, int64_t rank,
				int64_t size, int64_t stride)
{
	static const int64_t units[] = { BLOCK, EMBEDDING };
	int32_t group = capture_group(capture, desc, rank, size, stride);
	size_t i;

	for (i = 0; i < 2; i++) {
		struct seen_call gather = { .rank = rank,
					    .op = SEEN_ALL_GATHER,
					    .in = units[i] / size,
					    .out = units[i],
					    .dtype = "bfloat16",
					    .dims = 1,
					    .peer = -1,
					    .count = i ? 1 : 2 };
		struct seen_call scatter = { .rank = rank,
					     .op = SEEN_REDUCE_SCATTER,
					     .in = units[i],
					     .out = units[i] / size,
					     .dtype = "float32",
					     .dims = 1,
					     .peer = -1 };
		capture_call(capture, group, gather);
		capture_call(capture, group, scatter);
	}
}

static inline void capture_reduce(struct capture *capture, int32_t group, int64_t rank,
				  int64_t elements, int dims)
{
	struct seen_call call = { .rank = rank,
				  .op = SEEN_ALL_REDUCE,
				  .in = elements,
				  .out = elements,
				  .dtype = "float32",
				  .dims = dims,
				  .peer = -1 };

	capture_call(capture, group, call);
}

/* Gradients of such units summed between copies. */
static inline void capture_copies(struct capture *capture, int64_t rank, int64_t size,
				  int64_t stride, int64_t shard)
{
	int32_t group = capture_group(capture, "", rank, size, stride);

	capture_reduce(capture, group, rank, BLOCK / shard, 1);
	capture_reduce(capture, group, rank, EMBEDDING / shard, 1);
}

/* DDP: buckets of different sizes. */
static inline void capture_ddp(struct capture *capture, int64_t rank, int64_t size, int64_t stride)
{
	int32_t group = capture_group(capture, "default_pg", rank, size, stride);

	capture_reduce(capture, group, rank, 7875584, 1);
	capture_reduce(capture, group, rank, 2049000, 1);
}

/* The loss over all ranks: the end of a step. */
static inline void capture_loss(struct capture *capture, int64_t rank)
{
	capture_reduce(capture, capture_group(capture, "default_pg", rank, capture->world, 1), rank,
		       1, 1);
}

/* Tensor parallelism with sequence parallelism. */
static inline void capture_tensor(struct capture *capture, int64_t rank, int64_t size,
				  int64_t stride)
{
	int32_t group = capture_group(capture, "", rank, size, stride);
	struct seen_call gather = { .rank = rank,
				    .op = SEEN_ALL_GATHER,
				    .in = BATCH / size,
				    .out = BATCH,
				    .dtype = "bfloat16",
				    .dims = 3,
				    .peer = -1,
				    .count = 64 };
	struct seen_call scatter = gather;

	scatter.op = SEEN_REDUCE_SCATTER;
	scatter.in = BATCH;
	scatter.out = BATCH / size;
	capture_call(capture, group, gather);
	capture_call(capture, group, scatter);
}

/* Activations to the next stage, gradients back. */
static inline void capture_pipeline(struct capture *capture, int64_t rank, int64_t size,
				    int64_t stride)
{
	int32_t group = capture_group(capture, "", rank, size, stride);
	int64_t at = rank / stride % size, peer;
	struct seen_call call = {
		.rank = rank, .in = BATCH, .out = BATCH, .dtype = "bfloat16", .dims = 3, .count = 8
	};

	peer = at + 1 < size ? rank + stride : rank - stride;
	call.op = SEEN_SEND;
	call.peer = peer;
	capture_call(capture, group, call);
	call.op = SEEN_RECV;
	capture_call(capture, group, call);
}

#endif
