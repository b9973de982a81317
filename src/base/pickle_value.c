#include "base/pickle.h"

#include <inttypes.h>
#include <string.h>

const struct pickle_value *pickle_items(const struct pickle_value *value, size_t *count)
{
	const struct pickle_list *list = NULL;

	*count = 0;
	if (value->kind == PICKLE_TUPLE) {
		*count = value->count;
		return value->as.items;
	}
	if (value->kind == PICKLE_LIST || value->kind == PICKLE_SET || value->kind == PICKLE_DICT)
		list = value->as.list;
	else if (value->kind == PICKLE_OBJECT)
		list = &value->as.object->items;
	if (!list)
		return NULL;
	*count = list->count;
	return list->items;
}

const struct pickle_value *pickle_member(const struct pickle_value *value, const char *key)
{
	size_t length = strlen(key), count, i;
	const struct pickle_value *items;

	if (value->kind == PICKLE_OBJECT && value->as.object->state.kind == PICKLE_DICT)
		value = &value->as.object->state;
	if (value->kind != PICKLE_DICT &&
	    !(value->kind == PICKLE_OBJECT && value->as.object->pairs))
		return NULL;
	items = pickle_items(value, &count);
	for (i = count; i >= 2; i -= 2) { /* of equal keys the last one counts */
		const struct pickle_value *name = &items[i - 2];
		if (name->kind == PICKLE_STRING && name->count == length &&
		    !memcmp(name->as.text, key, length))
			return &items[i - 1];
	}
	return NULL;
}

bool pickle_is(const struct pickle_value *value, const char *type)
{
	if (value->kind == PICKLE_GLOBAL)
		return !strcmp(value->as.text, type);
	return value->kind == PICKLE_OBJECT && !strcmp(value->as.object->type, type);
}

char *pickle_string(struct arena *arena, const struct pickle_value *value)
{
	if (value->kind != PICKLE_STRING || memchr(value->as.text, '\0', value->count))
		return NULL;
	return arena_strndup(arena, value->as.text, value->count);
}

/* What is printed ends where `end` is reached. */
struct printer {
	struct buf *out;
	size_t end;
};

static void print_value(struct printer *printer, const struct pickle_value *value, int depth);

static void print_quoted(struct printer *printer, const struct pickle_value *value)
{
	uint32_t i;

	buf_text(printer->out, value->kind == PICKLE_BYTES ? "b'" : "'");
	for (i = 0; i < value->count && printer->out->length < printer->end; i++) {
		unsigned char c = (unsigned char)value->as.text[i];
		if (c == '\'' || c == '\\')
			buf_char(printer->out, '\\');
		if (c < ' ' || c > '~')
			buf_printf(printer->out, "\\x%02x", c);
		else
			buf_char(printer->out, (char)c);
	}
	buf_text(printer->out, i < value->count ? "...'" : "'");
}

static void print_items(struct printer *printer, const struct pickle_value *items, size_t count,
			bool pairs, int depth)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (i)
			buf_text(printer->out, pairs && i % 2 ? ": " : ", ");
		if (depth <= 0 || printer->out->length >= printer->end) {
			buf_text(printer->out, "...");
			return;
		}
		print_value(printer, &items[i], depth - 1);
	}
}

static void print_container(struct printer *printer, const struct pickle_value *value, int depth)
{
	static const char *const marks[] = {
		[PICKLE_LIST] = "[]",
		[PICKLE_TUPLE] = "()",
		[PICKLE_SET] = "{}",
		[PICKLE_DICT] = "{}",
	};
	size_t count;
	const struct pickle_value *items = pickle_items(value, &count);

	buf_char(printer->out, marks[value->kind][0]);
	print_items(printer, items, count, value->kind == PICKLE_DICT, depth);
	if (value->kind == PICKLE_TUPLE && count == 1)
		buf_char(printer->out, ',');
	buf_char(printer->out, marks[value->kind][1]);
}

static void print_object(struct printer *printer, const struct pickle_object *object, int depth)
{
	buf_printf(printer->out, "%.80s(", object->type);
	print_items(printer, object->args.as.items, object->args.count, false, depth);
	buf_char(printer->out, ')');
	if (object->items.count) {
		buf_char(printer->out, object->pairs ? '{' : '[');
		print_items(printer, object->items.items, object->items.count, object->pairs,
			    depth);
		buf_char(printer->out, object->pairs ? '}' : ']');
	}
	if (object->state.kind == PICKLE_ABSENT)
		return;
	buf_text(printer->out, " with ");
	print_items(printer, &object->state, 1, false, depth);
}

static void print_value(struct printer *printer, const struct pickle_value *value, int depth)
{
	switch (value->kind) {
	case PICKLE_ABSENT:
	case PICKLE_NONE:
		buf_text(printer->out, "None");
		break;
	case PICKLE_BOOL:
		buf_text(printer->out, value->as.integer ? "True" : "False");
		break;
	case PICKLE_INT:
		buf_printf(printer->out, "%" PRId64, value->as.integer);
		break;
	case PICKLE_FLOAT:
		buf_printf(printer->out, "%.17g", value->as.number);
		break;
	case PICKLE_BIG:
	case PICKLE_GLOBAL:
		buf_bytes(printer->out, value->as.text, value->count < 80 ? value->count : 80);
		break;
	case PICKLE_BYTES:
	case PICKLE_STRING:
		print_quoted(printer, value);
		break;
	case PICKLE_OBJECT:
		print_object(printer, value->as.object, depth);
		break;
	default:
		print_container(printer, value, depth);
		break;
	}
}

void pickle_print(struct buf *out, const struct pickle_value *value, int depth, size_t most)
{
	struct printer printer = { out, out->length + most };

	print_value(&printer, value, depth);
}
