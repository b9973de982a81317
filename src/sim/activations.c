#include "sim/activations.h"

#include <math.h>
#include <string.h>

/* 2026-07-01: about when TorchTitan's configs split the loss into chunks. */
#define CHUNKED_LOSS ((moment_t)2026070100)
/* 2025-05-01: Megatron core 0.12 weights routed tokens inside the experts. */
#define PROBABILITIES_INSIDE ((moment_t)2025050100)

/* Bytes per element of what a linear layer keeps of its input. */
static double input_bytes(const struct workload *work)
{
	return work->software == SOFTWARE_ENGINE && work->format >= FORMAT_FP8 ? 1 : 2;
}

static double attention_kept(const struct workload *work)
{
	const struct model *model = work->model;
	double tp = (double)work->tp, heads = (double)model->heads / tp;
	double dim = (double)model->head_dim, bytes, out = heads * dim;

	if (model->kv_lora > 0) {
		out = heads * (double)model->v_dim;
		bytes = 4 * heads * (double)(model->qk_nope + model->qk_rope) + 2 * out +
			4 * (double)(model->q_lora + model->kv_lora) + 2 * (double)model->qk_rope;
	} else {
		bytes = 2 * out + 4 * fmax((double)model->kv_heads / tp, 1) * dim;
	}
	bytes += 2 * out + (input_bytes(work) < 2 ? out : 0);
	return bytes + (work->flash ? 4 * heads : 5 * heads * (double)work->seq / (double)work->cp);
}

static double mlp_kept(const struct workload *work, double width)
{
	bool gated = work->model->gated_mlp;
	double bytes = (2 * (gated ? 2 : 1) + input_bytes(work)) * width;

	if (gated && work->software == SOFTWARE_EAGER)
		bytes += 2 * width;
	return bytes;
}

/*
 * Routed tokens: permuted inputs and what the experts make of them. Before Megatron core 0.12
 * (2025-05) outputs were weighted after the experts, and kept for that; eager PyTorch also
 * pads, and weights them in fp32.
 */
static double experts_kept(const struct workload *work)
{
	const struct model *model = work->model;
	double topk = (double)model->topk, tp = (double)work->tp;
	double copies = input_bytes(work) * topk, stream = (double)model->hidden;
	double inner = mlp_kept(work, topk * (double)model->expert_ffn);

	if (work->software <= SOFTWARE_COMPILED)
		copies = (work->software == SOFTWARE_EAGER ? 16 : 6) * topk;
	else if (work->when && work->when < PROBABILITIES_INSIDE)
		copies += 4 * topk;
	return (work->etp < work->tp ? 1 / tp : 1) * copies * stream + inner / tp +
	       4 * (double)model->experts / tp;
}

double activations_block(const struct workload *work, bool experts)
{
	const struct model *model = work->model;
	double tp = (double)work->tp, hidden = (double)model->hidden;
	double stream = work->sequence_parallel ? hidden / tp : hidden;
	double bytes = (4 + 2 * input_bytes(work)) * stream + attention_kept(work);

	if (!model->gated_mlp && work->software >= SOFTWARE_MEGATRON)
		bytes += 2 * stream; /* masks of two dropouts */
	if (model->gated_mlp && !work->fused_norms)
		bytes += 12 * stream;
	bytes += mlp_kept(work, (double)(experts ? model->shared_ffn : model->ffn) / tp);
	return bytes + (experts ? experts_kept(work) : 0);
}

/* What selective recomputation by operators keeps: inputs, projections, attention output. */
static double kept_operators(const struct workload *work, bool experts)
{
	const struct model *model = work->model;
	double tp = (double)work->tp, hidden = (double)model->hidden;
	double stream = work->sequence_parallel ? hidden / tp : hidden;
	double heads = (double)model->heads / tp, dim = (double)model->head_dim;
	double kv = (double)model->kv_heads / tp;

	if (work->format == FORMAT_FP4) /* its products are no operators of the list */
		return 4 * stream + 2 * heads * dim;
	if (experts)
		return 4 * stream + 2 * heads * dim + 4 * (double)model->shared_ffn / tp +
		       (double)model->topk * (4 * hidden + 2 * (double)model->expert_ffn) / tp;
	return 4 * stream + 1.2 * (heads + 2 * kv) * dim + 2 * heads * dim + 2 * hidden / tp +
	       2 * (double)model->ffn / tp;
}

