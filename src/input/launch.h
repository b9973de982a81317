#ifndef INPUT_LAUNCH_H
#define INPUT_LAUNCH_H

#include "base/arena.h"
#include "base/source.h"
#include "base/vec.h"
#include "input/setting.h"

#include <stdbool.h>
#include <stdint.h>

struct overrides;

/* One flag of the training script. */
struct launch_flag {
	const char *name;  /* without dashes, as written: "parallelism.tensor-parallel-degree" */
	const char *value; /* text without quotes, or NULL: nothing followed */
	bool attached;	   /* written as --name=value */
	struct span span;  /* of the value, or of the flag when it has none */
	struct span name_span;
};

/* A word that belongs to no flag. */
struct launch_word {
	const char *text;
	struct span span;
};

/* What the launcher is told: --nnodes 2 is launch.nodes. */
struct launch_fact {
	enum field_id field;
	const char *text;
	struct span span;
	bool assumed; /* nothing says so: it is the launcher's default */
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
	const char *script;	 /* what it launches: "torchtitan.train", "run_train.sh"; or NULL */
	int64_t nodes, per_node; /* 0: not said, or not a number ("gpu", "2:4") */
	int64_t world;		 /* ranks, or 0 */
	struct span world_span;
	const char *config_file; /* --job.config_file or CONFIG_FILE=, the last one; or NULL */
	struct span config_span;
	VEC(struct launch_fact) facts;
	VEC(struct launch_flag) flags;
	VEC(struct launch_flag) environment; /* assignments in front: NAME=value */
	VEC(struct launch_word) strays;
};

/* Takes the words after "--" apart; NULL when there are none. Never fails. */
struct launch *launch_parse(struct arena *arena, const struct overrides *overrides);

/* The same for the words of a command in `source`, each with its place; NULL when there are none.
 */
struct launch *launch_of_words(struct arena *arena, const struct source *source,
			       const struct launch_word *words, size_t count);

/* The last flag of that name ('-' and '_' alike), or NULL. */
const struct launch_flag *launch_find(const struct launch *launch, const char *name);

/* Puts what the launcher is told, and the number of ranks when that follows, into the settings. */
void launch_settle(const struct launch *launch, struct arena *arena, struct settings *settings);

#endif
