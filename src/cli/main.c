#include "base/buf.h"
#include "base/die.h"
#include "base/io.h"
#include "base/text.h"
#include "cli/about.h"
#include "cli/command.h"
#include "cli/confine.h"
#include "cli/delivery.h"
#include "cli/help.h"
#include "cli/meter.h"
#include "cli/topic.h"
#include "report/findings/catalogue.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Goes before the command or with its options. */
#define NO_SANDBOX "--no-sandbox"

static const struct command *command_find(const char *name)
{
	const struct command *const *command;

	for (command = commands; *command; command++)
		if (!strcmp((*command)->name, name))
			return *command;
	return NULL;
}

_Noreturn static void unknown_command(struct arena *arena, const char *name)
{
	static const char *const own[] = { "help", "--help", "--version" };
	VEC(const char *) names = { 0 };
	const struct command *const *command;
	const char *near, *what = *name == '-' ? "option" : "command";
	size_t i;

	for (command = commands; *command; command++)
		vec_push(arena, &names, (*command)->name);
	for (i = 0; i < sizeof(own) / sizeof(*own); i++)
		vec_push(arena, &names, own[i]);
	near = text_nearest(name, names.items, names.count);
	if (near)
		die("unknown %s '%s'; did you mean '%s'? (parplan --help)", what, name, near);
	if (*name == '-')
		die("unknown option '%s'; options of a command stand behind it: parplan COMMAND "
		    "[OPTION...]",
		    name);
	if (io_exists(name))
		die("unknown command '%s'; to check that file: parplan check %s", name, name);
	die("unknown command '%s' (parplan --help lists them)", name);
}

/* `parplan help WORD`: a command, a topic or a rule. */
static void help_about(struct arena *arena, const char *word, struct buf *out)
{
	const struct style style = { .columns = 80 };
	const struct command *command = command_find(word);
	const struct topic *topic = topic_find(word);
	const struct rule *rule = rule_find(word);
	const char *near = rule_nearest(arena, word);

	if (command)
		help_command(command, out);
	else if (topic)
		help_topic(topic, out);
	else if (rule)
		catalogue_explain(rule, &style, out);
	else if (near)
		die("no help on '%s'; did you mean '%s'?", word, near);
	else
		die("no help on '%s': neither a command nor a rule nor a topic (parplan --help)",
		    word);
}

/* --color, then NO_COLOR, FORCE_COLOR, TERM=dumb, and at last whether stdout is a terminal. */
static bool wants_color(const char *when)
{
	const char *no = getenv("NO_COLOR"), *force = getenv("FORCE_COLOR"), *term = getenv("TERM");

	if (when && strcmp(when, "auto") != 0)
		return !strcmp(when, "always");
	if (no && *no)
		return false;
	if (force && *force && strcmp(force, "0") != 0)
		return true;
	return !(term && !strcmp(term, "dumb")) && isatty(STDOUT_FILENO);
}

/* The width of what goes to a file or a pipe. */
static int file_columns(void)
{
	const char *given = getenv("COLUMNS");
	int64_t columns;

	if (given && text_to_int(given, &columns) && columns >= 20 && columns <= 1000)
		return (int)columns;
	return STYLE_UNWRAPPED;
}

static int terminal_columns(void)
{
	const int given = file_columns();
	struct winsize size;

	if (given != STYLE_UNWRAPPED)
		return given;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col >= 20)
		return size.ws_col;
	return isatty(STDOUT_FILENO) ? 80 : STYLE_UNWRAPPED;
}

/* The product goes out whole or not at all: a full disk or a closed stdout is an error. */
static int deliver(const struct invocation *invocation, int status)
{
	const char *error = outward_write(invocation->arena, "-", invocation->out, invocation->kind,
					  invocation->color);

	if (error && !strcmp(error, strerror(EPIPE))) /* as head does: it had enough */
		return EXIT_TROUBLE;
	if (error) {
		outward_say("cannot write to stdout: %s", error);
		return EXIT_TROUBLE;
	}
	return status;
}

static bool ends_options(const char *word)
{
	return !strcmp(word, "--") || !strcmp(word, OPT_FILES_FOLLOW);
}

