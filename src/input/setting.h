#ifndef INPUT_SETTING_H
#define INPUT_SETTING_H

#include "base/arena.h"
#include "base/source.h"

#include <field_ids.h> /* of fields.def, by fields.awk: FIELD_WORLD, FIELD_DP_SHARD, ... */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct node;

enum field_type { FIELD_INT, FIELD_REAL, FIELD_BOOL, FIELD_TEXT, FIELD_LIST, FIELD_NODE };

struct field {
	const char *key;
	enum field_type type;
	const char *words;    /* FIELD_TEXT: "a|b|c", or NULL for any */
	const char *range;    /* of numbers: "0..1", "1..": range.h; of others NULL */
	const char *fallback; /* default as text, or NULL */
	const char *help;
};

/* The row of a field. */
const struct field *field_of(enum field_id id);

/* The number of the row behind it; FIELD_COUNT behind the last. Some numbers have no row. */
int field_next(int id);

/* The field with that native key, or FIELD_COUNT. */
enum field_id field_find(const char *key);

/* Where a value came from. */
enum origin {
	ORIGIN_UNSET,	 /* no value at all */
	ORIGIN_DEFAULT,	 /* nobody said; `note` names whose default */
	ORIGIN_GIVEN,	 /* in the file */
	ORIGIN_FLAG,	 /* on the framework's command line, after "--" */
	ORIGIN_SET,	 /* --set, --world and other options of ours */
	ORIGIN_LAUNCH,	 /* the launch line: torchrun --nnodes ... */
	ORIGIN_PRESET,	 /* a preset named by another setting */
	ORIGIN_REGISTRY, /* a function of the framework that names the run; `note` names it */
	ORIGIN_PROJECT,	 /* .parplan.yaml, for all configs of a repository */
	ORIGIN_DERIVED,	 /* computed from `parents` */
	ORIGIN_MEASURED
};

/*
 * One value with its provenance, so that a finding can say "tp=8
 * (train.yaml:12) does not divide kv_heads=4 (preset llama3-...)".
 */
struct setting {
	enum field_id field;
	enum origin origin;
	bool invalid; /* given, but of the wrong type: already reported, rules that need it are
			 silent */
	const char *unresolved; /* given as an expression that nothing at hand resolves, which is
				   reported: neither a value nor the default; or NULL */
	bool doubtful; /* given under a name that nothing reads: reported, and not its value */
	int64_t integer;
	int64_t whole, part; /* what it was padded from, and to how many for each rank of tp
				(padded_vocab.h); 0: it was not */
	double number;
	bool boolean;
	const char *text; /* FIELD_TEXT: the word; others: the value as text; never NULL when set */
	const char *written; /* the word as it was given, where `text` is another for it; or NULL */
	const struct node *node; /* FIELD_LIST, FIELD_NODE: the tree below */
	struct span span;	 /* of the value, or of what made it so */
	struct span key_span;
	const char
		*spelling; /* the key as its file spells it: "parallelism.tensor_parallel_degree" */
	const char *note;  /* a few words on a default or derivation: "TorchTitan v0.2.0" */
	const struct setting *parents[5];
	int parent_count;
	const struct setting *overridden; /* what the file said before a flag or --set won */
};

/* All settings of one config. Zero-initialised: everything unset. */
struct settings {
	struct setting items[FIELD_COUNT];
};

/* Fills `field` members and the defaults of fields.def. */
void settings_init(struct settings *settings);

/* Makes one of them what it is when nothing has been said. */
void setting_forget(struct settings *settings, enum field_id id);

struct setting *settings_of(struct settings *settings, enum field_id id);

/* True when there is a usable value. */
bool setting_known(const struct setting *setting);

/* True when it is given as something that nothing at hand resolves. */
bool setting_unresolved(const struct settings *settings, enum field_id id);

/* True when somebody wrote it: file, flag, --set, launch line. */
bool setting_given(const struct setting *setting);

/* The same, or the project's settings say it. */
bool setting_said(const struct setting *setting);

/* Puts an integer, boolean or word with an origin; the caller adds spans and parents. */
struct setting *settings_put_int(struct settings *settings, struct arena *arena, enum field_id id,
				 int64_t value, enum origin origin);
struct setting *settings_put_bool(struct settings *settings, enum field_id id, bool value,
				  enum origin origin);
struct setting *settings_put_text(struct settings *settings, enum field_id id, const char *value,
				  enum origin origin);

/* Records that `setting` was computed from `parent`. */
void setting_from(struct setting *setting, const struct setting *parent);

/* Values of known settings; a setting without value gives `otherwise`. */
int64_t setting_int(const struct settings *settings, enum field_id id, int64_t otherwise);
bool setting_bool(const struct settings *settings, enum field_id id, bool otherwise);
const char *setting_text(const struct settings *settings, enum field_id id, const char *otherwise);

/* True when the LIST setting holds that word. */
bool setting_lists(const struct settings *settings, enum field_id id, const char *word);

/* "train.yaml:12:7", "TorchTitan v0.2.0's default", "derived from ...": for messages. */
char *setting_where(struct arena *arena, const struct setting *setting);

#endif
