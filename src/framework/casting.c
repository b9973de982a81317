#include "framework/casting.h"

#include <string.h>

static bool is_cut(const struct plan *plan, const char *axis)
{
	const struct mesh *mesh = plan_mesh(plan, axis);

	return mesh && layout_size(&mesh->layout) > 1;
}

/*
 * TorchTitan gives mixed precision to fully_shard alone, and to replicate while that was one of
 * FSDP2's (pytorch/torchtitan@e1847f439 models/llama3/parallelize.py, apply_replicate). Without
 * them it had none at first, and then autocast, but not with tp or pp (@0b44d4c43
 * distributed/utils.py, maybe_enable_amp), until fully_shard was always called (@00b7f5693).
 */
enum casting casting_of(const struct wing *wing, const struct version *version,
			const struct plan *plan)
{
	const enum strategy strategy = plan->dense.strategy;
	bool autocasts;

	if (strategy != STRATEGY_NONE &&
	    (strategy != STRATEGY_DDP || wing_does(wing, HABIT_REPLICAS_CAST, version)))
		return CASTING_PARAMETERS;
	autocasts = wing_does(wing, HABIT_AUTOCASTS, version);
	if (plan->origin != PLAN_INTENDED && wing_does(wing, HABIT_CASTS_BY_SHARDS, version) &&
	    (!autocasts || is_cut(plan, "tp") || is_cut(plan, "pp")))
		return CASTING_NOTHING;
	return autocasts ? CASTING_PRODUCTS : CASTING_PARAMETERS;
}

const char *casting_lost(const struct job *job, const char **asked)
{
	const struct version *version = job_does(job, HABIT_CASTS_BY_SHARDS);
	const char *stored = setting_text(&job->settings, FIELD_MASTER_DTYPE, "float32");

	*asked = setting_text(&job->settings, FIELD_PARAM_DTYPE, "bfloat16");
	return version && job->applied && strcmp(*asked, stored) != 0 &&
			       casting_of(wing_find(version->framework), version, job->applied) ==
				       CASTING_NOTHING
		       ? stored
		       : NULL;
}
