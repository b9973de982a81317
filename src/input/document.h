#ifndef INPUT_DOCUMENT_H
#define INPUT_DOCUMENT_H

#include "base/arena.h"
#include "base/finding.h"
#include "base/source.h"
#include "base/vec.h"
#include "input/node.h"
#include "input/setting.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A point in a framework's history: YYYYMMDDnn, where nn orders commits of one
 * day (99: the day's end). Later compares greater.
 */
typedef int64_t moment_t;

#define MOMENT_LATEST ((moment_t)9999123199)

/* A framework version that somebody named: "torchtitan" at "v0.2.0". */
struct pin {
	const char *framework;
	const char *version; /* tag, commit prefix, date, NAME@DATE, "latest", as written */
	struct span span;
	enum origin origin;
	struct span key_span; /* the framework's name, where it stands by itself */
};

struct project;
struct shell_script;
struct vocabulary;

/* An option that sets one key under a name of its own: "--gpu" with "cluster.gpu=h200". */
struct option_text {
	const char *option, *text;
};

/* What an editor holds of a file that is on the disk, too. */
struct overlay {
	const char *path; /* absolute */
	const char *text;
	size_t length;
};

/* What the caller adds to a file: options of ours and what follows "--". */
struct overrides {
	VEC(const char *) sets;		 /* "KEY=VALUE" */
	VEC(struct option_text) options; /* after `sets` */
	VEC(const char *) expects;	 /* "KEY=VALUE", below expect: */
	VEC(struct pin) pins;		 /* --framework NAME@VERSION */
	VEC(const char *) env;		 /* "NAME=VALUE": variables of the job's environment */
	const char *dialect;		 /* --dialect, or NULL: told by the content */
	const char *launcher;		 /* --launcher: the file that starts the job, or NULL */
	int64_t world;			 /* --world, or 0 */
	const char *world_by;		 /* another option that says it, or NULL */
	VEC(const char *) lost;		 /* hosts of the file of hosts that are not there */
	VEC(const char *) words;	 /* what follows "--", word by word, quotes already gone */
	size_t training;    /* of several that a script starts this one alone: from 1 on; 0: all */
	bool allow_outside; /* --allow-outside: files may name files anywhere */
	const char *folder; /* --in: it is read as if it lay there; or NULL */
	const char *text;   /* the document itself, when no file is to be read; or NULL */
	bool in_folder;	    /* `text` stands for the file at its path, beside which others lie */
	VEC(struct overlay) overlays; /* texts that stand for those of files that a config names */
	const struct project
		*project; /* what the repository settles for all its configs, or NULL */
};

/* The same, in lists of its own: what is added to the copy is not added to others. */
struct overrides *overrides_copy(struct arena *arena, const struct overrides *overrides);

/* A `# parplan: ignore=RULE[,RULE]` comment. */
struct suppression {
	const char *rule;
	struct span span;
	uint32_t line; /* the line it covers (its own, or the next when it stands alone); 0: the
			  file */
	bool used;
};

/* A `# parplan: expect KEY=VALUE` comment. */
struct expectation_comment {
	const char *text; /* "KEY=VALUE" */
	struct span span;
};

/* One config: its text, its tree after overrides, and which dialect it is in. */
struct document {
	struct arena *arena;
	struct source *source;
	struct node *root;	/* NULL when the text could not be read as a tree */
	struct node *documents; /* of a file with several manifests the first, linked by `next` */
	const struct node *manifest; /* of Kubernetes, whoever's config its command is; or NULL */
	const struct node *task;     /* of a SkyPilot task its tree: `shell` is its script */
	bool program; /* it is a Python program, whose tree is what its functions make */
	struct shell_script *shell;    /* of a shell script, whose tree is an empty map at first */
	const struct dialect *dialect; /* NULL when nothing recognises it */
	const struct overrides *overrides;
	VEC(struct pin) pins; /* found in the file and in the options; later ones win */
	VEC(struct suppression) suppressions;
	VEC(struct expectation_comment) expectations;
	struct node *ours;   /* native keys of --set that have no place in the file; or NULL */
	struct node *beside; /* a map with the one key "expect": what comments and options expect of
				a file that cannot say so itself; or NULL */
	struct launch *launch; /* overrides->words, taken apart, over what a file that starts the
				  job says; NULL when there is neither */
	const struct source *launched_by; /* that file, or NULL */
	moment_t low,
		high; /* set by versions_resolve: the versions it is judged by; equal when pinned */
	bool inferred;		  /* nobody named the version: set by versions_resolve, too */
	void *facts;		  /* the dialect's own notes between its calls */
	const char *bounds;	  /* where the files it names may lie (base/bounds.h) */
	bool full;		  /* no more of them are read */
	size_t loaded_bytes;	  /* of the files it names, all together */
	VEC(const char *) loaded; /* paths of the files it names that were read along with it */
	const char *no_job;	  /* "a ConfigMap starts nothing": it is no training; or NULL */
	const char *open_why;	  /* degrees that nobody gave are not known: why; or NULL */
	struct span open_span;
	bool open_model_only; /* that is tp, pp, cp, ep: what they leave goes to data parallelism */
	VEC(const char *) absent; /* those it builds on that are not there */
	const char *sharing_open; /* nothing says who shares the model, and what starts the job may:
				     a clause of what is not here; or NULL */
};

/*
 * Reads a file ("-": stdin; NULL: the one that the launch line names, or none) into a document:
 * text, tree, overrides, dialect, pins. Everything wrong with the input is in `findings` (syntax
 * errors included); a file that cannot be read at all is returned as a sentence, else NULL.
 *
 * A NULL `path` stands for no file at all, only what `overrides` hold: the tree is an empty map.
 * `overrides` may be NULL. What follows "--" (overrides->words) is left to the dialect.
 *
 * The syntax is told by the file's name: .json, .toml, .yaml, .yml. For other names and stdin by
 * the text: JSON when the first character that is neither blank nor comment is '{'; TOML when the
 * first line that is neither empty nor comment is `[section]` or `key = value`; else YAML. A shell
 * script (.sh, .bash, .slurm, .sbatch, .sb, or told by its text) is read into document->shell.
 */
const char *document_read(struct document *document, struct arena *arena, const char *path,
			  const struct overrides *overrides, struct findings *findings);

/* The syntax of a text, told so: "YAML", "TOML", "JSON", "Python". */
const char *document_syntax(const struct source *source);

/*
 * The tree of a file that the document names, by a path relative to the document's own (or to
 * `beside`, the path of a file loaded before; NULL: the document's): read by its syntax, its spans
 * in a source of its own, its path noted in document->loaded. NULL when there is no such file or it
 * is no map, without a finding: what that means is the dialect's affair. A broken file is a
 * finding.
 */
struct node *document_load(struct document *document, const char *beside, const char *path,
			   struct findings *findings);

/* The same for a path from the working directory. */
struct node *document_load_at(struct document *document, const char *path,
			      struct findings *findings);

/* What --env says about a variable of the job's environment, or NULL. */
const char *document_env(const struct document *document, const char *name);

/*
 * The bit of the release that the document pins a framework to, of a list that NULL ends ("v0.4.0",
 * ...), with its name in *version; 0: another, or none.
 */
unsigned document_release(const struct document *document, const char *framework,
			  const char *const *releases, const char **version);

/* The dialect of that name, or NULL. */
const struct dialect *dialect_find(const char *name);

extern const struct rule_id rule_unknown_dialect, rule_outside;

/* How the framework's own command line sets keys of the file. */
enum command_style {
	COMMAND_OWN,	 /* not at all, or as the dialect reads document->launch itself */
	COMMAND_WORDS,	 /* KEY.PATH=VALUE: OmegaConf */
	COMMAND_HYDRA,	 /* the same, with "+" or "++" in front of what files lack */
	COMMAND_FLAGS,	 /* --KEY.PATH VALUE, where '-' is '_' */
	COMMAND_SWITCHES /* the same, and --KEY and --no-KEY for true and false: click, with '-' */
};

/* A dialect: a file of its framework's wing, or of input/dialects/, which defines `dialect_NAME`.
 */
struct dialect {
	const char *name;
	const char *summary;
	const char *signs; /* by which keys it is known, for people: "trainer and exp_manager" */
	const char *framework; /* whose version decides what the keys mean; NULL: none does */
	const char *as_of;     /* commit of the framework at which keys and model were read */
	bool loose_json;       /* its JSON may hold comments and trailing commas, as HJSON may */
	bool holds_expect;     /* its files have an expect: block themselves */
	bool starts; /* its files say who starts how many processes: what they do with the model is
			known only where something else says so */
	const char *adds; /* "a|b.c": maps that are as good absent as empty, so that a key may be
			     put into one; NULL: none */
	enum command_style command;

	/* How sure it is that the document is its own, 0 to 100. */
	int (*detect)(const struct document *document);

	/*
	 * Completes document->root: puts files that it names below it (document_load, node_merge)
	 * and resolves its expressions. Runs once, after --set was laid over the tree. May be NULL.
	 */
	void (*compose)(struct document *document, struct findings *findings);

	/* Adds document->pins for versions the file itself names. May be NULL. */
	void (*pins)(struct document *document);

	/* How many keys of the document the framework did not know at that moment. May be NULL. */
	int (*unknown_keys)(const struct document *document, moment_t when);

	/* The next moment at which unknown_keys may answer otherwise. Set where unknown_keys is. */
	moment_t (*next_change)(moment_t when);

	/* The setting that one of its keys stands for as it is, by the key's last part, or
	 * FIELD_COUNT: for people who write it elsewhere. May be NULL. */
	enum field_id (*field_of)(const char *leaf);

	/* The dotted path at which the file says a setting as of that moment, or NULL: for what is
	 * to be put into it. May be NULL. */
	const char *(*key_of)(enum field_id field, moment_t when);

	/* How a command line that it reads itself (COMMAND_OWN) says a key, as command_words does.
	 * May be NULL. */
	const char *(*words_of)(struct arena *arena, const char *path, const char *value,
				moment_t when);

	/* Adds the keys that its files may have at the moments asked for (input/vocabulary.h). May
	 * be NULL: it has no files of its own. */
	void (*vocabulary)(struct vocabulary *vocabulary);

	/* Gives settings that nobody set the framework's defaults of that moment, for native
	 * configs that name it. May be NULL. */
	void (*defaults)(struct arena *arena, struct settings *settings, moment_t when);

	/* Translates the document into settings as of that moment, reporting what is wrong with it.
	 */
	void (*settle)(struct document *document, moment_t when, struct settings *settings,
		       struct findings *findings);
};

/* All dialects, ended by NULL, in the order of their file names. */
extern const struct dialect *const dialects[];

#endif
