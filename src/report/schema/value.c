#include "report/schema/schema.h"

#include "base/text.h"
#include "input/field.h"
#include "input/range.h"
#include "report/known_words.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Words that frameworks' own readers take for null (keys.c). */
static const char nothing[] = "none|None|null|NULL";

/* One word of "a|b|c", which moves on; NULL at the end. */
static const char *next_word(struct arena *arena, const char **words)
{
	const char *at = *words;
	size_t length = at ? strcspn(at, "|") : 0;

	if (!length)
		return NULL;
	*words = at + length + (at[length] == '|');
	return arena_strndup(arena, at, length);
}

/* True when one of "a|b|c" is among those that YAML reads as a boolean. */
static bool reads_as(struct arena *arena, const char *words, const char *booleans)
{
	const char *word;

	while ((word = next_word(arena, &words)))
		if (words_have(booleans, word))
			return true;
	return false;
}

/* Words as what they may be in a file: themselves, and the number or boolean that one reads as. */
static void put_enum(struct json_writer *json, struct arena *arena, const char *words)
{
	const char *all = words, *word;
	int64_t number;

	json_array(json, "enum");
	while ((word = next_word(arena, &words))) {
		if (text_to_int(word, &number))
			json_int(json, NULL, number);
		if (strcmp(word, "N") != 0)
			json_string(json, NULL, word);
	}
	if (reads_as(arena, all, "true|on|yes"))
		json_bool(json, NULL, true);
	if (reads_as(arena, all, "false|off|no"))
		json_bool(json, NULL, false);
	json_null(json, NULL);
	json_array_end(json);
}

/* "[aA][bB]" of theirs in "ab=x|cd=y", which are read in any case. */
static void put_any_case(struct buf *out, const char *theirs)
{
	size_t length, i;

	for (; theirs && *theirs; theirs += length + (theirs[length] == '|')) {
		length = strcspn(theirs, "|");
		buf_text(out, "|^");
		for (i = 0; i < length && theirs[i] != '='; i++)
			if (isalpha((unsigned char)theirs[i]))
				buf_printf(out, "[%c%c]", tolower((unsigned char)theirs[i]),
					   toupper((unsigned char)theirs[i]));
			else
				buf_printf(out, "%s%c",
					   isalnum((unsigned char)theirs[i]) ? "" : "\\",
					   theirs[i]);
		buf_char(out, '$');
	}
}

/* Texts that pass in the place of any value: expressions, and what a reader makes a value of. */
static void put_texts(struct json_writer *json, const struct vocabulary *vocabulary,
		      const struct vocabulary_key *key)
{
	struct buf pattern;

	buf_init(&pattern);
	buf_text(&pattern, "\\$|\\{\\{");
	if (!vocabulary->plain)
		buf_printf(&pattern, "|^(%s|unknown)$", nothing);
	if (vocabulary->converts)
		buf_text(&pattern,
			 "|^[-+]?[0-9.]+([eE][-+]?[0-9]+)?$|^(true|True|TRUE|false|False|FALSE)$");
	put_any_case(&pattern, key->ours);
	json_string(json, "pattern", pattern.data);
	buf_release(&pattern);
}

/* The types of JSON that a value of that type has: each once, as draft 7 wants it. */
static void put_types(struct json_writer *json, const struct vocabulary *vocabulary,
		      const struct vocabulary_key *key)
{
	const enum field_type type = key->type;
	const bool words = type == FIELD_TEXT && !vocabulary->plain;
	const bool several = key->ours && !strcmp(key->ours, "auto=");
	const struct {
		const char *name;
		bool takes;
	} types[] = {
		{ "string", true },
		{ "number", type == FIELD_REAL || words },
		{ "integer", type == FIELD_INT || (type == FIELD_BOOL && vocabulary->converts) },
		{ "boolean", type == FIELD_BOOL || words },
		{ "array", type == FIELD_LIST || key->trees || several },
		{ "object", key->trees },
		{ "null", true },
	};
	size_t i;

	json_array(json, "type");
	for (i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (types[i].takes)
			json_string(json, NULL, types[i].name);
	json_array_end(json);
}

/* What is no number passes both. */
static void put_range(struct json_writer *json, const char *text)
{
	const struct range range = range_of(text);

	if (isfinite(range.low))
		json_double(json, "minimum", range.low);
	if (isfinite(range.high))
		json_double(json, "maximum", range.high);
}

static bool is_strict(const struct vocabulary_key *key)
{
	return key->words && !key->others && key->type == FIELD_TEXT;
}

/* What is no word of the key's own. */
static void put_rest(struct json_writer *json, const struct vocabulary *vocabulary,
		     const struct vocabulary_key *key)
{
	if (is_strict(key) && !key->trees) {
		json_string(json, "type", "string");
		put_texts(json, vocabulary, key);
		return;
	}
	put_types(json, vocabulary, key);
	put_range(json, key->range);
	if (key->type == FIELD_INT || key->type == FIELD_REAL || key->type == FIELD_BOOL)
		put_texts(json, vocabulary, key);
}

static bool takes_number(const char *words)
{
	const char *at = strstr(words, "|N");

	return at && (!at[2] || at[2] == '|');
}

static void put_one(struct json_writer *json, const struct vocabulary *vocabulary,
		    const struct vocabulary_key *key)
{
	const char *words = key->words ? key->words : known_words(vocabulary->arena, key->field);

	if (!key->typed || key->type == FIELD_NODE)
		return;
	if (!words) {
		put_rest(json, vocabulary, key);
		return;
	}
	json_array(json, "anyOf");
	json_object(json, NULL);
	put_enum(json, vocabulary->arena, words);
	json_object_end(json);
	if (takes_number(words)) {
		json_object(json, NULL);
		json_string(json, "type", "integer");
		json_int(json, "minimum", 1);
		json_object_end(json);
	}
	json_object(json, NULL);
	put_rest(json, vocabulary, key);
	json_object_end(json);
	json_array_end(json);
}

static bool same_value(const struct vocabulary_key *left, const struct vocabulary_key *right)
{
	return left->typed == right->typed && left->type == right->type &&
	       left->others == right->others && left->range == right->range &&
	       !strcmp(left->words ? left->words : "", right->words ? right->words : "");
}

static bool repeats(const struct schema_node *node, size_t which)
{
	size_t i;

	for (i = 0; i < which; i++)
		if (same_value(node->keys.items[i], node->keys.items[which]))
			return true;
	return false;
}

/* Versions, or tables, that take different values. */
static void put_either(struct json_writer *json, const struct vocabulary *vocabulary,
		       const struct schema_node *node)
{
	size_t i;

	json_array(json, "anyOf");
	for (i = 0; i < node->keys.count; i++) {
		if (repeats(node, i))
			continue;
		json_object(json, NULL);
		put_one(json, vocabulary, node->keys.items[i]);
		json_object_end(json);
	}
	json_array_end(json);
}

void schema_value(struct json_writer *json, const struct vocabulary *vocabulary,
		  const struct schema_node *node)
{
	size_t i, kinds = 0;

	for (i = 0; i < node->keys.count; i++)
		kinds += !repeats(node, i);
	if (kinds > 1)
		put_either(json, vocabulary, node);
	else if (kinds)
		put_one(json, vocabulary, node->keys.items[0]);
}
