#include "sim/expert_loop.h"

#include "cost/units.h"
#include "sim/workload/experts.h"

/* Times that a gradient is written or read as it is added to the one before: set to 0, read with
 * that, and written. */
#define SWEEPS 4

/* Seconds of one launch, by what those of a whole block take. */
static double launch(const struct profile *profile)
{
	return MILLI * profile_get(profile, FIGURE_HOST_EAGER) /
	       profile_get(profile, FIGURE_HOST_KERNELS);
}

/* Launches that take as long as what ZeRO-3 does for the weights of a block. */
static struct pass fetching(const struct profile *profile, const struct workload *work)
{
	const bool apart = work->fetch == FETCH_WEIGHT;
	const double weights =
		(work->model->gated_mlp ? 3 : 2) *
		(apart ? workload_hits(work) : (double)work->model->experts / (double)work->ep);

	if (work->fetch == FETCH_BLOCK)
		return (struct pass) { 0 };
	return (struct pass) {
		weights * profile_get(profile, apart ? FIGURE_FETCH_FORWARD : FIGURE_LEAF_FORWARD),
		weights * profile_get(profile, apart ? FIGURE_FETCH_BACKWARD : FIGURE_LEAF_BACKWARD)
	};
}

/*
 * The gradient of what is taken out of all tokens is as large as those, and so is that of an
 * expert's part of a packed parameter (torch@v2.13.0 tools/autograd/derivatives.yaml, index and
 * select; counted of the real modules).
 */
static double swept(const struct workload *work, double hits)
{
	const struct model *model = work->model;
	const double hidden = (double)model->hidden;
	const double packed = (model->gated_mlp ? 3 : 2) * (double)model->experts *
			      (double)model->expert_ffn * hidden / (double)(work->ep * work->etp);

	return SWEEPS * (double)work->param_bytes * hits *
	       ((double)workload_tokens(work) * hidden + (work->packs_experts ? packed : 0));
}

struct expert_loop expert_loop_of(const struct profile *profile, const struct workload *work)
{
	const bool packed = work->packs_experts;
	const double hits = workload_hits(work), each = launch(profile);
	const double biased =
		work->model->traits->fused_experts ? profile_get(profile, FIGURE_LOOP_BIASED) : 1;
	const struct pass fetch = fetching(profile, work);
	struct pass one = {
		profile_get(profile, packed ? FIGURE_PACKED_FORWARD : FIGURE_LOOP_FORWARD),
		profile_get(profile, packed ? FIGURE_PACKED_BACKWARD : FIGURE_LOOP_BACKWARD)
	};

	if (!work->loops_experts)
		return (struct expert_loop) { 0 };
	return (struct expert_loop) {
		.host = { each * (hits * biased * one.forward + fetch.forward),
			  each * (hits * biased * one.backward + fetch.backward) },
		.waits = MICRO * hits * biased * profile_get(profile, FIGURE_HOST_SYNC) *
			 profile_get(profile, packed ? FIGURE_PACKED_SYNCS : FIGURE_LOOP_SYNCS),
		.swept = swept(work, hits),
	};
}
