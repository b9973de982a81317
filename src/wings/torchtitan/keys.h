#ifndef WINGS_TORCHTITAN_KEYS_H
#define WINGS_TORCHTITAN_KEYS_H

#include "base/arena.h"
#include "input/document.h"
#include "input/keys.h"
#include "input/setting.h"

#include <stdbool.h>

/* One key of TorchTitan's config over a part of its history; the rows are keys.def. */
struct titan_key {
	const char *name; /* "parallelism.tensor_parallel_degree" */
	enum field_type type;
	const char *words;    /* of a Literal, "a|b|c", or NULL */
	const char *fallback; /* default as text, or NULL for None and lists */
	int since, until;     /* days, YYYYMMDD, or moments: [since, until) */
	enum field_id field;  /* the setting it stands for, or FIELD_COUNT */
	bool negated;	      /* it stands for the setting's opposite */
};

extern const struct titan_key titan_keys[];
extern const size_t titan_key_count;

/* How TorchTitan reads its config, by moment. */
enum titan_reading {
	TITAN_ARGPARSE, /* unknown keys ignored; store_true flags */
	TITAN_TYRO,	/* unknown keys ignored; --x and --no-x (c1c2f55d1, 2025-04-18) */
	TITAN_STRICT,	/* unknown keys raise (eadca4835, 2025-08-28) */
	TITAN_PYTHON	/* no files: --module and --config (9810191bb, 2026-02-23) */
};

enum titan_reading titan_reading(moment_t when);

/* The row of that name at a moment, or NULL. */
const struct titan_key *titan_key_at(const char *name, moment_t when);

/* True when any of the rows from `key` on that share its name is of that moment. */
bool titan_key_known(const struct titan_key *key, moment_t when);

/* The first row of that name, or NULL. */
const struct titan_key *titan_key_ever(const char *name);

/* The day on which a key that is unknown at a moment went before it, or 0 when it never was. */
int titan_key_gone(const struct titan_key *ever, moment_t when);

/* The day on which a key that is unknown at a moment comes after it. */
int titan_key_came(const struct titan_key *ever, moment_t when);

/* The first moment after `when` at which some key comes, goes or changes. */
moment_t titan_next_change(moment_t when);

/* The row that stands for a setting at a moment, or NULL. */
const struct titan_key *titan_key_of_field(enum field_id field, moment_t when);

/* The name of that row, where it stands for the setting as it is; or NULL. */
const char *titan_key_name(enum field_id field, moment_t when);

/* True when keys lie below "parallelism" or "quantize.linear" at that moment. */
bool titan_section(const char *path, moment_t when);

/* The setting that a last part such as "tensor_parallel_degree" ever stood for, or FIELD_COUNT. */
enum field_id titan_field_of_leaf(const char *leaf);

/*
 * The name at `when` for something called otherwise: the same setting's name, the same last part
 * in another section, or the nearest spelling. NULL when there is none.
 */
const struct titan_key *titan_key_like(const char *name, moment_t when);

/* "v0.2.0" for a release, else the day: "of 2024-10-31". */
const char *titan_label(struct arena *arena, moment_t when);

/* The settings' keys at a moment as a table of sections, for files of others that hold them. */
size_t titan_rows(struct arena *arena, moment_t when, const struct key_row **rows);

/* Gives every setting that nobody set the default that TorchTitan had at that moment. */
void titan_defaults(struct arena *arena, struct settings *settings, moment_t when);

/* Adds the keys that versions from vocabulary->low to vocabulary->high know. */
void titan_vocabulary(struct vocabulary *vocabulary);

/* What model.converters lists at that version to turn float8 on. */
const char *titan_float8_converter(moment_t when);

#endif
