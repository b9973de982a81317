#include "sim/data_parallel.h"

#include "cost/units.h"
#include "cost/kernel.h"
#include "sim/states.h"
#include "sim/workload/experts.h"

#include <math.h>

static bool crosses(const struct lane *lane)
{
	return lane->route.place.nodes > 1;
}

static struct lane lane_of(const struct profile *profile, const struct workload *work,
			   const struct group *group)
{
	return network_lane(profile, work->gpus_per_node, &group->layout);
}

struct data_parallel data_parallel_of(const struct profile *profile, const struct workload *work)
{
	struct data_parallel data = { .profile = profile,
				      .work = work,
				      .crossing = CROSSING_NODE,
				      .copies_crossing = CROSSING_NODE };
	int kind;

	for (kind = 0; kind < KINDS; kind++) {
		data.meets[kind] = lane_of(profile, work, &work->data[kind]);
		data.repeats[kind] = lane_of(profile, work, &work->copies[kind]);
		if (crosses(&data.meets[kind]))
			data.crossing = CROSSING_NETWORK;
		if (crosses(&data.repeats[kind]))
			data.copies_crossing = CROSSING_NETWORK;
	}
	return data;
}

bool data_is_parallel(const struct workload *work)
{
	int kind;

	for (kind = 0; kind < KINDS; kind++)
		if (work->data[kind].ranks > 1 || work->copies[kind].ranks > 1)
			return true;
	return false;
}

double data_serial(const struct data_parallel *data)
{
	const struct workload *work = data->work;
	const bool whole = work->zero == ZERO_NONE || workload_scatters_whole(work);

	if ((work->software != SOFTWARE_MEGATRON && !work->deepspeed) ||
	    data->crossing != CROSSING_NETWORK)
		return 1;
	return profile_get(data->profile, whole ? FIGURE_DP_WHOLE : FIGURE_DP_SERIAL);
}

static double seconds(const struct lane *lane, struct call call)
{
	return call.group->ranks < 2 || call.bytes <= 0
		       ? 0
		       : network_seconds(lane, call.op, call.bytes);
}

double data_gather(const struct data_parallel *data, const double elements[KINDS], bool block)
{
	const struct workload *work = data->work;
	double time = 0;
	int kind;

	for (kind = 0; kind < KINDS; kind++) {
		const struct apart apart =
			block ? workload_apart(work, elements[kind]) : (struct apart) { 0 };
		const struct lane *lane = &data->meets[kind];
		time += seconds(lane,
				call_gather(work, kind, elements[kind] - apart.elements, block));
		if (apart.calls > 0)
			time += apart.calls *
				seconds(lane, call_gather(work, kind, apart.elements / apart.calls,
							  block));
	}
	return time;
}

struct data_apart data_apart_of(const struct workload *work)
{
	const bool one = work->reference == REFERENCE_MODEL;
	const bool there = work->reference == REFERENCE_WHOLE || work->reference_stays;
	struct data_apart apart = { 0, work->passes };

	if (work->zero != ZERO_PARAMETERS || !data_is_parallel(work))
		return (struct data_apart) { 0, 0 };
	if (one || there)
		apart.parts -= work->reference_passes;
	if (one && !there)
		apart.whole = work->reference_passes;
	return apart;
}

void data_elements_apart(const struct workload *work, const struct stage_cost *stage,
			 double elements[KINDS])
{
	const struct data_apart apart = data_apart_of(work);
	double go[KINDS];
	int kind;

	stage_gathered(stage, true, go);
	for (kind = 0; kind < KINDS; kind++)
		elements[kind] = (double)apart.whole * stage->total.holding.first[kind] +
				 (double)apart.parts * go[kind];
}

double data_gather_apart(const struct data_parallel *data, const struct stage_cost *stage)
{
	const struct data_apart apart = data_apart_of(data->work);
	double go[KINDS];

	stage_gathered(stage, true, go);
	return (double)apart.whole * data_gather(data, stage->total.holding.first, true) +
	       (double)apart.parts *
		       fmax(data_gather(data, go, true) - stage->total.all.forward, 0);
}

