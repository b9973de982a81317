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

/* The lines below "SomeError: text" that are indented are its own. */
enum { MORE_LINES = 12, TEXT_MOST = 1200 };

static void take_more(struct tracebacks *tracebacks, const struct log_line *line)
{
	struct log_exception *last = &tracebacks->last;

	tracebacks->more--;
	if (!line->length || !isspace((unsigned char)*line->text) ||
	    strlen(last->text) > TEXT_MOST) {
		tracebacks->more = 0;
		return;
	}
	last->text = arena_join(tracebacks->arena, last->text, " ",
				log_shown(tracebacks->arena, line->text, line->length));
}

/* "RuntimeError: text": more than a word with a colon behind it, as loggers have them, too. */
static bool is_surely(const char *text, size_t length)
{
	static const char *const ends[] = { "Error: ", "Exception: ", "Interrupt: " };
	const char *colon = memchr(text, ':', length);
	size_t i;

	for (i = 0; colon && i < sizeof(ends) / sizeof(*ends); i++) {
		const size_t size = strlen(ends[i]);
		const size_t before = (size_t)(colon - text) + 2;
		if (before > size && before < length && !memcmp(colon + 2 - size, ends[i], size))
			return is_exception(text, length);
	}
	return false;
}

void traceback_offer(struct tracebacks *tracebacks, const struct log_line *line, const char *path,
		     size_t number)
{
	if (tracebacks->more && line->rank == tracebacks->rank) {
		take_more(tracebacks, line);
		return;
	}
	if (tracebacks->whole || !is_surely(line->text, line->length))
		return;
	traceback_note(tracebacks, line, path, number);
	tracebacks->whole = false;
}

void traceback_note(struct tracebacks *tracebacks, const struct log_line *line, const char *path,
		    size_t number)
{
	struct log_exception *last = &tracebacks->last;
	const char *text = log_shown(tracebacks->arena, line->text, line->length);

	if (!last->text || !alike(tracebacks->head, text)) {
		memset(last, 0, sizeof(*last));
		last->text = tracebacks->head = text;
		last->path = path;
		last->line = number;
	}
	last->count++;
	tracebacks->whole = true;
	tracebacks->rank = line->rank;
	tracebacks->more = last->count == 1 ? MORE_LINES : 0;
	rank_set_add(tracebacks->arena, &last->ranks, line->rank);
}