/* --help anywhere among the command's own words, as people add it to a line that failed. */
static bool asks_for_help(int argc, char **argv)
{
	int i;

	for (i = 0; i < argc && !ends_options(argv[i]); i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

/*
 * A word that is an option and the name of a file, too: `parplan check *.yaml` where somebody has
 * put a file of that name. Nobody can tell what is meant, so that nothing is done.
 */
static void refuse_named(const struct command *command, int argc, char **argv)
{
	int i;

	for (i = 0; i < argc && strcmp(argv[i], OPT_FILES_FOLLOW) != 0; i++) {
		if (argv[i][0] == '-' && argv[i][1] && io_exists(argv[i]))
			die("%s: '%s' is an option, and a file of that name is here: write ./%s "
			    "for the file, or %s before names of files",
			    command->name, argv[i], argv[i], OPT_FILES_FOLLOW);
		if (ends_options(argv[i]))
			break;
	}
}

/* Takes --no-sandbox out of a command's own words; true when it was among them. */
static bool take_no_sandbox(int *argc, char **argv)
{
	bool found = false;
	int i, kept = 0;

	for (i = 0; i < *argc && !ends_options(argv[i]); i++) {
		if (!strcmp(argv[i], NO_SANDBOX))
			found = true;
		else
			argv[kept++] = argv[i];
	}
	memmove(argv + kept, argv + i, (size_t)(*argc - i) * sizeof(*argv));
	*argc -= i - kept;
	return found;
}

/* True when a file is about to be typed at the terminal: whoever types is not told to wait. */
static bool typed_in(const struct operands *operands)
{
	size_t i;

	for (i = 0; i < operands->count; i++)
		if (!strcmp(operands->items[i], "-"))
			return isatty(STDIN_FILENO);
	return false;
}

/* True for options whose value is a file that is written. */
static bool is_output(const struct opt *option)
{
	static const char *const outputs[] = { "output", "trace", "write-baseline" };
	size_t i;

	for (i = 0; i < sizeof(outputs) / sizeof(*outputs); i++)
		if (!strcmp(option->name, outputs[i]))
			return true;
	return false;
}

/* Keeps the files that the command is to write, which no input may be. */
static void note_outputs(struct invocation *invocation, const struct opt *options,
			 const void *request)
{
	const char *path;

	for (; options->kind != OPT_END; options++) {
		if (options->kind != OPT_TEXT || !is_output(options))
			continue;
		memcpy(&path, (const char *)request + options->offset, sizeof(path));
		if (path && strcmp(path, "-") != 0)
			vec_push(invocation->arena, &invocation->outputs, path);
	}
}

/* Dies where one of the files that the command line names would be written over. */
static void spare_inputs(const struct invocation *invocation, const char *command,
			 const struct opt *options, const void *request)
{
	const struct operands *operands = &invocation->operands;
	const char *path;
	size_t i;

	for (i = 0; i < operands->count; i++)
		delivery_spare(invocation, command, operands->items[i]);
	for (i = 0; i < operands->rest_count; i++)
		delivery_spare(invocation, command, operands->rest[i]);
	for (; options->kind != OPT_END; options++) {
		if (options->kind != OPT_TEXT || is_output(options))
			continue;
		memcpy(&path, (const char *)request + options->offset, sizeof(path));
		if (path)
			delivery_spare(invocation, command, path);
	}
}

static int run_command(struct invocation *invocation, const struct command *command, int argc,
		       char **argv)
{
	struct arena *arena = invocation->arena;
	void *request = arena_alloc(arena, command->request_size);
	const char *error;
	const char *const *color;
	bool sandbox;
	int status;

	refuse_named(command, argc, argv);
	if (asks_for_help(argc, argv)) {
		help_command(command, invocation->out);
		return EXIT_CLEAN;
	}
	sandbox = invocation->sandbox = !take_no_sandbox(&argc, argv);
	error = opt_parse(arena, command->options, argc, argv, request, &invocation->operands);
	if (error)
		die("%s: %s (parplan %s --help)", command->name, error, command->name);
	if (!*command->operands && invocation->operands.count)
		die("%s: takes no operand, not '%s' (parplan %s --help)%s%s", command->name,
		    invocation->operands.items[0], command->name,
		    strcmp(command->name, "rules") ? "" : "; one rule: parplan explain ",
		    strcmp(command->name, "rules") ? "" : invocation->operands.items[0]);
	note_outputs(invocation, command->options, request);
	spare_inputs(invocation, command->name, command->options, request);
	color = help_color_option(command, request);
	invocation->color = wants_color(color ? *color : NULL);
	invocation->columns = terminal_columns();
	invocation->file_columns = file_columns();
	invocation->quiet = help_quiet_option(command, request);
	if (!invocation->quiet && !typed_in(&invocation->operands))
		meter_start(invocation->meter);
	if (sandbox)
		confine(invocation, command, request, argc, argv);
	status = command->run(invocation, request);
	meter_stop(invocation->meter);
	return status;
}

/* Has a command and the option before it change places. */
static void bring_forward(char **argv)
{
	char *option = argv[0];

	argv[0] = argv[1];
	argv[1] = option;
}

/* What parplan does without a command; false when the first word is none of its own. */
static bool run_own(struct arena *arena, int argc, char **argv, struct buf *out)
{
	const char *word = argc > 1 ? argv[1] : "--help";
	bool verbose = argc > 2 && (!strcmp(argv[2], "--verbose") || !strcmp(argv[2], "-v"));

	if (!strcmp(word, "help") && argc > 2)
		help_about(arena, argv[2], out);
	else if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help"))
		help_program(out);
	else if (!strcmp(word, "--version") || !strcmp(word, "-V"))
		about_version(arena, out, verbose);
	else
		return false;
	return true;
}

/* Says why we end; what is being written has no name yet, or is left as it was. */
static void end_of(int number)
{
	static const char text[] = "parplan: ended by SIGTERM, nothing is written\n";

	(void)number;
	outward_screen(STDERR_FILENO, text);
	_exit(EXIT_TROUBLE);
}

/* A limit on files and a reader that left are errors of writing, as a full disk is. */
static void mind_signals(void)
{
	struct sigaction ignored = { .sa_handler = SIG_IGN }, end = { .sa_handler = end_of };

	sigaction(SIGPIPE, &ignored, NULL);
	sigaction(SIGXFSZ, &ignored, NULL);
	sigaction(SIGTERM, &end, NULL);
}

int main(int argc, char **argv)
{
	const struct command *command;
	struct arena arena;
	struct buf out;
	struct meter meter = { 0 };
	struct invocation invocation = { .arena = &arena, .out = &out, .meter = &meter };
	int status = argc < 2 ? EXIT_TROUBLE : EXIT_CLEAN;

	mind_signals();
	arena_init(&arena);
	buf_init(&out);
	if (!run_own(&arena, argc, argv, &out)) {
		if (!strcmp(argv[1], NO_SANDBOX) && argc > 2)
			bring_forward(argv + 1);
		command = command_find(argv[1]);
		if (!command)
			unknown_command(&arena, argv[1]);
		status = run_command(&invocation, command, argc - 2, argv + 2);
	}
	status = deliver(&invocation, status);
	buf_release(&out);
	arena_release(&arena);
	return status;
}
