#include "sim/overhead.h"

#include "cost/units.h"
#include "cost/network.h"

#include <math.h>

/*
 * A receiving connection has a buffer for each protocol (NCCL's src/include/device.h, comm.h,
 * 2.7 to 2.30): LL 512 threads of 8 lines of 16 bytes, LL128 640 threads of 120 words of 8
 * bytes, each times 8 steps, and Simple 4 MiB.
 */
#define CONNECTION (512 * 8 * 16 * 8 + (double)640 * 120 * 8 * 8 + 4 * MIB)
/* Channels inside a node of NVSwitch (logs of A100 and H100), and for each adapter of one. */
#define CHANNELS_INSIDE	 24
#define CHANNELS_PER_NIC 2
/* A ring and the two trees, which NCCL connected together before 2.22 (PyTorch 2.7, 2025-04). */
#define CONNECTIONS 3

/*
 * Bytes of the buffers of one communicator, with so many connections; over the network those that
 * send have them, too.
 */
static double communicator(const struct profile *profile, int connections, int64_t ranks,
			   bool inside)
{
	double nics = fmax(profile_get(profile, FIGURE_NIC_COUNT), 1), channels = 2;

	if (ranks < 2)
		return 0;
	if (inside && profile_get(profile, FIGURE_LINKS) > 0)
		channels = CHANNELS_INSIDE;
	else if (!inside)
		channels = fmin(CHANNELS_PER_NIC * nics, CHANNELS_INSIDE);
	return channels * connections * (inside ? 1 : 2) * CONNECTION;
}

static double of_group(const struct profile *profile, const struct workload *work, int connections,
		       const struct group *group)
{
	return communicator(profile, connections, group->ranks,
			    network_nodes(NULL, work->gpus_per_node, &group->layout) == 1);
}

/*
 * Those of the plan's groups that carry something; the world's; and of a pipeline, beside its own,
 * the one between the tables at its ends and the one over which norms are summed.
 */
static double communicators(const struct profile *profile, const struct workload *work)
{
	const struct group *groups[] = { &work->tensor,	  &work->context,     &work->sequence,
					 &work->expert,	  &work->data[DENSE], &work->copies[DENSE],
					 &work->pipeline, &work->pipeline,    &work->pipeline };
	const int connections = workload_does_since(work, HABIT_CONNECTS_LATE) ? 1 : CONNECTIONS;
	double bytes =
		communicator(profile, connections, work->world, work->world <= work->gpus_per_node);
	size_t i;

	for (i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		bytes += of_group(profile, work, connections, groups[i]);
	if (work->plan->has_expert)
		bytes += of_group(profile, work, connections, &work->data[EXPERTS]);
	return bytes;
}

/* Elements of one weight of each shape in attention. */
static double attention_shapes(const struct model *model)
{
	double hidden = (double)model->hidden, heads = (double)model->heads;
	double inner = (double)(model->qk_nope + model->qk_rope), q = (double)model->q_lora;
	double kv = (double)model->kv_lora, dim = (double)model->head_dim;

	if (model->kv_lora > 0)
		return hidden * (q + kv + (double)model->qk_rope) +
		       heads * (q > 0 ? q : hidden) * inner +
		       heads * kv * (double)(model->qk_nope + model->v_dim) +
		       heads * (double)model->v_dim * hidden;
	return hidden * dim * (2 * heads + 2 * (double)model->kv_heads);
}

/*
 * Bytes of empty gradients in bf16, one for each shape of a weight, that Transformer Engine hands
 * to hooks when its products have added gradients of weights to the fp32 ones, and never lets go.
 */
static double empty_gradients(const struct workload *work)
{
	const struct model *model = work->model;
	double tp = (double)work->tp, matrices = model->gated_mlp ? 3 : 2;
	double widths = (double)model->ffn / tp;

	if (!workload_fuses_gradients(work) || !workload_does_since(work, HABIT_EMPTY_GRADIENTS))
		return 0;
	if (model->experts > 0)
		widths = (model->dense_layers > 0 ? (double)model->ffn / tp : 0) +
			 (double)model->shared_ffn / tp +
			 (double)model->expert_ffn / (double)work->etp;
	return 2 * (attention_shapes(model) / tp + matrices * widths * (double)model->hidden);
}

/*
 * cuBLAS' workspace, one each for forward and backward (PyTorch's CUDABlas.cpp: 32 MiB from Hopper
 * on, 8 before), and Transformer Engine's, with its empty gradients.
 */
static double workspaces(const struct profile *profile, const struct workload *work)
{
	bool large = profile_get(profile, FIGURE_CAPABILITY) >= 90;

	return (large ? 32 : 8) * MIB * (work->software == SOFTWARE_ENGINE ? 3 : 2) +
	       empty_gradients(work);
}

struct overhead overhead_of(const struct profile *profile, const struct workload *work)
{
	bool late = workload_does_since(work, HABIT_LOADS_LATE);

	double context = profile_get(profile, late ? FIGURE_CONTEXT : FIGURE_CONTEXT_EAGER);

	return (struct overhead) { .workspaces = workspaces(profile, work),
				   .slack = profile_get(profile, FIGURE_SLACK),
				   .context = GIB * context,
				   .communicators = communicators(profile, work) };
}
