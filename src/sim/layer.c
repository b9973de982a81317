#include "sim/layer.h"

#include "cost/units.h"
#include "cost/attention.h"
#include "cost/kernel.h"
#include "sim/activations.h"
#include "sim/call.h"
#include "sim/expert_loop.h"
#include "sim/recompute.h"
#include "sim/workload/attention.h"
#include "sim/workload/experts.h"

#include <math.h>
#include <string.h>

/* What the block is computed from, in doubles. */
struct block {
	const struct profile *profile;
	const struct workload *work;
	const struct model *model;
	double tokens;	 /* of a microbatch on this rank */
	double residual; /* rows of the residual stream it holds */
	double tp, hidden, heads, kv_heads, head_dim;
	struct expert_loop loop;	 /* 0 where there is none */
	double inputs, weights, outputs; /* elements of its linear layers, cast where products are
					    narrow */
};

static double figure(const struct block *block, enum figure_id id)
{
	return profile_get(block->profile, id);
}

static struct block block_of(const struct profile *profile, const struct workload *work)
{
	const struct model *model = work->model;
	struct block block = { .profile = profile, .work = work, .model = model };

	block.tokens = (double)workload_tokens(work);
	block.tp = (double)work->tp;
	block.residual = work->sequence_parallel ? block.tokens / block.tp : block.tokens;
	block.hidden = (double)model->hidden;
	block.heads = (double)model->heads;
	block.kv_heads = fmax((double)model->kv_heads, 1);
	block.head_dim = (double)model->head_dim;
	return block;
}

static double product(const struct block *block, double groups, double m, double n, double k)
{
	double time = kernel_grouped_gemm(block->profile, block->work->format, groups, m, n, k);

	if (block->work->format == FORMAT_FP8 && block->work->rowwise)
		time /= figure(block, FIGURE_ROWWISE8);
	return time;
}

/* FSDP reduces what a pass leaves, unless that waits; the first gradient of a kind is just kept. */
bool layer_accumulates(const struct workload *work)
{
	return (work->zero != ZERO_PARAMETERS || workload_waits_whole(work)) &&
	       (work->software >= SOFTWARE_MEGATRON || work->deepspeed || work->microbatches > 1);
}

/*
 * Gradients of weights, which are added to those of microbatches before: where Transformer Engine
 * computes them, by the product itself, as it writes tiles (fuse_wgrad_accumulation); else by a
 * kernel that reads both (Megatron's main_grad.add_ in core/distributed, autograd's
 * AccumulateGrad). DeepSpeed's BF16_Optimizer makes an fp32 copy first (update_hp_grads).
 */
static double gradients(const struct block *block, double groups, double out, double in,
			double rows)
{
	const struct workload *work = block->work;
	double weights = groups * out * in, time = product(block, groups, out, in, rows);
	double kept = 2 * weights * (double)workload_waiting_bytes(work);

	if (!layer_accumulates(work))
		return time;
	if (work->software == SOFTWARE_ENGINE)
		return fmax(time, kernel_memory(block->profile, kept));
	if (workload_keeps_both_gradients(work)) /* 2 and 4, then 8 and 4 */
		return time + kernel_memory(block->profile, 18 * weights);
	return time + kernel_memory(block->profile, kept + 2 * weights * (double)work->param_bytes);
}

/* `groups` linear layers of `out` x `in`, each over `rows`: forward, and both products backward. */
static void linears(const struct block *block, struct layer *layer, double groups, double rows,
		    double out, double in)
{
	double weight = gradients(block, groups, out, in, rows);

	layer->products.forward += product(block, groups, rows, out, in);
	layer->products.backward += product(block, groups, rows, in, out) + weight;
	layer->weight += weight;
}

static void linear(struct block *block, struct layer *layer, double rows, double out, double in)
{
	block->inputs += rows * in;
	block->outputs += rows * out;
	if (!block->work->fp8_gather)
		block->weights += out * in;
	linears(block, layer, 1, rows, out, in);
}

