#include "input/field.h"

#include "base/text.h"
#include "input/syntax/flow.h"
#include "input/node.h"
#include "input/range.h"

#include <inttypes.h>
#include <string.h>

bool words_have(const char *words, const char *word)
{
	size_t length = strlen(word);

	while (words) {
		size_t end = strcspn(words, "|");
		if (end == length && !strncmp(words, word, length))
			return true;
		words = words[end] ? words + end + 1 : NULL;
	}
	return false;
}

size_t words_split(struct arena *arena, const char *words, const char *items[], size_t room)
{
	size_t count = 0;

	while (words && *words && count < room) {
		size_t end = strcspn(words, "|");
		items[count++] = arena_strndup(arena, words, end);
		words = words[end] ? words + end + 1 : NULL;
	}
	return count;
}

enum { MOST_WORDS = 64 }; /* more than any key takes */

const char *words_nearest(struct arena *arena, const char *words, const char *word)
{
	const char *items[MOST_WORDS];
	size_t count = words_split(arena, words, items, MOST_WORDS);

	return text_nearest(word, items, count);
}

char *words_listed(struct arena *arena, const char *words)
{
	const char *items[MOST_WORDS];
	size_t i, count = words_split(arena, words, items, MOST_WORDS);
	char *list = arena_strdup(arena, count ? items[0] : "");

	for (i = 1; i < count; i++)
		list = arena_printf(arena, "%s%s%s", list, i + 1 < count ? ", " : " or ", items[i]);
	return list;
}

bool field_fits(enum field_type type, const struct node *node)
{
	bool scalar = node->kind == NODE_SCALAR;

	switch (type) {
	case FIELD_INT:
		return scalar && node->type == SCALAR_INT;
	case FIELD_REAL:
		return scalar && (node->type == SCALAR_INT || node->type == SCALAR_FLOAT);
	case FIELD_BOOL:
		return scalar && node->type == SCALAR_BOOL;
	case FIELD_TEXT:
		return scalar;
	case FIELD_LIST:
		return node->kind == NODE_LIST || (scalar && node->type == SCALAR_STRING);
	case FIELD_NODE:
		return true;
	}
	return false;
}

static const char *type_words(enum field_type type)
{
	static const char *const words[] = {
		[FIELD_INT] = "an integer",	  [FIELD_REAL] = "a number",
		[FIELD_BOOL] = "true or false",	  [FIELD_TEXT] = "a word",
		[FIELD_LIST] = "a list of words", [FIELD_NODE] = "a map",
	};

	return words[type];
}

/* The text of a quoted value that would be right without its quotes, or NULL. */
static const char *unquoted(enum field_type type, const struct node *node)
{
	int64_t integer;
	double number;

	if (node->kind != NODE_SCALAR || node->type != SCALAR_STRING || !node->quoted)
		return NULL;
	if (type == FIELD_INT && text_to_int(node->text, &integer))
		return node->text;
	if (type == FIELD_REAL && text_to_double(node->text, &number))
		return node->text;
	if (type == FIELD_BOOL && words_have("true|True|TRUE", node->text))
		return "true";
	if (type == FIELD_BOOL && words_have("false|False|FALSE", node->text))
		return "false";
	return NULL;
}

/* An integral number not written as an integer: 8.0, or 8e3, which YAML 1.1 takes for text. */
static const char *as_integer(struct arena *arena, const struct node *node)
{
	double number = 0;

	if (node->kind == NODE_LIST && node->first && !node->first->next)
		node = node->first;
	if (node->kind != NODE_SCALAR || node->quoted || node->type == SCALAR_BOOL ||
	    !text_to_double(node->text, &number) || number < -1e15 || number > 1e15 ||
	    number != (double)(int64_t)number)
		return NULL;
	return arena_printf(arena, "%" PRId64, (int64_t)number);
}

/* Words for "whatever the other axes leave", which is -1. */
static bool says_rest(const char *key, const struct node *node)
{
	return node->kind == NODE_SCALAR && node->type == SCALAR_STRING &&
	       words_have("auto|AUTO|Auto|rest|all|max", node->text) &&
	       (text_ends(key, "dp_shard") || text_ends(key, "data_parallel_shard_degree"));
}

