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

/* Names of the vocabularies that an argument or operands take, as the scripts call them. */
static void put_kinds(const char *text, const char *separator, struct buf *out)
{
	const struct candidates *row = NULL;
	size_t start = out->length;
	bool files = false;

	while ((row = candidates_next(text, row))) {
		files = files || row->files;
		if (row->list)
			buf_printf(out, "%s%s", out->length > start ? separator : "",
				   row->argument);
	}
	if (files)
		buf_printf(out, "%sFILE", out->length > start ? separator : "");
}

/* The words that a row of an option allows, with a blank before each. */
static void put_words(const char *words, struct buf *out)
{
	buf_char(out, ' ');
	for (; *words; words++)
		buf_char(out, *words == '|' ? ' ' : *words);
}

/* Every vocabulary once: `before` its name, and its words between `between` and `after`. */
static void put_vocabularies(struct arena *arena, const char *before, const char *between,
			     const char *after, struct buf *out)
{
	const struct candidates *row;

	for (row = candidates; row->argument; row++) {
		if (!row->list)
			continue;
		buf_printf(out, "%s%s%s", before, row->argument, between);
		row->list(arena, out);
		buf_text(out, after);
	}
}

/* ---- bash ---- */

static void bash_option(const struct command *command, const struct opt *option, struct buf *out)
{
	buf_printf(out, "\t%s:--%s", command->name, option->name);
	if (option->letter)
		buf_printf(out, " | %s:-%c", command->name, option->letter);
	if (option->words) {
		buf_text(out, ") words='");
		put_words(option->words, out);
	} else {
		buf_text(out, ") kinds='");
		put_kinds(option->argument, " ", out);
	}
	buf_printf(out, "'%s ;;\n", candidates_are_listed(option->argument) ? " list=," : "");
}

static void bash_command(const struct command *command, struct buf *out)
{
	const struct opt *option;

	for (option = command->options; option->kind != OPT_END; option++)
		if (option->kind != OPT_FLAG)
			bash_option(command, option, out);
	buf_printf(out, "\t%s:*)\n\t\tkinds='", command->name);
	put_kinds(command->operands, " ", out);
	buf_text(out, "'\n\t\t[[ $cur != -* ]] || kinds= words='--help");
	for (option = command->options; option->kind != OPT_END; option++)
		buf_printf(out, " --%s", option->name);
	buf_text(out, "' ;;\n");
}

/* Readline takes a word apart at the characters of COMP_WORDBREAKS; here it is whole again. */
static const char bash_begin[] =
	"\t\tif [[ ${#typed[@]} -gt 0 && ($glue || $word == [=:@]*) ]]; then\n"
	"\t\t\ttyped[-1]+=$word\n"
	"\t\telse\n"
	"\t\t\ttyped+=(\"$word\")\n"
	"\t\tfi\n"
	"\t\tglue=\n"
	"\t\t[[ $word != *[=:@] ]] || glue=1\n"
	"\tdone\n"
	"\town=${COMP_WORDS[COMP_CWORD]} cur=${typed[-1]} prev=${typed[-2]}\n"
	"\t[[ $own != [=:@] ]] || own=\n"
	"\tdrop=${cur%\"$own\"}\n"
	"\tif [[ $cur == --*=* ]]; then\n"
	"\t\tprev=${cur%%=*} cur=${cur#*=}\n"
	"\t\tdrop=${drop#\"$prev=\"}\n"
	"\t\t[[ $own != --* ]] || add=$prev= drop=\n"
	"\tfi\n"
	"\tcommand=${typed[1]}\n"
	"\t(( ${#typed[@]} > 2 )) || command=\n"
	"\tcase $command:$prev in\n";

