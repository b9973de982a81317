#include "input/launch/launcher_file.h"

#include "input/launch/launch.h"
#include "input/launch/launched.h"

#include <stdint.h>

/* What such a file says of machines and processes, for those who read the other file. */
static const enum field_id facts[] = {
	FIELD_LAUNCH_LAUNCHER,
	FIELD_LAUNCH_NODES,
	FIELD_LAUNCH_REPLICAS,
	FIELD_LAUNCH_PER_NODE,
	FIELD_LAUNCH_ELASTIC_PER_NODE,
	FIELD_LAUNCH_PROCESSES,
	FIELD_LAUNCH_TASKS,
	FIELD_LAUNCH_TASKS_PER_NODE,
	FIELD_LAUNCH_GPUS_REQUESTED,
	FIELD_LAUNCH_NODE_RANK,
	FIELD_LAUNCH_RDZV_ENDPOINT,
};

static void take_facts(struct arena *arena, struct launch *launch, struct settings *settings)
{
	size_t i;

	launch->facts.count = 0;
	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const struct setting *setting = settings_of(settings, facts[i]);
		struct launch_fact fact = { facts[i], setting->text, setting->span, false,
					    setting->unresolved };
		fact.assumed = setting->origin == ORIGIN_DEFAULT;
		if (setting->origin != ORIGIN_UNSET && setting->text)
			vec_push(arena, &launch->facts, fact);
	}
}

static void take_world(struct launch *launch, struct settings *settings)
{
	const struct setting *world = settings_of(settings, FIELD_WORLD), *from = world;

	launch->world = setting_known(world) ? world->integer : world_launched(settings, &from);
	if (setting_known(world))
		from = world;
	if (launch->world > INT32_MAX || launch->world < 0)
		launch->world = 0;
	if (launch->world && from)
		launch->world_span = from->span;
}

void launcher_facts(struct arena *arena, struct launch *launch, struct settings *settings)
{
	take_facts(arena, launch, settings);
	take_world(launch, settings);
}

const char *launcher_file_read(struct document *document, const char *path,
			       struct findings *findings)
{
	struct arena *arena = document->arena;
	struct document *other = arena_new(arena, struct document);
	struct overrides *overrides = arena_new(arena, struct overrides);
	struct settings *settings = arena_new(arena, struct settings);
	struct findings
		unsaid; /* what is wrong with a config that the script names is not the question */
	struct launch *launch;
	const char *error;

	overrides->env = document->overrides->env;
	overrides->allow_outside = document->overrides->allow_outside;
	overrides->world = document->overrides->world;
	error = document_read(other, arena, path, overrides, findings);
	if (error || !other->root || !other->dialect)
		return error;
	settings_init(settings);
	findings_init(&unsaid, arena);
	other->dialect->settle(other, MOMENT_LATEST, settings, &unsaid);
	launch_settle(other->launch, arena, settings);
	launch = other->launch ? other->launch : arena_new(arena, struct launch);
	if (!launch->source)
		launch->source = other->source;
	launch->starter = settings;
	launch->starter_dialect = other->dialect->name;
	launcher_facts(arena, launch, settings);
	if (document->launch)
		launch_append(arena, launch, document->launch);
	document->launch = launch;
	vec_push(arena, &document->loaded, path);
	document->launched_by = other->source;
	return NULL;
}
