#ifndef INPUT_FIELD_H
#define INPUT_FIELD_H

#include "base/arena.h"
#include "base/finding.h"
#include "input/setting.h"

#include <stdbool.h>

struct node;

/* Where decoded values and what is wrong with them go. */
struct decoder {
	struct arena *arena;
	struct settings *settings;
	struct findings *findings; /* NULL: decode in silence */
};

/*
 * Puts the value of `node` into the setting `id`: type, allowed words, span, spelling, origin,
 * and what it overrides. A wrong value is a finding and leaves the setting `invalid`.
 * Null leaves the default. Returns the setting, or NULL for null.
 */
struct setting *field_put(struct decoder *decoder, enum field_id id, const struct node *node);

/* The same for a value that stands for the opposite: `disable_loss_parallel`. BOOL, or TEXT of true
 * and false. */
struct setting *field_put_not(struct decoder *decoder, enum field_id id, const struct node *node);

/*
 * Reports a value that cannot be what its key takes; with an edit where the value is a number or
 * boolean in quotes. `key` is the key as people write it.
 */
struct finding *field_wrong_type(struct decoder *decoder, enum field_type type, const char *key,
				 const struct node *node);

/* Reports a word that is none of `words` ("a|b|c"), with the nearest as an edit. */
struct finding *field_bad_word(struct decoder *decoder, const char *words, const char *key,
			       const struct node *node);

/* Reports a number outside of its key's range, with what was meant where that is plain. */
struct finding *field_out_of_range(struct decoder *decoder, const struct setting *setting,
				   const char *range);

/* True when the node could be read as that type. */
bool field_fits(enum field_type type, const struct node *node);

/* True when `word` is one of "a|b|c". */
bool words_have(const char *words, const char *word);

/* Puts "a|b" one by one, `room` at most; returns how many. */
size_t words_split(struct arena *arena, const char *words, const char *items[], size_t room);

/* The one of "a|b|c" that is nearest to `word`, copied, or NULL. */
const char *words_nearest(struct arena *arena, const char *words, const char *word);

/* "a, b or c" from "a|b|c". */
char *words_listed(struct arena *arena, const char *words);

/* What can be found while keys and values are read; all in the rule catalogue. */
extern const struct rule_id rule_unknown_key, rule_renamed_key, rule_wrong_type, rule_bad_word,
	rule_out_of_range, rule_unknown_flag, rule_quoted_number, rule_schema_version,
	rule_foreign_config, rule_unknown_model, rule_unresolved_value, rule_two_precisions,
	rule_recompute_ignored, rule_unread_key;

#endif
