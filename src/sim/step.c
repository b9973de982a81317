#include "sim/step.h"

#include "cost/kernel.h"
#include "cost/network.h"
#include "sim/layer.h"

#include <math.h>
#include <string.h>

/* All the blocks of one rank for one microbatch, and what lies before and behind them. */
struct stage_cost {
	double forward, backward; /* everything, collectives included */
	double tensor, expert;	  /* of that: exposed collectives */
	double head;		  /* output projection and loss, where they are */
	double parameters, expert_parameters;
};

static double doubles(int64_t value)
{
	return (double)value;
}

static void add_layers(struct stage_cost *stage, const struct layer *layer, double count)
{
	bool again = layer->again > layer->attention.forward;

	stage->forward += count * layer_forward(layer);
	stage->backward += count * layer_backward(layer);
	stage->tensor += count * (layer->tensor.forward * (again ? 2 : 1) + layer->tensor.backward);
	stage->expert += count * (layer->expert.forward * (again ? 2 : 1) + layer->expert.backward);
	stage->parameters += count * layer->parameters;
	stage->expert_parameters += count * layer->expert_parameters;
}

static struct stage_cost stage_of(const struct profile *profile, const struct workload *work)
{
	const struct model *model = work->model;
	double experts = 0, dense = doubles(model->layers), stages = doubles(work->pp);
	struct stage_cost stage = { 0 };
	struct layer layer;
	struct pass head;

	if (model->experts > 0) {
		dense = doubles(model->dense_layers);
		experts = doubles(model->layers) - dense;
	}
	layer = layer_cost(profile, work, false);
	add_layers(&stage, &layer, dense / stages);
	if (experts > 0) {
		layer = layer_cost(profile, work, true);
		add_layers(&stage, &layer, experts / stages);
	}
	head = layer_head(profile, work);
	stage.head = head.forward + head.backward;
	return stage;
}

/* Elements of the embedding, and of the output where it has weights of its own on this rank. */
static double table_parameters(const struct workload *work)
{
	double table =
		doubles(work->model->vocab) * doubles(work->model->hidden) / doubles(work->tp);

	return work->model->tied_embeddings || work->pp > 1 ? table : 2 * table;
}

static struct lane lane_of(const struct profile *profile, const struct workload *work,
			   int64_t ranks, int64_t stride)
{
	struct communicator group = { ranks, stride };

	return network_lane(profile, work->gpus_per_node, group);
}

/* Ranks that share one expert's parameters. */
static int64_t expert_copies(const struct workload *work)
{
	int64_t copies = work->dp * work->cp * work->tp / (work->ep * work->etp);

	return copies > 0 ? copies : 1;
}

static void run_pipeline(const struct profile *profile, const struct workload *work,
			 const struct stage_cost *stage, struct step *step)
{
	double pass = stage->forward + stage->backward, batches = doubles(work->microbatches);
	double rows = doubles(workload_tokens(work)), embedding, send;

	if (work->pp == 1) {
		embedding = kernel_memory(
			profile,
			8 * doubles(work->model->hidden) *
				(work->sequence_parallel ? rows / doubles(work->tp) : rows));
		step->compute = batches * (pass + stage->head + 2 * embedding);
		return;
	}
	if (work->deepspeed) /* its engine takes turns: what is received is waited for */
		pass += 1e-3 * profile_get(profile, FIGURE_HOST_EXCHANGE);
	send = network_send(lane_of(profile, work, 2, work->world / work->pp),
			    2 * rows * doubles(work->model->hidden) / doubles(work->tp));
	step->bubble = doubles(work->pp - 1) / doubles(work->virtual_stages) * pass;
	step->compute =
		batches * (pass + stage->head) +
		(2 * doubles(work->pp - 1) + batches * doubles(work->virtual_stages - 1)) * send;
}

/* FSDP: parameters gathered twice, gradients scattered once, layer by layer. */
static double sharded_traffic(const struct profile *profile, const struct workload *work,
			      const struct stage_cost *stage, double *unhidden)
{
	double layers = doubles(work->model->layers) / doubles(work->pp);
	double each = stage->parameters / layers, all, gather, scatter;
	struct lane lane = lane_of(profile, work, work->shard, work->tp);

	gather = layers * network_gather(lane, work->shard, 2 * each);
	scatter = layers * network_gather(lane, work->shard, 4 * each);
	all = 2 * gather + scatter;
	if (stage->expert_parameters > 0) {
		int64_t copies = expert_copies(work);
		lane = lane_of(profile, work, copies, work->tp);
		all += network_gather(lane, copies, 8 * stage->expert_parameters);
	}
	all *= doubles(work->microbatches);
	if (work->replicate > 1)
		all += network_all_reduce(
			lane_of(profile, work, work->replicate, work->shard * work->tp),
			work->replicate,
			4 * (stage->parameters + table_parameters(work)) / doubles(work->shard));
	*unhidden = 2 * (gather + scatter) / layers;
	return all;
}

