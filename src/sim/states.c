#include "sim/states.h"

#include <math.h>

/* DeepSpeed's reduce_bucket_size, 5e8 elements unless it is given, in the type of parameters. */
#define DEEPSPEED_BUCKET ((double)500000000)

/* Bytes per element of parameters, gradients and Adam's state. */
struct widths {
	double parameter, gradient, optimizer;
};

/* PyTorch's own optimizer rather than a mixed-precision one around it. */
static bool is_plain(const struct workload *work)
{
	return !work->deepspeed && !work->megatron;
}

static bool fp8_alone(const struct workload *work)
{
	return work->format >= FORMAT_FP8 && workload_does_since(work, HABIT_FP8_ALONE);
}

/*
 * Transformer Engine keeps an fp8 weight as it is and transposed, which Hopper's products want;
 * before recipes kept these alone, beside the bf16 one, from microbatch to microbatch.
 */
static double engine_weight(const struct workload *work)
{
	double copies = work->one_copy ? 1 : 2;

	if (work->format != FORMAT_FP8)
		return 2;
	return fp8_alone(work) ? copies : 2 + copies;
}

/* Accumulated in fp32 unless parameters are fp16, or the config or its recipe says 16 bits. */
static double engine_gradient(const struct workload *work)
{
	bool narrow = work->param_fp16 || work->narrow_gradients || fp8_alone(work) ||
		      (work->gradients_said && work->grad_bytes < 4);

	return narrow ? 2 : 4;
}

/* Bytes of the optimizer's state of an element whose parameter it updates in so many. */
static double moments_of(const struct workload *work, double parameter)
{
	if (work->moments > 0)
		return work->moments;
	return optimizer_bytes(&work->optimizer, work->model, parameter);
}

double states_moments(const struct workload *work)
{
	return moments_of(work, is_plain(work) ? (double)work->stored_bytes : 4);
}

/*
 * What fp32 parameters are updated in: themselves, but for ZeRO, which clones its share as it does
 * 16 bits (deepspeed@v0.18.2 runtime/zero/stage_1_and_2.py, single_partition_of_fp32_groups; of
 * stage 3 where the optimizer's state is offloaded, or by HABIT_CLONES_FP32).
 */
static double fp32_copy(const struct workload *work)
{
	const bool apart = work->cpu_offload || work->offload > 0;

	if (!work->deepspeed || work->zero == ZERO_NONE)
		return 0;
	return work->zero == ZERO_PARAMETERS && !work->clones_fp32 && !apart ? 0 : 4;
}

/* ZeRO-1 flattens its share of the gradients at the step. */
static struct widths fp32_widths(const struct workload *work, double moments)
{
	const double flat = work->deepspeed && work->zero == ZERO_OPTIMIZER ? 4 : 0;

	return (struct widths) { 4, 4, flat + fp32_copy(work) + moments };
}

/* DeepSpeed's ZeRO-1 copies its share of the gradients at the step, in 16 bits and in fp32. */
static struct widths widths_of(const struct workload *work)
{
	double stored = (double)work->stored_bytes, moments = moments_of(work, 4);
	double master = work->master > 0 ? work->master : 4;

	if (is_plain(work) && (work->zero == ZERO_NONE || work->zero == ZERO_PARAMETERS))
		return (struct widths) { stored, stored, moments_of(work, stored) };
	if (work->param_bytes == 4)
		return fp32_widths(work, moments);
	if (workload_keeps_both_gradients(work))
		return (struct widths) { 2, 6, 2 + master + moments };
	if (work->deepspeed && work->zero == ZERO_OPTIMIZER)
		return (struct widths) { 2, 2, 6 + master + moments };
	if (work->software == SOFTWARE_ENGINE)
		return (struct widths) { engine_weight(work), engine_gradient(work),
					 master + moments };
	return (struct widths) { 2, 2, master + moments };
}

/*
 * FSDP2 gathers into one buffer, copies the parameters out of it, and copies gradients
 * into a buffer of their type of reduction (torch/distributed/fsdp/_fully_shard of 2.4 to 2.11).
 * FSDP1 gathers a unit where its parameters are (torch@v2.9.0 distributed/fsdp/_flat_param.py,
 * _all_gather_flat_param); gradients of those are joined to one of the unit.
 */
static void put_gathering(const struct workload *work, struct states *states)
{
	if (work->data[DENSE].ranks < 2)
		return;
	states->gathered = work->fp8_gather ? 1 : (double)work->param_bytes;
	states->flat = is_plain(work) && !work->plan->dense.run.name ? states->gathered : 0;
	states->unreduced = (double)work->param_bytes;
	states->reduced = (double)work->grad_bytes;
	if (work->pp > 1) /* kept for the last microbatch, in the type of the reduction */
		states->unreduced = states->reduced;
	else if (workload_waits_whole(work))
		states->unreduced = (double)workload_waiting_bytes(work);
}

