#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/outward.h"
#include "cli/opt.h"
#include "input/document.h"

#include <stdbool.h>

struct job;
struct meter;

/*
 * To add a command: src/cli/commands/NAME.c with `const struct command command_NAME`,
 * a golden test, and that is all: help, man page and completion come from the row.
 */
enum { EXIT_CLEAN = 0, EXIT_FINDINGS = 1, EXIT_TROUBLE = 2, EXIT_INSUFFICIENT = 3 };

/* What the dispatcher hands to a command. */
struct invocation {
	struct arena *arena;
	struct buf *out; /* the product: goes to stdout at the end, whole, checked */
	struct operands operands;
	VEC(const char *) outputs; /* files that it is to write: no input may be one of them */
	struct meter *meter;	   /* says on the terminal how far the command is */
	bool color;	   /* stdout is a terminal that wants colour (after --color, NO_COLOR) */
	enum outward kind; /* of the product */
	bool quiet;	   /* --quiet was given */
	bool sandbox;	   /* --no-sandbox was not given */
	int columns;	   /* width of the terminal; STYLE_UNWRAPPED where there is none */
	int file_columns;  /* width of a file: COLUMNS, or STYLE_UNWRAPPED */
};

struct command {
	const char *name;
	const char *summary;	   /* one line */
	const char *operands;	   /* "FILE...", for usage */
	const char *details;	   /* paragraphs for --help and the man page */
	const char *examples;	   /* lines; every one is run by the tests */
	const struct opt *options; /* ended by OPT_END */
	size_t request_size;
	int (*run)(struct invocation *invocation, void *request);
	/* Whether it starts other programs for what it was asked; NULL: it never does. */
	bool (*starts)(const struct invocation *invocation, const void *request);
	/* It is told later which files it is to read, and confines itself for each of them. */
	bool roams;
};

extern const struct command *const commands[];

/* Options that every command which reads a config takes; must be the first member of its request.
 */
struct config_request {
	const char *format;
	const char *color;
	struct texts sets, frameworks, env;
	const char *dialect;
	const char *launcher;
	int64_t world;
	bool quiet;
	const char *settings; /* --config */
	bool no_settings;     /* --no-config */
	bool allow_outside;
	const char *folder; /* --in */
};

#define CONFIG_OPTIONS(type)                                                                           \
	{ OPT_TEXTS,                                                                                   \
	  0,                                                                                           \
	  "set",                                                                                       \
	  "KEY=VALUE",                                                                                 \
	  NULL,                                                                                        \
	  "override one key, as YAML (repeatable)",                                                    \
	  offsetof(type, config.sets) },                                                               \
		{ OPT_TEXTS,                                                                           \
		  0,                                                                                   \
		  "env",                                                                               \
		  "NAME=VALUE",                                                                        \
		  NULL,                                                                                \
		  "a variable of the job's environment, for ${NAME} in configs (repeatable)",          \
		  offsetof(type, config.env) },                                                        \
		{ OPT_TEXT,                                                                            \
		  0,                                                                                   \
		  "dialect",                                                                           \
		  "NAME",                                                                              \
		  NULL,                                                                                \
		  "whose config it is, where the content does not tell",                               \
		  offsetof(type, config.dialect) },                                                    \
		{ OPT_TEXT,                                                                            \
		  0,                                                                                   \
		  "launcher",                                                                          \
		  "FILE",                                                                              \
		  NULL,                                                                                \
		  "the script or manifest that starts it: machines, processes, flags",                 \
		  offsetof(type, config.launcher) },                                                   \
		{ OPT_COUNT, 0, "world", "N", NULL, "number of ranks", offsetof(type, config.world) }, \
		{ OPT_TEXTS,                                                                           \
		  0,                                                                                   \
		  "framework",                                                                         \
		  "NAME@VERSION",                                                                      \
		  NULL,                                                                                \
		  "judge by this version: torchtitan@v0.2.0, torch@2.9 (repeatable)",                  \
		  offsetof(type, config.frameworks) },                                                 \
		{ OPT_FLAG,                                                                            \
		  'q',                                                                                 \
		  "quiet",                                                                             \
		  NULL,                                                                                \
		  NULL,                                                                                \
		  "no progress, and of findings only those that make it fail",                         \
		  offsetof(type, config.quiet) },                                                      \
		{ OPT_TEXT,                                                                            \
		  0,                                                                                   \
		  "config",                                                                            \
		  "FILE",                                                                              \
		  NULL,                                                                                \
		  "the project's settings (default: the nearest .parplan.yaml)",                       \
		  offsetof(type, config.settings) },                                                   \
		{ OPT_FLAG,                                                                            \
		  0,                                                                                   \
		  "no-config",                                                                         \
		  NULL,                                                                                \
		  NULL,                                                                                \
		  "read no project's settings",                                                        \
		  offsetof(type, config.no_settings) },                                                \
		{ OPT_TEXT,                                                                            \
		  0,                                                                                   \
		  "in",                                                                                \
		  "FOLDER",                                                                            \
		  NULL,                                                                                \
		  "read it as if it lay there: the files that it names are looked for from there",     \
		  offsetof(type, config.folder) },                                                     \
		{ OPT_FLAG,                                                                            \
		  0,                                                                                   \
		  "allow-outside",                                                                     \
		  NULL,                                                                                \
		  NULL,                                                                                \
		  "read files outside the repository where a config names them",                       \
		  offsetof(type, config.allow_outside) },                                              \
	{                                                                                              \
		OPT_TEXT, 0, "color", "WHEN", "auto|always|never", "colour in text output",            \
			offsetof(type, config.color)                                                   \
	}

/* The overrides a request stands for; dies on a malformed --framework. */
void config_overrides(const struct invocation *invocation, const struct config_request *request,
		      struct overrides *overrides);

/* --hosts FILE is --set cluster.hosts=FILE, whatever characters the name has. NULL: nothing. */
void config_hosts(const struct invocation *invocation, struct config_request *request,
		  const char *hosts);

/*
 * The project's settings for a config (NULL: the one that the launch line names, or none); what is
 * wrong with them goes to stderr. NULL when there are none.
 */
const struct project *config_project(const struct invocation *invocation,
				     const struct config_request *request, const char *config,
				     const struct overrides *overrides);

/*
 * Derives the one config a command is about: its FILE, or the launch line after "--". Dies on bad
 * usage and on a file that cannot be opened. When there are errors in it, they go to stderr as
 * check would print them, so that stdout is the command's product alone, and the answer is true.
 */
bool config_job(const struct invocation *invocation, const char *command,
		const struct config_request *request, struct job *job);

/* Prints the findings of a job on stderr, as check would; with --quiet only the errors. */
void config_complain(const struct invocation *invocation, struct job *job);

/* Says on stderr which --set nothing reads, where that is no error: check has it as a finding. */
void config_warn(const struct invocation *invocation, const struct job *job);

/* Whether the framework stops the job; if so, all that is found about it goes to stderr. */
bool config_stops(const struct invocation *invocation, struct job *job);

#endif
