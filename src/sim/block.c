#include "sim/block.h"

#include "sim/holding.h"
#include "sim/recompute.h"
#include "sim/workload/attention.h"

#include <math.h>

/* Bytes per element of what a linear layer keeps of its input. */
static double input_bytes(const struct workload *work)
{
	return work->software == SOFTWARE_ENGINE && work->format >= FORMAT_FP8 ? 1 : 2;
}

/* Bytes of an element of a mask, in a sum that is of 16-bit tensors and grows with their type. */
static double mask_bytes(const struct workload *work)
{
	return 2 / (double)work->param_bytes;
}

/*
 * Megatron's: their softmax, and where there is dropout what it leaves of it, and its mask (of none
 * PyTorch hands its input on: torch@v2.11.0 aten/src/ATen/native/Dropout.cpp); of transformers
 * (5.17.0 eager_attention_forward) and torchtune the softmax in fp32 and in 16 bits, with sinks
 * that are of 16 bits in those alone, and the hyperbolic tangent that caps them.
 */
double block_scores(const struct workload *work)
{
	const struct model *model = work->model;
	const bool operators = workload_does(work, HABIT_TRANSFORMERS_MODELS) ||
			       workload_does(work, HABIT_CAPS_SCORES);
	const double softmax = !operators ? 2 + (work->drops_scores ? 2 + mask_bytes(work) : 0)
			       : model->biases && !work->autocast ? 2
								  : 6;
	const double each = softmax + (operators && model->traits->capped ? 2 : 0);

	return each * (double)model->heads / (double)work->tp * (double)work->seq *
	       (double)workload_cut_heads(work) / (double)workload_cut(work);
}

/*
 * Of latent attention queries and keys, the norms and the keys' part that turns; values come of one
 * product with the other part of keys, which operators copy and keep.
 */
static double latent_kept(const struct workload *work, double heads)
{
	const struct model *model = work->model;
	const double nope = (double)model->qk_nope, rope = (double)model->qk_rope;

	return 4 * heads * (nope + rope) +
	       (work->software == SOFTWARE_EAGER ? 2 * heads * nope : 0) +
	       (2 + block_norm(work, false)) * (double)(model->q_lora + model->kv_lora) + 2 * rope;
}

/* Whether keys and values are laid out for all heads. A kernel takes a view of a single one. */
static bool spreads_keys(const struct workload *work)
{
	const struct model *model = work->model;

	if (work->software != SOFTWARE_EAGER)
		return false;
	if (workload_does(work, HABIT_COPIES_KEYS))
		return model->kv_heads < model->heads;
	return (model->kv_heads > 1 || !work->flash) &&
	       (workload_does(work, HABIT_SPREADS_KEYS) ||
		(workload_does(work, HABIT_TRANSFORMERS_MODELS) &&
		 (model->traits->spread_keys || !work->flash ||
		  (model->traits->once_spread_keys && work->old_models))));
}

/* Of blocks those whose window is a mask. */
static double masked(const struct workload *work)
{
	return workload_window_masks(work) > 0 ? workload_windows(work) : 0;
}

/*
 * Of blocks those that lay keys and values out for all heads, as each that takes a mask does
 * (transformers@v4.57.6 integrations/sdpa_attention.py, use_gqa_in_sdpa).
 */
static double spreading(const struct workload *work)
{
	const struct model *model = work->model;

	if (spreads_keys(work))
		return 1;
	return model->kv_heads > 1 && model->kv_heads < model->heads ? masked(work) : 0;
}

/* Heads of keys and values as they are kept: of all heads, or their own. */
static double key_heads(const struct workload *work)
{
	const double all = (double)work->model->heads, own = (double)work->model->kv_heads;

	return fmax((own + spreading(work) * (all - own)) / (double)work->tp, 1);
}

static double attention_kept(const struct workload *work)
{
	const struct model *model = work->model;
	double tp = (double)work->tp, heads = (double)model->heads / tp;
	double dim = (double)model->head_dim, bytes, out = heads * dim;

	if (model->kv_lora > 0) {
		out = heads * (double)model->v_dim;
		bytes = latent_kept(work, heads) + 2 * out;
	} else {
		bytes = 2 * out + 4 * key_heads(work) * dim;
	}
	bytes += 2 * out + (input_bytes(work) < 2 ? out : 0);
	return bytes + (work->flash ? 4 * heads : block_scores(work));
}

