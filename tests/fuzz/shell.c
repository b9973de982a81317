/* The reader of shell scripts never crashes, hangs or leaks, and its words have sound places. */
#include "tree.h"

#include "input/shell/shell.h"

#include <string.h>

static const char *outside(const void *context, const char *name)
{
	(void)context;
	return !strcmp(name, "E") ? "1 --x" : NULL;
}

static void check_words(const struct shell_script *script, const struct shell_command *command)
{
	size_t i;

	for (i = 0; i < command->words.count; i++) {
		const struct shell_word *word = &command->words.items[i];
		check_span(word->span);
		check_span(word->used);
		check_tree(shell_node(script, word, strlen(word->text) / 2), 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena;
	const struct source *source;
	const struct shell_script *script;
	const char *text;
	size_t i;

	arena_init(&arena);
	text = arena_strndup(&arena, (const char *)data, size);
	size = strlen(text);
	source = source_new(&arena, "fuzz", text, size);
	script = shell_read(&arena, source, NULL, text, size, outside, NULL);
	for (i = 0; i < script->commands.count; i++)
		check_words(script, &script->commands.items[i]);
	shell_looks(text, size);
	arena_release(&arena);
	return 0;
}
