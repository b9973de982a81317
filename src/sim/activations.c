#include "sim/activations.h"

#include "sim/block.h"
#include "sim/logits.h"
#include "sim/recompute.h"

#include <math.h>
#include <string.h>

/*
 * Products of a block in the order in which they are made; every other one is kept, from the first.
 * One that adds biases is an operator of its own: all of these are kept where the list has it.
 */
struct products {
	double kept; /* elements of a token */
	bool biased, listed;
	int count;
};

static void product(struct products *products, double width)
{
	if (products->biased ? products->listed : products->count++ % 2 == 0)
		products->kept += width;
}

static void latent_products(const struct model *model, double heads, struct products *products)
{
	const double turned = heads * (double)(model->qk_nope + model->qk_rope);

	if (model->q_lora > 0)
		product(products, (double)model->q_lora);
	product(products, turned);
	product(products, (double)(model->kv_lora + model->qk_rope));
	product(products, heads * (double)(model->qk_nope + model->v_dim));
}

static void attention_products(const struct workload *work, double heads, struct products *products)
{
	const struct model *model = work->model;
	const double kv = (double)(model->kv_heads * model->head_dim) / (double)work->tp;
	const double queries = heads * (double)model->head_dim;

	if (model->kv_lora > 0) {
		latent_products(model, heads, products);
	} else if (workload_does_since(work, HABIT_FUSED_QKV)) {
		product(products, queries + 2 * kv);
	} else {
		product(products, queries);
		product(products, kv);
		product(products, kv);
	}
}

/* What experts of other ranks are sent and send back, and the sum of it, of a routed token. */
static double kept_of_experts(const struct workload *work)
{
	const struct model *model = work->model;
	const double hidden = (double)model->hidden;
	const bool again =
		workload_does(work, HABIT_SENDS_AGAIN) ||
		(workload_does(work, HABIT_LISTS_BY_MODEL) && model->traits->unlisted_sends);
	const double sent =
		work->ep > 1 && !again ? 4 * (double)model->topk * hidden / (double)work->tp : 0;

	return work->imbalance * sent + (workload_does(work, HABIT_KEEPS_SUMS) ? 4 * hidden : 0);
}

/* Whether magnitudes of what products in float8 take are kept, whose maxima scale them: where
 * nothing is compiled each is an operator of the list. */
static bool keeps_magnitudes(const struct workload *work)
{
	return work->recompute == RECOMPUTE_OPERATORS && work->format == FORMAT_FP8 &&
	       work->software == SOFTWARE_EAGER &&
	       workload_does_since(work, HABIT_KEEPS_MAGNITUDES);
}

/* Those of all inputs of a dense block's products, of a token; and of its weights, unless they are
 * gathered in float8 with scales that are known. */
static double input_magnitudes(const struct workload *work)
{
	const struct model *model = work->model;
	const double tp = (double)work->tp, hidden = (double)model->hidden;
	const double out = (double)(model->heads * model->head_dim), ffn = (double)model->ffn;

	return keeps_magnitudes(work)
		       ? 2 * ((3 + (model->gated_mlp ? 2 : 1)) * hidden + (out + ffn) / tp)
		       : 0;
}

static double weight_magnitudes(const struct workload *work, bool experts)
{
	return keeps_magnitudes(work) && !work->fp8_gather ? 2 * block_elements(work, experts) : 0;
}

/*
 * What TorchTitan's selective recomputation by operators keeps: a block's input, the attention
 * core's output and statistics, every other matrix product but the router's, what experts of other
 * ranks are sent and send back (grouped products are no operators of the list), for a fortnight the
 * sum of what experts make (asked of v0.2.2, 114151ad4 and 00b7f5693 on fake tensors), and under
 * tensor parallelism the scattered sums of both projections. Compiled, a block keeps only what its
 * backward pass reads (torch@v2.13.0 _functorch/partitioners.py, solve_min_cut; run besides): not
 * the last projection, which is added to the residual stream and no more.
 */
static double kept_operators(const struct workload *work, bool experts)
{
	const struct model *model = work->model;
	const double tp = (double)work->tp, hidden = (double)model->hidden;
	const double stream = work->sequence_parallel ? hidden / tp : hidden;
	const double heads = (double)model->heads / tp;
	const double out = heads * (double)(model->kv_lora > 0 ? model->v_dim : model->head_dim);
	const double width = (double)(experts ? model->shared_ffn : model->ffn) / tp;
	struct products products = { .biased = model->biases,
				     .listed = !workload_does(work, HABIT_LISTS_BY_MODEL) };
	int i;

	if (work->format == FORMAT_FP4) /* its products are no operators of the list */
		return 4 * stream + 2 * out;
	attention_products(work, heads, &products);
	product(&products, stream);
	for (i = 0; width > 0 && i < (model->gated_mlp ? 2 : 1); i++)
		product(&products, width);
	if (width > 0)
		product(&products, work->software == SOFTWARE_COMPILED ? 0 : stream);
	return 2 * stream + 2 * out + 4 * heads + 2 * products.kept +
	       (work->tp > 1 ? 2 * stream : 0) + (experts ? kept_of_experts(work) : 0);
}

