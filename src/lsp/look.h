#ifndef LSP_LOOK_H
#define LSP_LOOK_H

#include "framework/job.h"
#include "input/project.h"
#include "input/vocabulary.h"
#include "lsp/store.h"
#include "rules/rule.h"

/* What the command line of the server says of all files. */
struct lsp_options {
	const struct overrides *overrides;
	const char *settings; /* --config, or NULL: the nearest .parplan.yaml */
	bool no_settings;     /* --no-config */
	bool sandbox;	      /* each file is looked at in one of its own */
};

/* A text as check sees it, and what its kind of file may say. */
struct look {
	struct arena *arena;
	const struct lsp_options *options;
	const struct store *store;
	const struct open_text *text;
	const char *path;	       /* from the folder of the file, which is the current one */
	const struct source *source;   /* the text itself */
	const struct project *project; /* what holds for it, or what it is: `settings` */
	bool settings;		       /* the text is a .parplan.yaml, and no job */
	const struct node *root;       /* its tree, or NULL */
	struct job job;		       /* of others */
	struct findings *findings;     /* sorted */
	struct skips skips;
	bool known; /* it is a config */
};

/*
 * Looks at the text, in a process that is there for it: the current folder becomes the file's, and
 * nothing but what a config may name can be read from then on. `typed`: the line from 0 that is
 * being written, which is left out; -1: none.
 */
void look_at(struct look *look, int64_t typed);

/* What files of its kind may say, at the versions that it is judged by. */
void look_vocabulary(struct look *look, struct vocabulary *vocabulary);

/* The node of the text whose key or value is at that byte, the innermost one; NULL: none. */
const struct node *look_node(const struct look *look, size_t offset);

/* The setting that stands at a node, or NULL. */
const struct setting *look_setting(const struct look *look, const struct node *node);

/* The dotted path of a node of the text. */
const char *look_path(const struct look *look, const struct node *node);

/* The URI of the file that a span lies in; NULL where that is no file. */
const char *look_uri(const struct look *look, struct span span);

#endif
