#include "sim/states.h"

#include <math.h>
#include <string.h>

/* 2025-07-28: TorchTitan makes the embedding, and norm and output, units of their own (83e694105).
 */
#define ENDS_SPLIT ((moment_t)2025072801)
/* 2025-01-01: about when TorchTitan's Adam became the fused one. */
#define FUSED_ADAM ((moment_t)2025010100)

/* DeepSpeed's reduce_bucket_size, 5e8 elements unless it is given, in 16 bits. */
#define DEEPSPEED_BUCKET (5e8 * 2)

/* 2024-09-01: about when recipes of NeMo 2 keep fp8 weights alone and reduce gradients in bf16. */
#define FP8_ALONE ((moment_t)2024090100)

/* Bytes per element of parameters, gradients and Adam's state, before any sharding. */
struct widths {
	double parameter, gradient, optimizer;
};

/* PyTorch's own optimizer rather than a mixed-precision one around it. */
static bool is_plain(const struct workload *work)
{
	return !work->deepspeed &&
	       (work->software <= SOFTWARE_COMPILED || !strcmp(work->framework, "nemo-automodel"));
}

static bool holds_bf16_only(const struct workload *work)
{
	return !strcmp(work->framework, "torchtune") || !strcmp(work->framework, "nemo-automodel");
}

static bool fp8_alone(const struct workload *work)
{
	return work->format >= FORMAT_FP8 && (!work->since || work->since >= FP8_ALONE);
}

/*
 * Transformer Engine keeps an fp8 weight as it is and transposed, which Hopper's products want;
 * before recipes kept these alone, beside the bf16 one, from microbatch to microbatch.
 */
static double engine_weight(const struct workload *work)
{
	double copies = work->one_copy ? 1 : 2;

	if (work->format != FORMAT_FP8)
		return 2;
	return fp8_alone(work) ? copies : 2 + copies;
}

/*
 * DeepSpeed's ZeRO-1 copies its share of the gradients at the step, in fp16 and in fp32; its
 * BF16_Optimizer accumulates all of them in fp32 beside the bf16 ones.
 */
static struct widths widths_of(const struct workload *work)
{
	bool narrow = work->param_fp16 || work->narrow_gradients || fp8_alone(work);

	if (holds_bf16_only(work))
		return (struct widths) { 2, 2, 4 };
	if (is_plain(work) && (work->zero == ZERO_NONE || work->zero >= ZERO_GRADIENTS))
		return (struct widths) { 4, 4, 8 };
	if (work->deepspeed && work->zero == ZERO_OPTIMIZER)
		return work->param_fp16 ? (struct widths) { 2, 2, 18 }
					: (struct widths) { 2, 6, 14 };
	if (work->software == SOFTWARE_ENGINE)
		return (struct widths) { engine_weight(work), narrow ? 2 : 4, 12 };
	return (struct widths) { 2, 2, 12 };
}

/* Ranks over which dense (0) and expert (1) elements are cut. */
static double shards(const struct workload *work, int kind)
{
	if (kind == 0)
		return (double)work->shard;
	return fmax(1, (double)(work->dp * work->cp * work->tp) / (double)(work->ep * work->etp));
}

/* FSDP, whichever stage of ZeRO it is called: all of its state is cut. */
static bool cuts_all(const struct workload *work)
{
	return work->zero == ZERO_PARAMETERS || (work->zero == ZERO_GRADIENTS && is_plain(work));
}

static void put_kind(const struct workload *work, struct states *states, int kind)
{
	struct widths width = widths_of(work);
	double ranks = shards(work, kind);

	states->parameter[kind] = width.parameter / (cuts_all(work) ? ranks : 1);
	states->gradient[kind] = width.gradient / (work->zero >= ZERO_GRADIENTS ? ranks : 1);
	states->optimizer[kind] = width.optimizer / (work->zero >= ZERO_OPTIMIZER ? ranks : 1);
	if (work->cpu_offload)
		states->parameter[kind] = states->gradient[kind] = states->optimizer[kind] = 0;
}

/* DeepSpeed reduces in 16 bits, as does FSDP unless told otherwise; TorchTitan tells it fp32. */
static double reduction_bytes(const struct workload *work)
{
	bool titan = !strcmp(work->framework, "torchtitan");

	return titan || work->gradients_said ? (double)work->grad_bytes : 2;
}

/*
 * FSDP2 gathers in 16 bits into one buffer, copies the parameters out of it, and copies gradients
 * into a buffer of their type of reduction (torch/distributed/fsdp/_fully_shard of 2.4 to 2.11).
 */
static void put_gathering(const struct workload *work, struct states *states)
{
	if (work->shard < 2)
		return;
	states->gathered = 2;
	states->flat = is_plain(work) ? 2 : 0;
	states->unreduced = 2;
	states->reduced = reduction_bytes(work);
	if (work->pp > 1) /* kept for the last microbatch, in the type of the reduction */
		states->unreduced = states->reduced;
}

/* Embedding and head are one unit, with what else no block has. */
static bool has_root(const struct workload *work)
{
	if (strcmp(work->framework, "torchtitan") != 0)
		return is_plain(work);
	return work->since && work->since < ENDS_SPLIT;
}

/* Adam that is not fused makes square roots of all second moments (torch._foreach_sqrt). */
static bool makes_roots(const struct workload *work)
{
	if (!is_plain(work) || holds_bf16_only(work))
		return false;
	return strcmp(work->framework, "torchtitan") != 0 ||
	       (work->since && work->since < FUSED_ADAM);
}

static void put_buffers(const struct workload *work, struct states *states)
{
	if (cuts_all(work))
		put_gathering(work, states);
	else if (work->zero == ZERO_NONE && is_plain(work) && work->replicate > 1)
		states->copied = 4; /* DistributedDataParallel's, beside the gradients */
	if (work->deepspeed && work->dp > 1)
		states->bucket = DEEPSPEED_BUCKET;
}

struct states states_of(const struct workload *work)
{
	struct states states = { .gradients_let_go = is_plain(work), .root = has_root(work) };
	int kind;

	for (kind = 0; kind < 2; kind++) {
		put_kind(work, &states, kind);
		states.update[kind] = makes_roots(work) ? states.parameter[kind] : 0;
	}
	states.own_pool = is_plain(work) && cuts_all(work) && work->shard > 1;
	put_buffers(work, &states);
	return states;
}

double states_bytes(const double each[2], const struct unit_cost *unit)
{
	return each[0] * unit->elements + each[1] * unit->experts;
}
