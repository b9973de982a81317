#include "input/shell/places.h"

#include <string.h>

/* The end of the word of a shell that begins at `at`. */
static size_t raw_end(const char *text, size_t at, size_t end)
{
	char quote = 0;

	for (; at < end && (quote || !strchr(" \t\r\n;|&", text[at])); at++)
		if (quote ? text[at] == quote : text[at] == '"' || text[at] == '\'')
			quote = quote ? 0 : text[at];
	return at;
}

/* The start of the next word behind `at`, over breaks that a backslash continues. */
static size_t raw_start(const char *text, size_t at, size_t end)
{
	while (at < end && strchr(" \t\r\n\\", text[at]))
		at++;
	return at;
}

/*
 * Where words of a script in a scalar stand in the source: a word that is there literally, and
 * behind it those whose raw text holds a variable. Others stand where the scalar does.
 */
static void place_command(struct shell_command *command, const struct source *source, size_t *at,
			  size_t end)
{
	const char *text = source->text, *found;
	bool follows = false;
	size_t i, start, stop;

	for (i = 0; i < command->words.count; i++) {
		struct shell_word *word = &command->words.items[i];
		size_t length = strlen(word->text);
		start = raw_start(text, *at, end);
		stop = raw_end(text, start, end);
		if (!follows || !memchr(text + start, '$', stop - start)) {
			found = length ? strstr(text + *at, word->text) : NULL;
			follows = found && (size_t)(found - text) + length <= end &&
				  raw_end(text, (size_t)(found - text), end) ==
					  (size_t)(found - text) + length;
			if (!follows)
				continue;
			start = (size_t)(found - text);
			stop = start + length;
		}
		word->span = source_span(source, start, stop);
		*at = stop;
	}
}

void shell_place_words(struct shell_script *script, const struct node *scalar)
{
	const struct source *source = scalar->span.source;
	size_t at = source_offset(source, scalar->span.line, scalar->span.column);
	size_t end = source_offset(source, scalar->span.end_line, scalar->span.end_column), i;

	for (i = 0; i < script->commands.count; i++)
		place_command(&script->commands.items[i], source, &at, end);
}
