#ifndef INPUT_LAUNCH_FORM_H
#define INPUT_LAUNCH_FORM_H

#include "input/document.h"
#include "input/field.h"
#include "input/launch/launch.h"

/*
 * How a framework is started from a command line. The wing that knows the framework has a file
 * launch.c with rows `launch_form_NAME`: a row says of a launch line whether it is the framework's,
 * and makes of the config and flags that it names the tree that the wing's dialect reads. A script
 * or manifest is then in that dialect.
 */
struct launch_form {
	const char *name;     /* the framework, for people */
	const char *dialect;  /* that reads the tree; NULL: known, and not modelled */
	const char *commands; /* its own programs, "axolotl|...": words behind them are theirs */

	const char *packages; /* "a.b|c": programs below them are its, where `claims` is NULL */
	bool by_variables; /* it starts torchrun itself, with what NPROC_PER_NODE and NNODES say */

	/* How surely the launch is its own, 0 to 100. */
	int (*claims)(const struct launch *launch);

	/* The tree: configs that the line names, and what its flags say. NULL: an empty one. */
	struct node *(*compose)(struct document *document, struct launch *launch,
				struct findings *findings);
};

/* The row that is surest of a launch, or NULL. */
const struct launch_form *launch_form_of(const struct launch *launch);

/* True when more than the launcher says whose a launch is: its program or flags do. */
bool launch_is_sure(const struct launch *launch);

/* The name of a framework that is known and not modelled, when the launch is one's; or NULL. */
const char *launch_known(const struct launch *launch);

/*
 * Settles launch->starter where the launcher has a config or flags that say who shares the model,
 * and the program is another's: accelerate launch. `launch` may be NULL.
 */
void launch_starter_read(struct document *document, struct launch *launch);

/* "evaluates", "serves", ...: what the program does instead of training; or NULL. */
const char *launch_other_task(const struct launch *launch);

/* The same as document->no_job has it: "lm_eval evaluates, and trains nothing"; or NULL. */
const char *launch_no_job(struct arena *arena, const struct launch *launch);

/* True when a word is the program of a row: "axolotl". */
bool launch_is_command(const char *word);

/*
 * Makes the document one of the dialect of the launch's row; false when there is no row with one.
 */
bool launch_form_take(struct document *document, struct launch *launch, struct findings *findings);

/*
 * Makes the launch of a script or manifest the document's: flags that follow "--" come behind its
 * own; a launch line there, or a file that starts the job, stands for it.
 */
void launch_take(struct document *document, struct launch *launch);

/* Makes the document one of `dialect` with that tree below what --set gave; `root` may be NULL. */
void launch_hand_over(struct document *document, struct node *root, const struct dialect *dialect,
		      struct findings *findings);

/*
 * The tree of a config that a launch names: looked for where the script works (after its cd), in
 * the working directory, beside the script and at the root of the repository. NULL when it is not
 * there or no map.
 */
struct node *launch_load(struct document *document, const struct launch *launch, const char *path,
			 struct findings *findings);

/* The same for a file whose name alone says nothing: only where its whole path leads. */
struct node *launch_load_there(struct document *document, const struct launch *launch,
			       const char *path, struct findings *findings);

/*
 * The same for the config that the job depends on: one that is not there is a finding, and what it
 * would have said is unknown. `path` may be NULL, or open (`unresolved`).
 */
struct node *launch_config_of(struct document *document, const struct launch *launch,
			      const struct launch_flag *path, struct findings *findings);

/* Degrees that nobody gives are not known from now on, and why: "x.yaml is not there". */
void launch_leave_open(struct document *document, struct span span, const char *why);

/* Makes them so in settings of the document. */
void launch_open_axes(const struct document *document, struct settings *settings);

/* ---- what rows ask of a launch ---- */

/* True when the program's last part, without ".py", is one of "a|b|c". */
bool launch_runs(const struct launch *launch, const char *names);

/* True when the program is a module or path below one of "a.b|c": "a.b.train", "x/a/b/train.py". */
bool launch_runs_below(const struct launch *launch, const char *packages);

/* The word number `n` that is no flag's value behind the program, or NULL. */
const struct launch_word *launch_positional(const struct launch *launch, size_t n);

/* A word as if it were the value of a flag of that name. */
struct launch_flag launch_flag_of(const struct launch_word *word, const char *name);

/* A scalar of a flag's value, typed as YAML would; the caller sets the key. */
struct node *launch_scalar(struct arena *arena, const struct launch_flag *flag);

/* Puts the value of the flag `name` at `path` of the tree; false when there is no such flag. */
bool launch_put(struct arena *arena, struct node *root, const struct launch *launch,
		const char *name, const char *path);

/*
 * Puts the model that a program of one's own is told by flags: --model_name_or_path, or others,
 * which may name a file of weights as well, where they name a known id or a folder with a
 * config.json.
 */
void launch_put_model(struct decoder *decoder, struct document *document);

/* Puts words KEY=VALUE, "+" in front aside, whose key begins with `prefix`, without that. */
void launch_put_words(struct arena *arena, struct node *root, const struct launch *launch,
		      const char *prefix);

extern const struct rule_id rule_config_absent, rule_not_a_job;

#endif