static void latent_attention(struct block *block, struct layer *layer)
{
	const struct model *model = block->model;
	double nope = (double)model->qk_nope, rope = (double)model->qk_rope;
	double value = (double)model->v_dim, q_lora = (double)model->q_lora;
	double kv_lora = (double)model->kv_lora, heads = block->heads / block->tp;

	if (q_lora > 0) {
		linear(block, layer, block->residual, q_lora, block->hidden);
		linear(block, layer, block->tokens, heads * (nope + rope), q_lora);
	} else {
		linear(block, layer, block->tokens, heads * (nope + rope), block->hidden);
	}
	linear(block, layer, block->residual, kv_lora + rope, block->hidden);
	linear(block, layer, block->tokens, heads * (nope + value), kv_lora);
	linear(block, layer, block->tokens, block->hidden, heads * value);
}

static void attention_products(struct block *block, struct layer *layer)
{
	double width = block->head_dim / block->tp;

	if (block->model->kv_lora > 0) {
		latent_attention(block, layer);
		return;
	}
	linear(block, layer, block->tokens, (block->heads + 2 * block->kv_heads) * width,
	       block->hidden);
	linear(block, layer, block->tokens, block->hidden, block->heads * width);
}

static double matrices(const struct model *model)
{
	return model->gated_mlp ? 2 : 1;
}

static void dense_products(struct block *block, struct layer *layer, double width)
{
	if (width <= 0)
		return;
	linear(block, layer, block->tokens, matrices(block->model) * width / block->tp,
	       block->hidden);
	linear(block, layer, block->tokens, block->hidden, width / block->tp);
}

/* RMSNorm as a chain of kernels in fp32, where nothing fuses it. */
static double norm_passes(const struct block *block)
{
	return block->work->fused_norms || !block->model->gated_mlp
		       ? 0
		       : figure(block, FIGURE_NORM_PASSES);
}

/* Megatron's own kernels for GPT: bias and GELU in one, bias, dropout and addition in another. */
static bool fused(const struct block *block)
{
	return block->work->software == SOFTWARE_MEGATRON && !block->model->gated_mlp;
}

/* Elements that elementwise kernels of the block move; `wide`: of its MLP. */
static void elementwise(const struct block *block, struct layer *layer, double wide)
{
	double stream = (10 + norm_passes(block)) * block->residual * block->hidden;
	double heads = 3 * block->tokens * (block->heads + 2 * block->kv_heads) * block->head_dim /
		       block->tp;
	double time = kernel_memory(
		block->profile,
		(double)block->work->param_bytes *
			figure(block, fused(block) ? FIGURE_PASSES_FUSED : FIGURE_PASSES) *
			(stream + heads + wide));

	layer->traffic.forward += time;
	layer->traffic.backward += 2 * time;
}

/* SwiGLU as two kernels moves five of its widths, as one three; GELU two. */
static double wide_traffic(const struct block *block, double width)
{
	double each = !block->model->gated_mlp ? 2 : block->work->fused_gate ? 3 : 5;

	return each * block->tokens * width / block->tp;
}

/*
 * Bytes that casts to fp8 read and write for an element of bf16. Transformer Engine makes both
 * layouts in one kernel (its cast_transpose), those of weights once a step; torchao
 * (float8/float8_linear.py, dynamic scaling) finds a maximum, then casts, for each product anew,
 * and transposes for gradients.
 */
struct cast {
	int input, weight, output, input_again; /* the latter two backward */
};

static const struct cast cast_once = { 4, 0, 4, 0 }, cast_anew = { 5, 5, 7, 7 };

static void casts(const struct block *block, struct layer *layer)
{
	const struct cast *each = block->work->casts_once ? &cast_once : &cast_anew;
	const double passes = figure(block, FIGURE_FP8_CAST);
	double again;

	if (block->work->format < FORMAT_FP8)
		return;
	layer->products.forward +=
		kernel_memory(block->profile, passes * (each->input * block->inputs +
							each->weight * block->weights));
	again = kernel_memory(block->profile, passes * each->input_again * block->inputs);
	layer->products.backward +=
		again + kernel_memory(block->profile, passes * (each->output * block->outputs +
								each->weight * block->weights));
	layer->weight += again;
}

/* `hits` experts, each by itself and of its own tokens; gate and up apart where a parameter has the
 * weight of one expert alone. */
static void looped_products(const struct block *block, struct layer *layer, double hits,
			    double rows, double width)
{
	const bool packed = block->work->packs_experts;
	const double count = packed ? 1 : matrices(block->model);
	const double wide = matrices(block->model) / count * width;
	struct layer in = { 0 }, out = { 0 };

	linears(block, &in, 1, rows / hits, wide, block->hidden);
	linears(block, &out, 1, rows / hits, block->hidden, width);
	layer->products.forward += hits * (count * in.products.forward + out.products.forward);
	layer->products.backward += hits * (count * in.products.backward + out.products.backward);
	layer->weight += hits * (count * in.weight + out.weight);
	layer->traffic.backward += kernel_memory(block->profile, block->loop.swept);
}

