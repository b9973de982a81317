#include "base/pickle_machine.h"

#include "base/text.h"

#include <string.h>

static bool is_allowed(const struct machine *m, const char *name)
{
	static const char *const rebuilding[] = { "copyreg._reconstructor",  "copyreg.__newobj__",
						  "copy_reg._reconstructor", "builtins.object",
						  "builtins.dict",	     "builtins.list",
						  "__builtin__.object",	     "__builtin__.dict",
						  "__builtin__.list",	     NULL };
	const char *const *allowed;

	for (allowed = rebuilding; *allowed; allowed++)
		if (!strcmp(*allowed, name))
			return true;
	for (allowed = m->rules->allowed; allowed && *allowed; allowed++) {
		size_t length = strlen(*allowed);
		if (length && (*allowed)[length - 1] == '*' ? !strncmp(*allowed, name, length - 1)
							    : !strcmp(*allowed, name))
			return true;
	}
	return false;
}

/* A name as messages may print it: visible ASCII, not too long. */
static bool is_name(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++)
		if (text[i] <= ' ' || text[i] > '~')
			return false;
	return length > 0 && length <= 256;
}

/* The class or function of that name: allowed by the caller, or an error. */
static struct pickle_value global_value(struct machine *m, const char *module, size_t module_length,
					const char *name, size_t name_length)
{
	char *text = arena_alloc(m->arena, module_length + name_length + 2);

	if (!is_name(module, module_length) || !is_name(name, name_length)) {
		machine_fail(m, "%s names no class that Python could have", m->name);
		return machine_text(PICKLE_GLOBAL, "", 0);
	}
	memcpy(text, module, module_length);
	text[module_length] = '.';
	memcpy(text + module_length + 1, name, name_length);
	if (!is_allowed(m, text))
		machine_fail(m, "names %s: parplan never runs code of a pickle; refused", text);
	return machine_text(PICKLE_GLOBAL, text, module_length + name_length + 1);
}

static bool global_lines(struct machine *m, struct pickle_value *value)
{
	size_t module_length, name_length;
	const char *module = machine_line(m, &module_length),
		   *name = module ? machine_line(m, &name_length) : NULL;

	if (!name)
		return false;
	*value = global_value(m, module, module_length, name, name_length);
	return true;
}

void op_global(struct machine *m)
{
	struct pickle_value value;

	if (global_lines(m, &value))
		machine_push(m, value);
}

void op_stack_global(struct machine *m)
{
	const struct pickle_value *names;

	if (!machine_has(m, 2))
		return;
	m->stack.count -= 2;
	names = m->stack.items + m->stack.count;
	if (names[0].kind != PICKLE_STRING || names[1].kind != PICKLE_STRING)
		machine_fail(m, "STACK_GLOBAL names a class by what is no text");
	else
		machine_push(m, global_value(m, names[0].as.text, names[0].count, names[1].as.text,
					     names[1].count));
}

static void push_object(struct machine *m, const char *type, struct pickle_value args)
{
	struct pickle_value value = { .kind = PICKLE_OBJECT };

	value.as.object = arena_new(m->arena, struct pickle_object);
	value.as.object->type = type;
	value.as.object->args = args;
	machine_push(m, value);
}

/*
 * Calls `type` with a tuple of arguments, on paper. Protocols 0 and 1 make objects through
 * functions of copyreg whose first argument is the class.
 */
static void construct(struct machine *m, struct pickle_value type, struct pickle_value args)
{
	if (type.kind != PICKLE_GLOBAL)
		machine_fail(m, "%s calls what is no class or function", m->name);
	else if (args.kind != PICKLE_TUPLE)
		machine_fail(m, "%s calls %s with what is no tuple of arguments", m->name,
			     type.as.text);
	else if ((text_starts(type.as.text, "copyreg.") ||
		  text_starts(type.as.text, "copy_reg.")) &&
		 args.count && args.as.items[0].kind == PICKLE_GLOBAL)
		push_object(m, args.as.items[0].as.text,
			    machine_tuple(m, args.as.items + 1, args.count - 1));
	else
		push_object(m, type.as.text, args);
}

/* REDUCE, NEWOBJ, and NEWOBJ_EX, whose keywords become the first state. */
void op_construct(struct machine *m)
{
	size_t count = *m->op == 0x92 ? 3 : 2;
	struct pickle_value parts[3];

	if (!machine_has(m, count))
		return;
	m->stack.count -= count;
	memcpy(parts, m->stack.items + m->stack.count, count * sizeof(*parts));
	construct(m, parts[0], parts[1]);
	if (count == 3 && !m->error)
		machine_top(m)->as.object->state = parts[2];
}

/* INST and OBJ: a group of arguments, behind the class or with its name in lines. */
void op_instance(struct machine *m)
{
	struct pickle_value type = { .kind = PICKLE_NONE }, args;
	const struct pickle_value *items;
	size_t count;

	if (*m->op == 'i' && !global_lines(m, &type))
		return;
	if (!machine_group(m, &items, &count))
		return;
	if (*m->op == 'o' && count) {
		type = *items++;
		count--;
	}
	args = machine_tuple(m, items, count);
	construct(m, type, args);
}

void op_build(struct machine *m)
{
	if (!machine_has(m, 2))
		return;
	m->stack.count--;
	if (machine_top(m)->kind != PICKLE_OBJECT)
		machine_fail(m, "BUILD gives a state to what is no object");
	else
		machine_top(m)->as.object->state = m->stack.items[m->stack.count];
}

void op_persistent(struct machine *m)
{
	struct pickle_value id = { .kind = PICKLE_NONE };
	size_t length = 0;
	const char *line = *m->op == 'P' ? machine_line(m, &length) : NULL;

	if (m->error || (*m->op == 'Q' && !machine_has(m, 1)))
		return;
	if (!m->rules->persistent_ids)
		machine_fail(m, "%s points outside of the pickle; refused", m->name);
	else if (line)
		id = machine_text(PICKLE_STRING, line, length);
	else
		id = m->stack.items[--m->stack.count];
	push_object(m, "persistent id", machine_tuple(m, &id, 1));
}
