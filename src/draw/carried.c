#include "draw/carried.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

/* The rows of one group; others may be of the same ranks. */
struct rows {
	struct arena *arena;
	const struct traffics *all;
	const struct group *group;
};

static const struct traffic *row_at(const struct rows *rows, size_t index)
{
	const struct traffic *row = &rows->all->list.items[index];

	return !strcmp(row->call.group->name, rows->group->name) &&
			       layout_same_groups(&row->call.group->layout, &rows->group->layout)
		       ? row
		       : NULL;
}

static bool is_first(const struct rows *rows, size_t index)
{
	size_t i;

	for (i = 0; i < index; i++)
		if (row_at(rows, i))
			return false;
	return true;
}

/* "all-gathers", or "all-gather" of one. */
static const char *op_words(struct arena *arena, const struct collective *op, int64_t count)
{
	char *words =
		arena_printf(arena, "%s%s", strcmp(op->name, "send_recv") != 0 ? op->name : "send",
			     count == 1 ? "" : "s");
	char *at;

	for (at = words; *at; at++)
		if (*at == '_')
			*at = '-';
	return words;
}

static bool is_like(const struct traffic *a, const struct traffic *b)
{
	return a->call.op == b->call.op && !strcmp(traffic_content(a), traffic_content(b));
}

/* Whether a row before has calls of the same kind. */
static bool is_told(const struct rows *rows, size_t index)
{
	size_t i;

	for (i = 0; i < index; i++) {
		const struct traffic *row = row_at(rows, i);
		if (row && is_like(row, &rows->all->list.items[index]))
			return true;
	}
	return false;
}

/* "34 reduce-scatters of gradients": all rows of the kind of this one. */
static const char *kind_words(const struct rows *rows, const struct traffic *first)
{
	double calls = 0;
	int64_t count;
	size_t i;

	for (i = 0; i < rows->all->list.count; i++) {
		const struct traffic *row = row_at(rows, i);
		if (row && is_like(row, first))
			calls += row->count;
	}
	count = calls < 1e15 ? (int64_t)llround(fmax(calls, 1)) : (int64_t)1e15;
	return arena_printf(rows->arena, "%s %s of %s", text_count(rows->arena, count),
			    op_words(rows->arena, first->call.op, count), traffic_content(first));
}

static const char *calls_words(const struct rows *rows)
{
	const char *words = "";
	size_t i;

	for (i = 0; i < rows->all->list.count; i++) {
		const struct traffic *row = row_at(rows, i);
		if (row && !is_told(rows, i))
			words = arena_printf(rows->arena, "%s%s%s", words, *words ? ", " : "",
					     kind_words(rows, row));
	}
	return words;
}

/* Adds up bytes and times; what is hidden is only known of all rows or of none. */
static void add_up(const struct rows *rows, struct carried *carried)
{
	size_t i;

	for (i = 0; i < rows->all->list.count; i++) {
		const struct traffic *row = row_at(rows, i);
		double seconds = row ? 1e-6 * row->count * row->time.time : 0;
		carried->bytes += row ? traffic_received(row) : 0;
		carried->seconds += seconds;
		if (row && (row->exposed < 0 || carried->exposed < 0))
			carried->exposed = -1;
		else if (row)
			carried->exposed += row->exposed * seconds;
	}
}

const struct carried *carried_of(struct arena *arena, const struct traffics *traffics,
				 size_t *count)
{
	struct carried *list = arena_array(arena, traffics->list.count + 1, sizeof(*list));
	size_t i;

	*count = 0;
	for (i = 0; i < traffics->list.count; i++) {
		const struct group *group = traffics->list.items[i].call.group;
		const struct rows rows = { arena, traffics, group };
		struct carried *carried = &list[*count];
		if (!is_first(&rows, i))
			continue;
		*carried = (struct carried) { .name = group->name, .layout = group->layout };
		carried->calls = calls_words(&rows);
		add_up(&rows, carried);
		(*count)++;
	}
	return list;
}

static const char *seconds_words(struct arena *arena, double seconds)
{
	if (seconds >= 1)
		return arena_printf(arena, "%.3g s", seconds);
	if (seconds >= 1e-3)
		return arena_printf(arena, "%.3g ms", seconds * 1e3);
	return arena_printf(arena, "%.3g µs", seconds * 1e6);
}

const char *carried_words(struct arena *arena, const struct carried *carried)
{
	const char *words = arena_printf(arena, "%s per rank%s", text_bytes(arena, carried->bytes),
					 carried->seen ? "" : " and step");

	if (!(carried->seconds > 0))
		return words;
	words = arena_printf(arena, "%s, %s", words, seconds_words(arena, carried->seconds));
	if (carried->exposed < 0)
		return words;
	if (!(carried->exposed > 0))
		return arena_printf(arena, "%s, all of it hidden", words);
	if (carried->exposed > 0.995 * carried->seconds)
		return arena_printf(arena, "%s, none of it hidden", words);
	return arena_printf(arena, "%s, %s of it not hidden", words,
			    seconds_words(arena, carried->exposed));
}