/* Routed experts: the fullest rank is waited for. */
static void expert_products(struct block *block, struct layer *layer)
{
	const struct workload *work = block->work;
	const struct model *model = block->model;
	double local = (double)model->experts / (double)work->ep;
	double rows = block->tokens * (double)model->topk * (double)work->etp / block->tp *
		      work->imbalance;
	double width = (double)model->expert_ffn / (double)work->etp;
	double between = work->fuses_experts ? 0 : rows * width;
	double moved = (double)work->param_bytes *
		       ((double)work->permutes * rows * block->hidden + 3 * between);

	block->inputs += rows * block->hidden + between;
	block->outputs += rows * block->hidden + matrices(model) * between;
	if (work->loops_experts) {
		looped_products(block, layer, workload_hits(work), rows, width);
	} else {
		linears(block, layer, local, rows / local, matrices(model) * width, block->hidden);
		linears(block, layer, local, rows / local, block->hidden, width);
	}
	layer->traffic.forward += kernel_memory(block->profile, moved);
	layer->traffic.backward += 2 * kernel_memory(block->profile, moved);
}

static double call_time(const struct block *block, struct call call)
{
	return call_seconds(block->work, block->profile, &call);
}

static void expert_exchange(const struct block *block, struct layer *layer)
{
	const double time = call_time(block, call_expert(block->work, block->profile, false)) +
			    call_time(block, call_expert(block->work, block->profile, true));

	layer->expert.forward = time;
	layer->expert.backward = time;
}

/* Two all-reduces each way, or as many all-gathers and reduce-scatters. */
static void tensor_exchange(const struct block *block, struct layer *layer)
{
	const struct workload *work = block->work;
	double exposed = work->overlap_tp ? figure(block, FIGURE_TP_EXPOSED)
			 : work->async_tp ? figure(block, FIGURE_ASYNC_EXPOSED)
					  : 1;
	double time = 2 * exposed *
		      (call_time(block, call_tensor(work, false)) +
		       call_time(block, call_tensor(work, true)));

	layer->tensor.forward = time;
	layer->tensor.backward = time;
}

/*
 * Keys and values go round the ranks while attention is computed on those that are there, once
 * forward, and backward with their gradients; or they are gathered before, and only their
 * gradients go round, with a last hop that brings them home.
 */
static struct pass keys_exchange(const struct block *block, const struct layer *layer,
				 const struct group *group, bool rotates)
{
	const struct workload *work = block->work;
	const double parts = (double)group->ranks, hops = parts - 1;
	const double hop = call_time(block, call_keys(work, group, false));
	const double home = call_time(block, call_keys_gradients(work, group));
	const double back = home + (rotates ? hop : 0);
	struct pass pass;

	pass.forward = rotates ? hops * fmax(hop - layer->attention.forward / parts, 0)
			       : call_time(block, call_keys(work, group, true));
	pass.backward = hops * fmax(back - layer->attention.backward / parts, 0) + home;
	if (!rotates)
		pass.backward += pass.forward;
	return pass;
}

/* Attention waits for its heads, and what follows for its tokens. */
static struct pass heads_exchange(const struct block *block, const struct group *group)
{
	struct call calls[CALL_HEADS];
	struct pass pass = { 0 };
	int i;

	call_heads(block->work, group, calls);
	for (i = 0; i < CALL_HEADS; i++)
		pass.forward += call_time(block, calls[i]);
	pass.backward = pass.forward;
	return pass;
}

/* What ranks that cut sequences wait for, of one group of them. */
static void exchange_over(const struct block *block, struct layer *layer, const struct group *group,
			  enum key_exchange exchange)
{
	struct pass pass;

	if (group->ranks == 1 || exchange == EXCHANGE_NOTHING)
		return;
	pass = exchange == EXCHANGE_HEADS
		       ? heads_exchange(block, group)
		       : keys_exchange(block, layer, group, exchange == EXCHANGE_RING);
	layer->context.forward += pass.forward;
	layer->context.backward += pass.backward;
}

