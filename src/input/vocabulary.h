#ifndef INPUT_VOCABULARY_H
#define INPUT_VOCABULARY_H

#include "base/map.h"
#include "input/document.h"
#include "input/keys.h"

/*
 * What files of a dialect may say, for those who help to write them: schemas, completion, hover.
 * Nothing is listed twice: a dialect adds the tables by which it reads (dialect.vocabulary).
 */
struct vocabulary_key {
	const char *path;    /* dotted; a part "*" stands for any name */
	enum field_id field; /* the setting that it is, or FIELD_COUNT */
	bool typed;	     /* `type` is known; else it takes anything */
	enum field_type type;
	const char *words;    /* "a|b|c" of those that it takes by name, or NULL */
	const char *ours;     /* the same in words of ours: "a=x|b=y"; or NULL */
	bool others;	      /* it takes others, too */
	bool opposite;	      /* true there is false of the setting */
	const char *range;    /* of a number: "0..1" (range.h); or NULL */
	const char *fallback; /* its default as text, or NULL */
	const char *help;     /* or NULL */
	const char *gone;     /* "2025-02-05": from then on nothing reads it; or NULL */
	bool trees;	      /* a map or list in its place is something else, and passes */
	bool together;	      /* whoever says the setting has to say it by all such keys */
	const char *instead;  /* nothing reads it: what to write in its place; or NULL */
	bool guarded;	      /* a slip in its name is a finding, though its map takes any name */
};

/* A list that turns a setting on where it has an entry, and off where it has not. */
struct vocabulary_entry {
	const char *path, *entry;
	enum field_id field;
};

struct vocabulary {
	struct arena *arena;
	moment_t low, high;		 /* the versions whose keys are asked for */
	const struct document *document; /* the file that is to say them; NULL: any */
	VEC(struct vocabulary_key) keys;
	VEC(struct vocabulary_entry) entries;
	struct map exact;	  /* paths of keys without "*" */
	VEC(const char *) wild;	  /* and of those with it */
	VEC(const char *) closed; /* paths of maps ("" is the file) that take no other keys */
	bool converts;		  /* text is read as a number or boolean where one is wanted */
	bool plain;		  /* files hold plain values: no words stand for null */
};

/* The keys of a dialect as of the moments from `low` to `high`: of a document, or (NULL) any. */
void vocabulary_of(struct vocabulary *vocabulary, struct arena *arena,
		   const struct dialect *dialect, moment_t low, moment_t high,
		   const struct document *document);

/* The dialect itself; of a script, one whose files have the settings of its framework. */
const struct dialect *vocabulary_speaker(const struct dialect *dialect);

/* ---- for dialects ---- */

/* Adds one key. */
void vocabulary_add(struct vocabulary *vocabulary, const struct vocabulary_key *key);

/* Adds a field below its native key, or another. */
void vocabulary_add_field(struct vocabulary *vocabulary, enum field_id field, const char *path);

/* Adds a table below the map at `prefix` ("": the file), as keys_put reads it. */
void vocabulary_rows(struct vocabulary *vocabulary, const char *prefix, const struct key_row *rows,
		     size_t count);

/* The same of a table that is handed to keys_misspelt, too. */
void vocabulary_guarded(struct vocabulary *vocabulary, const char *prefix,
			const struct key_row *rows, size_t count);

/* Gives keys of keys_choose's table their words, and adds those that are not there. */
void vocabulary_choices(struct vocabulary *vocabulary, const char *prefix,
			const struct key_choice *rows, size_t count);

/* Adds names of which nothing more is known. */
void vocabulary_names(struct vocabulary *vocabulary, const char *prefix, const char *const *names,
		      size_t count);

/* The same for those that keys_refused is handed: slips in them are findings. */
void vocabulary_refused(struct vocabulary *vocabulary, const char *prefix, const char *const *names,
			size_t count, const struct refusal *refusal);

/* The same for those that keys_ignored is handed, and the names that it is told for them. */
void vocabulary_ignored(struct vocabulary *vocabulary, const char *prefix, const char *const *names,
			size_t count, const struct ignoring *ignoring);

/* Takes back all keys of a setting that have been added: nothing reads those. */
void vocabulary_drop(struct vocabulary *vocabulary, enum field_id field);

/* The map at that path takes no other keys than those added. */
void vocabulary_close(struct vocabulary *vocabulary, const char *path);

/* ---- for readers ---- */

/* The first key by which a document of a known dialect says a setting; or NULL. */
const struct vocabulary_key *vocabulary_key_of(struct arena *arena, const struct document *document,
					       enum field_id field);

/* True when the map at that path takes no other keys. */
bool vocabulary_is_closed(const struct vocabulary *vocabulary, const char *path);

/* The last key that was added at that path, "*" being any name; or NULL. */
const struct vocabulary_key *vocabulary_find(const struct vocabulary *vocabulary, const char *path);

#endif
