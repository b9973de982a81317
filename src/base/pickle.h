#ifndef BASE_PICKLE_H
#define BASE_PICKLE_H

#include "base/arena.h"
#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Python's pickles (protocols 0 to 5) as a tree of plain values. Nothing is imported, looked up or
 * called: what a pickle would construct becomes a PICKLE_OBJECT that says so. Time and memory grow
 * with the number of bytes, whatever they say.
 *
 * Strings are slices of the input, which must outlive the tree. Parts of a tree may be shared, and
 * a list or dict may contain itself, so whoever walks one counts levels and steps; a pickle of a
 * hundred bytes can stand for more values than memory could hold.
 */
enum pickle_kind {
	PICKLE_ABSENT, /* no value: no state, an empty place of the memo */
	PICKLE_NONE,
	PICKLE_BOOL,
	PICKLE_INT,
	PICKLE_BIG, /* an integer beyond 64 bits, as text: "123...", "-0x1f..." */
	PICKLE_FLOAT,
	PICKLE_BYTES,
	PICKLE_STRING, /* UTF-8 as it stands in the input, not checked */
	PICKLE_LIST,
	PICKLE_TUPLE,
	PICKLE_SET, /* frozen or not */
	PICKLE_DICT,
	PICKLE_GLOBAL, /* a class or function, "module.name", ended by a NUL */
	PICKLE_OBJECT
};

struct pickle_value {
	enum pickle_kind kind;
	uint32_t count; /* bytes of text, items of a tuple */
	union {
		int64_t integer;		  /* BOOL, INT */
		double number;			  /* FLOAT */
		const char *text;		  /* BIG, BYTES, STRING, GLOBAL */
		const struct pickle_value *items; /* TUPLE */
		struct pickle_list *list;	  /* LIST, SET, DICT: keys and values in turn */
		struct pickle_object *object;
	} as;
};

struct pickle_list {
	struct pickle_value *items;
	uint32_t count, capacity;
};

/* What the pickle would make by calling `type` with `args`; nobody called it. */
struct pickle_object {
	const char *type;	   /* "torch.Size"; "persistent id" for what lies elsewhere */
	struct pickle_value args;  /* a tuple */
	struct pickle_value state; /* what it would be told afterwards, mostly a dict; or ABSENT */
	struct pickle_list items;  /* what would be added to it, as to a list or, in turn, a dict */
	bool pairs;		   /* `items` are keys and values in turn */
};

struct pickle_rules {
	const char *const *allowed; /* "torch.Size", "torch.*", ended by NULL: all other classes and
				       functions are refused; NULL allows none */
	bool persistent_ids;	    /* accept references to what is stored outside the pickle */
};

/* Reads one pickle; bytes behind its end are ignored. NULL, or a sentence with the byte offset. */
const char *pickle_read(struct pickle_value *root, struct arena *arena,
			const struct pickle_rules *rules, const char *bytes, size_t length);

/*
 * The items of a tuple, list or set, the keys and values in turn of a dict, what was added to an
 * object; *count is their number, 0 for everything else.
 */
const struct pickle_value *pickle_items(const struct pickle_value *value, size_t *count);

/* What a dict, or the state of an object, holds under that key; NULL when there is none. */
const struct pickle_value *pickle_member(const struct pickle_value *value, const char *key);

/* True for that class or function itself and for what it would make: "torch.Size". */
bool pickle_is(const struct pickle_value *value, const char *type);

/* A string as C wants it; NULL when it is none or holds a NUL. */
char *pickle_string(struct arena *arena, const struct pickle_value *value);

/*
 * The value as Python would write it, for messages: ASCII only, "..." below `depth` levels and
 * after about `most` bytes.
 */
void pickle_print(struct buf *out, const struct pickle_value *value, int depth, size_t most);

#endif
