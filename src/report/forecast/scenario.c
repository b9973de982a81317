#include "report/forecast/scenario.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const struct step_part step_parts[] = {
	{ "computing", "compute", offsetof(struct step, compute) },
	{ "tensor-parallel collectives", "exposed_tp", offsetof(struct step, tensor) },
	{ "context-parallel exchange", "exposed_cp", offsetof(struct step, context) },
	{ "expert-parallel exchange", "exposed_ep", offsetof(struct step, expert) },
	{ "data-parallel collectives", "exposed_dp", offsetof(struct step, data) },
	{ "waiting for pipeline stages", "bubble", offsetof(struct step, bubble) },
	{ "optimizer", "optimizer", offsetof(struct step, optimizer) },
	{ NULL, NULL, 0 },
};

double step_part_of(const struct step *step, const struct step_part *part)
{
	return *(const double *)(const void *)((const char *)step + part->offset);
}

/* Settings that differ. */
static size_t settings(const struct changes *changes)
{
	size_t i, count = 0;

	for (i = 0; i < changes->list.count; i++) {
		const char *field = changes->list.items[i].field;
		count += field && strcmp(field, "cluster.nodes") != 0;
	}
	return count;
}

struct speedup scenario_speedup(const struct scenarios *scenarios, size_t i)
{
	const struct scenario *other = &scenarios->list.items[i];

	return speedup_of(scenarios->list.items[0].forecast, other->forecast,
			  settings(other->changes));
}

struct moved scenario_moved(const struct scenarios *scenarios, size_t i)
{
	const struct step *base = &scenarios->list.items[0].forecast->step;
	const struct step *other = &scenarios->list.items[i].forecast->step;
	const struct step_part *part;
	struct moved moved = { step_parts[0].name, step_parts[0].key, 0 };

	for (part = step_parts; part->name; part++) {
		double seconds = step_part_of(other, part) - step_part_of(base, part);
		if (fabs(seconds) > fabs(moved.seconds))
			moved = (struct moved) { part->name, part->key, seconds };
	}
	return moved;
}