static void suggest_integer(struct decoder *decoder, struct finding *finding, const char *key,
			    const struct node *node)
{
	const char *better = as_integer(decoder->arena, node);

	if (node->kind == NODE_SCALAR && strchr(node->text, '$')) {
		finding_fix(decoder->findings, finding,
			    "%s is a variable, which nothing expands here: give its value with "
			    "--set %s=N",
			    node->text, key);
	} else if (says_rest(key, node)) {
		finding_fix(decoder->findings, finding,
			    "write -1, which stands for whatever the other axes leave");
		finding_edit(decoder->findings, finding, node->span, "-1");
	} else if (better) {
		finding_fix(decoder->findings, finding, "write %s%s", better,
			    node->kind == NODE_SCALAR && node->type == SCALAR_STRING
				    ? " (YAML 1.1 takes this spelling for text)"
				    : "");
		finding_edit(decoder->findings, finding, node->span, "%s", better);
	} else if (node->kind == NODE_SCALAR && *node->text &&
		   !node->text[strspn(node->text, "0123456789")]) {
		finding_fix(decoder->findings, finding, "write a number of at most 18 digits");
	}
}

struct finding *field_wrong_type(struct decoder *decoder, enum field_type type, const char *key,
				 const struct node *node)
{
	const char *bare = unquoted(type, node);
	struct finding *finding;

	if (!decoder->findings)
		return NULL;
	finding = finding_add(decoder->findings, bare ? &rule_quoted_number : &rule_wrong_type,
			      node->span, "%s takes %s, not %s", key, type_words(type),
			      node_describe(decoder->arena, node));
	if (bare) {
		finding_fix(decoder->findings, finding, "write %s without the quotes", bare);
		finding_edit(decoder->findings, finding, node->span, "%s", bare);
	} else if (type == FIELD_INT) {
		suggest_integer(decoder, finding, key, node);
	}
	return finding;
}

/* The same word in lower case, or a number format by a name known from elsewhere. */
static const char *other_spelling(struct arena *arena, const char *words, const char *text)
{
	static const char *const names[][2] = { { "bf16", "bfloat16" },
						{ "fp32", "float32" },
						{ "fp16", "float16" },
						{ "bfloat16", "bf16" },
						{ "float16", "fp16" } };
	const char *lower = text_lower(arena, text);
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i][0], text) && words_have(words, names[i][1]))
			return names[i][1];
	return words_have(words, lower) ? lower : NULL;
}

/* YAML 1.1 has more words for true and false than those two: yes, NO, on, Off. */
static bool is_yaml_boolean(const struct node *node)
{
	return node->kind == NODE_SCALAR && node->type == SCALAR_BOOL && !node->quoted &&
	       words_have("yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF", node->text);
}

static void explain_boolean(struct decoder *decoder, struct finding *finding,
			    const struct node *node)
{
	finding_actual(decoder->findings, finding,
		       "without quotes YAML 1.1 reads %s as the boolean %s", node->text,
		       node->boolean ? "true" : "false");
}

/* A word that YAML 1.1 takes for a boolean. */
static void field_not_word(struct decoder *decoder, const char *key, const struct node *node)
{
	struct finding *finding;

	if (!decoder->findings)
		return;
	finding = finding_add(decoder->findings, &rule_wrong_type, node->span,
			      "%s takes a word, not %s", key, node_describe(decoder->arena, node));
	explain_boolean(decoder, finding, node);
	finding_fix(decoder->findings, finding, "write \"%s\"", node->text);
	finding_edit(decoder->findings, finding, node->span, "\"%s\"", node->text);
}

enum { LONG_LIST = 240 }; /* characters: longer ones hide what is meant */

struct finding *field_bad_word(struct decoder *decoder, const char *words, const char *key,
			       const struct node *node)
{
	const char *alias = other_spelling(decoder->arena, words, node->text);
	const char *near = alias ? alias : words_nearest(decoder->arena, words, node->text);
	const char *quote = node->quoted && node->origin == NODE_FROM_FILE ? "\"" : "";
	const char *listed = words_listed(decoder->arena, words);
	struct finding *finding;

	if (!decoder->findings)
		return NULL;
	if (near && strlen(listed) > LONG_LIST)
		finding = finding_add(decoder->findings, &rule_bad_word, node->span,
				      "%s takes no %.60s", key, node->text);
	else
		finding = finding_add(decoder->findings, &rule_bad_word, node->span,
				      "%s takes %s, not %.60s", key, listed, node->text);
	if (is_yaml_boolean(node)) {
		explain_boolean(decoder, finding, node);
		finding_fix(decoder->findings, finding, "use one of the words");
	} else if (near) {
		finding_fix(decoder->findings, finding, "did you mean %s?", near);
		finding_edit(decoder->findings, finding, node->span, "%s%s%s", quote, near, quote);
	}
	return finding;
}