/* Seconds the host needs to launch one block forward. */
static double host_time(const struct block *block, bool experts)
{
	static const enum figure_id ids[] = { FIGURE_HOST_EAGER, FIGURE_HOST_COMPILED,
					      FIGURE_HOST_MEGATRON, FIGURE_HOST_ENGINE };
	double time = MILLI * figure(block, ids[block->work->software]);

	if (workload_chains(block->work))
		time *= 1 + figure(block, FIGURE_HOST_CHAIN);
	time *= 1 + figure(block, FIGURE_HOST_TENSOR) * block->tp * (block->tp - 1) / 2;
	time *= 1 - block->work->captured * (1 - figure(block, FIGURE_HOST_GRAPH));
	return time * (block->work->whole_graph ? 0 : 1) *
	       (experts && !block->work->loops_experts ? figure(block, FIGURE_HOST_EXPERTS) : 1);
}

/*
 * Time of a block against the same one under software of 2025: releases choose better kernels and
 * launch fewer. Known from 2024 on, and taken no further than 2027.
 */
static double maturity(const struct block *block)
{
	moment_t when = block->work->when;
	int64_t year = when / 1000000, month = when / 10000 % 100;
	double years = (double)year + ((double)month - 1) / 12;

	if (!when || when == MOMENT_LATEST)
		return 1;
	years = fmin(fmax(years, 2024), 2027);
	return exp(-figure(block, FIGURE_PROGRESS) * (years - 2025));
}

/* The host launches on while the device waits for other ranks. */
static void total(const struct block *block, struct layer *layer, bool experts)
{
	double host = host_time(block, experts), scale = maturity(block), kernels;
	double ahead = layer->tensor.forward + layer->context.forward + layer->expert.forward;
	double back = layer->tensor.backward + layer->context.backward + layer->expert.backward;
	double launched = scale * (host + block->loop.host.forward) - ahead;

	kernels = layer->products.forward + layer->attention.forward + layer->traffic.forward;
	layer->kernels = scale * kernels;
	layer->compute.forward = scale * block->loop.waits + fmax(launched, layer->kernels);
	/* what leaves less for the device to do than the host takes saves nothing */
	layer->last = fmin(layer->last, fmax(layer->kernels - launched, 0));
	kernels = layer->products.backward + layer->attention.backward + layer->traffic.backward;
	host = host * figure(block, FIGURE_HOST_BACKWARD) + block->loop.host.backward;
	layer->compute.backward = fmax(scale * host - back, scale * kernels);
	layer->weight *= layer->compute.backward / kernels;
	layer->host.forward = layer->compute.forward - layer->kernels;
	layer->host.backward = layer->compute.backward - scale * kernels;
}

/* What computing a block again waits for the host. */
static double host_again(const struct block *block, const struct layer *layer)
{
	switch (block->work->recompute) {
	case RECOMPUTE_FULL:
		return layer->host.forward;
	case RECOMPUTE_LAYERS:
		return layer->host.forward * recompute_share(block->work);
	case RECOMPUTE_OPERATORS:
		return layer->host.forward * figure(block, FIGURE_OPERATORS_AGAIN);
	default:
		return 0;
	}
}

/* Products and traffic of the dense layers of a block, forward. */
static double dense_forward(const struct block *block, double width)
{
	struct block copy = *block;
	struct layer part = { 0 };

	dense_products(&copy, &part, width);
	return part.products.forward +
	       kernel_memory(block->profile,
			     (double)block->work->param_bytes * wide_traffic(block, width));
}

/* The same of experts: all of theirs, or their gates alone. */
static double experts_forward(const struct block *block)
{
	const struct workload *work = block->work;
	const struct model *model = block->model;
	const double rows = block->tokens * (double)model->topk * work->imbalance / block->tp;
	struct block copy = *block;
	struct layer part = { 0 };

	if (!recompute_module(work, MODULE_MOE))
		return recompute_module(work, MODULE_GATES)
			       ? kernel_memory(block->profile, 3 * (double)work->param_bytes *
								       rows *
								       (double)model->expert_ffn)
			       : 0;
	expert_products(&copy, &part);
	return part.products.forward + part.traffic.forward;
}

/* Products from latents to all heads: the last two but attention's output. */
static double latent_forward(const struct block *block)
{
	const struct model *model = block->model;
	const double heads = block->heads / block->tp, nope = (double)model->qk_nope;
	const double from = (double)(model->q_lora > 0 ? model->q_lora : model->hidden);

	return product(block, 1, block->tokens, heads * (nope + (double)model->qk_rope), from) +
	       product(block, 1, block->tokens, heads * (nope + (double)model->v_dim),
		       (double)model->kv_lora);
}

