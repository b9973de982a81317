#include "framework/torch/python.h"

#include "base/buf.h"

#include <inttypes.h>
#include <string.h>

static void put_repr(struct buf *out, const char *text)
{
	char quote = strchr(text, '\'') && !strchr(text, '"') ? '"' : '\'';

	buf_char(out, quote);
	for (; *text; text++) {
		if (*text == '\n') {
			buf_text(out, "\\n");
			continue;
		}
		if (*text == quote || *text == '\\')
			buf_char(out, '\\');
		buf_char(out, *text);
	}
	buf_char(out, quote);
}

static char *finish(struct arena *arena, struct buf *out)
{
	char *text = arena_strndup(arena, out->data, out->length);

	buf_release(out);
	return text;
}

static char *sequence(struct arena *arena, const char *brackets, const char *const *items,
		      int count)
{
	struct buf out;
	int i;

	buf_init(&out);
	buf_char(&out, brackets[0]);
	for (i = 0; i < count; i++) {
		if (i)
			buf_text(&out, ", ");
		put_repr(&out, items[i]);
	}
	if (count == 1 && brackets[0] == '(')
		buf_char(&out, ',');
	buf_char(&out, brackets[1]);
	return finish(arena, &out);
}

static char *repr(struct arena *arena, const char *text)
{
	struct buf out;

	buf_init(&out);
	put_repr(&out, text);
	return finish(arena, &out);
}

char *python_tuple(struct arena *arena, const char *const *items, int count)
{
	return sequence(arena, "()", items, count);
}

char *python_list(struct arena *arena, const char *const *items, int count)
{
	return sequence(arena, "[]", items, count);
}

char *python_ints(struct arena *arena, const int64_t *items, int count)
{
	struct buf out;
	int i;

	buf_init(&out);
	buf_char(&out, '(');
	for (i = 0; i < count; i++)
		buf_printf(&out, "%s%" PRId64, i ? ", " : "", items[i]);
	buf_text(&out, count == 1 ? ",)" : ")");
	return finish(arena, &out);
}

char *python_exception(struct arena *arena, const char *type, const char *const *args, int count)
{
	if (count != 1)
		return sequence(arena, "()", args, count);
	return strcmp(type, "KeyError") ? arena_strdup(arena, args[0]) : repr(arena, args[0]);
}

char *python_size(struct arena *arena, const int64_t *items, int count)
{
	char *text = arena_strdup(arena, "torch.Size([");
	int i;

	for (i = 0; i < count; i++)
		text = arena_printf(arena, "%s%s%" PRId64, text, i ? ", " : "", items[i]);
	return arena_printf(arena, "%s])", text);
}
