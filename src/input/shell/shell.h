#ifndef INPUT_SHELL_SHELL_H
#define INPUT_SHELL_SHELL_H

#include "base/arena.h"
#include "base/source.h"
#include "base/vec.h"
#include "input/shell/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct node;

/*
 * A shell script, read and never run: its variables are followed through assignments, defaults,
 * arithmetic, arrays and functions, and what remains is the list of commands that it would start,
 * each word as the program would get it. A branch whose condition nothing here decides leaves
 * what it assigns open, unless all branches agree; so do loops. Values that come from outside
 * (environment, arguments, command substitution) are open, too.
 */

/* One word of a command, after all expansions. */
struct shell_word {
	const char *text;	/* open parts as the script writes them: "$SLURM_NNODES" */
	const char *unresolved; /* the first part that nothing at hand says; NULL: all is known */
	struct span span;	/* where its text stands: often in an assignment above */
	struct span used;	/* where the command has it */
	struct shell_text marked;
};

/* NAME=VALUE in front of a command; an option of #SBATCH without its dashes. */
struct shell_assignment {
	const char *name;
	struct shell_word value;
};

struct shell_command {
	VEC(struct shell_word) words; /* launchers in front of a nested shell first */
	VEC(struct shell_assignment) environment;
	const char
		*folder; /* where the script has gone by cd, from the working directory; or NULL */
	int branch;	 /* of that choice */
	int choice;	 /* the same for commands in branches of one undecided choice; 0: none */
	bool undecided;	 /* only run under a condition that nothing here decides */
};

struct shell_variable {
	const char *name;
	bool array;
	VEC(struct shell_word) words; /* one, unless it is an array */
};

/* A file that the script reads or starts; places behind `base` are its. */
struct shell_file {
	const char *path; /* as the script names it */
	const struct source *source;
	uint32_t base;
};

struct shell_script {
	struct arena *arena;
	const struct source *source;
	VEC(struct shell_file) files; /* others, in the order of their bases */
	struct span where;	      /* of a text that is no whole source; line 0: it is */
	VEC(struct shell_command) commands;
	VEC(struct shell_variable) variables; /* as they are at the end */
	VEC(struct shell_assignment) sbatch;  /* "nodes", "gres", in their order; "" has no value */
	struct span broken;		      /* the first place that no shell gets past, and why */
	const char *trouble;		      /* a clause; NULL: none was seen */
};

/* What --env says of a variable, or NULL. */
typedef const char *shell_outside(const void *context, const char *name);

/*
 * Reads `length` bytes of text. They are the whole of `source` when `where` is NULL; else they
 * come from the place `where`, which is then the place of every word. Never fails: what cannot be
 * understood is left out.
 */
struct shell_script *shell_read(struct arena *arena, const struct source *source,
				const struct span *where, const char *text, size_t length,
				shell_outside *outside, const void *context);

/* The text of a file that the script names, or NULL when there is none. */
typedef const struct source *shell_loader(void *context, const char *path);

/* The same for a whole file, along with those that it sources or starts with a shell. */
struct shell_script *shell_read_file(struct arena *arena, const struct source *source,
				     shell_outside *outside, shell_loader *load, void *context);

/* The variable of the environment a command sees: set in front of it, or by the script; or NULL. */
const struct shell_word *shell_environment(const struct shell_script *script,
					   const struct shell_command *command, const char *name);

/* The last #SBATCH option with that long name ("nodes" finds -N, too), or NULL. */
const struct shell_word *shell_sbatch(const struct shell_script *script, const char *name);

/*
 * The word without its first `skip` bytes as a scalar, typed as YAML would, with its own place;
 * unresolved when something in it is open. The caller sets the key.
 */
struct node *shell_node(const struct shell_script *script, const struct shell_word *word,
			size_t skip);

/* Goes through the parts of a word; the word is set first, the rest is zero. */
struct shell_parts {
	const struct shell_word *word;
	size_t at, count;
	bool maybe;
};

/*
 * The next of the parts that blanks make of a word, as the shell would split it, each with its own
 * place: options="--bf16 --lr 1e-4". False at the end.
 */
bool shell_next_part(const struct shell_script *script, struct shell_parts *parts,
		     struct shell_word *part);

/*
 * True when a text is a shell script rather than a config: it begins with "#!" and a shell, or
 * #SBATCH, or its first lines are commands or assignments as only shells read them.
 */
bool shell_looks(const char *text, size_t length);

#endif
