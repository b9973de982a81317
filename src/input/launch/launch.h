#ifndef INPUT_LAUNCH_LAUNCH_H
#define INPUT_LAUNCH_LAUNCH_H

#include "base/arena.h"
#include "base/source.h"
#include "base/vec.h"
#include "input/setting.h"

#include <stdbool.h>
#include <stdint.h>

struct overrides;
struct shell_command;
struct shell_script;

/* One flag of the training script. */
struct launch_flag {
	const char *name;  /* without dashes, as written: "parallelism.tensor-parallel-degree" */
	const char *value; /* text without quotes, or NULL: nothing followed */
	bool attached;	   /* written as --name=value */
	struct span span;  /* of the value, or of the flag when it has none */
	struct span name_span;
	const char *unresolved; /* in a script: what nothing at hand says of it; or NULL */
};

/* A word that belongs to no flag. */
struct launch_word {
	const char *text;
	struct span span;
	const char *unresolved;
};

/* What the launcher is told: --nnodes 2 is launch.nodes. */
struct launch_fact {
	enum field_id field;
	const char *text;
	struct span span;
	bool assumed; /* nothing says so: it is the launcher's default */
	const char *unresolved;
};

/*
 * What follows "--" on our command line: flags of the framework, or a whole launch line with
 * torchrun, `python -m torch.distributed.run`, accelerate launch, deepspeed, srun, mpirun or
 * run_train.sh and assignments in front. Flags are only taken apart here; what they mean is the
 * dialect's affair.
 */
struct launch {
	const struct source *source; /* the words as one line, "<command line>"; or their file */
	bool launched;		     /* a launcher is part of it */
	const char *launcher;	     /* "torchrun", "accelerate", ...; or NULL */
	const char *script;  /* what it launches: "torchtitan.train", "run_train.sh"; or NULL */
	const char *program; /* the same without a launcher, too: "train.py"; or NULL */
	struct span program_span;
	const char
		*folder; /* where the script has gone by cd, from the working directory; or NULL */
	int64_t nodes, per_node; /* 0: not said, or not a number ("gpu", "2:4") */
	int64_t world;		 /* ranks, or 0 */
	struct span world_span;
	const char *config_file; /* --job.config_file or CONFIG_FILE=, the last one; or NULL */
	struct span config_span;
	VEC(struct launch_fact) facts;
	VEC(struct launch_flag) options; /* of all launchers; '_' for '-' in their names */
	const char *open_options;	 /* a word among them that may set any; or NULL */
	struct launch_flag refused; /* an option that the launcher does not know, and the nearest
				       that it does as its value; no name: none */
	VEC(struct launch_flag) flags;
	VEC(struct launch_flag) environment; /* assignments in front: NAME=value */
	VEC(struct launch_word) strays;
	VEC(struct launch_word) words;	   /* all of the command */
	VEC(struct launch_word) arguments; /* all words behind the launcher and its script */
	bool hosts;			   /* a file of hosts says how many machines */
	const char *starter_file;	   /* accelerate launch --config_file; or NULL */
	const struct settings *starter;	   /* what the file that starts the job settles; or NULL */
	const char *starter_dialect;	   /* its dialect: "accelerate" */
	const char *sharing_open; /* what of that is not here and may say who shares the model, or
				     NULL */
};

/*
 * Takes a command of a script apart, with what #SBATCH says where srun starts it; spans are in the
 * script. `program` names what is started, also without a launcher: "train.py", "torchtitan.train".
 */
struct launch *launch_of_command(struct arena *arena, const struct shell_script *script,
				 const struct shell_command *command);

/*
 * The same for a program that starts torchrun itself with as many processes as the variables
 * NPROC_PER_NODE and NNODES say, in front of it or exported: they become facts of the launch.
 */
void launch_by_variables(struct launch *launch, const struct shell_script *script,
			 const struct shell_command *command);

/*
 * The launch line of a training among a script's commands: of those with a launcher or a Python
 * program, the last that is sure to run, else the last; NULL when there is none.
 */
struct launch *launch_of_script(struct arena *arena, const struct shell_script *script,
				const struct shell_command **command);

/* Whether a command may be a training: not a tool that is started with Python, too. */
bool launch_trains(const struct launch *launch);

/* Takes the words after "--" apart; NULL when there are none. Never fails. */
struct launch *launch_parse(struct arena *arena, const struct overrides *overrides);

/* The same for the words of a command in `source`, each with its place; NULL when there are none.
 */
struct launch *launch_of_words(struct arena *arena, const struct source *source,
			       const struct launch_word *words, size_t count);

/* Puts `words`, which stand behind "--", behind what the launch says: the last wins. */
void launch_append(struct arena *arena, struct launch *launch, const struct launch *words);

/* The last flag of that name ('-' and '_' alike), or NULL. */
const struct launch_flag *launch_find(const struct launch *launch, const char *name);

/* The last option of the launchers of that name, '_' for '-', or NULL. */
const struct launch_flag *launch_option(const struct launch *launch, const char *name);

/* True when the command has these words one behind the other, folders in front aside. */
bool launch_says(const struct launch *launch, const char *first, const char *second);

/* Forgets who starts how much: the program makes its ranks elsewhere, by Ray. */
void launch_forget(struct launch *launch);

/* Puts what the launcher is told, and the number of ranks when that follows, into the settings. */
void launch_settle(const struct launch *launch, struct arena *arena, struct settings *settings);

/*
 * Whether a launcher of that name gives each node one block of ranks, whatever the rendezvous, and
 * sets LOCAL_RANK.
 */
bool launcher_makes_blocks(const char *name);

/* Whether a file may say what it is told. */
bool launcher_has_files(const char *name);

/* The launcher that has such an option for a setting of ours, or NULL. */
const char *launcher_of_option(const char *option, enum field_id *field);

/* Whether two names of flags differ at most in '-' against '_'. */
bool launch_same_flag(const char *a, const char *b);

#endif
