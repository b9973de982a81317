#include "framework/wing.h"

#include <string.h>

#define X(name) extern const struct wing wing_##name;
#include "wings.inc"
#undef X

const struct wing *const wings[] = {
#define X(name) &wing_##name,
#include "wings.inc"
#undef X
	NULL
};

const struct wing *wing_find(const char *name)
{
	const struct wing *const *wing = wings;

	while (*wing && strcmp((*wing)->name, name) != 0)
		wing++;
	return *wing;
}

/* A row without dates holds whatever is known of the version. */
static bool holds(const struct habit_row *row, moment_t when)
{
	if (!row->since && !row->until)
		return true;
	if (!when)
		return row->undated;
	return when >= row->since && (!row->until || when < row->until);
}

bool wing_does(const struct wing *wing, enum habit habit, moment_t when)
{
	const struct habit_row *row;

	for (; wing; wing = wing->on)
		for (row = wing->habits; row && row->habit != HABIT_END; row++)
			if (row->habit == habit && holds(row, when))
				return true;
	return false;
}

const struct version *job_does(const struct job *job, enum habit habit)
{
	size_t i;

	for (i = 0; i < job->versions.list.count; i++) {
		const struct version *version = &job->versions.list.items[i];
		if (wing_does(wing_find(version->framework), habit, version->when))
			return version;
	}
	return NULL;
}
