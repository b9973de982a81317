#include "cli/incident.h"

#include "cli/dead.h"
#include "cli/gather.h"

#include <inttypes.h>
#include <string.h>

/* What stands at stdin can be read but once. */
static void read_logs(const char *command, const struct operands *evidence,
		      struct incident *incident)
{
	size_t i;

	incident->whole = true;
	for (i = 0; i < evidence->count; i++)
		if (strcmp(evidence->items[i], "-") != 0)
			incident->whole = dead_read(&incident->log, command, evidence->items[i]) &&
					  incident->whole;
	joblog_close(&incident->log);
	incident->hang = hang_of(incident->log.capture);
}

void incident_read(const struct invocation *invocation, const char *command,
		   const struct operands *evidence, const struct findings *expected,
		   struct incident *incident)
{
	joblog_init(&incident->log, invocation->arena, expected);
	read_logs(command, evidence, incident);
	incident->unknown = gather_known(invocation, command, evidence->items, evidence->count,
					 &incident->capture);
	incident->observed = observed_of(invocation->arena, &incident->capture, NULL);
	if (!incident->observed.families.world)
		incident->observed.families.world = incident->hang.world;
}

/* Devices of a node, where a group of all ranks says on how many nodes it is; else 8. */
static int64_t node_of(const struct observed *observed)
{
	const struct capture *capture = observed->capture;
	const int64_t world = observed->families.world;
	size_t i;

	for (i = 0; i < capture->groups.count; i++) {
		const struct seen_group *group = &capture->groups.items[i];
		if (group->size == world && group->nodes > 0 && world % group->nodes == 0)
			return world / group->nodes;
	}
	return world < 8 ? world : 8;
}

const char *incident_config(struct arena *arena, const struct incident *incident)
{
	return arena_printf(
		arena, "parplan: 1\nworld: %" PRId64 "\ncluster: {gpus_per_node: %" PRId64 "}\n",
		incident->observed.families.world, node_of(&incident->observed));
}
