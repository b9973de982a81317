#ifndef WINGS_TORCHTITAN_READER_H
#define WINGS_TORCHTITAN_READER_H

#include "input/field.h"
#include "wings/torchtitan/keys.h"

struct launch_flag;
struct titan_program;
struct titan_strangers;

/* One TorchTitan config on its way to settings, as of one moment. */
struct titan_reader {
	struct decoder decoder;
	struct document *document;
	moment_t when;
	enum titan_reading reading;
	const char *label;     /* "v0.2.0": the version, for messages */
	const char *extension; /* module that extends the config's keys, or NULL */
	bool experiment;       /* model.name is none of core's */
	const struct titan_program
		*program; /* a Python function of one's own that makes it; or NULL */
	const struct titan_strangers *strangers; /* keys that nobody reads, once they are known */
};

/* A key of the config that no version reads at reader->when. */
struct titan_stranger {
	const struct node *node;
	const char *path;
};

struct titan_strangers {
	VEC(struct titan_stranger) list;
};

/*
 * Puts the framework's flags into the document's tree as that version's command line reads them:
 * bare booleans, --section.no-key, comma lists, words of Literals. What its parser
 * refuses is a finding.
 */
void titan_flags(struct titan_reader *reader);

/* True when the document has keys of a file, not of the command line or --set alone. */
bool titan_has_file(const struct document *document);

/* How the command line of a moment says a key (dialect.words_of). */
const char *titan_words_of(struct arena *arena, const char *path, const char *value, moment_t when);

/* The path of a flag's key in the tree, '-' made '_': "parallelism.tensor_parallel_degree". */
char *titan_flag_path(struct arena *arena, const char *name);

/* How many flags the command line of that moment refuses. */
int titan_unknown_flags(const struct document *document, moment_t when);

/* Says what becomes of keys that the version does not know. */
void titan_report_strangers(struct titan_reader *reader, const struct titan_strangers *strangers);

/* Sets model.preset, or model.experiment, from the model's name and flavour or the registry
 * function. */
void titan_model(struct titan_reader *reader);

/* A preset as model.name and model.flavor: llama3 and 8B for llama3-8b. False for other models. */
bool titan_model_names(struct arena *arena, const char *preset, const char **name,
		       const char **flavor);

/* True when a model family of that name is known: presets of it are compiled in. */
bool titan_has_family(const char *family);

/*
 * Puts what classes in a JSON of the config stand for: recomputation, and where the program of
 * `explain --dump` wrote it, kernels and converters.
 */
void titan_classes(struct titan_reader *reader);

/* True for a degree: an unknown name near one of these is never harmless. */
bool titan_is_degree(enum field_id field);

#endif
