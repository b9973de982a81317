/*
 * What a browser lacks, said in one place: the program as WebAssembly (docs/playground) is built
 * with this instead of process.c and tree.c. Its files are in memory, it has one process, and
 * nothing that it could give up (sandbox.c is empty there).
 */
#include "base/process.h"
#include "base/tree.h"

static const char no_programs[] = "a browser starts no other programs";

struct process process_run(struct arena *arena, const struct program *program, size_t limit)
{
	(void)program;
	(void)limit;
	return (struct process) { .trouble = no_programs,
				  .missing = true,
				  .text = arena_strdup(arena, ""),
				  .errors = "" };
}

struct process_pipe process_open(struct arena *arena, const struct program *program)
{
	(void)arena;
	(void)program;
	return (struct process_pipe) { .trouble = no_programs, .fd = -1 };
}

int process_close(struct process_pipe *pipe)
{
	(void)pipe;
	return -1;
}

const char *tree_walk(struct tree *tree, struct arena *arena, const char *folder,
		      bool (*wanted)(const char *path))
{
	(void)tree;
	(void)wanted;
	return arena_printf(arena, "a browser walks no folders, and '%s' is one: name its files",
			    folder);
}
