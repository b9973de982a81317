#ifndef INPUT_KEYS_H
#define INPUT_KEYS_H

#include "input/field.h"
#include "input/node.h"

#include <stddef.h>

/*
 * A dialect as a table: each key of the framework and the setting that it is. What a table cannot
 * say (one key that decides about several settings, what follows from the others) is code of the
 * dialect, before or after.
 */
enum key_sense {
	KEY_VALUE,
	KEY_NOT,      /* it stands for the opposite: `disable_loss_parallel` */
	KEY_POSITIVE, /* numbers below 1 mean that the axis is not used: gpt-neox's pipe 0; of a
			 REAL those up to 0 mean that it is off */
	KEY_KNOWN     /* the framework reads it, and nothing here depends on it */
};

struct key_row {
	const char *path; /* dotted, from the map handed to keys_put: "model.num_layers" */
	enum field_id field;
	enum key_sense sense;
	/* Theirs in ours, "FULL_SHARD=always|SHARD_GRAD_OP=never", in any case; "auto=": as if
	 * it were not there. Other words pass as they are. NULL: all do. */
	const char *words;
};

/*
 * Puts the values of all keys of the table that `root` has into settings; a later row wins over an
 * earlier one of the same setting. Words that stand for null (none, None, null) leave the default,
 * where the row does not list them.
 */
void keys_put(struct decoder *decoder, const struct node *root, const struct key_row *rows,
	      size_t count);

/* Puts one value found by other means than the row's path; the row says what it is. */
void keys_put_node(struct decoder *decoder, const struct key_row *row, const struct node *node);

/* Puts a word where the key is there and is no null, false, 0 or empty: a rank, a map of its own.
 */
void keys_put_word(struct decoder *decoder, enum field_id id, const struct node *root,
		   const char *path, const char *word);

/*
 * Takes the quotes off the numbers and booleans of the table's keys, where the framework converts
 * text: pydantic, argparse and OmegaConf's structured configs read "8" as 8.
 */
void keys_unquote(struct arena *arena, const struct node *root, const struct key_row *rows,
		  size_t count);

/*
 * Warns of keys below `root` that nothing reads and that are a letter or two away from one of the
 * table that sets a degree or a batch; `becomes` says what the framework makes of them: "ignores it
 * and prints nothing". Only maps that hold keys of the table are looked at.
 */
void keys_misspelt(struct decoder *decoder, const struct node *root, const struct key_row *rows,
		   size_t count, const char *framework, const char *becomes);

/* Whether keys_misspelt looks for slips in the name of a row's key: its silent loss would change
 * what is built. */
bool keys_guard(const struct key_row *row);

/* Who refuses a key that it does not know, and the words before and behind the key. */
struct refusal {
	const char *speaker, *before, *after;
	const char *tolerated; /* "a|b": once common keys that earlier versions let pass; or NULL */
};

/* Whether a key is one of ours, given by --set: parallelism.tp=2. */
bool keys_is_ours(const struct node *node, const char *path);

/* A key of ours, or a map of such keys, given by --set. */
bool keys_holds_ours(struct arena *arena, const struct node *node);

/*
 * Reports members of `map` (NULL and scalars have none) that are none of `known` and that a
 * framework refuses: with its words where a known key is a letter or two away; else as a note, for
 * another version may have them.
 */
void keys_refused(struct decoder *decoder, const struct node *map, const char *const known[],
		  size_t count, const struct refusal *refusal);

/* What people of other trainers write, and what the framework calls that. */
struct key_alias {
	const char *theirs;
	const char *ours; /* "rl"; dotted where it lies in a map below: "trl.beta"; NULL: nothing */
	const char *way;  /* what to write, where the same value below the other name is wrong */
	bool flag;	  /* `ours` takes true and false, `theirs` words, too */
	bool minor;	  /* mostly no more than the default: a note */
};

