#include "base/text.h"
#include "input/launch/launch.h"
#include "input/node.h"
#include "wings/torchtitan/reader.h"

#include <ctype.h>
#include <string.h>

/*
 * TorchTitan's command line. argparse until c1c2f55d1 (2025-04-18): `--section.key value` and
 * store_true flags. Then tyro: '-' and '_' alike, `--section.no-key`, comma lists.
 */

char *titan_flag_path(struct arena *arena, const char *name)
{
	char *path = arena_strdup(arena, name), *c;

	for (c = path; *c; c++)
		if (*c == '-')
			*c = '_';
	return path;
}

/* Words of the launcher's or registry's own, not of the config. */
static bool is_own_flag(const char *name, enum titan_reading reading)
{
	if (!strcmp(name, "help") || !strcmp(name, "h"))
		return true;
	return reading == TITAN_PYTHON && (!strcmp(name, "module") || !strcmp(name, "config"));
}

/* The key that `--section.no-key` switches off, or NULL. */
static const struct titan_key *negated_key(struct arena *arena, const char *path, moment_t when)
{
	const char *leaf = strrchr(path, '.');
	const struct titan_key *key;

	if (!leaf || !text_starts(leaf, ".no_"))
		return NULL;
	key = titan_key_at(arena_printf(arena, "%.*s.%s", (int)(leaf - path), path, leaf + 4),
			   when);
	return key && key->type == FIELD_BOOL ? key : NULL;
}

/* argparse takes the beginning of a flag for the flag where only one begins so. */
static const struct titan_key *abbreviated_key(const char *name, moment_t when)
{
	const struct titan_key *found = NULL;
	size_t i;

	for (i = 0; i < titan_key_count; i++) {
		if (!text_starts(titan_keys[i].name, name) ||
		    titan_key_at(titan_keys[i].name, when) != &titan_keys[i])
			continue;
		if (found)
			return NULL;
		found = &titan_keys[i];
	}
	return found;
}

static const struct titan_key *flag_key(struct arena *arena, const char *name, moment_t when,
					bool *negated)
{
	enum titan_reading reading = titan_reading(when);
	const char *path = reading == TITAN_ARGPARSE ? name : titan_flag_path(arena, name);
	const struct titan_key *key = titan_key_at(path, when);

	*negated = false;
	if (reading == TITAN_ARGPARSE)
		return key ? key : abbreviated_key(name, when);
	if (key)
		return key;
	key = negated_key(arena, path, when);
	*negated = key != NULL;
	return key;
}

/* At main only the sections that a plan depends on are in the table. */
static bool beyond_table(struct arena *arena, const char *path, moment_t when)
{
	return titan_reading(when) == TITAN_PYTHON &&
	       !titan_section(arena_strndup(arena, path, strcspn(path, ".")), when);
}

int titan_unknown_flags(const struct document *document, moment_t when)
{
	const struct launch *launch = document->launch;
	enum titan_reading reading = titan_reading(when);
	int count = 0;
	bool negated;
	size_t i;

	for (i = 0; launch && i < launch->flags.count; i++) {
		const char *name = launch->flags.items[i].name;
		if (!is_own_flag(name, reading) &&
		    !flag_key(document->arena, name, when, &negated) &&
		    !beyond_table(document->arena, titan_flag_path(document->arena, name), when))
			count++;
	}
	return count;
}

static void refuse_unknown(struct titan_reader *reader, const struct launch_flag *flag)
{
	struct arena *arena = reader->decoder.arena;
	struct findings *findings = reader->decoder.findings;
	const char *path = titan_flag_path(arena, flag->name);
	const struct titan_key *like = titan_key_like(path, reader->when);
	struct finding *finding;

	finding = finding_add(findings, &rule_unknown_flag, flag->name_span,
			      "TorchTitan %s has no flag --%s", reader->label, flag->name);
	if (reader->extension) {
		finding_cap(finding, SEVERITY_NOTE);
		finding_actual(findings, finding, "%s may add it", reader->extension);
		return;
	}
	if (!strcmp(path, "module") || !strcmp(path, "config"))
		finding_fix(findings, finding,
			    "runs are named by --module and --config from 2026-02-23 on; before, "
			    "--job.config_file names a TOML file");
	else if (like)
		finding_fix(findings, finding, "did you mean --%s?", like->name);
	finding->speaker = arena_printf(arena, "torchtitan %s", reader->label);
	finding_quote(findings, finding,
		      reader->reading == TITAN_ARGPARSE ? "error: unrecognized arguments: --%s"
							: "Unrecognized options: --%s",
		      flag->name);
}

