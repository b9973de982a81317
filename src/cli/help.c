#include "cli/help.h"

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

	buf_text(out, "parplan says what a distributed-training config will really do, before a GPU is "
		      "rented.\n\nusage: parplan COMMAND [OPTION...] [OPERAND...]\n\n");
	for (command = commands; *command; command++)
		buf_printf(out, "  %-12s %s\n", (*command)->name, (*command)->summary);
	buf_text(out, "\nparplan COMMAND --help tells more. Exit status: 0 clean, 1 findings, "
		      "2 could not do the job.\n");
}

static void describe_option(const struct opt *option, struct buf *out)
{
	size_t start = out->length, width;

	buf_text(out, "  ");
	if (option->letter)
		buf_printf(out, "-%c, ", option->letter);
	buf_printf(out, "--%s", option->name);
	if (option->argument)
		buf_printf(out, " %s", option->argument);
	width = out->length - start;
	if (width < 28)
		buf_repeat(out, ' ', 28 - width);
	else
		buf_printf(out, "\n%28s", "");
	buf_text(out, option->help);
	if (option->words)
		buf_printf(out, "\n%28s(%s)", "", option->words);
	buf_char(out, '\n');
}

void help_command(const struct command *command, struct buf *out)
{
	const struct opt *option;

	buf_printf(out, "parplan %s: %s\n\nusage: parplan %s [OPTION...] %s\n", command->name,
		   command->summary, command->name, command->operands);
	if (command->details)
		buf_printf(out, "\n%s\n", command->details);
	if (command->options[0].kind != OPT_END)
		buf_text(out, "\nOptions:\n");
	for (option = command->options; option->kind != OPT_END; option++)
		describe_option(option, out);
	if (command->examples)
		buf_printf(out, "\nExamples:\n%s\n", command->examples);
}

const char *const *help_color_option(const struct command *command, const void *request)
{
	const struct opt *option;

	for (option = command->options; option->kind != OPT_END; option++)
		if (!strcmp(option->name, "color")) {
			union {
				const char *bytes;
				const char *const *text;
			} at = { (const char *)request + option->offset };
			return at.text;
		}
	return NULL;
}
