#include "framework/history.h"

#include "framework/timeline.h"
#include "framework/torch/release.h"
#include "framework/wing.h"

#include <stdlib.h>
#include <string.h>

bool history_known(const char *framework)
{
	const struct timeline *timeline = timeline_of(framework);

	return (timeline && timeline->rows) || !strcmp(framework, "torch");
}

static struct pin pin_of(const char *framework, const char *version)
{
	struct pin pin = { .framework = framework, .version = version, .origin = ORIGIN_DERIVED };

	return pin;
}

static const char *date_text(struct arena *arena, moment_t day)
{
	return arena_printf(arena, "%04d-%02d-%02d", (int)(day / 10000), (int)(day / 100 % 100),
			    (int)(day % 100));
}

/* ---- a framework ---- */

/* The part of a history that is collected. */
struct range {
	struct arena *arena;
	const struct timeline *timeline;
	moment_t low, high; /* later than, up to */
	struct history *history;
};

static void add_rows(const struct range *range)
{
	int i;

	for (i = 0; i < range->timeline->count; i++) {
		const struct timeline_row *row = &range->timeline->rows[i];
		struct point point = { .framework = range->timeline->framework,
				       .what = row->what,
				       .when = row->when,
				       .pin_count = 1 };
		if (row->when <= range->low || row->when > range->high)
			continue;
		point.version = timeline_label(range->arena, row);
		point.pins[0] = pin_of(point.framework, point.version);
		vec_push(range->arena, &range->history->list, point);
	}
}

/*
 * Another project's change, from its nightly of a day on: under the framework of the day before.
 * A day that `low` has seen begin is not later than it.
 */
static void add_companion(const struct range *range, const char *framework, moment_t day,
			  const char *what)
{
	const struct timeline_row *row = timeline_at(range->timeline, day * 100);
	struct point point = { .framework = framework,
			       .version = date_text(range->arena, day),
			       .what = what,
			       .when = day * 100,
			       .pin_count = 2 };

	if (!row || day <= range->low / 100 || day > range->high / 100)
		return;
	point.pins[0] = pin_of(range->timeline->framework, row->commit);
	point.pins[1] = pin_of(framework, point.version);
	vec_push(range->arena, &range->history->list, point);
}

static const char *torch_what(struct arena *arena, const struct torch_change *change)
{
	return arena_printf(arena, "%s (%s)", change->summary, change->pull);
}

static void add_nightlies(const struct range *range)
{
	int i;

	for (i = 0; i < TORCH_FEATURES; i++) {
		const struct torch_change *change = torch_change_of((enum torch_feature)i);
		add_companion(range, "torch", change->nightly, torch_what(range->arena, change));
	}
}

/* What a library below frameworks changed, by the first day of a nightly that has it. */
static void add_library(const struct range *range, const char *name)
{
	const struct wing *wing = wing_find(name);
	const struct habit_row *row = wing ? wing->habits : NULL;

	for (; row && row->habit != HABIT_END; row++)
		if (row->what)
			add_companion(range, wing->name, row->since / 100, row->what);
}

/* The end of a day on which keys come or go, unless a commit of that day is there for it. */
static void add_key_day(const struct range *range, moment_t day)
{
	const moment_t when = day * 100 + 99;
	struct point point = { .framework = range->timeline->framework,
			       .version = date_text(range->arena, day),
			       .what = "keys of the config come or go; their commit is not "
				       "recorded",
			       .when = when,
			       .pin_count = 1 };
	size_t i;

	if (day <= range->low / 100 || when > range->high)
		return;
	for (i = 0; i < range->history->list.count; i++)
		if (range->history->list.items[i].when / 100 == day &&
		    range->history->list.items[i].framework == point.framework)
			return;
	point.pins[0] = pin_of(point.framework, point.version);
	vec_push(range->arena, &range->history->list, point);
}

static void add_keys(const struct range *range, moment_t (*next_change)(moment_t when))
{
	moment_t when = range->low / 100 * 100, last = 0;

	while ((when = next_change(when)) <= range->high) {
		if (when / 100 != last)
			add_key_day(range, when / 100);
		last = when / 100;
	}
}

