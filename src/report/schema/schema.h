#ifndef REPORT_SCHEMA_SCHEMA_H
#define REPORT_SCHEMA_SCHEMA_H

#include "base/json.h"
#include "input/vocabulary.h"

/*
 * `parplan schema`: the keys of a dialect as a JSON Schema of draft 7, which editors take. It
 * accepts what check accepts: where only some of a framework's keys are known others pass, but for
 * names that are one slip away from one that check guards.
 */
struct schema {
	struct vocabulary vocabulary;
	const char *title, *description;
};

void report_schema(struct schema *schema, struct buf *out);

/* A map of the file, or a value in it. "*" is the name of a map's members that have none. */
struct schema_node {
	const char *name, *path;
	VEC(const struct vocabulary_key *) keys; /* what it is by itself; none: a map alone */
	VEC(struct schema_node *) members;
};

/* The tree of all keys. */
struct schema_node *schema_tree(const struct vocabulary *vocabulary);

/* Writes what a value may be as members of an object that is open. */
void schema_value(struct json_writer *json, const struct vocabulary *vocabulary,
		  const struct schema_node *node);

/* A pattern (ECMA-262) of names that are one slip away from a guarded member, and none of the
 * members; "" where nothing is guarded. */
void schema_slips(const struct schema_node *map, struct buf *out);

#endif
