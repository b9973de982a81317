#include "judge.h"

#include "base/die.h"
#include "base/io.h"
#include "base/process.h"
#include "cli/command.h"
#include "cli/meter.h"
#include "input/syntax/reader.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static const struct command *check_command(void)
{
	const struct command *const *command;

	for (command = commands; strcmp((*command)->name, "check") != 0; command++)
		continue;
	return *command;
}

/* ---- standard error, while a config is checked ---- */

enum { SECONDS = 120, COMPLAINT = 4096 }; /* nothing takes one second; this is for what hangs */

static const char *under_way; /* the config that is checked; or NULL */
static FILE *errors;	      /* what goes to stderr meanwhile */
static int kept;	      /* what stderr was */

static size_t divert_back(char *text)
{
	size_t length;

	under_way = NULL;
	alarm(0);
	fflush(stderr);
	dup2(kept, STDERR_FILENO);
	close(kept);
	rewind(errors);
	length = fread(text, 1, COMPLAINT, errors);
	fclose(errors);
	return length;
}

/* die() ends the program in the middle of a config. */
static void say_under_way(void)
{
	const char *path = under_way;
	char text[COMPLAINT];

	if (path)
		fprintf(stderr, "%s: %.*s", path, (int)divert_back(text), text);
}

static void say_hanging(int signal)
{
	(void)signal;
	if (write(kept, under_way, strlen(under_way)) > 0)
		(void)!write(kept, ": takes too long\n", 17);
	_exit(EXIT_TROUBLE);
}

static void divert(const char *path)
{
	static bool is_ready;

	if (!is_ready)
		is_ready = !atexit(say_under_way) && signal(SIGALRM, say_hanging) != SIG_ERR;
	fflush(stderr);
	errors = tmpfile();
	kept = dup(STDERR_FILENO);
	if (!is_ready || !errors || kept < 0 || dup2(fileno(errors), STDERR_FILENO) < 0)
		die("cannot divert stderr");
	under_way = path;
	alarm(SECONDS);
}

/* ---- parplan check ---- */

static int run(struct arena *arena, int argc, char **argv, struct buf *out)
{
	const struct command *command = check_command();
	struct meter meter = { 0 };
	struct invocation invocation = {
		.arena = arena, .out = out, .meter = &meter, .columns = 80
	};
	void *request = arena_alloc(arena, command->request_size);
	const char *error =
		opt_parse(arena, command->options, argc, argv, request, &invocation.operands);

	if (!error)
		return command->run(&invocation, request);
	fprintf(stderr, "check: %s\n", error);
	return EXIT_TROUBLE;
}

static const struct node *document(struct arena *arena, const char *text, size_t length)
{
	struct findings findings = { .arena = arena };

	return json_read(arena, source_new(arena, "<check>", text, length), &findings);
}

void told_check(struct told *told, struct arena *arena, const char *path,
		const char *const *options, size_t count)
{
	char **words = arena_array(arena, count + 4, sizeof(*words));
	char complaint[COMPLAINT];
	struct buf out;
	size_t i;

	words[0] = arena_strdup(arena, "--format");
	words[1] = arena_strdup(arena, "json");
	words[2] = arena_strdup(arena, path);
	for (i = 0; i < count; i++)
		words[3 + i] = arena_strdup(arena, options[i]);
	buf_init(&out);
	divert(path);
	told->status = run(arena, (int)count + 3, words, &out);
	told->complaint = arena_strndup(arena, complaint, divert_back(complaint));
	told->root = document(arena, arena_strndup(arena, out.data, out.length), out.length);
	buf_release(&out);
}

/* The shadow of a sanitizer alone is terabytes. */
#ifdef __SANITIZE_ADDRESS__
#define MOST_MEMORY ((size_t)1 << 46)
#else
#define MOST_MEMORY ((size_t)4 << 30)
#endif

void told_script(struct told *told, struct arena *arena, const char *script)
{
	const char *const words[] = { "sh", "-c", script, NULL };
	const struct program program = { words, (const char *const *)environ, -1, 600,
					 MOST_MEMORY };
	const struct process process = process_run(arena, &program, READER_BYTES);

	told->status = process.trouble ? EXIT_TROUBLE : process.status;
	told->complaint = process.trouble ? process.trouble : process.errors;
	told->root = process.trouble ? NULL : document(arena, process.text, process.length);
}

bool told_next(const struct told *told, struct finding_at *at)
{
	const struct node *files = node_member(told->root, "files"), *findings;

	at->finding = at->finding ? at->finding->next : NULL;
	while (!at->finding) {
		at->file = at->file ? at->file->next : files ? files->first : NULL;
		if (!at->file)
			return false;
		findings = node_member(at->file, "findings");
		at->finding = findings ? findings->first : NULL;
	}
	return true;
}

const char *text_at(const struct node *node, const char *path)
{
	const struct node *found = node_find(node, path);

	return found && found->kind == NODE_SCALAR && found->type != SCALAR_NULL ? found->text : "";
}

int64_t line_of(const struct node *finding, const char *path)
{
	const struct node *line = node_find(finding, "span.line");

	if (!line || (path && strcmp(text_at(finding, "path"), path) != 0))
		return 0;
	return line->integer;
}