static const char bash_end[] =
	"\tesac\n"
	"\tfor ((at = 2; at + 1 < ${#typed[@]}; at++)); do\n"
	"\t\t[[ ${typed[at]} != -- ]] || kinds=FILE words= list=\n"
	"\tdone\n"
	"\tif [[ $list ]]; then\n"
	"\t\tadd+=${cur%\"${cur##*,}\"} cur=${cur##*,}\n"
	"\tfi\n"
	"\tfor word in $kinds; do\n"
	"\t\t[[ $word == FILE ]] || words+=\" $(_parplan_words \"$word\")\"\n"
	"\tdone\n"
	"\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	"\tif [[ \" $kinds \" == *' FILE '* ]]; then\n"
	"\t\tcompopt -o filenames\n"
	"\t\tmapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$cur\")\n"
	"\tfi\n"
	"\t[[ ${COMPREPLY[*]} != *[=@] ]] || compopt -o nospace\n"
	"\tCOMPREPLY=(\"${COMPREPLY[@]/#/$add}\")\n"
	"\tCOMPREPLY=(\"${COMPREPLY[@]#\"$drop\"}\")\n"
	"}\n"
	"complete -F _parplan parplan\n";

static void bash(struct arena *arena, struct buf *out)
{
	const struct command *const *command;

	buf_text(out, "# bash completion of parplan, made by: parplan completion bash\n"
		      "_parplan_words() {\n"
		      "\tcase $1 in\n");
	put_vocabularies(arena, "\t", ") echo '", "' ;;\n", out);
	buf_text(out, "\tesac\n"
		      "}\n"
		      "_parplan() {\n"
		      "\tlocal own cur prev command word at glue= kinds= words= list= add= drop=\n"
		      "\tlocal -a typed=()\n"
		      "\tCOMPREPLY=()\n"
		      "\tfor word in \"${COMP_WORDS[@]:0:COMP_CWORD+1}\"; do\n");
	buf_text(out, bash_begin);
	buf_text(out, "\t:*) words='");
	command_names(out);
	buf_text(out, "help --help --version' ;;\n\thelp:*) kinds=TOPIC words='");
	command_names(out);
	buf_text(out, "' ;;\n");
	for (command = commands; *command; command++)
		bash_command(*command, out);
	buf_text(out, bash_end);
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
		if (option->words) {
			buf_char(out, '(');
			put_words(option->words, out);
			buf_char(out, ')');
		} else {
			buf_printf(out, " %s_parplan_offer ",
				   candidates_are_listed(option->argument) ? "_sequence " : "");
			put_kinds(option->argument, "+", out);
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
	buf_text(out, " \\\n\t\t'*::operand: _parplan_offer ");
	put_kinds(command->operands, "+", out);
	buf_text(out, "' ;;\n");
}

static const char zsh_offer[] =
	"# The words of kinds as in RULE+FILE; what follows is for compadd.\n"
	"_parplan_offer() {\n"
	"\tlocal kind found=1\n"
	"\tlocal -a kinds=(${(s:+:)1}) reply open\n"
	"\t(( $# )) && shift\n"
	"\tfor kind in $kinds; do\n"
	"\t\tif [[ $kind == FILE ]]; then\n"
	"\t\t\t_files \"$@\" && found=0\n"
	"\t\t\tcontinue\n"
	"\t\tfi\n"
	"\t\t_parplan_words $kind\n"
	"\t\topen=(${(M)reply:#*[=@]}) reply=(${reply:#*[=@]})\n"
	"\t\t(( $#open )) && compadd \"$@\" -S '' -a open && found=0\n"
	"\t\t(( $#reply )) && compadd \"$@\" -a reply && found=0\n"
	"\tdone\n"
	"\treturn found\n"
	"}\n";

static void zsh(struct arena *arena, struct buf *out)
{
	const struct command *const *command;

	buf_text(out, "#compdef parplan\n"
		      "# zsh completion of parplan, made by: parplan completion zsh\n"
		      "_parplan_words() {\n"
		      "\tcase $1 in\n");
	put_vocabularies(arena, "\t", ") reply=(", ") ;;\n", out);
	buf_text(out, "\tesac\n}\n");
	buf_text(out, zsh_offer);
	buf_text(out, "_parplan() {\n"
		      "\tlocal -a commands\n"
		      "\tcommands=(");
	for (command = commands; *command; command++) {
		buf_printf(out, "\n\t\t'%s:", (*command)->name);
		quoted(out, (*command)->summary, ":");
		buf_char(out, '\'');
	}
	buf_text(out, "\n\t)\n"
		      "\tif (( CURRENT == 2 )) || [[ $words[2] == help ]]; then\n"
		      "\t\t_describe command commands\n"
		      "\t\t(( CURRENT == 2 )) || _parplan_offer TOPIC\n"
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

/* What an option or operand takes, behind -a. */
static void fish_words(const char *text, bool listed, struct buf *out)
{
	struct buf kinds;

	buf_init(&kinds);
	put_kinds(text, " ", &kinds);
	if (kinds.length && listed)
		buf_printf(out, " -a '(__fish_append , (__parplan_words %s))'", kinds.data);
	else if (kinds.length)
		buf_printf(out, " -a '(__parplan_words %s)'", kinds.data);
	buf_release(&kinds);
}

static bool takes_files(const char *text)
{
	const struct candidates *row = NULL;

	while ((row = candidates_next(text, row)))
		if (row->files)
			return true;
	return false;
}

static void fish_value(const struct opt *option, struct buf *out)
{
	if (option->words) {
		buf_text(out, " -x -a '");
		put_words(option->words, out);
		buf_char(out, '\'');
	} else {
		buf_text(out, takes_files(option->argument) ? " -r -F" : " -x");
		fish_words(option->argument, candidates_are_listed(option->argument), out);
	}
}

static void fish_option(const struct command *command, const struct opt *option, struct buf *out)
{
	buf_printf(out, "complete -c parplan -n '__fish_seen_subcommand_from %s' -l %s",
		   command->name, option->name);
	if (option->letter)
		buf_printf(out, " -s %c", option->letter);
	if (option->kind != OPT_FLAG)
		fish_value(option, out);
	buf_text(out, " -d '");
	quoted(out, option->help, "\\");
	buf_text(out, "'\n");
}

static void fish_command(const struct command *command, struct buf *out)
{
	const struct opt *option;

	buf_printf(out, "complete -c parplan -f -n __fish_use_subcommand -a %s -d '",
		   command->name);
	quoted(out, command->summary, "\\");
	buf_text(out, "'\n");
	for (option = command->options; option->kind != OPT_END; option++)
		fish_option(command, option, out);
	buf_printf(out, "complete -c parplan -n '__fish_seen_subcommand_from %s'%s", command->name,
		   takes_files(command->operands) ? "" : " -f");
	fish_words(command->operands, false, out);
	buf_char(out, '\n');
}

static void fish(struct arena *arena, struct buf *out)
{
	const struct command *const *command;

	buf_text(out, "# fish completion of parplan, made by: parplan completion fish\n"
		      "function __parplan_words\n"
		      "\tfor kind in $argv\n"
		      "\t\tswitch $kind\n");
	put_vocabularies(arena, "\t\tcase '", "'\n\t\t\tprintf '%s\\n'", "\n", out);
	buf_text(out, "\t\tend\n\tend\nend\n");
	buf_text(out, "complete -c parplan -f -n __fish_use_subcommand -a help -d 'a command, a "
		      "rule or a topic'\n"
		      "complete -c parplan -f -n '__fish_seen_subcommand_from help' -a "
		      "'(__parplan_words TOPIC) ");
	command_names(out);
	buf_text(out, "'\n");
	for (command = commands; *command; command++)
		fish_command(*command, out);
}

static const struct {
	const char *name;
	void (*write)(struct arena *arena, struct buf *out);
} shells[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };

void candidates_of_shells(struct arena *arena, struct buf *out)
{
	size_t i;

	(void)arena;
	for (i = 0; i < sizeof(shells) / sizeof(*shells); i++)
		buf_printf(out, " %s", shells[i].name);
}

static int run(struct invocation *invocation, void *request)
{
	const struct operands *operands = &invocation->operands;
	size_t i;

	(void)request;
	if (operands->count != 1)
		die("completion takes one shell: bash, zsh or fish");
	for (i = 0; i < sizeof(shells) / sizeof(*shells); i++)
		if (!strcmp(shells[i].name, operands->items[0])) {
			shells[i].write(invocation->arena, invocation->out);
			return EXIT_CLEAN;
		}
	die("no completion for '%s'; there are bash, zsh and fish", operands->items[0]);
}

static const struct opt options[] = { { OPT_END, 0, NULL, NULL, NULL, NULL, 0 } };

const struct command command_completion = {
	.name = "completion",
	.summary = "print the completion script of a shell",
	.operands = "SHELL",
	.details = "Prints a script that completes commands, options and what they take (rules, "
		   "keys,\n"
		   "models, devices, networks, versions, axes, files) in bash, zsh or fish.\n"
		   "`make install` puts all three where the shells look for them.",
	.examples = "  parplan completion bash\n"
		    "  parplan completion zsh\n"
		    "  parplan completion fish",
	.options = options,
	.request_size = 1,
	.run = run,
};
