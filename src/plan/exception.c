#include "plan/exception.h"

#include "base/buf.h"
#include "base/die.h"

#include <stdarg.h>
#include <string.h>

#define X(name) extern const struct exceptions exceptions_##name;
#include "exceptions.inc"
#undef X

const struct exceptions *const exception_tables[] = {
#define X(name) &exceptions_##name,
#include "exceptions.inc"
#undef X
	NULL
};

struct exception_value exception_text(const char *text)
{
	return (struct exception_value) { .text = text };
}

struct exception_value exception_number(int64_t number)
{
	return (struct exception_value) { .number = number };
}

static void put_value(struct buf *out, struct exception_value value, const char *text)
{
	if (value.last)
		bug("'%s' is raised with too few values", text);
	if (value.text)
		buf_text(out, value.text);
	else
		buf_printf(out, "%lld", (long long)value.number);
}

/* `text` with values in place of what stands in braces. */
static const char *filled(struct arena *arena, const char *text, va_list values)
{
	const char *at = text, *open, *message;
	struct buf out;

	buf_init(&out);
	for (; (open = strchr(at, '{')); at = strchr(open, '}') + 1) {
		buf_printf(&out, "%.*s", (int)(open - at), at);
		if (open[1] == '}')
			buf_text(&out, "{}");
		else
			put_value(&out, va_arg(values, struct exception_value), text);
	}
	buf_text(&out, at);
	if (!va_arg(values, struct exception_value).last)
		bug("'%s' is raised with too many values", text);
	message = arena_strdup(arena, out.data);
	buf_release(&out);
	return message;
}

struct told exception_tell_values(struct arena *arena, const struct exception *row, ...)
{
	const char *text = row->says.text;
	const size_t type = strcspn(text, ":");
	struct told told = { .where = row->where, .rule = row->rule };
	va_list values;

	told.type = arena_strndup(arena, text, type);
	va_start(values, row);
	told.message = filled(arena, text + type + (text[type] ? 2 : 0), values);
	va_end(values);
	return told;
}

/* The value of that name, of `length` bytes; or NULL. */
static const struct exception_value *named(const struct exception_name *values, const char *name,
					   size_t length)
{
	for (; values->name; values++)
		if (strlen(values->name) == length && !strncmp(values->name, name, length))
			return &values->value;
	return NULL;
}

static bool is_about(const struct exception_name *values, const char *text)
{
	const struct exception_value *about =
		named(values, EXCEPTION_ABOUT, strlen(EXCEPTION_ABOUT));

	return !about || strstr(text, about->text);
}

/* `text` with the values of the names in its braces; NULL where one is not among them. */
static const char *filled_by_name(struct arena *arena, const char *text,
				  const struct exception_name *values)
{
	const struct exception_value *value;
	const char *at, *open, *close, *whole = NULL;
	struct buf out;

	buf_init(&out);
	for (at = text; (open = strchr(at, '{')); at = close + 1) {
		close = strchr(open, '}');
		value = named(values, open + 1, (size_t)(close - open) - 1);
		if (!value)
			break;
		buf_printf(&out, "%.*s", (int)(open - at), at);
		put_value(&out, *value, text);
	}
	buf_text(&out, at);
	if (!open)
		whole = arena_strdup(arena, out.data);
	buf_release(&out);
	return whole;
}

struct told exception_tell_named(struct arena *arena, const struct exception *row,
				 const struct exception_name *values)
{
	const char *text = row->says.text;
	const char *whole = is_about(values, text) ? filled_by_name(arena, text, values) : NULL;
	struct told told = { .where = row->where, .rule = row->rule };
	size_t type;

	if (!whole)
		return told;
	type = strcspn(whole, ":");
	told.type = arena_strndup(arena, whole, type);
	told.message = whole + type + (whole[type] ? 2 : 0);
	return told;
}

void exception_raise_told(struct plan *plan, struct told told)
{
	if (plan->error)
		return;
	plan_raise(plan, told.type, told.where, "%s", told.message);
	plan->error->rule = told.rule;
}