/*
 * Gradients of `elements` are reduced and their parameters gathered once per step. Without a
 * sharded state, and in Megatron and DeepSpeed before 2023 with one, gradients are all-reduced.
 */
static double reduced(const struct workload *work, struct lane lane, int64_t ranks, double elements)
{
	double bytes = doubles(work->grad_bytes) * elements;

	if (work->zero == ZERO_NONE)
		return network_all_reduce(lane, ranks, bytes);
	if (work->software == SOFTWARE_MEGATRON)
		return network_all_reduce(lane, ranks, bytes) +
		       network_gather(lane, ranks, 2 * elements);
	return network_gather(lane, ranks, bytes) + network_gather(lane, ranks, 2 * elements);
}

static double reduced_traffic(const struct profile *profile, const struct workload *work,
			      const struct stage_cost *stage)
{
	int64_t ranks = work->dp * work->cp, copies = expert_copies(work);
	double all = reduced(work, lane_of(profile, work, ranks, work->tp), ranks,
			     stage->parameters + table_parameters(work));

	if (stage->expert_parameters > 0)
		all += reduced(work, lane_of(profile, work, copies, work->tp), copies,
			       stage->expert_parameters);
	return all;
}

/* FSDP2 copies what it gathered, twice, out of a buffer, and gradients into one, in fp32. */
static double unit_copies(const struct profile *profile, const struct workload *work,
			  const struct stage_cost *stage)
{
	double elements = stage->parameters + table_parameters(work);

	if (!strcmp(work->framework, "composer") || !strcmp(work->framework, "llm-foundry"))
		return 0; /* the first FSDP gathers in place */
	if (expert_copies(work) > 1)
		elements += stage->expert_parameters;
	return doubles(work->microbatches) * kernel_memory(profile, (2 * 4 + 6) * elements);
}

static double data_exposed(const struct profile *profile, const struct workload *work,
			   const struct stage_cost *stage, double computing)
{
	double hidden = profile_get(profile, FIGURE_DP_HIDDEN), all, unhidden = 0;
	double pass = stage->forward + stage->backward;

	if (work->dp * work->cp == 1)
		return 0;
	if (work->zero == ZERO_PARAMETERS) {
		all = sharded_traffic(profile, work, stage, &unhidden);
		return fmax(all - 0.9 * computing, 0) + 0.35 * fmin(all, computing) * (1 - hidden) +
		       unhidden + unit_copies(profile, work, stage);
	}
	all = reduced_traffic(profile, work, stage);
	if (work->overlap_grads)
		return fmax(all - 0.8 * pass, 0) + all * (1 - hidden);
	return all *
	       (work->software == SOFTWARE_MEGATRON ? profile_get(profile, FIGURE_DP_SERIAL) : 1);
}

/* Adam over the state this rank holds: 34 bytes moved per element, 6 per gradient cleared. */
static double optimizer_time(const struct profile *profile, const struct workload *work,
			     const struct stage_cost *stage)
{
	double dense = stage->parameters + table_parameters(work),
	       experts = stage->expert_parameters;
	double owners = work->zero == ZERO_NONE ? 1 : doubles(work->dp * work->cp);
	double copies = work->zero == ZERO_NONE ? 1 : doubles(expert_copies(work));
	double state = dense / owners + experts / copies, time;

	time = kernel_memory(profile, 34 * state) + 150e-6;
	if (work->zero != ZERO_PARAMETERS)
		time += kernel_memory(profile, 6 * (dense + experts));
	if (work->cpu_offload)
		time += state * 24 / 20e9; /* over PCIe and back, and on the host */
	return time;
}

struct step step_cost(const struct profile *profile, const struct workload *work)
{
	struct stage_cost stage = stage_of(profile, work);
	double batches = doubles(work->microbatches);
	struct step step = { 0 };

	run_pipeline(profile, work, &stage, &step);
	step.data = data_exposed(profile, work, &stage, step.compute + step.bubble);
	step.optimizer = optimizer_time(profile, work, &stage);
	step.total = step.compute + step.bubble + step.data + step.optimizer;
	step.tensor = batches * stage.tensor;
	step.expert = batches * stage.expert;
	step.compute -= step.tensor + step.expert;
	step.parameters = stage.parameters + stage.expert_parameters + table_parameters(work);
	return step;
}
