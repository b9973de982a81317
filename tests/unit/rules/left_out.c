#include "judged.h"

#include "base/io.h"
#include "base/text.h"

#include <dirent.h>
#include <stdlib.h>

/*
 * What a file does not say must not end the program: every key of the rules' files, of the mistakes
 * and of the frameworks' configs is left out with all that stands below it, and is left empty.
 */

struct line {
	const char *start, *end;
	size_t indent;
};

static struct line line_at(const char *start)
{
	const char *end = strchr(start, '\n');

	return (struct line) { start, end ? end + 1 : start + strlen(start), strspn(start, " -") };
}

/* The end of what stands below a line: all that is indented deeper. */
static const char *below(const struct line *line)
{
	const char *at = line->end;

	while (*at) {
		const struct line next = line_at(at);
		if (next.indent <= line->indent)
			break;
		at = next.end;
	}
	return at;
}

/* The text in which `key` is all that is left of a line and what is below it. */
static const char *spoilt(struct arena *arena, const char *text, const struct line *line,
			  size_t key)
{
	return arena_printf(arena, "%.*s%.*s%s%s", (int)(line->start - text), text, (int)key,
			    line->start, key ? "\n" : "", below(line));
}

static void judged(const char *path, const char *text)
{
	struct arena arena;
	struct overrides *overrides;
	struct findings *findings;
	struct job *job;

	arena_init(&arena);
	overrides = arena_new(&arena, struct overrides);
	findings = arena_new(&arena, struct findings);
	job = arena_new(&arena, struct job);
	overrides->text = text;
	findings_init(findings, &arena);
	if (!job_read(job, &arena, path, overrides, findings) && job->readable)
		side_judged(&arena, job);
	arena_release(&arena);
}

static void vary(struct arena *arena, const char *path)
{
	struct io_text file = io_read(arena, path, 1 << 20);
	const char *at = file.text;

	assert_non_null(at);
	while (*at) {
		const struct line line = line_at(at);
		const char *colon = memchr(line.start, ':', (size_t)(line.end - line.start));
		const bool says = line.start[line.indent] != '#' && line.end - line.start > 1;
		if (says)
			judged(path, spoilt(arena, file.text, &line, 0));
		if (says && colon)
			judged(path,
			       spoilt(arena, file.text, &line, (size_t)(colon + 1 - line.start)));
		at = line.end;
	}
}

static void vary_all(const char *folder)
{
	DIR *stream = opendir(folder);
	const struct dirent *entry;
	struct arena arena;

	assert_non_null(stream);
	while ((entry = readdir(stream))) {
		if (*entry->d_name == '.' || !strchr(entry->d_name, '.'))
			continue;
		arena_init(&arena);
		vary(&arena, arena_join(&arena, folder, "/", entry->d_name));
		arena_release(&arena);
	}
	closedir(stream);
}

static void keys_of_rules(void **state)
{
	(void)state;
	vary_all("testdata/rules");
}

static void keys_of_mistakes(void **state)
{
	(void)state;
	vary_all("testdata/mistakes");
}

static void keys_of_frameworks(void **state)
{
	DIR *stream = opendir("testdata/dialects");
	const struct dirent *entry;
	struct arena *arena = *state;

	assert_non_null(stream);
	while ((entry = readdir(stream)))
		if (*entry->d_name != '.')
			vary_all(arena_join(arena, "testdata/dialects", "/", entry->d_name));
	closedir(stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_of_rules),
		cmocka_unit_test(keys_of_mistakes),
		TEST(keys_of_frameworks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
