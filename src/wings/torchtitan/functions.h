#ifndef WINGS_TORCHTITAN_FUNCTIONS_H
#define WINGS_TORCHTITAN_FUNCTIONS_H

#include "input/document.h"

struct titan_program;
struct titan_reader;

/* What a function of TorchTitan's registries sets over a part of main; rows: functions.def.
 */
struct titan_function {
	const char *module, *name; /* --module and --config */
	moment_t since, until;	   /* [since, until) */
	const char *model;	   /* "llama3-405B", or NULL */
	const char *settings;	   /* "key=value key=value": keys of TorchTitan or of ours */
	const char *beyond;	   /* what it sets that no setting stands for, or NULL */
};

/* The function of that name as of a moment, or NULL. */
const struct titan_function *titan_function_at(const char *module, const char *name, moment_t when);

/* True when the registry of that module is in the table as of a moment. */
bool titan_module_at(const char *module, moment_t when);

/* The same at whatever moment. */
bool titan_function_ever(const char *module, const char *name);
bool titan_module_ever(const char *module);

/* The name of the module's functions that is nearest to `name`, or NULL. */
const char *titan_function_like(struct arena *arena, const char *module, const char *name,
				moment_t when);

/*
 * Puts what the function sets into the settings, but what a program that begins with it (or NULL)
 * replaces; whatever is given overrides it later.
 */
void titan_function_settings(struct titan_reader *reader, const struct titan_function *function,
			     const struct titan_program *program);

#endif
