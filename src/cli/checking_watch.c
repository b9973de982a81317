#include "cli/checking.h"

#include "base/die.h"
#include "base/io.h"
#include "cli/meter.h"
#include "cli/watch.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Erases the screen and goes home (ECMA-48, ED and CUP). */
#define CLEAR_SCREEN "\033[2J\033[H"

/* Makes room for a report where somebody looks on. */
static void clear_screen(void)
{
	if (isatty(STDOUT_FILENO))
		outward_screen(STDOUT_FILENO, CLEAR_SCREEN);
}

/* Writes one report, and on a terminal what comes next. */
static const char *show(const struct checking *checking, struct arena *arena, struct buf *out)
{
	const char *path = checking->request->output;

	if (path)
		return outward_write(arena, path, out, checking->invocation->kind, false);
	if (isatty(STDOUT_FILENO) && !checking->request->config.quiet)
		buf_printf(out, "\nwaiting for %zu file%s to change; Ctrl-C ends\n",
			   checking->count, checking->count == 1 ? "" : "s");
	return outward_write(arena, "-", out, checking->invocation->kind,
			     checking->invocation->color);
}

int checking_watch(struct checking *checking)
{
	struct invocation *invocation = checking->invocation;
	struct arena arena;
	const char *error = NULL;
	size_t i;

	checking->watch = arena_new(invocation->arena, struct watch);
	watch_init(checking->watch, invocation->arena, true);
	for (i = 0; i < checking->count; i++)
		watch_add(checking->watch, checking->paths[i]);
	while (!error) {
		arena_init(&arena);
		clear_screen();
		buf_clear(invocation->out);
		checking_pass(checking, &arena, invocation->out);
		meter_stop(invocation->meter);
		error = show(checking, &arena, invocation->out);
		if (error)
			outward_say("cannot write to %s: %s",
				    checking->request->output ? checking->request->output
							      : "stdout",
				    error);
		else
			watch_wait(checking->watch, -1);
		arena_release(&arena);
	}
	watch_release(checking->watch);
	buf_clear(invocation->out);
	return EXIT_TROUBLE;
}

void checking_unwatchable(const struct checking *checking)
{
	size_t i;

	if (checking->request->write_baseline)
		die("check: --write-baseline writes once; leave --watch out");
	for (i = 0; i < checking->count; i++)
		if (!checking->paths[i] || !strcmp(checking->paths[i], "-"))
			die("check: --watch needs files by name: stdin and a command line do not "
			    "change");
}
