#include "sim/memory.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

#define GIB 1073741824.0

/* Elements that one rank holds of the model, by what they are. */
struct share {
	double dense, experts, tables;
	double layers; /* blocks */
};

static double matrices(const struct model *model)
{
	return model->gated_mlp ? 3 : 2;
}

static double attention_elements(const struct workload *work)
{
	const struct model *model = work->model;
	double hidden = (double)model->hidden, heads = (double)model->heads / (double)work->tp;
	double qk = (double)(model->qk_nope + model->qk_rope), value = (double)model->v_dim;
	double queries;

	if (model->kv_lora <= 0)
		return hidden * (2 * heads + 2 * (double)model->kv_heads / (double)work->tp) *
		       (double)model->head_dim;
	queries = model->q_lora > 0 ? (double)model->q_lora * (hidden + heads * qk) :
				      hidden * heads * qk;
	return queries + hidden * (double)(model->kv_lora + model->qk_rope) +
	       (double)model->kv_lora * heads * ((double)model->qk_nope + value) +
	       heads * value * hidden;
}

static struct share share_of(const struct workload *work)
{
	const struct model *model = work->model;
	double hidden = (double)model->hidden, tp = (double)work->tp, each = attention_elements(work);
	double dense, mlp = matrices(model) * hidden * (double)model->ffn / tp;
	struct share share = { .layers = ceil((double)model->layers / (double)work->pp) };

	dense = model->experts > 0 ? (double)model->dense_layers / (double)work->pp : share.layers;
	share.dense = dense * (each + mlp) +
		      (share.layers - dense) *
			      (each + matrices(model) * hidden * (double)model->shared_ffn / tp);
	if (model->experts > 0)
		share.experts = (share.layers - dense) * matrices(model) * hidden *
				(double)model->expert_ffn * (double)model->experts /
				(double)(work->ep * work->etp);
	share.tables = (double)model->vocab * hidden / tp *
			       (model->tied_embeddings || work->pp > 1 ? 1 : 2) +
		       (double)model->learned_positions * hidden;
	return share;
}

static double expert_copies(const struct workload *work)
{
	return fmax(1, (double)(work->dp * work->cp * work->tp) / (double)(work->ep * work->etp));
}

/* Bytes per element of parameters, gradients and Adam's state, before any sharding. */
struct widths {
	double parameter, gradient, optimizer;
};

static struct widths widths_of(const struct workload *work)
{
	bool fp16 = work->param_fp16;

	if (!strcmp(work->framework, "torchtune"))
		return (struct widths){ 2, 2, 4 };
	if (work->zero == ZERO_PARAMETERS && work->software <= SOFTWARE_COMPILED)
		return (struct widths){ 4, 4, 8 };
	if (work->software == SOFTWARE_ENGINE)
		return (struct widths){ 2, fp16 || work->format >= FORMAT_FP8 ? 2 : 4, 12 };
	return (struct widths){ 2, fp16 || !text_starts(work->version, "deepspeed") ? 2 : 4, 12 };
}

static void put_states(const struct workload *work, const struct share *share,
		       struct memory *memory)
{
	struct widths width = widths_of(work);
	double dense = share->dense + share->tables, shard = (double)work->shard;
	double copies = expert_copies(work);
	double split[] = { 1, 1, 1 }, expert_split[] = { 1, 1, 1 };
	int i, first = 3 - (int)work->zero;

	for (i = first < 0 ? 0 : first; i < 3; i++) {
		split[i] = shard;
		expert_split[i] = copies;
	}
	memory->parameters =
		width.parameter * (dense / split[0] + share->experts / expert_split[0]);
	memory->gradients =
		width.gradient * (dense / split[1] + share->experts / expert_split[1]);
	memory->optimizer =
		width.optimizer * (dense / split[2] + share->experts / expert_split[2]);
	if (work->cpu_offload) {
		memory->optimizer = 0;
		memory->parameters *= 0.5;
	}
	if (work->zero == ZERO_PARAMETERS)
		memory->unsharded = (2 * 2 + 4) * share->dense / share->layers + share->tables;
	else if (work->zero == ZERO_GRADIENTS)
		memory->unsharded = 0.2 * dense;
}

