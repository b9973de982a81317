#ifndef INPUT_SHELL_STATE_H
#define INPUT_SHELL_STATE_H

#include "base/map.h"
#include "input/shell/shell.h"

#include <stdint.h>

/* What the files of the shell reader share: the state of a script that is being followed. */

/* A variable's value; never changed once it is made. */
struct shell_value {
	bool array;
	const struct shell_text *items; /* one, unless it is an array */
	size_t count;
};

/* A place in a text that is being read. */
struct shell_stream {
	const struct shell_text *in;
	size_t at, end;
	size_t skip_from, skip_to; /* bodies of heredocs, behind the line break at skip_from */
	size_t broken;		   /* the first place that no shell gets past, and why */
	const char *trouble;	   /* a clause; NULL: none was seen */
};

struct shell_function {
	const char *name;
	const struct shell_text *in;
	size_t start, end;
};

/* LIKELY: a program's success, which is assumed in lists and doubted in conditions. */
enum shell_truth { SHELL_NO, SHELL_YES, SHELL_PERHAPS, SHELL_LIKELY };

enum shell_flow { SHELL_GOES_ON, SHELL_RETURNED, SHELL_ENDED, SHELL_FAILED };

struct shell_texts {
	struct shell_text *items;
	size_t count, capacity;
};

struct shell_state {
	struct arena *arena;
	struct shell_script *script;
	shell_outside *outside;
	shell_loader *load; /* NULL: no other file is read */
	const void *context;
	void *files; /* the loader's context */
	struct map names;
	VEC(const char *) name_list;
	VEC(const struct shell_value *) values; /* by the index of the name; NULL: not assigned */
	VEC(struct shell_function) functions;
	const struct shell_texts *arguments; /* of the function being run; NULL: the script's own */
	struct shell_texts outer;	     /* words in front of a nested shell */
	const char *folder;   /* where cd went, from the working directory; or NULL */
	int branch, branches; /* that is being read, and how many there were */
	int choice, choices; /* the innermost choice nobody decides, 0: none; how many there were */
	int depth, skip, undecided;
	enum shell_flow flow;
	size_t budget;	 /* bytes that may still be made */
	bool deep;	 /* something nests deeper than is read */
	bool in_command; /* #SBATCH has no effect any more */
};

/* Makes one command of those of which only one runs, open where they differ. */
void shell_join_alternatives(struct shell_script *script);

/* True when what is read is also done. */
bool shell_runs(const struct shell_state *sh);

/* Takes `amount` from what may still be made; false when it is used up. */
bool shell_spend(struct shell_state *sh, size_t amount);

/* The value of a variable: the script's, else --env's (placed at `at`), else NULL. */
const struct shell_value *shell_get(struct shell_state *sh, const char *name, uint32_t at);

void shell_set(struct shell_state *sh, const char *name, const struct shell_value *value);

/* Makes a variable open, unless --env says what it is. */
void shell_forget(struct shell_state *sh, const char *name, uint32_t at);

struct shell_value *shell_scalar(struct shell_state *sh, const struct shell_text *text);
struct shell_value *shell_array(struct shell_state *sh, const struct shell_texts *items);

/* What several branches make of the variables, of which at most one is taken. */
struct shell_values {
	const struct shell_value **items;
	size_t count;
};

struct shell_choice {
	struct shell_values base, merged;
	bool open;   /* it may be that none of the branches so far is taken */
	bool maybe;  /* which one is, is not known */
	bool merges; /* `merged` holds something */
	bool repeats, loops;
	int outer_branch;
	int id, outer; /* its number, and that of the choice around it */
	enum { SHELL_SKIPPED, SHELL_TAKEN, SHELL_TRIED } mode;
};

/* `repeats`: the branch is the body of a loop, run more than once. */
void shell_choice_begin(struct shell_state *sh, struct shell_choice *choice, bool repeats);
void shell_choice_enter(struct shell_state *sh, struct shell_choice *choice,
			enum shell_truth truth);
void shell_choice_leave(struct shell_state *sh, struct shell_choice *choice);
void shell_choice_end(struct shell_state *sh, struct shell_choice *choice);

/* Copies of the variables, for what a subshell does to them. */
struct shell_values shell_values_copy(struct shell_state *sh);
void shell_values_restore(struct shell_state *sh, const struct shell_values *values);

#endif
