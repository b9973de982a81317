#include "sim/call.h"

#include <math.h>

static struct call call_of(const struct collective *op, const struct group *group, double bytes)
{
	return (struct call) { .op = op, .group = group, .bytes = bytes };
}

struct call call_gather(const struct workload *work, enum kind kind, double elements, bool block)
{
	double bytes = block && work->fp8_gather ? 1 : (double)work->param_bytes;

	if (!work->shares[kind] && (work->zero == ZERO_NONE || work->zero == ZERO_PARAMETERS))
		bytes = 0;
	return call_of(&collective_all_gather, &work->data[kind], bytes * elements);
}

struct call call_gather_kept(const struct workload *work, double elements, bool block)
{
	struct call call = call_gather(work, DENSE, elements, block);

	call.group = &work->kept;
	return call;
}

/*
 * Where nothing of it is shared, and before Transformer Engine and in DeepSpeed where only the
 * optimizer's state is, gradients are all-reduced.
 */
struct call call_reduce(const struct workload *work, enum kind kind, double elements)
{
	bool cut = work->zero == ZERO_OPTIMIZER || work->zero == ZERO_GRADIENTS;
	bool whole = (work->software != SOFTWARE_MEGATRON && !work->deepspeed) ||
		     workload_scatters_whole(work);
	bool scatters = work->shares[kind] || (cut && whole);

	return call_of(scatters ? &collective_reduce_scatter : &collective_all_reduce,
		       &work->data[kind], (double)work->grad_bytes * elements);
}

struct call call_copies(const struct workload *work, enum kind kind, double elements)
{
	return call_of(&collective_all_reduce, &work->copies[kind],
		       (double)work->grad_bytes * elements / (double)work->data[kind].ranks);
}

static double activations(const struct workload *work)
{
	return (double)work->param_bytes * (double)workload_tokens(work) *
	       (double)work->model->hidden;
}

struct call call_tensor(const struct workload *work, bool second)
{
	if (!work->sequence_parallel)
		return call_of(&collective_all_reduce, &work->tensor,
			       second ? 0 : activations(work));
	return call_of(second ? &collective_reduce_scatter : &collective_all_gather, &work->tensor,
		       activations(work));
}

/* Elements of the keys and values of one rank in one block. */
static double keys_and_values(const struct workload *work)
{
	const struct model *model = work->model;
	double width = 2 * fmax((double)model->kv_heads, 1) * (double)model->head_dim;

	if (model->kv_lora > 0)
		width = (double)model->heads *
			(double)(model->qk_nope + model->qk_rope + model->v_dim);
	return (double)workload_tokens(work) * width / (double)work->tp;
}

struct call call_keys(const struct workload *work, const struct group *group, bool gathered)
{
	double bytes = (double)work->param_bytes * keys_and_values(work);

	return gathered ? call_of(&collective_all_gather, group, (double)group->ranks * bytes)
			: call_of(&collective_send_recv, group, bytes);
}

/*
 * In fp32 with torch (torch/distributed/tensor/experimental/_attention.py, 2.8), in the type of the
 * activations with others (Transformer Engine's point-to-point method).
 */
struct call call_keys_gradients(const struct workload *work, const struct group *group)
{
	int64_t bytes = work->software <= SOFTWARE_COMPILED ? 4 : work->param_bytes;

	return call_of(&collective_send_recv, group, (double)bytes * keys_and_values(work));
}

/*
 * deepspeed/runtime/sequence_parallel/ulysses_sp.py (deepspeedai/DeepSpeed@016d2f70), forward of
 * UlyssesSPAttentionHF; verl/models/transformers/monkey_patch.py (volcengine/verl@b178a3cd),
 * _ulysses_flash_attention_forward: an all-to-all for each of the four tensors.
 */
void call_heads(const struct workload *work, const struct group *group,
		struct call calls[CALL_HEADS])
{
	const struct model *model = work->model;
	const bool latent = model->kv_lora > 0;
	const double heads = (double)model->heads / (double)work->tp;
	const double kv = fmax((double)model->kv_heads / (double)work->tp, (double)group->ranks);
	const double keys = latent ? heads : fmin(kv, heads);
	const double of_key = (double)(latent ? model->qk_nope + model->qk_rope : model->head_dim);
	const double of_value = (double)(latent ? model->v_dim : model->head_dim);
	const double elements[CALL_HEADS] = { heads * of_key, keys * of_key, keys * of_value,
					      heads * of_value };
	int i;

	for (i = 0; i < CALL_HEADS; i++)
		calls[i] = call_of(&collective_all_to_all, group,
				   (double)work->param_bytes * (double)workload_tokens(work) *
					   elements[i]);
}

/*
 * Copies of a token that leave its rank, out of one for each of its experts: DeepEP and HybridEP
 * send it once to each node (within one, to each rank) that has any of them, here evenly spread.
 */
static double copies_sent(const struct workload *work, const struct profile *profile)
{
	const struct call call = { .group = &work->expert };
	double nodes = (double)call_nodes(work, profile, &call);
	double places = nodes > 1 ? nodes : (double)work->ep;
	double experts = (double)work->model->topk;

	return work->sends_once ? places * (1 - pow(1 - 1 / places, experts)) : experts;
}

struct call call_expert(const struct workload *work, const struct profile *profile, bool back)
{
	const double own = activations(work) * (double)work->etp / (double)work->tp;

	if (work->gathers_tokens)
		return call_of(back ? &collective_reduce_scatter : &collective_all_gather,
			       &work->expert, own * (double)work->ep);
	return call_of(&collective_all_to_all, &work->expert,
		       own * copies_sent(work, profile) * work->imbalance);
}

struct call call_pipeline(const struct workload *work)
{
	struct call call =
		call_of(&collective_send_recv, &work->pipeline,
			activations(work) / (work->scatters_sends ? (double)work->tp : 1));

	call.neighbours = true;
	return call;
}

static struct layout layout_of(const struct call *call)
{
	const struct layout *all = &call->group->layout;

	if (!call->neighbours || !all->modes)
		return *all;
	return layout_axis(2, all->stride[all->modes - 1]);
}

int64_t call_nodes(const struct workload *work, const struct profile *profile,
		   const struct call *call)
{
	const struct layout layout = layout_of(call);

	return network_nodes(profile, work->gpus_per_node, &layout);
}

double call_received(const struct call *call)
{
	return call->group->ranks < 2 ? 0
				      : call->bytes * call->op->traffic((double)call->group->ranks);
}

struct lane call_lane(const struct workload *work, const struct profile *profile,
		      const struct call *call)
{
	const struct layout layout = layout_of(call);

	return network_lane(profile, work->gpus_per_node, &layout);
}

double call_seconds(const struct workload *work, const struct profile *profile,
		    const struct call *call)
{
	struct lane lane;

	if (call->group->ranks < 2 || call->bytes <= 0)
		return 0;
	lane = call_lane(work, profile, call);
	return network_seconds(&lane, call->op, call->bytes);
}