/* The activated branch, which an operator of its own multiplies by the other. */
static bool keeps_gate(const struct workload *work)
{
	if (work->fused_gate || work->software == SOFTWARE_COMPILED)
		return false;
	return work->software == SOFTWARE_EAGER || !workload_does(work, HABIT_FUSED_SWIGLU);
}

static double mlp_kept(const struct workload *work, double width)
{
	bool gated = work->model->gated_mlp;
	double bytes = (2 * (gated ? 2 : 1) + input_bytes(work)) * width;

	if (gated && keeps_gate(work))
		bytes += 2 * width;
	return bytes;
}

/*
 * In the loop of transformers before 5.0 the output is added to those of other experts, which keeps
 * what is added: weighted, in fp32 where the weights are, or where autocast is and they are cast to
 * the type of its stream. Autocast casts the input for each product, and leaves biases in fp32,
 * which makes the output so (4.57.6 models/NAME/modeling_NAME.py; torch@v2.13.0
 * tools/autograd/derivatives.yaml, index_add).
 */
static double loop_copies(const struct workload *work)
{
	const struct family *traits = work->model->traits;

	if (!work->autocast)
		return 4 + (traits->wide_router ? 4 : 2);
	return (traits->fused_experts ? 2 + 4 : 4 + 2) + (traits->wide_router ? 2 : 4);
}

/*
 * Bytes of a routed token's hidden numbers without Megatron Core: its input and its output, which
 * is weighted, by transformers (5.17.0, integrations/moe.py) as it is, by TorchTitan in fp32
 * (v0.2.2 models/moe/moe.py).
 */
static double torch_copies(const struct workload *work)
{
	if (!workload_does(work, HABIT_TRANSFORMERS_MODELS))
		return 6;
	return work->loops_experts ? loop_copies(work) : 4;
}

/*
 * Routed tokens: permuted inputs and what the experts make of them. Before Megatron core 0.12
 * (2025-05) outputs were weighted after the experts, and kept for that.
 */
static double experts_kept(const struct workload *work)
{
	const struct model *model = work->model;
	double topk = (double)model->topk, tp = (double)work->tp;
	double copies = input_bytes(work) * topk, stream = (double)model->hidden;
	double inner = mlp_kept(work, topk * (double)model->expert_ffn);

	if (work->software <= SOFTWARE_COMPILED)
		copies = torch_copies(work) * topk;
	else if (workload_does(work, HABIT_WEIGHS_OUTSIDE))
		copies += 4 * topk;
	return work->imbalance *
		       ((work->etp < work->tp ? 1 / tp : 1) * copies * stream + inner / tp) +
	       4 * (double)model->experts / tp;
}

/* Matrix products that take what the norm of attention makes. */
static double products_of_attention(const struct workload *work)
{
	if (work->model->kv_lora > 0)
		return 2;
	return work->model->traits->packed_qkv || workload_does_since(work, HABIT_FUSED_QKV) ? 1
											     : 3;
}

/* And those that take what the norm of the MLP makes: of experts the router, and the shared one. */
static double products_of_mlp(const struct workload *work, bool experts)
{
	const struct family *traits = work->model->traits;
	const double branches = work->model->gated_mlp && !traits->packed_gate ? 2 : 1;

	if (!experts)
		return branches;
	return 1 + (work->model->shared_ffn > 0 ? branches : 0) + (traits->shared_gate ? 1 : 0);
}

/*
 * Bytes of the inputs of a block's first products, that of attention and that of the MLP: Megatron
 * keeps its part of each and gathers it again, DTensor what it gathered
 * (torch/distributed/tensor/parallel/style.py: inputs are redistributed before the linear layer,
 * which keeps them). Under autocast each product casts it anew.
 */
static double inputs_kept(const struct workload *work, double stream, bool experts)
{
	const bool gathered = work->software <= SOFTWARE_COMPILED;
	const double one = gathered ? (double)work->model->hidden : stream;
	const bool shared = work->model->traits->one_norm;

	if (work->autocast)
		return 2 * one * (products_of_attention(work) + products_of_mlp(work, experts));
	return (shared ? 1 : 2) * input_bytes(work) * one;
}

