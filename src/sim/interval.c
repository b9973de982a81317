#include "sim/interval.h"

#include <math.h>

/* Share of a step that would not pass if hosts launched kernels in no time. */
static double launching(struct arena *arena, const struct profile *profile,
			const struct workload *work, const struct step *step)
{
	static const enum figure_id hosts[] = { FIGURE_HOST_EAGER, FIGURE_HOST_COMPILED,
						FIGURE_HOST_MEGATRON, FIGURE_HOST_ENGINE };
	struct profile swift = *profile;

	swift.numbers[hosts[work->software]].value = 0;
	return step->total > 0 ? 1 - step_run(arena, &swift, work).step.total / step->total : 0;
}

double interval_half_width(struct arena *arena, const struct profile *profile,
			   const struct workload *work, const struct step *step)
{
	double launch =
		launching(arena, profile, work, step) * profile_get(profile, FIGURE_DOUBT_LAUNCH);
	double doubt = pow(profile_get(profile, FIGURE_DOUBT), 2) + launch * launch;

	if (work->model->experts > 0)
		doubt += pow(profile_get(profile, FIGURE_DOUBT_EXPERTS), 2);
	if (work->software == SOFTWARE_COMPILED || !work->recompute_said)
		doubt += pow(profile_get(profile, FIGURE_DOUBT_UNSAID), 2);
	if (profile_get(profile, FIGURE_CAPABILITY) == 0)
		doubt += pow(profile_get(profile, FIGURE_DOUBT_DEVICE), 2);
	return fmin(sqrt(doubt), 0.9);
}
