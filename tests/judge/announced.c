#include "judge.h"

#include "base/io.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASE = 32 * 1024 * 1024 };

static const char *behind(const char *line, const char *words)
{
	return text_starts(line, words) ? line + strlen(words) : NULL;
}

static void read_wants(struct announced *announced, struct arena *arena, const char *line,
		       int64_t number)
{
	const char *names = strstr(line, "# want: ");
	size_t length;

	if (!names)
		return;
	for (names += strlen("# want: "); *names; names += length) {
		names += strspn(names, " ,");
		length = strcspn(names, " ,");
		if (length)
			marks_add(arena, &announced->wants, number,
				  arena_strndup(arena, names, length));
	}
}

static void read_options(struct announced *announced, struct arena *arena, const char *words)
{
	size_t length;

	announced->run = arena_join(arena, announced->run, words, " ");
	for (; *words; words += length) {
		words += strspn(words, " \t");
		length = strcspn(words, " \t");
		if (length)
			vec_push(arena, &announced->options, arena_strndup(arena, words, length));
	}
}

static void read_line(struct announced *announced, struct arena *arena, char *line, int64_t number)
{
	const size_t length = strlen(line);
	const char *words;

	if (*line != '#')
		announced->script = arena_join(arena, announced->script, line, "\n");
	if (length && line[length - 1] == '\r')
		line[length - 1] = '\0';
	read_wants(announced, arena, line, number);
	if ((words = behind(line, "# want-elsewhere: ")))
		marks_add(arena, &announced->wants, 0, words);
	if ((words = behind(line, "# say: ")))
		vec_push(arena, &announced->says, words);
	if ((words = behind(line, "# severity: ")))
		announced->severity = words;
	if ((words = behind(line, "# run: ")))
		read_options(announced, arena, words);
}

void announced_read(struct announced *announced, struct arena *arena, const char *path)
{
	struct io_text text = io_read(arena, path, CASE);
	char *line = text.text, *next;
	int64_t number = 1;

	*announced = (struct announced) { .path = path, .run = "", .severity = "", .script = "" };
	if (!line) {
		fprintf(stderr, "judge: cannot read %s: %s\n", path, text.error);
		exit(2);
	}
	for (; line; line = next, number++) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		read_line(announced, arena, line, number);
	}
	marks_sort(&announced->wants);
}
