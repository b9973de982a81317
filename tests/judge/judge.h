#ifndef TESTS_JUDGE_H
#define TESTS_JUDGE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "input/node.h"

#include <stdbool.h>

/* A rule on a line; line 0: not in the file that is checked. */
struct mark {
	int64_t line;
	const char *rule;
};

struct marks {
	VEC(struct mark) list; /* sorted, each once, after marks_sort */
};

void marks_add(struct arena *arena, struct marks *marks, int64_t line, const char *rule);
void marks_sort(struct marks *marks);
bool marks_equal(const struct marks *a, const struct marks *b);
bool marks_hold(const struct marks *marks, const struct mark *mark);

/* What the comments of a file announce; the heads of the suites in tests/ describe them. */
struct announced {
	const char *path;
	struct marks wants;	   /* want, want-elsewhere */
	VEC(const char *) says;	   /* say */
	VEC(const char *) options; /* run, in words */
	const char *run;	   /* the same in one line, a blank at its end, or "" */
	const char *severity;	   /* severity, or "" */
	const char *script;	   /* all lines that are no comment */
};

void announced_read(struct announced *announced, struct arena *arena, const char *path);

/* What `parplan check --format json` says of a file. */
struct told {
	int status;
	const char *complaint;	 /* what it writes to stderr */
	const struct node *root; /* its document; NULL when it writes none */
};

/* Checks a file with options. Ends the program when it takes too long. */
void told_check(struct told *told, struct arena *arena, const char *path,
		const char *const *options, size_t count);

/* What a shell line writes that prints such a document. */
void told_script(struct told *told, struct arena *arena, const char *script);

/* The findings in order: NULL gives the first, the last gives NULL. */
struct finding_at {
	const struct node *file, *finding;
};
bool told_next(const struct told *told, struct finding_at *at);

/* The text of a member at a dotted path, or "". */
const char *text_at(const struct node *node, const char *path);

/* The line of a finding in `path` (NULL: in any file); 0 where it is elsewhere. */
int64_t line_of(const struct node *finding, const char *path);

/* Counts, and where failures are said. */
struct judge {
	struct arena *arena; /* of one file at a time, but for what a suite keeps */
	const char *build;
	int passed, failed;
};

void judge_fail(struct judge *judge, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Paths in a folder, sorted by name. */
struct paths {
	VEC(const char *) list;
};
void paths_in(struct arena *arena, const char *folder, struct paths *paths);

/* The suites. */
void judge_rules(struct judge *judge);
void judge_mistakes(struct judge *judge);
void judge_plans(struct judge *judge, int count, char **files);
void judge_syntax(struct judge *judge, int count, char **files);

#endif