/* Adam that is not fused makes square roots of all second moments (torch._foreach_sqrt). */
static bool makes_roots(const struct workload *work)
{
	if (!is_plain(work) || work->stored_bytes < 4 || !work->optimizer.adam)
		return false;
	return !work->optimizer.fused && !workload_does_since(work, HABIT_FUSED_ADAM);
}

/*
 * Bytes that the optimizer's step makes of an element: of second moments their roots; without ZeRO
 * DeepSpeed's of fp16 casts all gradients to fp32, and its Adam joins these in one tensor beside
 * (deepspeed@v0.5.10 to v0.18.9 runtime/fp16/fused_optimizer.py and unfused_optimizer.py, step).
 * A native config of Megatron-DeepSpeed that names no stage may be of a run without that engine.
 */
static double made_by_step(const struct workload *work, const struct states *states)
{
	const bool casts =
		work->deepspeed && work->zero == ZERO_NONE && work->zero_said && work->param_fp16;

	if (makes_roots(work) && !states->updates_at_once)
		return states->held[HELD_OPTIMIZER] / 2;
	return !casts ? 0 : work->optimizer.states == 2 ? 4 + 4 : 4;
}

static void put_buffers(const struct workload *work, struct states *states)
{
	if (work->zero == ZERO_PARAMETERS)
		put_gathering(work, states);
	else if (work->zero == ZERO_NONE && is_plain(work) && work->data[DENSE].ranks > 1 &&
		 !workload_does(work, HABIT_REPLICAS_CAST))
		states->copied = (double)work->stored_bytes; /* DistributedDataParallel's buckets */
	if (!work->deepspeed || work->dp < 2)
		return;
	if (workload_keeps_both_gradients(work))
		states->flattened = 4 + 2;
	else
		states->bucket = DEEPSPEED_BUCKET * (double)work->param_bytes;
}

static void move(struct states *states, enum held held, double share)
{
	states->host[held] = share * states->held[held];
	states->held[held] -= states->host[held];
}

/*
 * What waits in host memory: all; or the optimizer's state alone, whose share of the gradients
 * ZeRO-2 and 3 send there as they are reduced (deepspeed@v0.19.8 runtime/zero/stage_1_and_2.py,
 * copy_grads_in_partition; stage3.py, grad_partitions_flat_buffer).
 */
static void put_apart(const struct workload *work, struct states *states)
{
	const bool reduced = work->deepspeed && work->zero >= ZERO_GRADIENTS;
	/* parameters move at stage 3 alone (zero/offload_config.py, "Valid only with stage 3") */
	const bool all = work->cpu_offload && (!work->deepspeed || work->zero == ZERO_PARAMETERS);
	const double share = work->deepspeed && work->zero == ZERO_NONE ? 0
			     : work->cpu_offload			? 1
									: work->offload;

	if (all)
		move(states, HELD_PARAMETER, 1);
	if (all || (reduced && share > 0))
		move(states, HELD_GRADIENT, 1);
	move(states, HELD_OPTIMIZER, all || work->optimizer.paged ? 1 : share);
}

/*
 * What is cut as the trained model is waits where its parameters do; all of it that comes and goes
 * in host memory.
 */
static void put_reference(const struct workload *work, struct states *states)
{
	const bool cut = work->reference >= REFERENCE_BLOCKS;
	const bool waits =
		work->reference == REFERENCE_HOST || (cut && states->host[HELD_PARAMETER] > 0);

	if (work->reference == REFERENCE_NONE)
		return;
	states->reference = waits ? 0 : (double)work->reference_bytes;
	states->reference_host = waits ? (double)work->reference_bytes : 0;
}

struct states states_of(const struct workload *work)
{
	const struct widths width = widths_of(work);
	struct states states = { .gradients_let_go = is_plain(work),
				 .updates_at_once = is_plain(work) && work->optimizer.in_backward };

	states.held[HELD_PARAMETER] = width.parameter;
	states.held[HELD_GRADIENT] = width.gradient;
	states.held[HELD_OPTIMIZER] = width.optimizer;
	put_apart(work, &states);
	put_reference(work, &states);
	states.update = made_by_step(work, &states);
	states.widened = work->offload > 0 || work->cpu_offload ? 0 : work->widened;
	states.own_pool = is_plain(work) && work->zero == ZERO_PARAMETERS &&
			  work->data[DENSE].ranks > 1 && !states.updates_at_once;
	put_buffers(work, &states);
	return states;
}

static double elements_of(const struct unit_cost *unit, enum held held)
{
	const struct share *shares = unit->holding.shares;

	return shares[DENSE].kept[held] + shares[EXPERTS].kept[held];
}

