#include "input/launch/launched.h"

#include "base/number.h"
#include "base/text.h"

#include <string.h>

/* Processes on each machine when that is a number, else devices of each when it is a word. */
static const struct setting *per_machine(const struct settings *settings, int64_t *count)
{
	const struct setting *said = &settings->items[FIELD_LAUNCH_PER_NODE];
	const struct setting *devices = &settings->items[FIELD_LAUNCH_GPUS_REQUESTED];

	*count = 0;
	if (!setting_known(said) || !strcmp(said->text, "cpu"))
		return NULL;
	if (text_to_int(said->text, count))
		return said;
	if (!setting_known(devices))
		devices = &settings->items[FIELD_CLUSTER_GPUS_PER_NODE];
	*count = setting_known(devices) ? devices->integer : 0;
	return *count > 0 ? devices : NULL;
}

/* How many machines the launcher spans; 0: not known; 1 for a torchrun that is told nothing. */
static int64_t machines(const struct settings *settings)
{
	static const enum field_id fields[] = { FIELD_LAUNCH_NODES, FIELD_LAUNCH_REPLICAS,
						FIELD_CLUSTER_NODES };
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (setting_known(&settings->items[fields[i]]))
			return settings->items[fields[i]].integer;
		else if (setting_unresolved(settings, fields[i]))
			return 0;
	return !strcmp(setting_text(settings, FIELD_LAUNCH_LAUNCHER, ""), "torchrun") ? 1 : 0;
}

int64_t world_launched(const struct settings *settings, const struct setting **from)
{
	const struct setting *processes = &settings->items[FIELD_LAUNCH_PROCESSES];
	const struct setting *tasks = &settings->items[FIELD_LAUNCH_TASKS];
	const struct setting *per_node = &settings->items[FIELD_LAUNCH_TASKS_PER_NODE];
	bool srun = !strcmp(setting_text(settings, FIELD_LAUNCH_LAUNCHER, ""), "srun");
	int64_t count = 0;

	*from = NULL;
	if (setting_known(processes)) {
		*from = processes;
		return processes->integer;
	}
	if (srun && setting_known(tasks)) {
		*from = tasks;
		return tasks->integer;
	}
	if (srun && setting_known(per_node)) {
		*from = per_node;
		return multiply(machines(settings), per_node->integer);
	}
	*from = per_machine(settings, &count);
	return *from ? multiply(machines(settings), count) : 0;
}
