#include "rules/epochs.h"

#include "framework/wing.h"

#include "rules/judge.h"

#include <string.h>

/* A job at one point, in memory of its own: of thousands of parameters only two are kept. */
struct stop {
	struct arena arena;
	struct findings findings;
	struct job job;
	struct skips skips;
	struct side side;
};

static void stop_open(struct stop *stop, const struct job *from, const struct point *point)
{
	static const struct levels none;

	memset(stop, 0, sizeof(*stop));
	arena_init(&stop->arena);
	findings_init(&stop->findings, &stop->arena);
	job_at(&stop->job, &stop->arena, from, point->pins, point->pin_count, &stop->findings);
	stop->job.unadvised = true;
	judge(&none, &stop->job, &stop->skips);
	stop->side = (struct side) { point->version, &stop->job, &stop->skips };
}

static void drop_versions(struct changes *changes)
{
	size_t i, kept = 0;

	for (i = 0; i < changes->list.count; i++)
		if (changes->list.items[i].kind != CHANGE_VERSION)
			changes->list.items[kept++] = changes->list.items[i];
	changes->list.count = kept;
}

/* Most points change nothing, so what is found is kept only once something is. */
static bool differs(struct stop *stop, const struct side *before)
{
	struct changes changes = changes_of(&stop->arena, before, &stop->side);

	return changes_any(&changes);
}

static void visit(struct arena *arena, struct epochs *epochs, const struct point *point,
		  const struct side *before, struct stop *stop)
{
	struct epoch epoch = { .point = point };

	if (!differs(stop, before)) {
		epochs->quiet++;
		return;
	}
	epoch.changes = changes_of(arena, before, &stop->side);
	drop_versions(&epoch.changes);
	vec_push(arena, &epochs->list, epoch);
}

static bool follows(const struct job *job, const char *framework)
{
	const struct version *version = versions_find(&job->versions, framework);

	return version && version->origin == VERSION_COMPANION;
}

struct epochs epochs_between(struct arena *arena, const struct job *from, const struct side *low,
			     const struct version *high)
{
	const struct dialect *dialect = low->job->document.dialect;
	const bool own = dialect->framework && !strcmp(dialect->framework, high->framework);
	const struct following following = { .torch = follows(low->job, "torch"),
					     .torchft = follows(low->job, "torchft"),
					     .keys = own ? dialect->next_change : NULL };
	const struct version *start = versions_find(&low->job->versions, high->framework);
	struct history *history = arena_new(arena, struct history);
	const struct side *before = low;
	struct epochs epochs = { 0 };
	struct stop stops[2];
	size_t i;

	*history = history_between(arena, start, high, following);
	for (i = 0; i < history->list.count; i++) {
		struct stop *stop = &stops[i % 2];
		if (i >= 2)
			arena_release(&stop->arena);
		stop_open(stop, from, &history->list.items[i]);
		visit(arena, &epochs, &history->list.items[i], before, stop);
		before = &stop->side;
	}
	for (i = 0; i < 2 && i < history->list.count; i++)
		arena_release(&stops[i].arena);
	return epochs;
}
