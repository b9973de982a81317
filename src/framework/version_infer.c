#include "framework/version_infer.h"

#include <stdint.h>

/*
 * The moment from a row of the timeline to before the day of the next that knows most of the keys,
 * the row's own where none knows more; how many it does not know into *count. A release is its
 * moment alone.
 */
static moment_t best_moment(const struct document *document, const struct timeline *timeline, int i,
			    int *count)
{
	const struct timeline_row *row = &timeline->rows[i];
	const struct dialect *dialect = document->dialect;
	moment_t when = row->when, best = when;
	moment_t end = i + 1 < timeline->count ? row[1].when / 100 * 100 : when;

	*count = dialect->unknown_keys(document, when);
	while (*count && !row->tag && (when = dialect->next_change(when)) < end) {
		int unknown = dialect->unknown_keys(document, when);
		if (unknown < *count) {
			*count = unknown;
			best = when;
		}
	}
	return best;
}

/* How many keys each row of the timeline would not know, into counts[]; the fewest of all. */
static int count_unknown(const struct document *document, const struct timeline *timeline,
			 int counts[])
{
	int i, fewest = INT32_MAX;

	for (i = 0; i < timeline->count; i++) {
		best_moment(document, timeline, i, &counts[i]);
		if (counts[i] < fewest)
			fewest = counts[i];
	}
	return fewest;
}

/* The newest release among the rows that fit best, else the newest such row. */
static int newest_fit(const struct timeline *timeline, const int counts[], int fewest)
{
	int i, row = -1;

	for (i = timeline->count - 1; i >= 0; i--) {
		if (counts[i] != fewest)
			continue;
		if (timeline->rows[i].tag)
			return i;
		if (row < 0)
			row = i;
	}
	return row;
}

bool version_infer(struct document *document, const struct timeline *timeline,
		   struct version *version)
{
	struct arena *arena = document->arena;
	int *counts, fewest, best, low, high;

	if (!timeline || !timeline->rows || !document->dialect->unknown_keys)
		return false;
	counts = arena_array(arena, (size_t)timeline->count, sizeof(int));
	fewest = count_unknown(document, timeline, counts);
	best = low = high = newest_fit(timeline, counts, fewest);
	while (low > 0 && counts[low - 1] == fewest)
		low--;
	while (high + 1 < timeline->count && counts[high + 1] == fewest)
		high++;
	*version =
		(struct version) { .framework = timeline->framework, .origin = VERSION_INFERRED };
	version->label = timeline_label(arena, &timeline->rows[best]);
	version->when = best_moment(document, timeline, best, &fewest);
	version->epoch = timeline_epoch_label(arena, timeline, version->when);
	version->oldest = timeline_label(arena, &timeline->rows[low]);
	version->newest = timeline_label(arena, &timeline->rows[high]);
	version->low = timeline->rows[low].when;
	version->high = timeline->rows[high].when;
	if (version->high < version->when)
		version->high = version->when;
	return true;
}