/* Bytes that one block keeps per token of this rank for its backward pass. */
static double kept(const struct workload *work, bool experts)
{
	const struct model *model = work->model;
	double tp = (double)work->tp, hidden = (double)model->hidden;
	double heads = (double)model->heads / tp, dim = (double)model->head_dim;
	double stream = work->sequence_parallel ? hidden / tp : hidden, bytes = 8 * stream;
	double width = (double)(experts ? model->shared_ffn : model->ffn) / tp;

	if (model->kv_lora > 0)
		bytes += 4 * heads * (double)(model->qk_nope + model->qk_rope) +
			 4 * heads * (double)model->v_dim +
			 4 * (double)(model->q_lora + model->kv_lora) + 2 * (double)model->qk_rope;
	else
		bytes += 4 * heads * dim + 4 * fmax((double)model->kv_heads / tp, 1) * dim;
	bytes += work->flash ? 4 * heads : 5 * heads * (double)work->seq / (double)work->cp;
	if (!model->gated_mlp && work->software >= SOFTWARE_MEGATRON)
		bytes += 2 * stream;
	if (model->gated_mlp && !work->fused_norms)
		bytes += 12 * stream;
	bytes += 2 * width * (model->gated_mlp ? 3 : 2);
	if (model->gated_mlp && work->software == SOFTWARE_EAGER)
		bytes += 2 * width;
	if (experts) {
		double topk = (double)model->topk;
		bytes += 6 * hidden * topk / (work->etp < work->tp ? tp : 1) +
			 6 * topk * (double)model->expert_ffn / tp +
			 4 * (double)model->experts / tp;
	}
	return bytes;
}

/* What selective recomputation by operators keeps: inputs, projections, attention output. */
static double kept_operators(const struct workload *work)
{
	const struct model *model = work->model;
	double tp = (double)work->tp, hidden = (double)model->hidden;
	double stream = work->sequence_parallel ? hidden / tp : hidden;
	double heads = (double)model->heads / tp, dim = (double)model->head_dim;
	double kv = (double)model->kv_heads / tp;

	return 4 * stream + 1.2 * (heads + 2 * kv) * dim + 2 * heads * dim + 2 * hidden / tp +
	       2 * (double)model->ffn / tp;
}

/* Bytes per logit that the loss keeps at its peak. */
static double logit_bytes(const struct workload *work)
{
	if (!strcmp(work->framework, "composer") || !strcmp(work->framework, "llm-foundry"))
		return 4; /* a fused loss that writes its gradient over the logits */
	return work->software >= SOFTWARE_MEGATRON ? 8 : 10;
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

	all = tokens * (dense * kept(work, false) + (layers - dense) * kept(work, true));
	switch (work->recompute) {
	case RECOMPUTE_FULL:
		all = layers * stream;
		break;
	case RECOMPUTE_LAYERS:
		all = all * (1 - 1 / every) + layers / every * stream;
		break;
	case RECOMPUTE_OPERATORS:
		all = layers * tokens * kept_operators(work);
		break;
	case RECOMPUTE_ATTENTION:
		if (!work->flash)
			all -= layers * tokens * 5 * (double)model->heads / (double)work->tp *
			       (double)work->seq / (double)work->cp;
		break;
	case RECOMPUTE_NONE:
		break;
	}
	return all * ceil(layers / (double)work->pp) / layers;
}

/* One recomputed block, whole. */
static double recomputed_block(const struct workload *work)
{
	if (work->recompute == RECOMPUTE_NONE || work->recompute == RECOMPUTE_ATTENTION)
		return 0;
	return (double)workload_tokens(work) * kept(work, work->model->experts > 0);
}

/* Microbatches whose activations the first stage holds at once; the last holds one round. */
static double in_flight(const struct workload *work, bool last)
{
	double stages = (double)work->pp, batches = (double)work->microbatches;
	double virtual = (double)work->virtual_stages;

	if (work->pp == 1)
		return 1;
	if (work->virtual_stages > 1)
		stages = last ? stages * (virtual - 1) / virtual + 1 / virtual :
				stages + (stages - 1) / virtual;
	else if (last)
		stages = 1;
	return fmin(batches, stages);
}

/* The first or the last stage, whichever holds more: the one holds more microbatches, the other the loss. */
static void put_activations(const struct workload *work, struct memory *memory)
{
	double tokens = (double)workload_tokens(work), stage = kept_by_stage(work);
	double block = recomputed_block(work), first, last;
	double logits = tokens * (double)work->model->vocab / (double)work->tp * logit_bytes(work);

	first = stage * in_flight(work, false) + block;
	last = stage * in_flight(work, true) + fmax(block, logits);
	if (work->pp == 1 || last > first) {
		memory->activations = stage * in_flight(work, true);
		memory->temporary = fmax(block, logits);
	} else {
		memory->activations = stage * in_flight(work, false);
		memory->temporary = block;
	}
}

struct memory memory_cost(const struct profile *profile, const struct workload *work)
{
	struct share share = share_of(work);
	struct memory memory = { 0 };

	put_states(work, &share, &memory);
	put_activations(work, &memory);
	memory.allocated = memory.parameters + memory.gradients + memory.optimizer +
			   memory.unsharded + memory.activations + memory.temporary + 0.5 * GIB;
	memory.reserved = 1.07 * memory.allocated;
	memory.device = memory.reserved + 4 * GIB;
	memory.capacity = GIB * profile_get(profile, FIGURE_MEMORY);
	return memory;
}