static void refuse_value(struct titan_reader *reader, const struct launch_flag *flag,
			 const char *takes)
{
	if (flag->value)
		finding_add(reader->decoder.findings, &rule_unknown_flag, flag->span,
			    "--%s takes %s, not '%.60s'", flag->name, takes, flag->value);
	else
		finding_add(reader->decoder.findings, &rule_unknown_flag, flag->name_span,
			    "--%s needs a value", flag->name);
}

static struct node *scalar(struct titan_reader *reader, const struct launch_flag *flag,
			   enum scalar_type type, const char *text)
{
	return node_scalar(reader->decoder.arena, type, text, flag->span);
}

/* argparse's type=bool: every text but '' is true, "False" too. */
static struct node *called_bool_node(struct titan_reader *reader, const struct launch_flag *flag)
{
	struct node *node;

	if (!flag->value) {
		refuse_value(reader, flag, "a value");
		return NULL;
	}
	node = scalar(reader, flag, SCALAR_BOOL, *flag->value ? "true" : "false");
	node->boolean = *flag->value;
	return node;
}

static struct node *bool_node(struct titan_reader *reader, const struct launch_flag *flag,
			      const struct titan_key *key, bool negated)
{
	struct node *node;

	if (key->words)
		return called_bool_node(reader, flag);
	if (flag->value) {
		refuse_value(reader, flag,
			     reader->reading == TITAN_ARGPARSE
				     ? "no value: write it bare"
				     : "no value: write it bare, or with no- to switch it off");
		return NULL;
	}
	node = scalar(reader, flag, SCALAR_BOOL, negated ? "false" : "true");
	node->boolean = !negated;
	return node;
}

/* A number as Python's int() and float() read it: 1_000, and blanks around it. */
static char *python_number(struct arena *arena, const char *text)
{
	char *plain = arena_strdup(arena, text + strspn(text, " \t")), *to = plain, *at;

	for (at = plain; *at; at++)
		if (*at != '_' || at == plain || !isdigit((unsigned char)at[-1]) ||
		    !isdigit((unsigned char)at[1]))
			*to++ = *at;
	while (to > plain && strchr(" \t", to[-1]))
		to--;
	*to = '\0';
	return plain;
}

static struct node *number_node(struct titan_reader *reader, const struct launch_flag *flag,
				const struct titan_key *key)
{
	const char *text = python_number(reader->decoder.arena, flag->value);
	struct node *node;
	int64_t integer;
	double number;

	if (key->words) {
		refuse_value(reader, flag, "no value at all: argparse cannot call its type");
		return NULL;
	}
	if (text_to_int(text, &integer)) {
		node = scalar(reader, flag, SCALAR_INT, text);
		node->integer = integer;
		node->number = (double)integer;
		return node;
	}
	if (key->type == FIELD_REAL && text_to_double(text, &number)) {
		node = scalar(reader, flag, SCALAR_FLOAT, text);
		node->number = number;
		return node;
	}
	if (!strcmp(flag->value, "None") && !key->fallback)
		return scalar(reader, flag, SCALAR_NULL, "");
	refuse_value(reader, flag, key->type == FIELD_INT ? "an integer" : "a number");
	return NULL;
}

static struct node *text_node(struct titan_reader *reader, const struct launch_flag *flag,
			      const struct titan_key *key)
{
	struct node *node = scalar(reader, flag, SCALAR_STRING, flag->value);

	node->origin = NODE_FROM_FLAG;
	if (!strcmp(flag->value, "None") && !key->fallback)
		return scalar(reader, flag, SCALAR_NULL, "");
	if (key->words && !words_have(key->words, flag->value)) {
		field_bad_word(&reader->decoder, key->words,
			       arena_printf(reader->decoder.arena, "--%s", flag->name), node);
		return NULL;
	}
	return node;
}

