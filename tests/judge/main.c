/*
 * Judges the files of four suites in one process, with what `parplan check` runs:
 *     judge rules | judge mistakes    testdata/rules, testdata/mistakes and the catalogue
 *     judge plans FILE...             files that announce all that is found in them
 *     judge syntax FILE...            prints a line on each file, for tests/syntax.sh to compare
 * tests/rules.sh and its neighbours say what stands in the files. But for the last it prints what
 * failed, how to run that again, and "N passed, N failed".
 */
#include "judge.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void judge_fail(struct judge *judge, const char *format, ...)
{
	va_list args;

	judge->failed++;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void paths_in(struct arena *arena, const char *folder, struct paths *paths)
{
	DIR *stream = opendir(folder);
	const struct dirent *entry;

	while (stream && (entry = readdir(stream)))
		if (*entry->d_name != '.')
			vec_push(arena, &paths->list,
				 arena_join(arena, folder, "/", entry->d_name));
	if (stream)
		closedir(stream);
	if (paths->list.count)
		qsort(paths->list.items, paths->list.count, sizeof(*paths->list.items), compare);
}

int main(int argc, char **argv)
{
	const char *build = getenv("BUILD"), *suite = argc > 1 ? argv[1] : "";
	struct arena arena;
	struct judge judge = { .arena = &arena, .build = build ? build : "build/release" };

	arena_init(&arena);
	if (!strcmp(suite, "rules"))
		judge_rules(&judge);
	else if (!strcmp(suite, "mistakes"))
		judge_mistakes(&judge);
	else if (!strcmp(suite, "plans"))
		judge_plans(&judge, argc - 2, argv + 2);
	else if (!strcmp(suite, "syntax"))
		judge_syntax(&judge, argc - 2, argv + 2);
	else
		return fprintf(stderr, "usage: judge rules|mistakes|plans|syntax [FILE...]\n"), 2;
	if (strcmp(suite, "syntax") != 0)
		printf("%d passed, %d failed\n", judge.passed, judge.failed);
	arena_release(&arena);
	return judge.failed > 0;
}
