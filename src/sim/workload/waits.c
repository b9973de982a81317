#include "sim/workload/waits.h"

/* fully_shard has no flat runs, and a no_sync of its own. */
static bool is_sharded_anew(const struct workload *work)
{
	return !work->plan->dense.run.name;
}

/* Whether a library that the job pins, or its framework, does so. */
static bool any_does(const struct workload *work, const struct job *job, enum habit habit)
{
	size_t i;

	for (i = 0; i < job->versions.list.count; i++) {
		const struct version *version = &job->versions.list.items[i];
		if (wing_does(wing_find(version->framework), habit, version))
			return true;
	}
	return workload_does(work, habit);
}

void workload_waits(struct workload *work, const struct job *job)
{
	const bool waits =
		workload_does(work, HABIT_REDUCES_LAST) && !workload_does(work, HABIT_REDUCES_EACH);
	const bool cannot = is_sharded_anew(work) && any_does(work, job, HABIT_REDUCES_SHARDS);

	work->reduces_last = !cannot && !setting_bool(&job->settings, FIELD_REDUCE_EACH, !waits);
}