/* What modules that are computed again take; norms alone read and write the stream. */
static double modules_again(const struct block *block, const struct layer *layer, bool experts)
{
	const struct workload *work = block->work;
	const struct model *model = block->model;
	const bool latent = model->kv_lora > 0;
	const double stream = 2 * (double)work->param_bytes * block->residual * block->hidden;
	double time = 0, width = (double)(experts ? model->shared_ffn : model->ffn);

	if (recompute_module(work, MODULE_NORMS))
		time += (latent + experts) * kernel_memory(block->profile, stream);
	if (latent && recompute_module(work, MODULE_LATENT))
		time += latent_forward(block);
	if (recompute_module(work, experts ? MODULE_MOE : MODULE_MLP) ||
	    (experts && recompute_module(work, MODULE_SHARED)))
		time += dense_forward(block, width);
	time += experts ? experts_forward(block) : 0;
	time = maturity(block) * time + recompute_sends(work, experts) * layer->tensor.forward +
	       recompute_sends_experts(work) * layer->expert.forward;
	if (recompute_module(work, MODULE_CORE) &&
	    (!work->flash || work->software >= SOFTWARE_MEGATRON))
		time += layer->attention.forward;
	return time;
}

static double again(const struct block *block, const struct layer *layer, bool experts)
{
	const struct workload *work = block->work;
	const double rest =
		layer->compute.forward - layer->attention.forward - layer->traffic.forward;
	const double whole = layer_forward(layer) - (work->stops_early ? layer->last : 0);

	switch (work->recompute) {
	case RECOMPUTE_FULL:
		return whole;
	case RECOMPUTE_LAYERS:
		return whole * recompute_share(work);
	case RECOMPUTE_MODULES:
		return modules_again(block, layer, experts);
	case RECOMPUTE_OPERATORS:
		return layer->traffic.forward + figure(block, FIGURE_OPERATORS_AGAIN) * rest;
	case RECOMPUTE_NONE:
		break;
	}
	return 0;
}

/* What goes to host memory does so while the block is computed, and comes back while its gradients
 * are. */
static void wait_for_host(const struct block *block, struct layer *layer, bool experts)
{
	double seconds = activations_host(block->work, experts) /
			 (GIGA * figure(block, FIGURE_PCIE_BANDWIDTH));

	layer->compute.forward = fmax(layer->compute.forward, seconds);
	layer->compute.backward = fmax(layer->compute.backward, seconds - layer->again);
}

struct layer layer_cost(const struct profile *profile, const struct workload *work, bool experts)
{
	struct block block = block_of(profile, work);
	struct layer layer = { 0 };
	struct attention_time core;
	double width = (double)(experts ? work->model->shared_ffn : work->model->ffn);

	attention_products(&block, &layer);
	dense_products(&block, &layer, width);
	if (!experts)
		layer.last = product(&block, 1, block.tokens, block.hidden, width / block.tp);
	if (experts) {
		block.loop = expert_loop_of(profile, work);
		linear(&block, &layer, block.residual, (double)work->model->experts, block.hidden);
		expert_products(&block, &layer);
	}
	casts(&block, &layer);
	elementwise(&block, &layer, wide_traffic(&block, width));
	core = workload_core_time(work, profile);
	layer.attention.forward = core.forward;
	layer.attention.backward = core.backward;
	tensor_exchange(&block, &layer);
	exchange_over(&block, &layer, &work->context, work->context_exchange);
	exchange_over(&block, &layer, &work->sequence, work->sequence_exchange);
	if (experts)
		expert_exchange(&block, &layer);
	total(&block, &layer, experts);
	layer.again = again(&block, &layer, experts);
	layer.host.backward += host_again(&block, &layer);
	if (work->host_inputs)
		wait_for_host(&block, &layer, experts);
	return layer;
}

double layer_forward(const struct layer *layer)
{
	return layer->compute.forward + layer->tensor.forward + layer->context.forward +
	       layer->expert.forward;
}

double layer_backward(const struct layer *layer)
{
	return layer->compute.backward + layer->tensor.backward + layer->context.backward +
	       layer->expert.backward + layer->again;
}
