#ifndef INPUT_LAUNCH_LAUNCHERS_H
#define INPUT_LAUNCH_LAUNCHERS_H

#include "input/launch/launch.h"
#include "input/shell/shell.h"

/* SRUN and those behind it start other launchers. SHELL is run_train.sh. */
enum { SHELL, TORCHRUN, ACCELERATE, DEEPSPEED, COMPOSER, SRUN, MPIRUN, RAY, LAUNCHERS };

/* What launch.c, which takes words apart, and launchers.c, which knows the launchers, share. */

/* A word of the launch line and where it stands in the source. */
struct word {
	const char *text;
	size_t start, end; /* bytes of the source */
	struct span span;  /* of words from a file: that place, instead */
	const char *unresolved;
};

struct launch_parser {
	struct arena *arena;
	struct launch *launch;
	VEC(struct word) words;
	size_t at;
	const char *visible; /* CUDA_VISIBLE_DEVICES, as far as it is known; or NULL */
	bool script;	     /* a command of a script: other programs may stand in front */
};

/* The next word, or NULL at the end. */
const struct word *launch_peek(const struct launch_parser *p);

/* Where a word stands, without its first `skip` bytes; words from a file stand there whole. */
struct span launch_span(const struct launch_parser *p, const struct word *word, size_t skip);

/* What follows the last slash. */
const char *launch_basename(const char *path);

/* A value without the quotes that a shell, or a table of test cases, left around it. */
const char *launch_unquoted(struct arena *arena, const char *text);

/* True for NAME=VALUE in front of a command. */
bool launch_assigns(const char *text);

/* Notes the config file that the line names. */
void launch_config(struct launch_parser *p, const char *path, struct span span);

/* Notes a setting that stands outside the words: an option of #SBATCH. */
void launch_fact(struct launch_parser *p, enum field_id field, const char *text, struct span span);

/* The same, but by a variable of which nothing at hand says what it is, unless that is NULL. */
void launch_open_fact(struct launch_parser *p, enum field_id field, const char *text,
		      struct span span, const char *unresolved);

/* How many ranks the facts make; `word` names the launcher. */
void launch_settle_launcher(struct launch_parser *p, int launcher, const struct word *word);

/* The devices that a variable lists are all that processes of each machine see. */
void launch_limit(struct launch_parser *p, const struct shell_word *word);

/* What was assigned alone, in front of a script that we know nothing of. */
void launch_settle_assignments(struct launch_parser *p);

/* Takes the words in p->words apart. */
void launch_read_words(struct launch_parser *p);

/* True when one of the words is srun. */
bool launch_has_srun(const struct launch_parser *p);

/*
 * Reads everything in front of the training script's own arguments: assignments, srun or mpirun,
 * the launcher and its options, the script. Stays at the first word without a launcher.
 */
void launch_read_launcher(struct launch_parser *p);

#endif
