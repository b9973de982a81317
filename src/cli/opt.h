#ifndef CLI_OPT_H
#define CLI_OPT_H

#include "base/arena.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Options are rows; parsing, --help, the man page and the completions all come
 * from them. A row writes into the member at `offset` of the command's request struct.
 */
enum opt_kind {
	OPT_FLAG,  /* bool */
	OPT_TEXT,  /* const char * */
	OPT_COUNT, /* int64_t, at least 1 */
	OPT_TEXTS, /* struct texts: may be repeated */
	OPT_END
};

struct texts {
	const char **items;
	size_t count, capacity;
};

struct opt {
	enum opt_kind kind;
	char letter;	      /* short form, or 0 */
	const char *name;     /* without dashes */
	const char *argument; /* shown in help: "FILE"; NULL for flags */
	const char *words;    /* "text|json": the allowed values, or NULL */
	const char *help;
	size_t offset;
};

/* Words of a command line, sorted into options, operands and what follows "--". */
struct operands {
	const char **items;
	size_t count;
	const char **rest; /* after "--" */
	size_t rest_count;
	bool has_rest;
};

/*
 * What follows this word is names of files, whatever they look like: "--output=x.yaml", "-" and
 * "--" among them. For scripts that hand over names that others chose; "--" is taken for FLAGS.
 */
#define OPT_FILES_FOLLOW "--end-of-options"

/*
 * Parses argv[0..argc) into `request`. Returns NULL, or a sentence saying what is wrong
 * (unknown options with the nearest known one). Options may stand after operands.
 */
const char *opt_parse(struct arena *arena, const struct opt *options, int argc, char **argv,
		      void *request, struct operands *operands);

#endif
