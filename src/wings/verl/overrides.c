#include "base/text.h"
#include "input/shell/shell.h"
#include "wings/verl/keys.h"

#include <ctype.h>
#include <string.h>

/* Hydra's overrides behind verl's programs. */

bool verl_is_launch(const struct launch *launch)
{
	size_t i;

	if (launch->program && text_starts(launch->program, "verl."))
		return true;
	for (i = 0; i < launch->arguments.count; i++) {
		const char *text = launch->arguments.items[i].text;
		if (text_starts(text, "verl.trainer.") || text_starts(text, "data.train_files=") ||
		    (text_starts(text + strspn(text, "+"), "actor_rollout_ref.") &&
		     strchr(text, '=')))
			return true;
	}
	return false;
}

/* Bytes of "a.b.c=" or "+a.b.c=", or 0 when the word is no override. */
static size_t override_length(const char *text, size_t *plus)
{
	size_t i;

	*plus = strspn(text, "+");
	for (i = *plus; isalnum((unsigned char)text[i]) || (text[i] && strchr("_.-", text[i])); i++)
		if (text[i] == '.' && (i == *plus || text[i - 1] == '.'))
			return 0;
	return i > *plus && text[i] == '=' && text[i - 1] != '.' && text[*plus] != '-' ? i + 1 : 0;
}

/* A key without a dot chooses a group of hydra's: engine=megatron beside engine.x=y. */
static void put(struct document *document, const char *path, struct node *value, struct span key)
{
	const struct node *old;

	if (!strchr(path, '.') && !strstr(path, "parallel") &&
	    strcmp(path, "use_remove_padding") != 0)
		path = arena_join(document->arena, "groups.", path, "");
	old = node_find(document->root, path);

	if (old && (old->origin == NODE_FROM_SET || old->origin == NODE_FROM_FLAG ||
		    old->kind == NODE_MAP))
		return;
	value->key_span = key;
	node_put(document->arena, document->root, path, value);
}

/* The value of hydra's own option, "--config-name x" or "--config-name=x"; or NULL. */
static const struct shell_word *option_of(const struct shell_command *command, const char *name,
					  const char **value)
{
	size_t i, length = strlen(name);

	for (i = 0; i < command->words.count; i++) {
		const struct shell_word *word = &command->words.items[i];
		if (strncmp(word->text, name, length) != 0)
			continue;
		if (word->text[length] == '=') {
			*value = word->text + length + 1;
			return word;
		}
		if (!word->text[length] && i + 1 < command->words.count) {
			*value = command->words.items[i + 1].text;
			return &command->words.items[i + 1];
		}
	}
	return NULL;
}

/* A config of one's own, where the command or the script's folder has it. */
static void load_config(struct document *document, const struct shell_command *command,
			const char *name, struct findings *findings)
{
	struct arena *arena = document->arena;
	const char *folder = "", *file = name;
	struct node *root;

	option_of(command, "--config-path", &folder);
	if (!text_ends(name, ".yaml"))
		file = arena_join(arena, name, ".yaml", "");
	root = document_load(document, NULL, arena_join(arena, folder, *folder ? "/" : "", file),
			     findings);
	if (!root)
		root = document_load(document, NULL, arena_join(arena, "config/", file, ""),
				     findings);
	if (root)
		node_merge(arena, document->root, root);
}

static void put_engine(struct document *document, const struct shell_command *command,
		       struct findings *findings)
{
	static const char strategy[] = "actor_rollout_ref.actor.strategy";
	const char *name = NULL;
	const struct shell_word *word = option_of(command, "--config-name", &name);
	struct node *value;

	if (!word || word->unresolved)
		return;
	load_config(document, command, name, findings);
	if (!strstr(name, "megatron") || node_find(document->root, strategy))
		return;
	value = node_scalar(document->arena, SCALAR_STRING, "megatron", word->span);
	put(document, strategy, value, word->span);
}

/* One of verl's programs, with a config of verl's: no other may add keys. */
static bool is_own(const struct shell_command *command)
{
	const char *name = "ppo_trainer", *folder = NULL;
	bool own = false;
	size_t i;

	for (i = 0; i < command->words.count; i++) {
		own = own || text_starts(command->words.items[i].text, "verl.trainer.");
		if (text_starts(command->words.items[i].text, "hydra.searchpath="))
			return false;
	}
	option_of(command, "--config-name", &name);
	option_of(command, "--config-path", &folder);
	option_of(command, "--config-dir", &folder);
	return own && !folder &&
	       words_have("ppo_trainer|ppo_megatron_trainer|sft_trainer|sft_trainer_engine", name);
}

void verl_put_overrides(struct document *document, const struct shell_script *script,
			const struct shell_command *command, struct findings *findings)
{
	const bool own = is_own(command);
	size_t i, plus, length;
	char *path;

	for (i = 0; i < command->words.count; i++) {
		const struct shell_word *word = &command->words.items[i];
		length = override_length(word->text, &plus);
		if (!length)
			continue;
		path = arena_strndup(document->arena, word->text + plus, length - plus - 1);
		put(document, path, shell_node(script, word, length), word->used);
		if (!plus)
			verl_keep_override(document, path, word->used, own);
	}
	put_engine(document, command, findings);
}