/* Who silently ignores a key that it does not know. */
struct ignoring {
	const char *framework;
	const struct key_alias *aliases;
	size_t count;
	size_t dead;	    /* so many names, the last, only earlier versions have: none is meant */
	const char *reader; /* who else may read such keys: a plugin that is not known; or NULL */
};

/*
 * Reports members of `map` that are none of `known` and that a framework ignores without a word: a
 * warning where it has an alias or a known key is a letter or two away, for what was meant is lost;
 * else a note. Where the value asks for nothing, it is a note or none. Names of an alias are
 * reported whether known or not. Names that begin with '_', '.' or "x-" hold anchors.
 */
void keys_ignored(struct decoder *decoder, const struct node *map, const char *const known[],
		  size_t count, const struct ignoring *ignoring);

/* A key whose values are names of the framework's own, which it refuses all others beside. */
struct key_choice {
	const char *path;  /* dotted, from the map handed to keys_choose */
	const char *words; /* "a|b": those of all versions, spelt as they have to be */
	enum {
		CHOICE_CLOSED,
		CHOICE_OPEN,	/* plug-ins, forks and later versions add some */
		CHOICE_CAPITALS /* so, and a value in small letters is one of them, too */
	} sense;
};

/*
 * Reports a value that is none of its key's words (a list: each of its values), with the nearest.
 * Of an open key one that is near to none is a note. Null and what is not known pass.
 */
void keys_choose(struct decoder *decoder, const struct node *root, const struct key_choice *rows,
		 size_t count);

/* The same for one value, found by other means than the row's path; NULL passes. */
void keys_choose_node(struct decoder *decoder, const struct key_choice *row,
		      const struct node *node);

/* Whether a value asks for nothing, so that nothing is lost with it: null, false, empty. */
bool keys_ask_nothing(const struct node *node);

/* Reports a key that is nearly `near`, unless that has been done; the finding, or NULL. */
struct finding *keys_report_misspelt(struct decoder *decoder, const struct node *node,
				     const char *near, const char *framework, const char *becomes);

/*
 * As keys_misspelt, for one map and the names that its framework knows: '-' is '_' in them, and
 * dashes in front are no part of a key.
 */
void keys_near(struct decoder *decoder, const struct node *map, const char *const *names,
	       size_t count, const char *framework, const char *becomes);

/*
 * Adds the edit that gives a key another name: quotes and dashes in front stay. None where the key
 * itself does not stand at its place.
 */
void keys_rename(struct decoder *decoder, struct finding *finding, const struct node *node,
		 const char *name);

/* The setting of a row that takes values as they are, by the last part of its path of two or more
 * words ("tp_size", not "enable"); or FIELD_COUNT. */
enum field_id keys_field_of(const struct key_row *rows, size_t count, const char *leaf);

/* The integer at a dotted path, or `otherwise` when there is none. */
int64_t keys_int(const struct node *root, const char *path, int64_t otherwise);

/* The text of the scalar at a dotted path, or `otherwise`; null has none. */
const char *keys_text(const struct node *root, const char *path, const char *otherwise);

/* True when the value at a dotted path is true. */
bool keys_true(const struct node *root, const char *path);

/* The name of a class in small letters, without its modules: torch.optim.AdamW is adamw. */
void keys_put_class(struct decoder *decoder, const struct node *root, const char *path,
		    enum field_id id);

/*
 * Puts a value that follows from `parent` by the framework's own rule, which `note` names; the
 * setting points where `parent` stands. `parent` may be NULL, or the setting itself.
 */
struct setting *keys_derive(struct decoder *decoder, enum field_id id, int64_t value,
			    const struct setting *parent, const char *note);

/* Puts what the framework takes when nobody says: `note` names it, "DeepSpeed's default". */
struct setting *keys_default(struct decoder *decoder, enum field_id id, int64_t value,
			     const char *note);

/* Forgets a setting that hangs on what the value of a key means, which is not known: `what`. */
void keys_leave_open(struct decoder *decoder, enum field_id id, const struct node *node,
		     const char *what);

extern const struct rule_id rule_misspelt_key;

#endif
