#include "rules/changes.h"

#include "base/buf.h"

#include <inttypes.h>
#include <string.h>

/* What is written out; the rest of a kind is counted. */
enum { SETTINGS_SHOWN = 2, NAMES_SHOWN = 2 };

static void put_phrase(struct buf *out, const char *phrase)
{
	buf_text(out, out->length ? "; " : "");
	buf_text(out, phrase);
}

/* "ValueError" of "ValueError: ..." */
static const char *type_of(struct arena *arena, const char *exception)
{
	return arena_strndup(arena, exception, strcspn(exception, ":"));
}

static const char *exception_phrase(struct arena *arena, const struct change *change)
{
	if (!change->before)
		return arena_printf(arena, "stops with %s", change->after);
	if (!change->after)
		return arena_printf(arena, "no longer stops with %s",
				    type_of(arena, change->before));
	return arena_printf(arena, "stops with %s, no longer %s", change->after,
			    type_of(arena, change->before));
}

static const char *pair_phrase(struct arena *arena, const struct change *change)
{
	return arena_printf(arena, "%s %s -> %s", change->subject,
			    change->before ? change->before : "none",
			    change->after ? change->after : "none");
}

static const char *strategy_phrase(struct arena *arena, const struct change *change)
{
	return arena_printf(arena, "%s -> %s", change->before, change->after);
}

static const char *mesh_phrase(struct arena *arena, const struct change *change)
{
	return arena_printf(arena, "mesh %s %s", change->subject,
			    !change->before  ? "is new"
			    : !change->after ? "is gone"
					     : "changes");
}

static const char *name_phrase(struct arena *arena, const struct change *change)
{
	return arena_printf(arena, "mesh %s is now %s", change->before, change->after);
}

/* How a kind of change is told: each by itself up to `shown`, the rest as a number. */
struct telling {
	enum change_kind kind;
	const char *(*phrase)(struct arena *arena, const struct change *change);
	size_t shown;
	const char *noun; /* "mesh" */
	const char *nouns;
};

/* By gravity. Groups are left out where the strategy tells. */
static const struct telling tellings[] = {
	{ CHANGE_EXCEPTION, exception_phrase, 1, "exception", "exceptions" },
	{ CHANGE_STRATEGY, strategy_phrase, 1, "strategy", "strategies" },
	{ CHANGE_GROUP, pair_phrase, 1, "set of groups", "sets of groups" },
	{ CHANGE_DEGREE, pair_phrase, 3, "degree", "degrees" },
	{ CHANGE_SETTING, pair_phrase, SETTINGS_SHOWN, "setting", "settings" },
	{ CHANGE_MESH, mesh_phrase, NAMES_SHOWN, "mesh", "meshes" },
	{ CHANGE_MESH_NAME, name_phrase, NAMES_SHOWN, "mesh name", "mesh names" },
	{ CHANGE_PLACEMENT, NULL, 0, "placement", "placements" },
	{ CHANGE_UNIT, NULL, 0, "unit", "units" },
	{ CHANGE_STAGE, NULL, 0, "stage", "stages" },
};

static void put_telling(struct buf *out, const struct changes *changes,
			const struct telling *telling)
{
	struct arena *arena = changes->arena;
	size_t i, seen = 0;
	int64_t more = 0;

	for (i = 0; i < changes->list.count; i++) {
		const struct change *change = &changes->list.items[i];
		if (change->kind != telling->kind)
			continue;
		if (seen++ < telling->shown)
			put_phrase(out, telling->phrase(arena, change));
		else
			more += change->count;
	}
	if (more)
		put_phrase(out, arena_printf(arena, "%" PRId64 " %s%s", more,
					     telling->shown ? "more " : "",
					     more == 1 ? telling->noun : telling->nouns));
}

/* "new: a, b": the rules whose findings fit, each once. */
static void put_rules(struct buf *out, const struct changes *changes, const char *heading,
		      bool (*fits)(const struct change *change))
{
	struct arena *arena = changes->arena;
	char *names = arena_strdup(arena, "");
	const char *last = "";
	size_t i;

	for (i = 0; i < changes->list.count; i++) {
		const struct change *change = &changes->list.items[i];
		if (change->kind != CHANGE_FINDING || !fits(change) ||
		    !strcmp(change->subject, last))
			continue;
		names = arena_printf(arena, "%s%s%s", names, *names ? ", " : "", change->subject);
		last = change->subject;
	}
	if (*names)
		put_phrase(out, arena_printf(arena, "%s: %s", heading, names));
}

static bool is_new(const struct change *change)
{
	return !change->before;
}

static bool is_gone(const struct change *change)
{
	return !change->after;
}

static bool is_both(const struct change *change)
{
	return change->before && change->after;
}

static bool now_stops(const struct change *change)
{
	return is_both(change) && !change->before_quote && change->after_quote;
}

static bool no_longer_stops(const struct change *change)
{
	return is_both(change) && change->before_quote && !change->after_quote;
}

static bool is_other(const struct change *change)
{
	return is_both(change) && !change->before_quote == !change->after_quote;
}

char *changes_line(const struct changes *changes)
{
	bool strategy = changes_count(changes, CHANGE_STRATEGY) > 0;
	struct buf out;
	char *line;
	size_t i;

	buf_init(&out);
	for (i = 0; i < sizeof(tellings) / sizeof(*tellings); i++)
		if (tellings[i].kind != CHANGE_GROUP || !strategy)
			put_telling(&out, changes, &tellings[i]);
	put_rules(&out, changes, "new", is_new);
	put_rules(&out, changes, "gone", is_gone);
	put_rules(&out, changes, "now an exception", now_stops);
	put_rules(&out, changes, "no exception any more", no_longer_stops);
	put_rules(&out, changes, "changed", is_other);
	line = arena_strdup(changes->arena, out.data);
	buf_release(&out);
	return line;
}
