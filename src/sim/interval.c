#include "sim/interval.h"

#include <math.h>

/* Seconds of one microbatch on the rank that computes longest. */
static double pass_time(const struct stages *stages, const struct workload *work)
{
	double longest = 0;
	int32_t rank;

	for (rank = 0; rank < work->pp; rank++) {
		struct unit_cost all = stages_of_rank(stages, rank);
		longest = fmax(longest, all.all.forward + all.all.backward);
	}
	return longest;
}

/* Share of computing that would not pass if these took no time. */
static double share_of(struct arena *arena, const struct profile *profile,
		       const struct workload *work, const struct stages *stages,
		       const enum figure_id *ids, size_t count)
{
	struct profile swift = *profile;
	struct stages swiftly;
	size_t i;

	for (i = 0; i < count; i++)
		swift.numbers[ids[i]].value = 0;
	swiftly = stages_totals(arena, &swift, work);
	return 1 - pass_time(&swiftly, work) / pass_time(stages, work);
}

/* That hosts launch kernels. */
static double launching(struct arena *arena, const struct profile *profile,
			const struct workload *work, const struct stages *stages)
{
	static const enum figure_id hosts[] = { FIGURE_HOST_EAGER, FIGURE_HOST_COMPILED,
						FIGURE_HOST_MEGATRON, FIGURE_HOST_ENGINE };

	return share_of(arena, profile, work, stages, &hosts[work->software], 1);
}

/* That they fetch experts, of which hardly anything is published. */
static double fetching(struct arena *arena, const struct profile *profile,
		       const struct workload *work, const struct stages *stages)
{
	static const enum figure_id fetches[] = { FIGURE_FETCH_FORWARD, FIGURE_FETCH_BACKWARD,
						  FIGURE_LEAF_FORWARD, FIGURE_LEAF_BACKWARD };

	return work->fetch == FETCH_BLOCK ? 0
					  : share_of(arena, profile, work, stages, fetches,
						     sizeof(fetches) / sizeof(*fetches));
}

double interval_half_width(struct arena *arena, const struct profile *profile,
			   const struct workload *work, const struct stages *stages)
{
	double launch =
		launching(arena, profile, work, stages) * profile_get(profile, FIGURE_DOUBT_LAUNCH);
	double fetch =
		fetching(arena, profile, work, stages) * profile_get(profile, FIGURE_DOUBT_FETCH);
	double doubt = pow(profile_get(profile, FIGURE_DOUBT), 2) + launch * launch + fetch * fetch;

	if (work->model->experts > 0)
		doubt += pow(profile_get(profile, FIGURE_DOUBT_EXPERTS), 2);
	if (work->software == SOFTWARE_COMPILED || work->recompute_unknown || work->not_counted ||
	    !(work->recompute_said || work->own_file))
		doubt += pow(profile_get(profile, FIGURE_DOUBT_UNSAID), 2);
	if (profile_get(profile, FIGURE_CAPABILITY) == 0)
		doubt += pow(profile_get(profile, FIGURE_DOUBT_DEVICE), 2);
	return fmin(sqrt(doubt), profile_get(profile, FIGURE_DOUBT_MOST));
}
