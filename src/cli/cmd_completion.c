#include "base/die.h"
#include "cli/candidates.h"
#include "cli/command.h"

#include <string.h>

/* Text inside single quotes of a shell, with every character of `special` behind a backslash. */
static void quoted(struct buf *out, const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'')
			buf_text(out, "'\\'");
		else if (strchr(special, *text))
			buf_char(out, '\\');
		buf_char(out, *text);
	}
}

static void command_names(struct buf *out)
{
	const struct command *const *command;

	for (command = commands; *command; command++)
		buf_printf(out, "%s ", (*command)->name);
}

/* ---- bash ---- */

static void bash_command(const struct command *command, struct buf *out)
{
	const struct opt *option;

	for (option = command->options; option->kind != OPT_END; option++) {
		size_t start;
		if (option->kind == OPT_FLAG || candidates_are_files(option->argument))
			continue;
		buf_printf(out, "\t%s:--%s) words='", command->name, option->name);
		start = out->length;
		candidates_of_option(option, out);
		buf_text(out, out->length > start ? "' ;;\n" : " ' ;;\n");
	}
	buf_printf(out, "\t%s:*)\n\t\t[[ $cur != -* ]] || words='--help", command->name);
	for (option = command->options; option->kind != OPT_END; option++)
		buf_printf(out, " --%s", option->name);
	buf_printf(out, "'\n\t\t[[ $cur == -* ]] || more='");
	candidates_of_operands(command->operands, out);
	buf_text(out, "' ;;\n");
}

static void bash(struct buf *out)
{
	const struct command *const *command;

	buf_text(out, "# bash completion of parplan, made by: parplan completion bash\n"
		      "_parplan() {\n"
		      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} "
		      "words= more=\n"
		      "\tCOMPREPLY=()\n"
		      "\tif [[ $COMP_CWORD == 1 ]]; then\n"
		      "\t\tmapfile -t COMPREPLY < <(compgen -W '");
	command_names(out);
	buf_text(out, "help --help --version' -- \"$cur\")\n\t\treturn\n\tfi\n"
		      "\tcase ${COMP_WORDS[1]}:$prev in\n");
	for (command = commands; *command; command++)
		bash_command(*command, out);
	buf_text(out, "\thelp:*) words='");
	command_names(out);
	buf_text(out, "' ;;\n\tesac\n"
		      "\tif [[ $words ]]; then\n"
		      "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
		      "\telse\n"
		      "\t\tcompopt -o filenames\n"
		      "\t\tmapfile -t COMPREPLY < <(compgen -W \"$more\" -- \"$cur\"; compgen -f "
		      "-- \"$cur\")\n"
		      "\tfi\n"
		      "}\n"
		      "complete -F _parplan parplan\n");
}

/* ---- zsh ---- */

static void zsh_option(const struct opt *option, struct buf *out)
{
	buf_printf(out, " \\\n\t\t'%s--%s", option->kind == OPT_TEXTS ? "*" : "", option->name);
	if (option->kind != OPT_FLAG)
		buf_char(out, '=');
	buf_char(out, '[');
	quoted(out, option->help, "[]:");
	buf_char(out, ']');
	if (option->kind != OPT_FLAG) {
		buf_char(out, ':');
		quoted(out, option->argument, ":");
		buf_char(out, ':');
		if (candidates_are_files(option->argument)) {
			buf_text(out, "_files");
		} else {
			buf_char(out, '(');
			candidates_of_option(option, out);
			buf_char(out, ')');
		}
	}
	buf_char(out, '\'');
}

static void zsh_command(const struct command *command, struct buf *out)
{
	const struct opt *option;

	buf_printf(out, "\t%s)\n\t\t_arguments '--help[usage and options]'", command->name);
	for (option = command->options; option->kind != OPT_END; option++)
		zsh_option(option, out);
	buf_text(out, " \\\n\t\t'*::operand: _parplan_operands");
	candidates_of_operands(command->operands, out);
	buf_text(out, "' ;;\n");
}