/*
 * Bytes per logit at the peak of the loss. PyTorch holds them in bf16, in fp32, their
 * log-softmax and its gradient (14); Megatron core writes their gradient over its fp32 copy and
 * casts it to bf16 (8); before that it subtracted the maximum into another copy (10). In eight
 * chunks (TorchTitan from 2026-07, pull request 2937) one chunk is left, in torchtune the bf16
 * ones, too.
 */
static double logit_bytes(const struct workload *work)
{
	if (!strcmp(work->framework, "composer") || !strcmp(work->framework, "llm-foundry"))
		return 4; /* a fused loss that writes its gradient over the logits */
	if (!strcmp(work->framework, "torchtune"))
		return 4 + 10.0 / 8;
	if (!strcmp(work->framework, "torchtitan") && work->when >= CHUNKED_LOSS)
		return 14.0 / 8;
	if (work->software == SOFTWARE_ENGINE)
		return 8;
	return work->software == SOFTWARE_MEGATRON ? 10 : 14;
}

/* Bytes that all blocks of a stage keep for one microbatch. */
static double kept_by_stage(const struct workload *work)
{
	const struct model *model = work->model;
	double tokens = (double)workload_tokens(work), layers = (double)model->layers;
	double dense = model->experts > 0 ? (double)model->dense_layers : layers;
	double stream = 2 * (double)model->hidden * tokens /
			(work->sequence_parallel ? (double)work->tp : 1);
	double every = (double)work->recompute_every, all;

	all = tokens * (dense * activations_block(work, false) +
			(layers - dense) * activations_block(work, true));
	switch (work->recompute) {
	case RECOMPUTE_FULL:
		all = work->host_inputs ? 0 : layers * stream;
		break;
	case RECOMPUTE_LAYERS:
		all = all * (1 - 1 / every) + layers / every * stream;
		break;
	case RECOMPUTE_OPERATORS:
		all = tokens * (dense * kept_operators(work, false) +
				(layers - dense) * kept_operators(work, true));
		break;
	case RECOMPUTE_ATTENTION:
		if (!work->flash)
			all -= layers * tokens * 5 * (double)model->heads / (double)work->tp *
			       (double)work->seq / (double)work->cp;
		break;
	case RECOMPUTE_NONE:
		break;
	}
	if (work->deepspeed &&
	    work->pp > 1) /* it keeps a stage's input, its clone and its output */
		return all * ceil(layers / (double)work->pp) / layers + 2 * stream;
	return all * ceil(layers / (double)work->pp) / layers;
}

/* One recomputed block, whole. */
static double recomputed_block(const struct workload *work)
{
	if (work->recompute == RECOMPUTE_NONE || work->recompute == RECOMPUTE_ATTENTION)
		return 0;
	return (double)workload_tokens(work) * activations_block(work, work->model->experts > 0);
}

/* Microbatches whose activations the first stage holds at once; the last holds one round. */
static double in_flight(const struct workload *work, bool last)
{
	double stages = (double)work->pp, batches = (double)work->microbatches;
	double virtual = (double)work->virtual_stages;

	if (work->pp == 1)
		return 1;
	if (work->virtual_stages > 1)
		stages = last ? stages * (virtual - 1) / virtual + 1 / virtual
			      : stages + (stages - 1) / virtual;
	else if (last)
		stages = 1;
	return fmin(batches, stages);
}

struct activations activations_cost(const struct workload *work)
{
	double tokens = (double)workload_tokens(work), stage = kept_by_stage(work);
	double logits = tokens * (double)work->model->vocab / (double)work->tp * logit_bytes(work);
	struct activations first = { stage * in_flight(work, false), recomputed_block(work), 0 };
	struct activations last = { stage * in_flight(work, true), first.block, logits };

	return work->pp == 1 || last.kept + fmax(last.block, logits) > first.kept + first.block
		       ? last
		       : first;
}
