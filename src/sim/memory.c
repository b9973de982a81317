#include "sim/memory.h"

#include "sim/activations.h"

#include <math.h>
#include <string.h>

#define GIB 1073741824.0
/* Workspaces of libraries. */
#define WORKSPACE (0.15 * GIB)
/* Contexts, code and communicators of a process, outside the allocator. */
#define CONTEXT (4 * GIB)

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
	queries = model->q_lora > 0 ? (double)model->q_lora * (hidden + heads * qk)
				    : hidden * heads * qk;
	return queries + hidden * (double)(model->kv_lora + model->qk_rope) +
	       (double)model->kv_lora * heads * ((double)model->qk_nope + value) +
	       heads * value * hidden;
}

static struct share share_of(const struct workload *work)
{
	const struct model *model = work->model;
	double hidden = (double)model->hidden, tp = (double)work->tp,
	       each = attention_elements(work);
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

static bool holds_bf16_only(const struct workload *work)
{
	return !strcmp(work->framework, "torchtune") || !strcmp(work->framework, "nemo-automodel");
}

/*
 * DeepSpeed's ZeRO-1 copies its share of the gradients at the step, in fp16 and in fp32; its
 * BF16_Optimizer accumulates all of them in fp32 beside the bf16 ones.
 */
static struct widths widths_of(const struct workload *work)
{
	bool narrow = work->param_fp16 || work->narrow_gradients || work->format >= FORMAT_FP8;

	if (holds_bf16_only(work))
		return (struct widths) { 2, 2, 4 };
	if (work->zero == ZERO_PARAMETERS && work->software <= SOFTWARE_COMPILED)
		return (struct widths) { 4, 4, 8 };
	if (work->deepspeed && work->zero == ZERO_OPTIMIZER)
		return work->param_fp16 ? (struct widths) { 2, 2, 18 }
					: (struct widths) { 2, 6, 14 };
	if (work->software == SOFTWARE_ENGINE)
		return (struct widths) { 2, narrow ? 2 : 4, 12 };
	return (struct widths) { 2, 2, 12 };
}

/*
 * Two gathered units in bf16 and one's gradients in fp32. Under a pipeline FSDP keeps all
 * parameters gathered and all gradients unreduced, in fp32, until the last microbatch.
 */
static void put_unsharded(const struct workload *work, const struct share *share,
			  struct memory *memory)
{
	double dense = share->dense + share->tables;

	if (work->zero == ZERO_PARAMETERS && work->pp > 1)
		memory->unsharded = (2 + 4) * (dense + share->experts);
	else if (work->zero == ZERO_PARAMETERS)
		memory->unsharded = (2 * 2 + 4) * share->dense / share->layers + share->tables;
	else if (work->zero == ZERO_GRADIENTS)
		memory->unsharded = 0.2 * dense;
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
	memory->gradients = width.gradient * (dense / split[1] + share->experts / expert_split[1]);
	memory->optimizer = width.optimizer * (dense / split[2] + share->experts / expert_split[2]);
	if (work->cpu_offload) {
		memory->optimizer = 0;
		memory->parameters *= 0.5;
	}
	put_unsharded(work, share, memory);
}
/* PyTorch lets gradients go after the step: with one microbatch none is alive at the loss. */
static bool gradients_at_loss(const struct workload *work)
{
	return work->software >= SOFTWARE_MEGATRON || work->microbatches > 1 || work->pp > 1 ||
	       work->zero < ZERO_PARAMETERS;
}

/* The larger of two moments: the loss, and the end of the backward pass. */
static void put_peak(const struct workload *work, struct memory *memory)
{
	struct activations activations = activations_cost(work);
	double rest = memory->parameters + memory->optimizer + memory->unsharded;
	double loss = rest + activations.kept + fmax(activations.block, activations.logits);
	double end = rest + memory->gradients + activations.block;

	if (gradients_at_loss(work))
		loss += memory->gradients;
	memory->activations = activations.kept;
	memory->temporary = fmax(activations.block, activations.logits);
	memory->allocated = fmax(loss, end) + WORKSPACE;
}

static struct memory held(const struct profile *profile, const struct workload *work)
{
	struct share share = share_of(work);
	struct memory memory = { 0 };

	put_states(work, &share, &memory);
	put_peak(work, &memory);
	memory.reserved = 1.07 * memory.allocated;
	memory.device = memory.reserved + CONTEXT;
	memory.capacity = GIB * profile_get(profile, FIGURE_MEMORY);
	memory.low = memory.high = memory.device;
	return memory;
}

struct memory memory_cost(const struct profile *profile, const struct workload *work)
{
	struct memory memory = held(profile, work);
	struct workload lenient = *work;

	lenient.narrow_gradients = !work->gradients_said;
	if (!work->recompute_said || work->recompute_partly)
		lenient.recompute = RECOMPUTE_FULL;
	lenient.host_inputs = work->deepspeed && work->zero == ZERO_PARAMETERS;
	memory.low = held(profile, &lenient).device;
	return memory;
}
