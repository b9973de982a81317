#include "cli/help.h"

#include "cli/topic.h"

#include <string.h>

#define X(name) extern const struct command command_##name;
#include "commands.inc"
#undef X

const struct command *const commands[] = {
#define X(name) &command_##name,
#include "commands.inc"
#undef X
	NULL
};

void help_program(struct buf *out)
{
	const struct command *const *command;
	const struct topic *topic;

	buf_text(out,
		 "parplan says what a distributed-training config will really do, before a GPU\n"
		 "is rented.\n\nusage: parplan COMMAND [OPTION...] [OPERAND...]\n\n");
	for (command = commands; *command; command++)
		buf_printf(out, "  %-12s %s\n", (*command)->name, (*command)->summary);
	buf_text(out,
		 "\nparplan help COMMAND tells more, help RULE what is behind a rule, help TOPIC\n"
		 "what holds for all:");
	for (topic = topics; topic->name; topic++)
		buf_printf(out, "%s %s", topic == topics ? "" : ",", topic->name);
	buf_text(out,
		 ".\nparplan --version --verbose says how it was built. Before a command reads a\n"
		 "file it gives up what it does not need; parplan --no-sandbox COMMAND leaves\n"
		 "that out. Exit status: 0 clean, 1 findings, 2 could not do the job.\n");
}

enum { HELP_COLUMNS = 80, OPTION_COLUMN = 28 };

/* One paragraph, broken at blanks; continuation lines start at `indent`, where the cursor is now.
 */
static void flow(const char *text, size_t length, size_t indent, struct buf *out)
{
	size_t column = indent, at = 0;

	while (at < length) {
		size_t word = 0;
		while (at + word < length && !strchr(" \n", text[at + word]))
			word++;
		if (column > indent && column + 1 + word > HELP_COLUMNS) {
			buf_char(out, '\n');
			buf_repeat(out, ' ', indent);
			column = indent;
		} else if (column > indent) {
			buf_char(out, ' ');
			column++;
		}
		buf_bytes(out, text + at, word);
		column += word;
		at += word;
		while (at < length && strchr(" \n", text[at]))
			at++;
	}
	buf_char(out, '\n');
}

/* Paragraphs, told apart by empty lines. One that starts with a blank stays as it is. */
static void describe(const char *text, struct buf *out)
{
	while (*text) {
		const char *end = strstr(text, "\n\n");
		size_t length = end ? (size_t)(end - text) : strlen(text);
		buf_char(out, '\n');
		if (*text == ' ') {
			buf_bytes(out, text, length);
			buf_char(out, '\n');
		} else {
			flow(text, length, 0, out);
		}
		text += length;
		text += strspn(text, "\n");
	}
}

static void describe_option(const struct opt *option, struct buf *out)
{
	size_t start = out->length, width;
	struct buf help;

	buf_text(out, "  ");
	if (option->letter)
		buf_printf(out, "-%c, ", option->letter);
	buf_printf(out, "--%s", option->name);
	if (option->argument)
		buf_printf(out, " %s", option->argument);
	width = out->length - start;
	if (width + 1 < OPTION_COLUMN)
		buf_repeat(out, ' ', OPTION_COLUMN - width);
	else
		buf_printf(out, "\n%*s", OPTION_COLUMN, "");
	buf_init(&help);
	buf_text(&help, option->help);
	if (option->words)
		buf_printf(&help, " (%s)", option->words);
	flow(help.data, help.length, OPTION_COLUMN, out);
	buf_release(&help);
}

void help_topic(const struct topic *topic, struct buf *out)
{
	const struct topic_entry *entry;

	buf_printf(out, "parplan: %s\n", topic->title);
	for (entry = topic->entries; entry->term; entry++) {
		buf_printf(out, "\n  %s\n      ", entry->term);
		flow(entry->text, strlen(entry->text), 6, out);
	}
	if (topic->text) {
		buf_char(out, '\n');
		flow(topic->text, strlen(topic->text), 0, out);
	}
}

void help_command(const struct command *command, struct buf *out)
{
	const struct opt *option;

	buf_printf(out, "parplan %s: %s\n\nusage: parplan %s [OPTION...]%s%s\n", command->name,
		   command->summary, command->name, *command->operands ? " " : "",
		   command->operands);
	if (command->details)
		describe(command->details, out);
	if (command->options[0].kind != OPT_END)
		buf_text(out, "\nOptions:\n");
	for (option = command->options; option->kind != OPT_END; option++)
		describe_option(option, out);
	if (command->examples)
		buf_printf(out, "\nExamples:\n%s\n", command->examples);
}

/* Where a command's request keeps the value of an option; NULL when it has no such option. */
static const void *value_of(const struct command *command, const void *request, const char *name)
{
	const struct opt *option;

	for (option = command->options; option->kind != OPT_END; option++)
		if (!strcmp(option->name, name))
			return (const char *)request + option->offset;
	return NULL;
}

const char *const *help_color_option(const struct command *command, const void *request)
{
	return value_of(command, request, "color");
}

bool help_quiet_option(const struct command *command, const void *request)
{
	const bool *quiet = value_of(command, request, "quiet");

	return quiet && *quiet;
}