/* Before a backward pass, where units stayed cut over fewer ranks. */
static double gather_kept(const struct data_parallel *data, const struct unit_cost *unit)
{
	const struct holding *holding = &unit->holding;
	bool block = unit->blocks[DENSE] + unit->blocks[EXPERTS] > 0;
	struct call call = call_gather_kept(data->work, holding->last[DENSE], block);
	const double experts[KINDS] = { 0, holding->last[EXPERTS] };

	if (!holding->kept_over || data->work->kept.ranks < 2)
		return data_gather(data, holding->last, block);
	return call_seconds(data->work, data->profile, &call) + data_gather(data, experts, block);
}

double data_reduce(const struct data_parallel *data, const double elements[KINDS])
{
	double time = 0;
	int kind;

	for (kind = 0; kind < KINDS; kind++)
		time += seconds(&data->meets[kind], call_reduce(data->work, kind, elements[kind]));
	return time;
}

double data_copies(const struct data_parallel *data, const double elements[KINDS])
{
	double time = 0;
	int kind;

	for (kind = 0; kind < KINDS; kind++)
		time += seconds(&data->repeats[kind],
				call_copies(data->work, kind, elements[kind]));
	return time;
}

/* Elements that go through FSDP2's buffers: a run, as FSDP1 cuts, is gathered in place. */
static double buffered(const struct data_parallel *data, const double elements[KINDS])
{
	const struct workload *work = data->work;
	double sum = 0;
	int kind;

	for (kind = 0; kind < KINDS && !work->plan->dense.run.name; kind++)
		if (work->shares[kind] && work->data[kind].ranks > 1)
			sum += elements[kind];
	return sum;
}

/* Copies of gathered parameters out of FSDP2's buffer, and of gradients into one. */
static double copy_out(const struct data_parallel *data, const double elements[KINDS])
{
	return kernel_memory(data->profile,
			     2 * (double)data->work->param_bytes * buffered(data, elements));
}

static double copy_in(const struct data_parallel *data, const double elements[KINDS])
{
	return kernel_memory(data->profile,
			     (double)(data->work->param_bytes + data->work->grad_bytes) *
				     buffered(data, elements));
}

struct data_times data_times_of(const struct data_parallel *data, const struct unit_cost *unit)
{
	const double *first = unit->holding.first, *last = unit->holding.last;
	bool block = unit->blocks[DENSE] + unit->blocks[EXPERTS] > 0;

	return (struct data_times) { .first = data_gather(data, first, block),
				     .last = gather_kept(data, unit),
				     .reduce = data_reduce(data, first),
				     .copies = data_copies(data, first),
				     .copy_out = { copy_out(data, first), copy_out(data, last) },
				     .copy_in = copy_in(data, first) };
}

bool data_alike(const struct unit_cost *a, const struct unit_cost *b)
{
	int kind;

	for (kind = 0; kind < KINDS; kind++)
		if (a->holding.first[kind] != b->holding.first[kind] ||
		    a->holding.last[kind] != b->holding.last[kind] ||
		    a->blocks[kind] != b->blocks[kind])
			return false;
	return true;
}

/*
 * The optimizer over the state this rank holds: 18 bytes moved per element beside what it keeps,
 * which it reads and writes; 6 per gradient cleared.
 */
double data_optimizer(const struct data_parallel *data, const struct unit_cost *rank)
{
	const struct workload *work = data->work;
	const struct share *shares = rank->holding.shares;
	double state = shares[DENSE].kept[HELD_OPTIMIZER] + shares[EXPERTS].kept[HELD_OPTIMIZER];
	double host = work->cpu_offload ? 1 : work->offload;
	double each = 18 * (double)work->stored_bytes / 4 + 2 * states_moments(work);
	double time = kernel_memory(data->profile, each * state * (1 - host)) +
		      MICRO * profile_get(data->profile, FIGURE_OPTIMIZER);

	if (work->zero != ZERO_PARAMETERS)
		time += kernel_memory(data->profile,
				      6 * (shares[DENSE].whole + shares[EXPERTS].whole));
	/* over PCIe and back, and on the host */
	return time + host * state * 24 / (GIGA * profile_get(data->profile, FIGURE_OFFLOAD));
}

void data_passed(const struct workload *work, struct data_gathered *gathered, bool forward)
{
	gathered->here[0] = forward || work->pp > 1;
	gathered->here[1] = !forward && work->pp > 1;
}
