#include "input/syntax/python_value.h"

#include "input/syntax/reader.h"

#include <string.h>

/* Names and the objects that they stand for: trees that are small, and never hold themselves. */

enum { SHOWN = 60 };

bool python_spend(struct python_frame *frame, long steps)
{
	frame->python->budget -= steps;
	return frame->python->budget > 0;
}

/* Levels of the tree below a node, its size taken off what may be spent. */
int python_height(struct python_frame *frame, const struct node *node)
{
	const struct node *child;
	int most = 0, one;

	if (!python_spend(frame, 1))
		return READER_DEPTH;
	for (child = node->first; child; child = child->next) {
		one = python_height(frame, child);
		most = one > most ? one : most;
	}
	return most + 1;
}

const struct python_name *python_find(struct python_frame *frame, const char *name)
{
	struct python_names *module = &frame->python->names;
	int64_t at = map_find(&frame->names->index, name);
	struct python_name what;

	if (at >= 0)
		return &frame->names->list.items[at];
	at = map_find(&module->index, name);
	if (at < 0)
		return NULL;
	what = module->list.items[at];
	if (!what.value)
		return &module->list.items[at];
	/* what a function does to it stays with the function */
	what.value = python_spend(frame, python_height(frame, what.value))
			     ? node_copy(frame->python->arena, what.value)
			     : NULL;
	python_bind(frame, name, what);
	return &frame->names->list.items[map_find(&frame->names->index, name)];
}

void python_bind(struct python_frame *frame, const char *name, struct python_name what)
{
	struct python_names *names = frame->names;
	const int64_t at = map_find(&names->index, name);

	if (at >= 0) {
		names->list.items[at] = what;
		return;
	}
	map_add(&names->index, name, (uint32_t)names->list.count);
	vec_push(frame->python->arena, &names->list, what);
}

struct node *python_unknown(struct python_frame *frame, const char *why, size_t first, size_t end)
{
	const struct python_words *words = &frame->python->words;
	const struct span span = python_span(words, first, end);
	struct node *node;
	size_t length;

	if (!why) {
		const char *text = words->source->text + words->tokens.items[first].start;
		length = words->tokens.items[end > first ? end - 1 : first].end -
			 words->tokens.items[first].start;
		length = length < SHOWN ? length : SHOWN;
		why = arena_strndup(
			frame->python->arena, text,
			strnlen(text, length) < strcspn(text, "\n") ? length : strcspn(text, "\n"));
	}
	node = node_scalar(frame->python->arena, SCALAR_STRING, why, span);
	node->unresolved = why;
	return node;
}

/* Whether `value` can hang below `map`: no tree is deep, and none holds itself. */
bool python_fits(struct python_frame *frame, const struct node *map, const struct node *value)
{
	const struct node *above;
	int levels = 4; /* the program's map of functions is above, too */

	for (above = map; above; above = above->parent, levels++)
		if (above == value || !python_spend(frame, 1))
			return false;
	return levels + python_height(frame, value) < READER_DEPTH;
}

/* The value where it hangs nowhere yet, a copy where it does. */
static struct node *hung(struct python_frame *frame, const struct node *map, struct node *value)
{
	if (!python_fits(frame, map, value)) {
		struct node *unknown =
			node_scalar(frame->python->arena, SCALAR_STRING, "", value->span);
		unknown->unresolved = "too much is nested";
		return unknown;
	}
	return value->parent ? node_copy(frame->python->arena, value) : value;
}

struct node *python_member(struct python_frame *frame, const struct node *map, const char *key)
{
	struct node *child;

	for (child = map->kind == NODE_MAP ? map->first : NULL; child; child = child->next)
		if (!python_spend(frame, 1) || !strcmp(child->key, key))
			break;
	return frame->python->budget > 0 ? child : NULL;
}

void python_put(struct python_frame *frame, struct node *map, const char *key, struct span key_span,
		struct node *value)
{
	struct node *old = python_member(frame, map, key);

	if (frame->python->budget <= 0)
		return;
	value = hung(frame, map, value);
	if (old)
		node_remove(old);
	value->key = key;
	value->key_span = key_span;
	node_append(map, value);
}

void python_open(struct python_frame *frame, struct node *object, const char *why)
{
	struct node *child, *next, *open;

	if (object->kind != NODE_MAP) {
		object->unresolved = object->kind == NODE_SCALAR ? why : NULL;
		return;
	}
	for (child = object->first; child; child = next) {
		next = child->next;
		if (strcmp(child->key, "()") != 0 && python_spend(frame, 1))
			node_remove(child);
	}
	open = node_scalar(frame->python->arena, SCALAR_STRING, why, object->span);
	open->unresolved = why;
	open->key = "*";
	open->key_span = object->span;
	node_append(object, open);
}
