#include "base/text.h"
#include "input/shell/state.h"

#include <string.h>

/*
 * Commands in branches of one choice that nothing decides, which start the same program: only one
 * of them runs, and which is not known. They become one command whose words are open where they
 * differ.
 */

/* "--tp" of "--tp=2", "a.b" of "a.b=2", the flag itself; 0: no name, a value or a path. */
static size_t name_length(const char *word)
{
	size_t equals = strcspn(word, "=");

	if (text_starts(word, "-") && word[1])
		return equals;
	return word[equals] ? equals : 0;
}

static const struct shell_word *find(const struct shell_command *command, const char *word,
				     size_t *at)
{
	size_t i, length = name_length(word);

	for (i = 0; length && i < command->words.count; i++) {
		const char *other = command->words.items[i].text;
		if (name_length(other) != length || strncmp(other, word, length) != 0)
			continue;
		*at = i;
		return &command->words.items[i];
	}
	return NULL;
}

/* The word that holds the value of the flag at `at`: itself, or the next; NULL: there is none. */
static struct shell_word *value_of(struct shell_command *command, size_t at)
{
	struct shell_word *words = command->words.items;

	if (strchr(words[at].text, '='))
		return &words[at];
	if (at + 1 < command->words.count && !name_length(words[at + 1].text))
		return &words[at + 1];
	return NULL;
}

static const char *after_equals(const char *text)
{
	const char *equals = strchr(text, '=');

	return equals ? equals + 1 : text;
}

static void open_word(struct arena *arena, struct shell_word *word, const char *other)
{
	if (word && (!other || strcmp(word->text, other) != 0))
		word->unresolved =
			other ? arena_printf(arena, "%.40s or %.40s, by a condition",
					     after_equals(other), after_equals(word->text))
			      : shell_by_condition;
}

/* Opens what the other command has otherwise, or not at all. */
static void open_differences(struct arena *arena, struct shell_command *command,
			     struct shell_command *other)
{
	size_t i, at;

	for (i = 0; i < command->words.count; i++) {
		struct shell_word *word = &command->words.items[i], *value;
		const struct shell_word *theirs;
		if (!name_length(word->text))
			continue;
		value = value_of(command, i);
		if (!find(other, word->text, &at)) {
			open_word(arena, word, NULL);
			open_word(arena, value, NULL);
			continue;
		}
		theirs = value_of(other, at);
		if (theirs)
			open_word(arena, value, theirs->text);
	}
}

static void add_missing(struct arena *arena, struct shell_command *command,
			struct shell_command *other)
{
	size_t i, at, count = other->words.count;

	for (i = 0; i < count; i++) {
		struct shell_word word = other->words.items[i], *value;
		if (!name_length(word.text) || find(command, word.text, &at))
			continue;
		value = value_of(other, i);
		word.unresolved = shell_by_condition;
		vec_push(arena, &command->words, word);
		if (!value || value == &other->words.items[i])
			continue;
		word = *value;
		word.unresolved = shell_by_condition;
		vec_push(arena, &command->words, word);
	}
}

/* What a command starts: its Python program or module, else its first word. */
static const char *program_of(const struct shell_command *command)
{
	size_t i;

	for (i = 0; i < command->words.count; i++) {
		const char *text = command->words.items[i].text;
		if (text_ends(text, ".py") ||
		    (i && !strcmp(command->words.items[i - 1].text, "-m")))
			return text;
	}
	return command->words.count ? command->words.items[0].text : "";
}

static bool are_alternatives(const struct shell_command *a, const struct shell_command *b)
{
	enum { ENOUGH = 3 }; /* words, below which nothing is configured */

	return a->choice && a->choice == b->choice && a->branch != b->branch &&
	       a->words.count >= ENOUGH && b->words.count >= ENOUGH &&
	       !strcmp(program_of(a), program_of(b));
}

void shell_join_alternatives(struct shell_script *script)
{
	enum { MOST = 200 }; /* commands that are compared */
	size_t i, k, kept = 0, count = script->commands.count;

	for (i = 0; i < count && count <= MOST; i++) {
		struct shell_command *command = &script->commands.items[i];
		bool joined = false;
		for (k = i + 1; k < count && !joined; k++) {
			struct shell_command *later = &script->commands.items[k];
			joined = are_alternatives(command, later);
			if (!joined)
				continue;
			open_differences(script->arena, later, command);
			add_missing(script->arena, later, command);
		}
		if (!joined)
			script->commands.items[kept++] = *command;
	}
	if (count <= MOST)
		script->commands.count = kept;
}
