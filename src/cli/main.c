#include "base/buf.h"
#include "base/die.h"
#include "base/io.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/meter.h"
#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

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
	VEC(const char *) names = { 0 };
	const struct command *const *command;
	const char *near;

	for (command = commands; *command; command++)
		vec_push(arena, &names, (*command)->name);
	near = text_nearest(name, names.items, names.count);
	if (near)
		die("unknown command '%s'; did you mean '%s'? (parplan --help)", name, near);
	die("unknown command '%s' (parplan --help lists them)", name);
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

static int terminal_columns(void)
{
	const char *given = getenv("COLUMNS");
	struct winsize size;
	int64_t columns;

	if (given && text_to_int(given, &columns) && columns >= 20 && columns <= 1000)
		return (int)columns;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col >= 20)
		return size.ws_col;
	return 80;
}

/* The product goes out whole or not at all: a full disk or a closed stdout is an error. */
static int deliver(struct arena *arena, const struct buf *out, int status)
{
	const char *error = io_write(arena, "-", out->data, out->length);

	if (error) {
		fprintf(stderr, "parplan: cannot write to stdout: %s\n", error);
		return EXIT_TROUBLE;
	}
	return status;
}

/* --help anywhere among the command's own words, as people add it to a line that failed. */
static bool asks_for_help(int argc, char **argv)
{
	int i;

	for (i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return true;
	return false;
}

static int run_command(struct arena *arena, const struct command *command, int argc, char **argv,
		       struct buf *out)
{
	struct meter meter = { 0 };
	struct invocation invocation = { .arena = arena, .out = out, .meter = &meter };
	void *request = arena_alloc(arena, command->request_size);
	const char *error;
	const char *const *color;
	int status;

	if (asks_for_help(argc, argv)) {
		help_command(command, out);
		return EXIT_CLEAN;
	}
	error = opt_parse(arena, command->options, argc, argv, request, &invocation.operands);
	if (error)
		die("%s: %s (parplan %s --help)", command->name, error, command->name);
	if (!*command->operands && invocation.operands.count)
		die("%s: takes no operand, not '%s' (parplan %s --help)", command->name,
		    invocation.operands.items[0], command->name);
	color = help_color_option(command, request);
	invocation.color = wants_color(color ? *color : NULL);
	invocation.columns = terminal_columns();
	invocation.quiet = help_quiet_option(command, request);
	if (!invocation.quiet)
		meter_start(&meter);
	status = command->run(&invocation, request);
	meter_stop(&meter);
	return status;
}

int main(int argc, char **argv)
{
	struct arena arena;
	struct buf out;
	int status = EXIT_CLEAN;

	arena_init(&arena);
	buf_init(&out);
	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    (!strcmp(argv[1], "help") && argc < 3)) {
		help_program(&out);
		status = argc < 2 ? EXIT_TROUBLE : EXIT_CLEAN;
	} else if (!strcmp(argv[1], "--version")) {
		buf_printf(&out, "parplan %s\n", VERSION);
	} else {
		bool help = !strcmp(argv[1], "help");
		const char *name = help ? argv[2] : argv[1];
		const struct command *command = command_find(name);
		if (!command)
			unknown_command(&arena, name);
		if (help)
			help_command(command, &out);
		else
			status = run_command(&arena, command, argc - 2, argv + 2, &out);
	}
	status = deliver(&arena, &out, status);
	buf_release(&out);
	arena_release(&arena);
	return status;
}
