#include "report/diff/diff.h"

static const char *const headings[CHANGE_KINDS] = {
	[CHANGE_VERSION] = "Versions",
	[CHANGE_SETTING] = "Settings",
	[CHANGE_EXCEPTION] = "Exception",
	[CHANGE_STRATEGY] = "Strategy",
	[CHANGE_GROUP] = "Groups",
	[CHANGE_DEGREE] = "Degrees",
	[CHANGE_TRAFFIC] = "Received by a rank per step",
	[CHANGE_MESH] = "Meshes",
	[CHANGE_MESH_NAME] = "Renamed meshes",
	[CHANGE_PLACEMENT] = "Placements",
	[CHANGE_UNIT] = "Units (gathered together)",
	[CHANGE_STAGE] = "Pipeline stages",
	[CHANGE_FINDING] = "Findings",
};

const char *diff_heading(enum change_kind kind)
{
	return headings[kind];
}

const char *diff_nothing(enum change_kind kind)
{
	return kind < CHANGE_MESH ? "none" : "absent";
}

int64_t diff_total(const struct changes *changes, enum change_kind kind)
{
	int64_t total = 0;
	size_t i;

	for (i = 0; i < changes->list.count; i++)
		if (changes->list.items[i].kind == kind)
			total += changes->list.items[i].count;
	return total;
}

struct diff_findings diff_findings_of(const struct changes *changes)
{
	struct diff_findings count = { 0 };
	size_t i;

	for (i = 0; i < changes->list.count; i++) {
		const struct change *change = &changes->list.items[i];
		if (change->kind != CHANGE_FINDING)
			continue;
		if (!change->before)
			count.fresh++;
		else if (!change->after)
			count.gone++;
		else
			count.other++;
	}
	return count;
}

const char *diff_day(struct arena *arena, const struct point *point)
{
	const int day = (int)(point->when / 100);

	if (!day)
		return "";
	return arena_printf(arena, "%04d-%02d-%02d", day / 10000, day / 100 % 100, day % 100);
}

bool diff_any(const struct diff *diff)
{
	return changes_any(&diff->changes) || (diff->epochs && diff->epochs->list.count);
}