static double stream_bytes(const struct workload *work)
{
	return (work->autocast ? 4 : 2) * (double)work->model->hidden /
	       (work->sequence_parallel ? (double)work->tp : 1);
}

/* PyTorch's hooks of saved tensors send all that blocks keep; what else Megatron sends is not known
 * here. */
static bool sends_all(const struct workload *work)
{
	return work->host_inputs && work->recompute == RECOMPUTE_NONE &&
	       work->software <= SOFTWARE_COMPILED;
}

bool activations_host_known(const struct workload *work)
{
	return work->recompute == RECOMPUTE_FULL || sends_all(work);
}

/* Bytes per token that a block keeps. */
static double block_kept(const struct workload *work, bool experts)
{
	const struct discarded discarded = block_discarded(work, experts);
	const double all = activations_block(work, experts), share = recompute_share(work);

	switch (work->recompute) {
	case RECOMPUTE_FULL:
		return work->host_inputs ? 0 : stream_bytes(work) / recompute_unit(work);
	case RECOMPUTE_LAYERS:
		return all * (1 - share) + stream_bytes(work) * share;
	case RECOMPUTE_OPERATORS:
		return kept_operators(work, experts) + input_magnitudes(work);
	case RECOMPUTE_MODULES:
		return all - discarded.attention - discarded.rest;
	case RECOMPUTE_NONE:
		return sends_all(work) ? 0 : all;
	}
	return all;
}

/*
 * Blocks that are there whole while their gradients are made, beside what is kept. Of the first
 * layers of a stage the gradients come last, when what the others kept is gone. One that comes back
 * from host memory is there as if it were computed again.
 */
static double computed_again(const struct workload *work)
{
	if (sends_all(work))
		return 1;
	if (work->recompute == RECOMPUTE_NONE || work->recompute == RECOMPUTE_MODULES ||
	    (work->recompute_first > 0 && recompute_share(work) < 1))
		return 0;
	return work->recompute == RECOMPUTE_FULL ? recompute_unit(work) : 1;
}

/* The gradients of an MLP's product and of its branches are there before those of its input. */
static double working(const struct workload *work, bool experts)
{
	const struct model *model = work->model;
	double width = (double)model->ffn;

	if (experts)
		width = (double)(model->shared_ffn + model->topk * model->expert_ffn);
	return 2 * (model->gated_mlp ? 2 : 1) * width / (double)work->tp;
}

/*
 * Bytes beside the gradient of logits while Megatron's output projection goes backward: an empty
 * gradient in bf16, since its own was added to the fp32 one (core/tensor_parallel/layers.py, so
 * that hooks run), its gathered input and the gradient of that.
 */
static double projection_backward(const struct workload *work)
{
	double hidden = (double)work->model->hidden;

	if (!workload_fuses_gradients(work))
		return 0;
	return 2 * hidden * (double)work->model->vocab / (double)work->tp +
	       4 * hidden * (double)workload_tokens(work);
}

/*
 * What the last norm and the output projection keep of a token: their inputs, of which the
 * projection's is gathered first under DTensor (measured: torch 2.13.0, tp 8, on the CPU, 2 bytes
 * of each of the hidden numbers).
 */
static double head_kept(const struct workload *work)
{
	const bool gathered = work->software <= SOFTWARE_COMPILED;
	const double hidden = (double)work->model->hidden;
	const double stream = work->sequence_parallel ? hidden / (double)work->tp : hidden;

	return block_norm(work, true) * stream + 2 * (gathered ? hidden : stream);
}

/* Inputs of blocks that are on their way to host memory when the loss is computed. */
enum { ON_THE_WAY = 3 };

double activations_host(const struct workload *work, bool experts)
{
	const double tokens = (double)work->param_bytes / 2 * (double)workload_tokens(work);

	if (sends_all(work))
		return tokens * activations_block(work, experts);
	if (work->recompute != RECOMPUTE_FULL || !work->host_inputs)
		return 0;
	return tokens * stream_bytes(work) / recompute_unit(work);
}

/*
 * Autocast keeps the weights that it cast until the forward pass ends, and the products until they
 * went backward, unless they are computed again. Of a logit there are then ten bytes of its twelve.
 */
static void add_casts(const struct workload *work, struct activations *sizes)
{
	const double head = 2 * (double)work->model->vocab * (double)work->model->hidden;
	const double all = (double)work->model->total * 2;
	int kind;

	if (!work->autocast)
		return;
	for (kind = 0; kind < 2; kind++)
		if (computed_again(work) > 0)
			sizes->again[kind] += computed_again(work) * block_casts(work, kind);
		else
			sizes->kept[kind] += block_casts(work, kind);
	sizes->head += head;
	if (work->recompute == RECOMPUTE_FULL)
		sizes->loss = fmax(sizes->loss, sizes->loss * 10 / 12 + all - head);
}

