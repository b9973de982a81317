#include "report/schema/schema.h"

#include <ctype.h>
#include <string.h>

/* Shorter names are near to too many others. */
enum { SHORTEST = 5 };

static void put_literal(struct buf *out, char c)
{
	if (!isalnum((unsigned char)c) && c != '_' && c != '-')
		buf_char(out, '\\');
	buf_char(out, c);
}

static void put_literals(struct buf *out, const char *text)
{
	for (; *text; text++)
		put_literal(out, *text);
}

/*
 * What becomes of a name by one slip: two neighbours are replaced by one to three others. That is a
 * letter too many, one too few, a wrong one, or two in the wrong order.
 */
static void put_slips(struct buf *out, const char *name)
{
	const char *at;

	for (at = name; at[1]; at++) {
		if (at > name) {
			buf_char(out, '|');
			put_literal(out, at[-1]);
		}
		if (at[2])
			buf_text(out, "(?:");
		buf_text(out, ".{1,3}");
		put_literals(out, at + 2);
	}
	for (at = name; at[1]; at++)
		if (at[2])
			buf_char(out, ')');
}

static bool is_guarded(const struct schema_node *node)
{
	size_t i;

	for (i = 0; i < node->keys.count; i++)
		if (node->keys.items[i]->guarded)
			return strlen(node->name) >= SHORTEST;
	return false;
}

/* Names of the map between '|': all of them, or the slips of the guarded ones. */
static bool put_names(struct buf *out, const struct schema_node *map, bool slips)
{
	bool any = false;
	size_t i;

	for (i = 0; i < map->members.count; i++) {
		if (slips && !is_guarded(map->members.items[i]))
			continue;
		buf_text(out, any ? "|" : "");
		(slips ? put_slips : put_literals)(out, map->members.items[i]->name);
		any = true;
	}
	return any;
}

void schema_slips(const struct schema_node *map, struct buf *out)
{
	buf_text(out, "^(?!(?:");
	put_names(out, map, false);
	buf_text(out, ")$)(?:");
	if (put_names(out, map, true))
		buf_text(out, ")$");
	else
		buf_clear(out);
}