static int by_moment(const void *left, const void *right)
{
	const struct point *a = left, *b = right;

	if (a->when != b->when)
		return a->when < b->when ? -1 : 1;
	return strcmp(a->what, b->what);
}

static struct history framework_history(struct arena *arena, const struct version *low,
					const struct version *high, struct following following)
{
	struct history history = { 0 };
	const struct range range = { arena, timeline_of(low->framework), low->when, high->when,
				     &history };

	add_rows(&range);
	if (following.keys)
		add_keys(&range, following.keys);
	if (following.torch)
		add_nightlies(&range);
	if (following.torchft)
		add_library(&range, "torchft");
	if (history.list.count)
		qsort(history.list.items, history.list.count, sizeof(*history.list.items),
		      by_moment);
	return history;
}

/* ---- PyTorch ---- */

static struct torch_release release_of(struct arena *arena, const struct version *version)
{
	struct torch_release release = torch_latest();

	torch_parse(arena, version->label, &release);
	return release;
}

/* Every change of PyTorch's with `is` true of it, joined. */
static const char *changes_text(struct arena *arena, bool (*is)(const struct torch_change *, int),
				int number)
{
	char *text = arena_strdup(arena, "");
	int i;

	for (i = 0; i < TORCH_FEATURES; i++) {
		const struct torch_change *change = torch_change_of((enum torch_feature)i);
		if (is(change, number))
			text = arena_printf(arena, "%s%s%s", text, *text ? "; " : "",
					    torch_what(arena, change));
	}
	return text;
}

static bool is_of_minor(const struct torch_change *change, int minor)
{
	return change->minor == minor;
}

static bool is_of_day(const struct torch_change *change, int day)
{
	return change->nightly == day;
}

static void add_torch(struct arena *arena, struct history *history, const char *version,
		      moment_t when, const char *what)
{
	struct point point = {
		.framework = "torch", .version = version, .what = what, .when = when, .pin_count = 1
	};

	point.pins[0] = pin_of(point.framework, version);
	vec_push(arena, &history->list, point);
}

static void add_torch_day(struct arena *arena, struct history *history, int day)
{
	const moment_t when = (moment_t)day * 100;
	size_t i;

	for (i = 0; i < history->list.count; i++)
		if (history->list.items[i].when == when)
			return;
	add_torch(arena, history, date_text(arena, day), when, changes_text(arena, is_of_day, day));
}

/* Between two nightlies the days count; else the releases in between, and the end itself. */
static struct history torch_history(struct arena *arena, const struct version *low,
				    const struct version *high)
{
	struct torch_release from = release_of(arena, low), to = release_of(arena, high);
	int minor = from.nightly ? from.minor : from.minor + 1, i;
	struct history history = { 0 };

	for (i = 0; from.nightly && to.nightly && i < TORCH_FEATURES; i++) {
		int day = torch_change_of((enum torch_feature)i)->nightly;
		if (day > from.nightly && day <= to.nightly)
			add_torch_day(arena, &history, day);
	}
	if (history.list.count)
		qsort(history.list.items, history.list.count, sizeof(*history.list.items),
		      by_moment);
	if (from.nightly && to.nightly)
		return history;
	for (; minor < to.minor || (minor == to.minor && !to.nightly); minor++)
		add_torch(arena, &history, arena_printf(arena, "2.%d", minor), 0,
			  changes_text(arena, is_of_minor, minor));
	if (to.nightly)
		add_torch(arena, &history, high->label, high->when,
			  "what the nightlies have up to that day");
	return history;
}

struct history history_between(struct arena *arena, const struct version *low,
			       const struct version *high, struct following following)
{
	if (!strcmp(low->framework, "torch"))
		return torch_history(arena, low, high);
	return framework_history(arena, low, high, following);
}

bool version_later(struct arena *arena, const struct version *a, const struct version *b)
{
	struct torch_release x, y;

	if (strcmp(a->framework, "torch") != 0)
		return a->when > b->when;
	x = release_of(arena, a);
	y = release_of(arena, b);
	if (x.minor != y.minor)
		return x.minor > y.minor;
	if (!x.nightly != !y.nightly)
		return !x.nightly;
	return x.nightly ? x.nightly > y.nightly : x.patch > y.patch;
}