static struct node *flag_node(struct titan_reader *reader, const struct launch_flag *flag,
			      const struct titan_key *key, bool negated)
{
	if (key->type == FIELD_BOOL)
		return bool_node(reader, flag, key, negated);
	if (!flag->value) {
		refuse_value(reader, flag, "a value");
		return NULL;
	}
	if (key->type == FIELD_INT || key->type == FIELD_REAL)
		return number_node(reader, flag, key);
	return text_node(reader, flag, key);
}

static void put_flag(struct titan_reader *reader, const struct launch_flag *flag)
{
	struct arena *arena = reader->decoder.arena;
	bool negated;
	const struct titan_key *key = flag_key(arena, flag->name, reader->when, &negated);
	struct node *node;

	if (!key) {
		refuse_unknown(reader, flag);
		return;
	}
	if (flag->unresolved)
		node = node_scalar(arena, SCALAR_STRING, flag->value ? flag->value : "",
				   flag->span);
	else
		node = flag_node(reader, flag, key, negated);
	if (!node)
		return;
	node->unresolved = flag->unresolved;
	node->origin = NODE_FROM_FLAG;
	node->key_span = flag->name_span;
	node_put(arena, reader->document->root, key->name, node);
}

static const char *switch_of(struct arena *arena, const struct titan_key *key, bool on,
			     moment_t when)
{
	const char *leaf = strrchr(key->name, '.') + 1;

	if (key->words) /* every text but '' is true */
		return arena_join(arena, "--", key->name, on ? "=true" : "=");
	if (on)
		return arena_join(arena, "--", key->name, "");
	if (titan_reading(when) == TITAN_ARGPARSE)
		return arena_join(arena, "no --", key->name, "");
	return arena_printf(arena, "--%.*sno-%s", (int)(leaf - key->name), key->name, leaf);
}

const char *titan_words_of(struct arena *arena, const char *path, const char *value, moment_t when)
{
	const struct titan_key *key = titan_key_at(path, when);
	const bool number = key && (key->type == FIELD_INT || key->type == FIELD_REAL);

	if (!key || (number && key->words))
		return NULL;
	if (key->type == FIELD_BOOL)
		return switch_of(arena, key, !strcmp(value, "true"), when);
	if (!strcmp(value, "null"))
		return key->fallback ? NULL : arena_join(arena, "--", path, " None");
	return arena_printf(arena, "--%s %s", path, value);
}

/*
 * Takes flags out of the tree again: a document may be settled more than once, under versions
 * that read its flags differently.
 */
static void withdraw_flags(struct node *map)
{
	struct node **link = &map->first, *last = NULL, *node;

	while ((node = *link)) {
		if (node->kind == NODE_MAP)
			withdraw_flags(node);
		if (node->origin == NODE_FROM_FLAG && node->overridden) {
			node->overridden->next = node->next;
			*link = node->overridden;
			continue; /* which may be a flag again */
		}
		if (node->origin == NODE_FROM_FLAG && (node->kind != NODE_MAP || !node->first)) {
			*link = node->next;
			continue;
		}
		last = node;
		link = &node->next;
	}
	map->last = last;
}

bool titan_has_file(const struct document *document)
{
	const struct node *child = document->root->first;

	while (child && child->origin != NODE_FROM_FILE)
		child = child->next;
	return child != NULL;
}

void titan_flags(struct titan_reader *reader)
{
	const struct launch *launch = reader->document->launch;
	size_t i;

	withdraw_flags(reader->document->root);
	for (i = 0; launch && i < launch->flags.count; i++) {
		const struct launch_flag *flag = &launch->flags.items[i];
		const char *path = titan_flag_path(reader->decoder.arena, flag->name);
		if (!is_own_flag(flag->name, reader->reading) &&
		    !beyond_table(reader->decoder.arena, path, reader->when))
			put_flag(reader, flag);
	}
	for (i = 0; launch && i < launch->strays.count; i++)
		if (!launch->strays.items[i].unresolved)
			finding_add(reader->decoder.findings, &rule_unknown_flag,
				    launch->strays.items[i].span, "'%.60s' belongs to no flag",
				    launch->strays.items[i].text);
}
