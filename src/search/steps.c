#include "search/steps.h"

/* The value nearest below one that is not there any more; the first, where none is. */
static int64_t kept_value(const struct axis_values *values, int64_t value)
{
	int64_t kept = values->list.items[0];
	size_t i;

	for (i = 0; i < values->list.count; i++)
		if (values->list.items[i] <= value)
			kept = values->list.items[i];
	return kept;
}

/* What follows a changed axis stays as it is, as far as it can. False: there is no such layout. */
static bool settle(const struct space *space, struct candidate *candidate, enum axis changed,
		   struct arena *arena)
{
	enum axis axis;

	for (axis = changed + 1; axis < AXES; axis++) {
		struct axis_values values = { 0 };
		space_values(space, candidate, axis, arena, &values);
		if (!values.list.count)
			return false;
		candidate->at[axis] = kept_value(&values, candidate->at[axis]);
	}
	return true;
}

static void add_step(const struct space *space, struct candidate candidate, enum axis axis,
		     int64_t value, struct arena *arena, struct steps *steps)
{
	struct step_to step = { .axis = axis, .value = value };

	candidate.at[axis] = value;
	if (!settle(space, &candidate, axis, arena) || !space_find(space, &candidate, &step.number))
		return;
	step.candidate = candidate;
	vec_push(arena, &steps->list, step);
}

void steps_from(const struct space *space, const struct candidate *from, struct arena *arena,
		struct steps *steps)
{
	enum axis axis;
	size_t i;

	for (axis = AXIS_PP; axis < AXES; axis++) {
		struct axis_values values = { 0 };
		space_values(space, from, axis, arena, &values);
		for (i = 0; i < values.list.count; i++)
			if ((i + 1 < values.list.count &&
			     values.list.items[i + 1] == from->at[axis]) ||
			    (i && values.list.items[i - 1] == from->at[axis]))
				add_step(space, *from, axis, values.list.items[i], arena, steps);
	}
}
