#include "wings/torchtitan/functions.h"

#include "base/die.h"
#include "base/text.h"
#include "input/node.h"
#include "wings/torchtitan/program.h"
#include "wings/torchtitan/reader.h"

#include <string.h>

#define EVER 9999999999

static const struct titan_function functions[] = {
#define FUNCTION(module, name, since, until, model, settings, beyond)                              \
	{ module, name, since, until, model, settings, beyond },
#include "wings/torchtitan/functions.def"
#undef FUNCTION
};

enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

static bool is_of(const struct titan_function *function, const char *module, moment_t when)
{
	return function->since <= when && when < function->until &&
	       !strcmp(function->module, module);
}

const struct titan_function *titan_function_at(const char *module, const char *name, moment_t when)
{
	size_t i;

	for (i = 0; i < FUNCTIONS; i++)
		if (is_of(&functions[i], module, when) && !strcmp(functions[i].name, name))
			return &functions[i];
	return NULL;
}

bool titan_module_at(const char *module, moment_t when)
{
	size_t i;

	for (i = 0; i < FUNCTIONS; i++)
		if (is_of(&functions[i], module, when))
			return true;
	return false;
}

bool titan_function_ever(const char *module, const char *name)
{
	size_t i;

	for (i = 0; i < FUNCTIONS; i++)
		if (!strcmp(functions[i].module, module) && !strcmp(functions[i].name, name))
			return true;
	return false;
}

bool titan_module_ever(const char *module)
{
	size_t i;

	for (i = 0; i < FUNCTIONS; i++)
		if (!strcmp(functions[i].module, module))
			return true;
	return false;
}

const char *titan_function_like(struct arena *arena, const char *module, const char *name,
				moment_t when)
{
	VEC(const char *) names = { 0 };
	size_t i;

	for (i = 0; i < FUNCTIONS; i++)
		if (is_of(&functions[i], module, when))
			vec_push(arena, &names, functions[i].name);
	return text_nearest(name, names.items, names.count);
}

/* The value as the node that a file would have it in. */
static struct node *value_node(struct arena *arena, const char *text)
{
	const struct span nowhere = { 0 };
	enum scalar_type type = SCALAR_STRING;
	struct node *node;
	int64_t integer = 0;
	double number = 0;

	if (text_to_int(text, &integer))
		type = SCALAR_INT;
	else if (text_to_double(text, &number))
		type = SCALAR_FLOAT;
	else if (!strcmp(text, "true") || !strcmp(text, "false"))
		type = SCALAR_BOOL;
	node = node_scalar(arena, type, text, nowhere);
	node->boolean = type == SCALAR_BOOL && *text == 't';
	node->integer = type == SCALAR_INT ? integer : 0;
	node->number = type == SCALAR_INT ? (double)integer : type == SCALAR_FLOAT ? number : 0;
	node->origin = NODE_FROM_FLAG; /* lists are written with commas */
	return node;
}

static void put_setting(struct titan_reader *reader, const char *key, const char *value,
			const char *note)
{
	const struct titan_key *titan = titan_key_at(key, reader->when);
	const enum field_id field = titan ? titan->field : field_find(key);
	const struct node *node = value_node(reader->decoder.arena, value);
	struct setting *setting;

	if (field == FIELD_COUNT)
		bug("registry functions set %s", key);
	setting = titan && titan->negated ? field_put_not(&reader->decoder, field, node)
					  : field_put(&reader->decoder, field, node);
	setting->origin = ORIGIN_REGISTRY;
	setting->spelling = titan ? titan->name : NULL;
	setting->note = note;
}

void titan_function_settings(struct titan_reader *reader, const struct titan_function *function,
			     const struct titan_program *program)
{
	struct arena *arena = reader->decoder.arena;
	const char *note =
		arena_printf(arena, "%s() of TorchTitan %s", function->name, reader->label);
	char *rest = arena_strdup(arena, function->settings);

	while (*rest) {
		char *key = rest, *value = strchr(key, '=');
		rest += strcspn(rest, " ");
		if (*rest)
			*rest++ = '\0';
		*value++ = '\0';
		if (!titan_program_replaces(program, key))
			put_setting(reader, key, value, note);
	}
}