/* A percentage in the place of a share; below ten it may be anything. */
static bool is_percentage(const char *range, double number)
{
	return range_of(range).high <= 1 && number >= 10 && number <= 100;
}

struct finding *field_out_of_range(struct decoder *decoder, const struct setting *setting,
				   const char *range)
{
	const struct field *field = field_of(setting->field);
	const bool whole = field->type == FIELD_INT;
	const char *words = range_words(decoder->arena, range, whole);
	struct finding *finding;

	if (!decoder->findings)
		return NULL;
	finding = finding_add(decoder->findings, &rule_out_of_range, setting->span,
			      "%s takes a %s, not %.60s", setting->spelling, words, setting->text);
	if (whole || !is_percentage(range, setting->number)) {
		finding_fix(decoder->findings, finding, "give a %s, or leave the key out", words);
		return finding;
	}
	finding_fix(decoder->findings, finding, "write %g for %g %%: a share is a part of 1",
		    setting->number / 100, setting->number);
	finding_edit(decoder->findings, finding, setting->span, "%g", setting->number / 100);
	return finding;
}

/* "a,b" as the list [a, b]: how flags and older TOML files write lists. */
static const struct node *as_list(struct arena *arena, const struct node *node)
{
	struct node *list;
	const char *at = node->text;

	if (node->kind == NODE_LIST)
		return node;
	list = node_container(arena, NODE_LIST, node->span);
	list->origin = node->origin;
	while (*at) {
		size_t length = strcspn(at, ",");
		if (length)
			node_append(list,
				    node_scalar(arena, SCALAR_STRING,
						arena_strndup(arena, at, length), node->span));
		at += length + (at[length] == ',');
	}
	return list;
}

static enum origin origin_of(const struct node *node)
{
	switch (node->origin) {
	case NODE_FROM_FILE:
		return ORIGIN_GIVEN;
	case NODE_FROM_PROJECT:
		return ORIGIN_PROJECT;
	case NODE_FROM_FLAG:
		return ORIGIN_FLAG;
	case NODE_FROM_SET:
		return ORIGIN_SET;
	}
	return ORIGIN_GIVEN;
}

/* A list or map as it may be written on one line. */
static const char *tree_text(struct arena *arena, const struct node *node)
{
	struct buf text;
	char *written;

	buf_init(&text);
	flow_node(&text, node);
	written = arena_strdup(arena, text.data);
	buf_release(&text);
	return written;
}

static void set_value(struct arena *arena, struct setting *setting, enum field_type type,
		      const struct node *node)
{
	setting->integer = 0;
	setting->number = 0;
	setting->boolean = false;
	setting->node = NULL;
	setting->text = node->kind == NODE_SCALAR ? node->text : tree_text(arena, node);
	if (type == FIELD_LIST) {
		setting->node = as_list(arena, node);
	} else if (type == FIELD_NODE) {
		setting->node = node;
	} else if (type == FIELD_BOOL) {
		setting->boolean = node->boolean;
		setting->text = node->boolean ? "true" : "false";
	} else if (type != FIELD_TEXT) {
		setting->integer = node->integer;
		setting->number = node->number;
	} else if (node->type == SCALAR_BOOL) {
		setting->text = node->boolean ? "true" : "false";
	}
}

/* One of the words; where they have N, a number from 1 on, too. */
static bool takes(const char *words, const struct node *node)
{
	if (words_have(words, "N") && !strcmp(node->text, "N"))
		return false;
	if (node->type == SCALAR_BOOL)
		return words_have(words, node->boolean ? "true" : "false");
	return words_have(words, node->text) ||
	       (words_have(words, "N") && node->type == SCALAR_INT && node->integer > 0);
}

/* The name in `$NAME` or `${NAME}`, or NULL when it is more, or no name of the environment. */
static const char *variable_in(struct arena *arena, const char *text)
{
	bool braces = text[0] == '$' && text[1] == '{';
	const char *name = text + 1 + braces;
	size_t length = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	if (text[0] != '$' || !length || strcmp(name + length, braces ? "}" : "") != 0)
		return NULL;
	return arena_strndup(arena, name, length);
}

/* What to give for it: a variable, or the key where --set can reach it. */
static void ask_for(struct decoder *decoder, struct finding *finding, const struct setting *setting)
{
	const char *name = variable_in(decoder->arena, setting->unresolved);

	if (name)
		finding_fix(decoder->findings, finding, "give it: --env %s=VALUE", name);
	else if (strstr(setting->unresolved, "{{"))
		finding_fix(decoder->findings, finding,
			    "render the template first: helm template CHART | parplan check -");
	else
		finding_fix(decoder->findings, finding, "give it: --set '%s=VALUE'",
			    setting->spelling);
}

