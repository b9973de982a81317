#include "sim/data_parallel.h"

#include "cost/kernel.h"

#include <math.h>
#include <string.h>

static struct lane lane_of(const struct profile *profile, const struct workload *work,
			   int64_t ranks, int64_t stride)
{
	struct rank_group group = { ranks, stride };

	return network_lane(profile, work->gpus_per_node, group);
}

/* Ranks that share one expert's parameters. */
static int64_t expert_copies(const struct workload *work)
{
	int64_t copies = work->dp * work->cp * work->tp / (work->ep * work->etp);

	return copies > 0 ? copies : 1;
}

static bool crosses(const struct lane *lane)
{
	return lane->route.place.nodes > 1;
}

struct data_parallel data_parallel_of(const struct profile *profile, const struct workload *work)
{
	struct data_parallel data = { .profile = profile, .work = work };

	data.ranks = work->zero == ZERO_PARAMETERS ? work->shard : work->dp * work->cp;
	data.expert_ranks = expert_copies(work);
	data.dense = lane_of(profile, work, data.ranks, work->tp);
	data.experts = lane_of(profile, work, data.expert_ranks, work->ep * work->etp);
	data.copies = lane_of(profile, work, work->replicate, work->shard * work->tp);
	data.crossing =
		crosses(&data.dense) || crosses(&data.experts) ? CROSSING_NETWORK : CROSSING_NODE;
	data.copies_crossing = crosses(&data.copies) ? CROSSING_NETWORK : CROSSING_NODE;
	return data;
}

double data_serial(const struct data_parallel *data)
{
	return data->work->software == SOFTWARE_MEGATRON
		       ? profile_get(data->profile, FIGURE_DP_SERIAL)
		       : 1;
}

double data_gather(const struct data_parallel *data, const struct unit_cost *unit)
{
	double time = network_gather(data->dense, data->ranks, 2 * unit->elements);

	if (unit->experts > 0)
		time += network_gather(data->experts, data->expert_ranks, 2 * unit->experts);
	return time;
}

/*
 * Without a sharded state, and in Megatron and DeepSpeed before 2023 with one, gradients are
 * all-reduced.
 */
static double reduced(const struct workload *work, struct lane lane, int64_t ranks, double elements)
{
	double bytes = (double)work->grad_bytes * elements;
	bool scatters = work->zero == ZERO_PARAMETERS ||
			(work->zero != ZERO_NONE && work->software != SOFTWARE_MEGATRON);

	return scatters ? network_gather(lane, ranks, bytes)
			: network_all_reduce(lane, ranks, bytes);
}

double data_reduce(const struct data_parallel *data, const struct unit_cost *unit)
{
	double time = reduced(data->work, data->dense, data->ranks, unit->elements);

	if (unit->experts > 0)
		time += reduced(data->work, data->experts, data->expert_ranks, unit->experts);
	return time;
}

double data_copies(const struct data_parallel *data, const struct unit_cost *unit)
{
	const struct workload *work = data->work;

	if (work->zero != ZERO_PARAMETERS || work->replicate < 2)
		return 0;
	return network_all_reduce(data->copies, work->replicate,
				  (double)work->grad_bytes * unit->elements / (double)work->shard);
}

struct pass data_buffers(const struct data_parallel *data, const struct unit_cost *unit)
{
	const struct workload *work = data->work;
	double elements = unit->elements + (data->expert_ranks > 1 ? unit->experts : 0);
	struct pass pass = { 0 };

	/* the first FSDP gathers in place */
	if (work->zero != ZERO_PARAMETERS || !strcmp(work->framework, "composer") ||
	    !strcmp(work->framework, "llm-foundry"))
		return pass;
	pass.forward = kernel_memory(data->profile, 4 * elements);
	pass.backward = kernel_memory(data->profile, (4 + 6) * elements);
	return pass;
}

/* Adam over the state this rank holds: 34 bytes moved per element, 6 per gradient cleared. */
double data_optimizer(const struct data_parallel *data, const struct unit_cost *rank)
{
	const struct workload *work = data->work;
	double owners = (double)work->shard;
	double copies = work->zero == ZERO_NONE ? 1 : (double)data->expert_ranks;
	double state = rank->elements / owners + rank->experts / copies;
	double time = kernel_memory(data->profile, 34 * state) + 150e-6;

	if (work->zero != ZERO_PARAMETERS)
		time += kernel_memory(data->profile, 6 * (rank->elements + rank->experts));
	if (work->cpu_offload)
		time += state * 24 / 20e9; /* over PCIe and back, and on the host */
	return time;
}
