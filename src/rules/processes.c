#include "rules/processes.h"

#include "base/text.h"
#include "rules/facts.h"

#include <string.h>

static const struct setting *first_known(const struct job *job, const enum field_id *fields,
					 size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (setting_known(fact(job, fields[i])))
			return fact(job, fields[i]);
	return NULL;
}

bool launched_by(const struct job *job, const char *launcher)
{
	return !strcmp(setting_text(&job->settings, FIELD_LAUNCH_LAUNCHER, ""), launcher);
}

const struct setting *devices_seen(const struct job *job)
{
	static const enum field_id devices[] = { FIELD_LAUNCH_GPUS_REQUESTED,
						 FIELD_CLUSTER_GPUS_PER_NODE };

	return setting_unresolved(&job->settings, FIELD_LAUNCH_GPUS_REQUESTED)
		       ? NULL
		       : first_known(job, devices, 2);
}

struct start start_of(const struct job *job)
{
	static const enum field_id machines[] = { FIELD_LAUNCH_NODES, FIELD_LAUNCH_REPLICAS,
						  FIELD_CLUSTER_NODES };
	const struct setting *per_node = fact(job, FIELD_LAUNCH_PER_NODE);
	const struct setting *tasks = fact(job, FIELD_LAUNCH_TASKS_PER_NODE);
	struct start start = {
		.launcher = setting_text(&job->settings, FIELD_LAUNCH_LAUNCHER, ""),
		.machines = first_known(job, machines, 3),
		.devices = devices_seen(job),
	};

	if (launched_by(job, "srun") && setting_known(tasks)) {
		start.per_machine = tasks;
		start.count = tasks->integer;
	} else if (setting_known(per_node)) {
		start.per_machine = per_node;
		if (!text_to_int(per_node->text, &start.count))
			start.count = 0;
	}
	return start;
}

bool start_leaves_idle(const struct job *job)
{
	const struct setting *total = fact(job, FIELD_LAUNCH_PROCESSES);
	const struct start start = start_of(job);
	int64_t each = start.count;

	if (!each && setting_known(total) && start.machines && start.machines->integer > 1)
		each = total->integer / start.machines->integer;
	return start.devices && each > 0 && each < start.devices->integer;
}
