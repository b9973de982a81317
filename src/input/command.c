#include "input/command.h"

#include "base/text.h"
#include "input/field.h"
#include "input/launch/launch.h"
#include "input/syntax/reader.h"

#include <ctype.h>
#include <string.h>

/* The whole subtree comes from the command line, and stands where its word does. */
static void mark(struct node *node, struct span span)
{
	struct node *child;

	node->origin = NODE_FROM_FLAG;
	node->span = node->key_span = span;
	for (child = node->first; child; child = child->next)
		mark(child, span);
}

/* The value of a word, as YAML; broken ones are text. `open`: what nobody says of it, or NULL. */
static struct node *value_of(struct document *document, const char *text, struct span span,
			     const char *open)
{
	struct arena *arena = document->arena;
	const struct source *source = source_new(arena, span.source->path, text, strlen(text));
	struct findings unsaid;
	struct node *node;

	findings_init(&unsaid, arena);
	open = strchr(text, '$') ? text : open;
	node = open ? NULL : yaml_value(arena, source, 0, &unsaid);
	if (!node || unsaid.list.count)
		node = node_scalar(arena, SCALAR_STRING, text, span);
	node->unresolved = open;
	mark(node, span);
	return node;
}

static void put(struct arena *arena, struct node *root, const char *path, struct node *value)
{
	const struct node *old = node_find(root, path);

	if (!old || (old->origin != NODE_FROM_SET && old->kind != NODE_MAP))
		node_put(arena, root, path, value);
}

/* The length of KEY in KEY=VALUE where KEY is a dotted path; 0 for other words. */
static size_t key_length(const char *text)
{
	size_t length = 0;

	while (isalnum((unsigned char)text[length]) ||
	       (text[length] && strchr("_.-", text[length])))
		length++;
	return text[length] == '=' && text[0] != '.' && text[length - 1] != '.' ? length : 0;
}

/* hydra and OmegaConf: a.b=v, +a.b=v and ++a.b=v. */
static void put_word(struct document *document, const struct launch_word *word)
{
	const char *text = word->text + strspn(word->text, "+");
	size_t length = key_length(text);

	if (length && !strstr(text, ".."))
		put(document->arena, document->root, arena_strndup(document->arena, text, length),
		    value_of(document, text + length + 1, word->span, word->unresolved));
}

static void put_flag(struct document *document, struct node *root, const struct launch_flag *flag,
		     bool switches)
{
	char *path = arena_strdup(document->arena, flag->name), *c;
	struct node *value;

	for (c = path; *c; c++)
		if (*c == '-')
			*c = '_';
	if (!isalpha((unsigned char)*path) || words_have("config|config_file|c|m|help", path) ||
	    strstr(path, "..") || text_ends(path, "."))
		return;
	if (switches && !flag->value && text_starts(path, "no_"))
		value = value_of(document, "false", flag->span, flag->unresolved),
		path += strlen("no_");
	else
		value = value_of(document, flag->value ? flag->value : "true", flag->span,
				 flag->unresolved);
	value->key_span = flag->name_span;
	put(document->arena, root, path, value);
}

void command_put_flags(struct document *document, struct node *root, bool switches)
{
	size_t i;

	for (i = 0; document->launch && i < document->launch->flags.count; i++)
		put_flag(document, root, &document->launch->flags.items[i], switches);
}

void command_apply(struct document *document)
{
	const struct launch *launch = document->launch;
	const enum command_style style =
		document->dialect ? document->dialect->command : COMMAND_OWN;
	size_t i;

	if (!launch || document->root->kind != NODE_MAP)
		return;
	for (i = 0; (style == COMMAND_WORDS || style == COMMAND_HYDRA) && i < launch->strays.count;
	     i++)
		put_word(document, &launch->strays.items[i]);
	if (style >= COMMAND_FLAGS)
		command_put_flags(document, document->root, style == COMMAND_SWITCHES);
}

/* ---- and back ---- */

/* "++" sets keys that hydra's files have, and those that they lack or that a "+" added before. */
static const char *by_word(struct arena *arena, const struct launch *launch, const char *path,
			   const char *value, bool hydra)
{
	const char *plus = hydra ? "++" : "";
	size_t i, length;

	for (i = 0; launch && i < launch->strays.count; i++) {
		const char *text = launch->strays.items[i].text, *key = text + strspn(text, "+");
		length = key_length(key);
		if (length == strlen(path) && !strncmp(key, path, length) && key == text)
			plus = "";
	}
	return arena_printf(arena, "%s%s=%s", plus, path, value);
}

/* No word of a flag stands for null: it goes, where the launch has it. */
static const char *by_flag(struct arena *arena, const struct launch *launch, const char *path,
			   const char *value, bool switches)
{
	if (!strcmp(value, "null"))
		return launch && launch_find(launch, path) ? arena_join(arena, "no --", path, "")
							   : NULL;
	if (!switches)
		return arena_printf(arena, "--%s %s", path, value);
	path = text_dashed(arena, path);
	if (words_have("true|false", value))
		return arena_join(arena, !strcmp(value, "true") ? "--" : "--no-", path, "");
	return arena_printf(arena, "--%s %s", path, value);
}

const char *command_words(struct arena *arena, const struct dialect *dialect,
			  const struct launch *launch, const char *path, const char *value,
			  moment_t when)
{
	if (dialect->command == COMMAND_WORDS || dialect->command == COMMAND_HYDRA)
		return by_word(arena, launch, path, value, dialect->command == COMMAND_HYDRA);
	if (dialect->command != COMMAND_OWN)
		return by_flag(arena, launch, path, value, dialect->command == COMMAND_SWITCHES);
	return dialect->words_of ? dialect->words_of(arena, path, value, when) : NULL;
}