/* Says once what is missing; the setting is neither known nor the default from here on. */
static void leave_unresolved(struct decoder *decoder, struct setting *setting,
			     const struct node *node)
{
	struct finding *finding;

	setting->invalid = true;
	setting->unresolved = node->unresolved;
	setting->text = node->text ? node->text : "";
	if (!decoder->findings)
		return;
	finding = finding_add(decoder->findings, &rule_unresolved_value, node->span,
			      strchr(node->unresolved, ' ') && node->unresolved[0] != '$'
				      ? "%s is not known: %.100s"
				      : "%s is not known: no file or option says what %.80s is",
			      setting->spelling, node->unresolved);
	ask_for(decoder, finding, setting);
}

static bool field_in_range(const struct setting *setting)
{
	const struct field *field = field_of(setting->field);

	return !field->range ||
	       range_has(field->range,
			 field->type == FIELD_INT ? (double)setting->integer : setting->number);
}

/* Frameworks have texts of their own for them; what is left is for a rule (rules/sets/keys.c). */
static bool is_judged_later(enum field_id field)
{
	return field == FIELD_GRADIENT_ACCUMULATION || field == FIELD_MICRO_BATCH_SIZE ||
	       field == FIELD_LOCAL_BATCH_SIZE;
}

/* Decodes into `setting`; false when the value is wrong, which is then reported. */
static bool decode(struct decoder *decoder, struct setting *setting, const struct node *node)
{
	const struct field *field = field_of(setting->field);

	setting->origin = origin_of(node);
	setting->span = node->span;
	setting->key_span = node->key_span;
	setting->spelling = node_path(decoder->arena, node);
	setting->note = NULL;
	setting->invalid = false;
	setting->unresolved = NULL;
	if (node->unresolved) {
		leave_unresolved(decoder, setting, node);
		return false;
	}
	if (!field_fits(field->type, node)) {
		field_wrong_type(decoder, field->type, setting->spelling, node);
		setting->text = "";
		setting->unresolved = "what is given is of another type";
		setting->invalid = true;
		return false;
	}
	set_value(decoder->arena, setting, field->type, node);
	if (!field_in_range(setting) && !is_judged_later(setting->field)) {
		field_out_of_range(decoder, setting, field->range);
		setting->unresolved = "what is given is out of range";
		setting->invalid = true;
		return false;
	}
	if (field->type == FIELD_TEXT && !field->words && setting->field != FIELD_CUDA_GRAPH &&
	    is_yaml_boolean(node)) {
		field_not_word(decoder, setting->spelling, node);
		setting->invalid = true;
		return false;
	}
	if (field->type == FIELD_TEXT && field->words && !takes(field->words, node)) {
		field_bad_word(decoder, field->words, setting->spelling, node);
		setting->invalid = true;
		return false;
	}
	return true;
}

static bool is_null(const struct node *node)
{
	return node->kind == NODE_SCALAR && node->type == SCALAR_NULL;
}

/* What the file had said before a flag or --set replaced it. */
static const struct setting *overridden(struct decoder *decoder, enum field_id id,
					const struct node *node)
{
	struct decoder silent = { decoder->arena, decoder->settings, NULL };
	struct setting *setting;

	if (!node->overridden || is_null(node->overridden))
		return NULL;
	setting = arena_new(decoder->arena, struct setting);
	setting->field = id;
	decode(&silent, setting, node->overridden);
	return setting;
}

struct setting *field_put(struct decoder *decoder, enum field_id id, const struct node *node)
{
	struct setting *setting = settings_of(decoder->settings, id);

	if (is_null(node))
		return NULL;
	setting->field = id;
	setting->parent_count = 0;
	setting->whole = setting->part = 0;
	setting->overridden = overridden(decoder, id, node);
	decode(decoder, setting, node);
	return setting;
}

static void negate(struct setting *setting)
{
	setting->boolean = !(setting->boolean || !strcmp(setting->text, "true"));
	setting->text = setting->boolean ? "true" : "false";
}

struct setting *field_put_not(struct decoder *decoder, enum field_id id, const struct node *node)
{
	struct setting *setting = settings_of(decoder->settings, id);

	if (is_null(node))
		return NULL;
	if (!field_fits(FIELD_BOOL, node)) {
		field_wrong_type(decoder, FIELD_BOOL, node_path(decoder->arena, node), node);
		setting->origin = origin_of(node);
		setting->invalid = true;
		return setting;
	}
	field_put(decoder, id, node);
	negate(setting);
	return setting;
}
