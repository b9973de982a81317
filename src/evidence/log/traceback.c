#include "evidence/log/traceback.h"

#include "evidence/log/window.h"

#include <ctype.h>
#include <string.h>

void traceback_begin(struct tracebacks *tracebacks, int64_t rank)
{
	int i;

	for (i = 0; i < tracebacks->count; i++)
		if (tracebacks->open[i].rank == rank)
			break;
	if (i == TRACEBACKS_OPEN)
		i = 0; /* the oldest is given up */
	else if (i == tracebacks->count)
		tracebacks->count++;
	tracebacks->open[i].rank = rank;
	tracebacks->open[i].lines = 0;
}

static void forget(struct tracebacks *tracebacks, int i)
{
	tracebacks->open[i] = tracebacks->open[--tracebacks->count];
}

/* "package.SomeError: text" or "SomeError": what Python prints below the frames. */
static bool is_exception(const char *text, size_t length)
{
	size_t i, name = 0;

	for (i = 0;
	     i < length && (isalnum((unsigned char)text[i]) || text[i] == '_' || text[i] == '.');
	     i++)
		if (text[i] == '.')
			name = i + 1;
	return i > name + 2 && isupper((unsigned char)text[name]) &&
	       (i == length || text[i] == ':');
}

bool traceback_ends(struct tracebacks *tracebacks, const struct log_line *line)
{
	int i;

	for (i = 0; i < tracebacks->count; i++)
		if (tracebacks->open[i].rank == line->rank)
			break;
	if (i == tracebacks->count || !line->length)
		return false;
	if (is_exception(line->text, line->length)) {
		forget(tracebacks, i);
		return true;
	}
	if (++tracebacks->open[i].lines > TRACEBACK_LINES)
		forget(tracebacks, i);
	return false;
}

/* True when two texts differ in digits alone. */
static bool alike(const char *a, const char *b)
{
	for (;; a++, b++) {
		while (isdigit((unsigned char)*a))
			a++;
		while (isdigit((unsigned char)*b))
			b++;
		if (*a != *b)
			return false;
		if (!*a)
			return true;
	}
}

void traceback_note(struct tracebacks *tracebacks, const struct log_line *line, const char *path,
		    size_t number)
{
	struct log_exception *last = &tracebacks->last;
	const char *text = log_shown(tracebacks->arena, line->text, line->length);

	if (!last->text || !alike(last->text, text)) {
		memset(last, 0, sizeof(*last));
		last->text = text;
		last->path = path;
		last->line = number;
	}
	last->count++;
	rank_set_add(tracebacks->arena, &last->ranks, line->rank);
}