/* What layers that predict more tokens keep of a token beside their logits: two norms and what
 * those make, their block, and what the output projection takes. */
static double predictions_kept(const struct workload *work)
{
	const struct model *model = work->model;
	const double hidden = (double)model->hidden;
	const double stream = work->sequence_parallel ? hidden / (double)work->tp : hidden;
	const bool experts = model_layer_has_experts(model, model->layers - 1);
	struct workload own;

	if (!model->mtp)
		return 0;
	own = recompute_of_predictions(work);
	return (double)model->mtp * ((2 * block_norm(work, true) + 4) * stream +
				     block_kept(&own, experts) + head_kept(work));
}

struct activations activations_of(const struct workload *work)
{
	double tokens = (double)workload_tokens(work), stream = stream_bytes(work);
	const double wide = (double)work->param_bytes / 2; /* all below is of 16-bit tensors */
	struct activations sizes = {
		.head = wide * tokens * (head_kept(work) + predictions_kept(work)),
	};
	const struct logits logits = logits_of(work);
	struct discarded discarded;
	int kind;

	for (kind = 0; kind < 2; kind++) {
		discarded = block_discarded(work, kind);
		sizes.kept[kind] = wide * tokens * block_kept(work, kind) +
				   wide * weight_magnitudes(work, kind);
		sizes.working[kind] = wide * tokens * working(work, kind);
		sizes.again[kind] =
			wide * tokens * computed_again(work) * activations_block(work, kind);
		if (work->recompute == RECOMPUTE_MODULES) /* one after the other */
			sizes.again[kind] =
				wide * tokens * fmax(discarded.attention, discarded.rest);
	}
	/* torchtune@bd2a0fc7 training/_activation_offloading.py, max_fwd_stash_size: the last five
	 * tensors stay, of which the last norm's and the projection's are counted */
	if (work->host_stash && activations_host_known(work))
		sizes.head += ON_THE_WAY * wide * stream * tokens / recompute_unit(work);
	if (work->deepspeed && work->pp > 1) /* a stage's input, its clone and its output */
		sizes.input = 2 * wide * stream * tokens;
	if (work->pp > 1 && workload_does(work, HABIT_STAGE_BUFFERS)) {
		sizes.received = wide * stream * tokens;
		sizes.returned = logits_returned(work);
	}
	sizes.logits = (double)(1 + work->model->mtp) * logits.kept;
	sizes.loss = logits.peak + (double)work->model->mtp * logits.kept;
	sizes.apart = logits_apart(work);
	sizes.gradient = logits.gradient + projection_backward(work);
	add_casts(work, &sizes);
	return sizes;
}

/* Of what a stage of so many makes of a microbatch: logits that are counted with the loss, which
 * keeps the same tensor, are not counted twice. */
static double output_of(const struct activations *sizes, const struct workload *work, bool last)
{
	const bool compiled = work->software == SOFTWARE_COMPILED &&
			      workload_does_since(work, HABIT_LOSS_COMPILED);

	if (!last)
		return sizes->received;
	return compiled ? 0 : sizes->returned;
}

static double pipeline_count(const struct workload *work, int64_t batches)
{
	return (double)workload_shape(work, batches).microbatches;
}

/*
 * torch@v2.9.0 distributed/pipelining/stage.py: a buffer for the input of each microbatch
 * (args_recv_info, but in the first stage) and one for its output's gradient (grad_recv_info, but
 * in the last), made in the first step and never let go. Outputs of microbatches that are not
 * simulated are taken to be there, too.
 */
double activations_waiting(const struct activations *sizes, const struct workload *work,
			   int64_t batches, int32_t stage, int32_t stages)
{
	const double count = pipeline_count(work, work->microbatches);
	const bool first = stage == 0, last = stage == stages - 1;
	double bytes = count * sizes->received * (!first + !last);

	if (last && workload_does_since(work, HABIT_OUTPUTS_RETURNED))
		bytes += (count - pipeline_count(work, batches)) * sizes->returned;
	return bytes;
}

/* There, too: what it made of a microbatch (fwd_cache). Its first block keeps its input, which is
 * one of the buffers. */
double activations_flight(const struct activations *sizes, const struct workload *work,
			  int32_t stage, int32_t stages)
{
	return sizes->input + output_of(sizes, work, stage == stages - 1) -
	       (stage > 0 ? sizes->received : 0);
}

/* There, too: output_chunks, where the caller does not say that it wants none. */
double activations_returned(const struct activations *sizes, const struct workload *work,
			    int64_t batches, bool ends)
{
	if (!workload_does_since(work, HABIT_OUTPUTS_RETURNED))
		return 0;
	return sizes->returned * (ends ? 1 - pipeline_count(work, batches) : 1);
}