double states_bytes(const struct states *states, enum held held, const struct unit_cost *unit)
{
	return states->held[held] * elements_of(unit, held);
}

double states_buffers(const struct states *states, const struct unit_cost *all)
{
	return states->copied * unit_elements(all) + fmin(states->bucket, 2 * unit_elements(all));
}

double states_pool(const struct states *states, const struct unit_cost *all)
{
	return states->own_pool ? states_bytes(states, HELD_GRADIENT, all) : 0;
}

double states_waiting(const struct states *states, const struct unit_cost *unit)
{
	return states->updates_at_once ? 0 : states_bytes(states, HELD_GRADIENT, unit);
}

/*
 * Those of a unit that is reduced as one are there together, and of a block that is not, that of
 * its largest weight (hooks behind each accumulation: pytorch/torchtune@bd2a0fc7
 * torchtune/training/memory.py, register_optim_in_bwd_hooks).
 */
double states_passing(const struct states *states, const struct workload *work,
		      const struct unit_cost *unit)
{
	const struct model *model = work->model;
	const double gradients = states_bytes(states, HELD_GRADIENT, unit);
	const double experts = unit->holding.shares[EXPERTS].kept[HELD_GRADIENT];
	const double width = fmax((double)model->ffn, (double)(model->heads * model->head_dim));
	const double dense = width * (double)model->hidden / (double)work->tp;

	if (states->gathered > 0 || !unit_is_block(unit))
		return gradients;
	return fmin(gradients, states->held[HELD_GRADIENT] *
				       fmax(dense, experts / (model->gated_mlp ? 3 : 2)));
}

double states_update(const struct states *states, const struct unit_cost *unit)
{
	const struct share *shares = unit->holding.shares;

	return states->update * elements_of(unit, HELD_OPTIMIZER) +
	       states->widened * fmax(shares[DENSE].kept[HELD_OPTIMIZER],
				      shares[EXPERTS].kept[HELD_OPTIMIZER]);
}

double states_apart(const struct states *states, const struct workload *work,
		    const struct stage_cost *stage)
{
	const bool whole = work->reference == REFERENCE_MODEL && work->reference_passes > 0 &&
			   !work->reference_stays;
	double widest = 0, all = 0;
	int32_t i;

	for (i = 0; i < stage->count; i++) {
		const double *first = stage->units[i].holding.first;
		all += kinds_sum(first);
		if (stage->units[i].holding.lets_go)
			widest = fmax(widest, kinds_sum(first));
	}
	return (states->gathered + states->flat) * (whole ? all : widest);
}

/* Elements of the frozen model that a rank has where a unit of the trained one is its own. */
static double reference_elements(const struct workload *work, const struct unit_cost *unit)
{
	const struct share *shares = unit->holding.shares;

	if (work->reference == REFERENCE_WHOLE)
		return shares[DENSE].whole + shares[EXPERTS].whole;
	return elements_of(unit, HELD_PARAMETER);
}

/* Elements of a unit of it that were gathered and not let go: no backward pass comes. */
static double staying(const struct workload *work, const struct unit_cost *unit)
{
	const double *first = unit->holding.first;
	const bool stays =
		work->reference == REFERENCE_MODEL ? work->reference_stays : !unit->holding.lets_go;

	if (work->reference < REFERENCE_BLOCKS || !work->reference_passes)
		return 0;
	return stays ? kinds_sum(first) : 0;
}

double states_reference(const struct states *states, const struct workload *work,
			const struct stages *stages, int32_t rank)
{
	double bytes = 0;
	int32_t i, k;

	for (i = 0; i < stages->count; i++)
		for (k = 0; k < stages->items[i].count && stages->items[i].rank == rank; k++) {
			const struct unit_cost *unit = &stages->items[i].units[k];
			bytes += states->reference * reference_elements(work, unit) +
				 states->gathered * staying(work, unit);
		}
	return bytes;
}

double states_flattened(const struct states *states, const struct stages *stages, int32_t rank)
{
	double widest = DEEPSPEED_BUCKET, all = 0;
	int32_t i, k;

	for (i = 0; i < stages->count; i++)
		for (k = 0; k < stages->items[i].count && stages->items[i].rank == rank; k++) {
			const struct unit_cost *unit = &stages->items[i].units[k];
			all += unit_elements(unit);
			if (!(unit->blocks[DENSE] + unit->blocks[EXPERTS] > 0))
				widest = fmax(widest, unit_elements(unit));
		}
	return states->flattened * fmin(widest, all);
}

double states_host(const struct states *states, const struct workload *work,
		   const struct unit_cost *unit)
{
	double bytes = states->reference_host * reference_elements(work, unit);
	int held;

	for (held = 0; held < HELDS; held++)
		bytes += states->host[held] * elements_of(unit, held);
	return bytes;
}