/* RMSNorm in several kernels; LayerNorm is always one. */
static bool norms_unfused(const struct workload *work)
{
	return work->model->gated_mlp && !work->model->traits->norm_bias && !work->fused_norms;
}

/* Modules of transformers that nothing compiles. */
static bool by_modules(const struct workload *work)
{
	return work->software == SOFTWARE_EAGER && workload_does(work, HABIT_TRANSFORMERS_MODELS);
}

double block_norm(const struct workload *work, bool stream)
{
	const bool wide = stream && work->autocast;

	if (work->model->traits->centred_norm && by_modules(work))
		return 12; /* what is centred, for its variance and to be scaled; and scaled */
	if (!norms_unfused(work))
		return wide ? 4 : 2;
	if (work->param_bytes == 4) /* no copy, and counted as of 16 bits */
		return 4;
	if (wide || !workload_does(work, HABIT_NARROW_NORMS))
		return 8;
	return work->model->traits->fp32_norm ? 8 : 6;
}

/* Bytes of the inputs of all norms of a block. */
static double norms_kept(const struct workload *work, double stream)
{
	const struct model *model = work->model;
	const struct family *traits = model->traits;
	const double count = traits->one_norm || traits->one_input ? 1 : 2;
	const double heads = (double)(model->heads + model->kv_heads) * (double)model->head_dim;
	double bytes = count * block_norm(work, true) * stream;

	if (traits->sandwich) /* of what products make */
		bytes += 2 * block_norm(work, false) * stream;
	if (traits->qk_norm || traits->wide_qk_norm)
		bytes += block_norm(work, false) * heads / (double)work->tp;
	return bytes;
}

/* What a gate of the shared expert weights, and the steps of experts' gates. */
static double gates_kept(const struct workload *work)
{
	const struct model *model = work->model;
	const struct family *traits = model->traits;
	const double routed = (double)(model->topk * model->expert_ffn) / (double)work->tp;
	const double chain = work->autocast ? 18 : 6; /* in fp32 from the first bias on */

	if (!by_modules(work))
		return 0;
	return (traits->shared_gate ? 2 * (double)model->hidden : 0) +
	       (traits->chained_gates ? chain * routed : 0);
}

/* A router that multiplies in fp32 casts its input, which nothing but a shared expert takes as it
 * was. */
static double router_kept(const struct workload *work)
{
	const bool wide = by_modules(work) ? work->model->traits->wide_router
					   : work->software == SOFTWARE_EAGER &&
						     workload_does(work, HABIT_WIDE_ROUTER);

	if (!wide || work->autocast)
		return 0;
	return (work->model->shared_ffn > 0 ? 4 : 2) * (double)work->model->hidden;
}

/*
 * What modules keep that join the rotated part of each head with the rest: attention's output,
 * which its kernel lays out as the queries are, anew, unless it takes a mask (litgpt); and beside
 * queries and keys the one tensor that values are a view of, unless those were laid out for all
 * heads.
 */
static double joined_kept(const struct workload *work)
{
	const struct model *model = work->model;
	const bool own = work->software == SOFTWARE_EAGER && workload_does(work, HABIT_JOINS_HEADS);
	const double dim = (double)model->head_dim / (double)work->tp;
	const double queries = dim * (double)model->heads, keys = dim * (double)model->kv_heads;
	const bool packed = own || model->traits->packed_qkv;

	if (!own && !(by_modules(work) && model->traits->cut_rotary))
		return 0;
	return (work->flash ? 2 * queries * (own ? 1 - masked(work) : 1) : 0) +
	       (packed ? 2 * (queries + keys) * (1 - spreading(work)) : 0);
}

/*
 * What transformers' modules keep where others have a kernel (5.17.0
 * models/NAME/modeling_NAME.py): the steps of GELU, and masks of dropout.
 */
static double modules_kept(const struct workload *work, bool experts)
{
	const struct model *model = work->model;
	const struct family *traits = model->traits;
	const double width = (double)(experts ? model->shared_ffn : model->ffn) / (double)work->tp;

	if (!by_modules(work))
		return 0;
	return (traits->chained_gelu ? (work->autocast ? 12 : 6) * width : 0) +
	       (traits->dropout ? 2 * (double)model->hidden : 0);
}