static void zsh(struct buf *out)
{
	const struct command *const *command;

	buf_text(out, "#compdef parplan\n"
		      "# zsh completion of parplan, made by: parplan completion zsh\n"
		      "_parplan_operands() {\n"
		      "\t(( $# )) && compadd -- \"$@\"\n"
		      "\t_files\n"
		      "}\n"
		      "_parplan() {\n"
		      "\tlocal -a commands\n"
		      "\tcommands=(");
	for (command = commands; *command; command++) {
		buf_printf(out, "\n\t\t'%s:", (*command)->name);
		quoted(out, (*command)->summary, ":");
		buf_char(out, '\'');
	}
	buf_text(out, "\n\t)\n"
		      "\tif (( CURRENT == 2 )); then\n"
		      "\t\t_describe command commands\n"
		      "\t\treturn\n"
		      "\tfi\n"
		      "\tlocal command=$words[2]\n"
		      "\tshift words\n"
		      "\t(( CURRENT-- ))\n"
		      "\tcase $command in\n");
	for (command = commands; *command; command++)
		zsh_command(*command, out);
	buf_text(out, "\tesac\n}\n_parplan \"$@\"\n");
}

/* ---- fish ---- */

static void fish_option(const struct command *command, const struct opt *option, struct buf *out)
{
	buf_printf(out, "complete -c parplan -n '__fish_seen_subcommand_from %s' -l %s",
		   command->name, option->name);
	if (option->letter)
		buf_printf(out, " -s %c", option->letter);
	if (option->kind != OPT_FLAG && candidates_are_files(option->argument)) {
		buf_text(out, " -r");
	} else if (option->kind != OPT_FLAG) {
		buf_text(out, " -x -a '");
		candidates_of_option(option, out);
		buf_char(out, '\'');
	}
	buf_text(out, " -d '");
	quoted(out, option->help, "\\");
	buf_text(out, "'\n");
}

static void fish_command(const struct command *command, struct buf *out)
{
	const struct opt *option;
	struct buf words;

	buf_init(&words);
	buf_printf(out, "complete -c parplan -f -n __fish_use_subcommand -a %s -d '",
		   command->name);
	quoted(out, command->summary, "\\");
	buf_text(out, "'\n");
	for (option = command->options; option->kind != OPT_END; option++)
		fish_option(command, option, out);
	candidates_of_operands(command->operands, &words);
	if (words.length)
		buf_printf(out, "complete -c parplan -n '__fish_seen_subcommand_from %s' -a '%s'\n",
			   command->name, words.data);
	buf_release(&words);
}

static void fish(struct buf *out)
{
	const struct command *const *command;

	buf_text(out, "# fish completion of parplan, made by: parplan completion fish\n");
	for (command = commands; *command; command++)
		fish_command(*command, out);
}

static const struct {
	const char *name;
	void (*write)(struct buf *out);
} shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };

static int run(struct invocation *invocation, void *request)
{
	const struct operands *operands = &invocation->operands;
	size_t i;

	(void)request;
	if (operands->count != 1)
		die("completion takes one shell: bash, zsh or fish");
	for (i = 0; i < sizeof(shells) / sizeof(*shells); i++)
		if (!strcmp(shells[i].name, operands->items[0])) {
			shells[i].write(invocation->out);
			return EXIT_CLEAN;
		}
	die("no completion for '%s'; there are bash, zsh and fish", operands->items[0]);
}

static const struct opt options[] = { { OPT_END, 0, NULL, NULL, NULL, NULL, 0 } };

const struct command command_completion = {
	.name = "completion",
	.summary = "print the completion script of a shell",
	.operands = "SHELL",
	.details =
		"Prints a script that completes commands, options, their values and rule names in\n"
		"bash, zsh or fish. `make install` puts all three where the shells look for them.",
	.examples = "  parplan completion bash\n"
		    "  parplan completion zsh\n"
		    "  parplan completion fish",
	.options = options,
	.request_size = 1,
	.run = run,
};
