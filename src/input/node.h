#ifndef INPUT_NODE_H
#define INPUT_NODE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/source.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The one tree that every reader (YAML, TOML, JSON) builds and every dialect
 * reads; nothing above knows which syntax it came from. Readers resolve scalar
 * types by their own syntax's rules and keep the raw text beside the value.
 */

enum node_kind { NODE_SCALAR, NODE_MAP, NODE_LIST };

enum scalar_type {
	SCALAR_NULL,
	SCALAR_BOOL,
	SCALAR_INT,   /* `integer` and `number` hold it */
	SCALAR_FLOAT, /* `number` holds it */
	SCALAR_STRING /* also dates, and integers too large for 64 bits */
};

/* Who put the value there; later ones win over earlier ones. */
enum node_origin {
	NODE_FROM_FILE,
	NODE_FROM_FLAG,	  /* the framework's own command line, after "--" */
	NODE_FROM_SET,	  /* --set KEY=VALUE */
	NODE_FROM_PROJECT /* .parplan.yaml: all others win over it */
};

struct node {
	enum node_kind kind;
	enum node_origin origin;
	enum scalar_type type;	/* scalars only */
	bool quoted;		/* scalar written in quotes: `"8"` is text where `8` is a number */
	const char *key;	/* member name in the parent map; NULL in lists and at the root */
	const char *text;	/* scalars: the value as text, without quotes; never NULL there */
	const char *unresolved; /* what nothing at hand says, as "${a.b}", "$TP", or why; or NULL */
	int64_t integer;
	double number;
	bool boolean;
	struct span span;     /* of the value; quotes included */
	struct span key_span; /* of the key */
	struct node *parent, *first, *last, *next;
	struct node *overridden; /* the node this one replaced: what the file said before --set */
};

struct node *node_scalar(struct arena *arena, enum scalar_type type, const char *text,
			 struct span span);
struct node *node_container(struct arena *arena, enum node_kind kind, struct span span);

/* Appends `child` to a map (its key set) or a list. */
void node_append(struct node *parent, struct node *child);

/* Takes a node out of its parent. */
void node_remove(struct node *child);

/*
 * The members of a map that a reader is building, so that repeated keys are found
 * in constant time. Nothing is in the map before members_finish.
 */
struct members {
	struct arena *arena;
	VEC(struct node *) nodes;
	struct map index; /* used once there are more than a few */
};

/*
 * Adds a child with its key set. When the key is there already the child takes
 * the old one's place, as in a Python dict, and the old one is returned; else NULL.
 */
struct node *members_put(struct members *members, struct node *child);

/* Appends the members to `map` in their order. */
void members_finish(struct members *members, struct node *map);

/* The member of a map, or NULL; NULL also when `map` is NULL or not a map. */
struct node *node_member(const struct node *map, const char *key);

/* The node at a dotted path from `root`, or NULL: "parallelism.tp". */
struct node *node_find(const struct node *root, const char *path);

/*
 * The part of a dotted path at *path, which moves behind it, to a dot or the end. A part in single
 * or double quotes may hold dots: parameters."layers.*".placements. NULL when there is no part
 * there: it is empty, or its quote stays open.
 */
char *node_path_part(struct arena *arena, const char **path);

/*
 * Puts `value` at a dotted path all of whose parts can be read, making maps on the way; an existing
 * node there becomes value->overridden. Returns NULL, or the existing node that is in the way (a
 * scalar or list where a map is needed).
 */
struct node *node_put(struct arena *arena, struct node *root, const char *path, struct node *value);

/*
 * Puts copies of what `below` has and `above` has not into `above`, maps member by member, however
 * deep: OmegaConf.merge(below, above). Lists and scalars of `above` stay as they are.
 */
void node_merge(struct arena *arena, struct node *above, const struct node *below);

/* A copy of the tree that can be put elsewhere; spans stay. */
struct node *node_copy(struct arena *arena, const struct node *node);

/* "a.b.c" of a node, from the root; list elements as "[0]". */
char *node_path(struct arena *arena, const struct node *node);

/* "a map", "a list", "the integer 8", "the string \"8\"", ... for messages. */
char *node_describe(struct arena *arena, const struct node *node);

#endif