double activations_block(const struct workload *work, bool experts)
{
	const struct model *model = work->model;
	double tp = (double)work->tp, hidden = (double)model->hidden;
	double stream = work->sequence_parallel ? hidden / tp : hidden;
	double bytes = norms_kept(work, stream) + inputs_kept(work, stream, experts) +
		       attention_kept(work);

	if (work->drops_hidden && work->software >= SOFTWARE_MEGATRON)
		bytes += 2 * mask_bytes(work) * stream; /* of two dropouts */
	bytes += mlp_kept(work, (double)(experts ? model->shared_ffn : model->ffn) / tp) +
		 joined_kept(work) + modules_kept(work, experts);
	bytes += experts ? gates_kept(work) + router_kept(work) : 0;
	bytes += workload_windows(work) * workload_window_masks(work) * 2 * (double)work->seq;
	return bytes + (experts ? experts_kept(work) : 0);
}

/*
 * NVIDIA/Megatron-LM@d98e8a64 core/transformer: of what attention's core makes, its output is the
 * next product's input, in fp8 a copy; products from latents make queries, keys and values
 * (multi_latent_attention.py, recompute_up_proj); norms stand alone before latent attention and
 * before experts (core/models/gpt/gpt_layer_specs.py), else they are inside products.
 */
static double attention_discarded(const struct workload *work, double stream)
{
	const struct model *model = work->model;
	const bool latent = model->kv_lora > 0;
	const double heads = (double)model->heads / (double)work->tp;
	const double out = heads * (double)(latent ? model->v_dim : model->head_dim);
	double bytes = 0;

	if (recompute_module(work, MODULE_CORE)) {
		bytes += work->flash ? 4 * heads : block_scores(work);
		bytes += input_bytes(work) < 2 ? 2 * out : 0;
	}
	if (latent && recompute_module(work, MODULE_LATENT))
		bytes += 4 * heads * (double)(model->qk_nope + model->qk_rope) + 2 * out;
	if (latent && recompute_module(work, MODULE_NORMS))
		bytes += input_bytes(work) * stream;
	return bytes;
}

/* moe_layer.py, shared_experts.py and experts.py there: a layer's input stays; of gates the input
 * of the next product goes. */
static double experts_discarded(const struct workload *work, double stream)
{
	const struct model *model = work->model;
	const double tp = (double)work->tp;
	const double shared = mlp_kept(work, (double)model->shared_ffn / tp);
	double bytes = recompute_module(work, MODULE_NORMS) ? input_bytes(work) * stream : 0;

	if (recompute_module(work, MODULE_MOE))
		return bytes + shared + experts_kept(work);
	if (recompute_module(work, MODULE_SHARED))
		bytes += shared;
	if (recompute_module(work, MODULE_GATES))
		bytes += work->imbalance * input_bytes(work) *
			 (double)(model->topk * model->expert_ffn) / tp;
	return bytes;
}

struct discarded block_discarded(const struct workload *work, bool experts)
{
	const struct model *model = work->model;
	const double tp = (double)work->tp, hidden = (double)model->hidden;
	const double stream = work->sequence_parallel ? hidden / tp : hidden;
	struct discarded discarded = { 0 };

	if (work->recompute != RECOMPUTE_MODULES)
		return discarded;
	discarded.attention = attention_discarded(work, stream);
	if (experts)
		discarded.rest = experts_discarded(work, stream);
	else if (recompute_module(work, MODULE_MLP))
		discarded.rest =
			mlp_kept(work, (double)model->ffn / tp) + input_bytes(work) * stream;
	return discarded;
}

double block_elements(const struct workload *work, bool experts)
{
	int32_t stage, stages = work->holdings ? holding_stages(work) : 0;
	size_t i;

	for (stage = 0; stage < stages; stage++)
		for (i = 0; i < work->holdings[stage].list.count; i++) {
			const struct holding *holding = &work->holdings[stage].list.items[i];
			if (holding->layer >= 0 && holding->layer < HOLDING_HEAD &&
			    model_layer_has_experts(work->model, holding->layer) == experts)
				return holding->shares[DENSE].whole +
				       holding->shares[EXPERTS].whole;
		}
	return 0;
}

double block_casts(const struct workload *work, bool experts)
{
	return work->autocast ? 2 * block_elements(work, experts) : 0;
}
