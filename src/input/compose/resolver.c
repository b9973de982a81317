#include "input/compose/resolver.h"

#include "base/text.h"
#include "input/compose/arithmetic.h"
#include "input/compose/interpolation.h"
#include "input/syntax/scalar.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

struct node *decoded_text(struct arena *arena, const char *text, struct span span)
{
	struct node *node = node_scalar(arena, SCALAR_STRING, text, span);

	if (!*text)
		return node;
	scalar_resolve(arena, node);
	if (node->type == SCALAR_STRING && strpbrk(text, "eE") &&
	    text_to_double(text, &node->number))
		node->type = SCALAR_FLOAT;
	return node;
}

/* A real number that is whole is an integer here: what takes one is not refused for its spelling.
 */
static struct node *number_node(struct arena *arena, struct number number)
{
	const struct span nowhere = { 0 };
	const char *text = number.whole ? arena_printf(arena, "%" PRId64, number.integer)
					: arena_printf(arena, "%.15g", number.real);

	return decoded_text(arena, text, nowhere);
}

static bool read_number(const struct node *node, struct number *number)
{
	if (node->kind != NODE_SCALAR)
		return false;
	if (node->type == SCALAR_INT)
		*number = number_whole(node->integer);
	else if (node->type == SCALAR_FLOAT)
		*number = number_real(node->number);
	return node->type == SCALAR_INT || node->type == SCALAR_FLOAT;
}

/* The arguments, or the items of the only one, taken together from the left. */
static struct node *reduce(struct arena *arena, const struct resolver_call *call,
			   enum number_step step)
{
	struct number value, other;
	const struct node *item;
	int i;

	if (!call->count)
		return NULL;
	if (call->count == 1 && call->arguments[0]->kind == NODE_LIST) {
		item = call->arguments[0]->first;
		if (!item || !read_number(item, &value))
			return NULL;
		for (item = item->next; item; item = item->next)
			if (!read_number(item, &other) || !number_apply(&value, step, other))
				return NULL;
		return number_node(arena, value);
	}
	if (!read_number(call->arguments[0], &value))
		return NULL;
	for (i = 1; i < call->count; i++)
		if (!read_number(call->arguments[i], &other) || !number_apply(&value, step, other))
			return NULL;
	return number_node(arena, value);
}

/* Names under which the same arithmetic is registered, by framework. */
static const struct {
	const char *name;
	enum number_step step;
} steps[] = {
	{ "multiply", NUMBER_MULTIPLY }, /* NVIDIA/NeMo@8cfedd72 megatron_gpt_pretraining.py */
	{ "mul", NUMBER_MULTIPLY },	 /* NVIDIA-NeMo/RL@7ea279ab nemo_rl/utils/config.py */
	{ "prod", NUMBER_MULTIPLY },
	{ "product", NUMBER_MULTIPLY },
	{ "add", NUMBER_ADD },
	{ "sum", NUMBER_ADD },
	{ "plus", NUMBER_ADD },
	{ "sub", NUMBER_SUBTRACT },
	{ "subtract", NUMBER_SUBTRACT },
	{ "minus", NUMBER_SUBTRACT },
	{ "div", NUMBER_DIVIDE },
	{ "divide", NUMBER_DIVIDE },
	{ "divide_ceil", NUMBER_CEILING }, /* NVIDIA/NeMo-Framework-Launcher@26e42fa9 main.py */
	{ "ceil_div", NUMBER_CEILING },
	{ "divide_floor", NUMBER_FLOOR },
	{ "floor_div", NUMBER_FLOOR },
	{ "int_div", NUMBER_FLOOR },
	{ "idiv", NUMBER_FLOOR },
	{ "mod", NUMBER_MODULO },
	{ "pow", NUMBER_POWER },
	{ "max", NUMBER_LARGER },
	{ "min", NUMBER_SMALLER },
};

static struct node *variable(struct document *document, const struct resolver_call *call,
			     const char **missing)
{
	const struct node *name = call->count ? call->arguments[0] : NULL;
	const char *text;

	if (!name || name->kind != NODE_SCALAR)
		return NULL;
	text = document_env(document, name->text);
	if (text)
		return decoded_text(document->arena, text, name->span);
	if (call->count > 1)
		return call->arguments[1];
	*missing = arena_join(document->arena, "$", name->text, "");
	return NULL;
}

static struct node *decode(struct document *document, const struct resolver_call *call)
{
	struct node *value = call->count == 1 ? call->arguments[0] : NULL;

	if (!value || value->kind != NODE_SCALAR || value->type != SCALAR_STRING)
		return value;
	return decoded_text(document->arena, value->text, value->span);
}

/* eval is Python's: what is no arithmetic stays open. */
static struct node *evaluate(struct document *document, const struct resolver_call *call)
{
	struct number number;

	if (call->count != 1 || call->arguments[0]->kind != NODE_SCALAR ||
	    !arithmetic_value(call->arguments[0]->text, &number))
		return NULL;
	return number_node(document->arena, number);
}

struct node *resolver_run(struct document *document, const struct resolver_call *call,
			  const char **missing)
{
	size_t i;

	if (!strcmp(call->name, "oc.env") || !strcmp(call->name, "env"))
		return variable(document, call, missing);
	if (!strcmp(call->name, "oc.decode") || !strcmp(call->name, "oc.create"))
		return decode(document, call);
	if (!strcmp(call->name, "eval"))
		return evaluate(document, call);
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (!strcmp(call->name, steps[i].name))
			return reduce(document->arena, call, steps[i].step);
	return NULL;
}
