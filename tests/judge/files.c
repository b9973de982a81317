#include "base/json.h"
#include "base/text.h"
#include "judge.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- examples: the findings that the comments announce, and no others ---- */

static const char *listing(struct arena *arena, const char *who, const struct marks *marks)
{
	const char *text = who;
	size_t i;

	for (i = 0; i < marks->list.count; i++)
		text = arena_printf(arena, "%s %lld: %s", text,
				    (long long)marks->list.items[i].line,
				    marks->list.items[i].rule);
	return text;
}

static void judge_plan(struct judge *judge, const char *path)
{
	struct finding_at at = { 0 };
	struct announced announced;
	struct marks got = { 0 };
	struct told told;

	announced_read(&announced, judge->arena, path);
	told_check(&told, judge->arena, path, announced.options.items, announced.options.count);
	while (told_next(&told, &at))
		marks_add(judge->arena, &got, line_of(at.finding, NULL),
			  text_at(at.finding, "rule"));
	marks_sort(&got);
	if (told.status < 2 && told.root && !*told.complaint &&
	    marks_equal(&announced.wants, &got)) {
		judge->passed++;
		return;
	}
	judge_fail(judge, "%s%s\n%s\n%s failed with exit status %d; again: %s/parplan check %s %s",
		   told.complaint, listing(judge->arena, "wanted", &announced.wants),
		   listing(judge->arena, "found ", &got), path, told.status, judge->build, path,
		   announced.run);
}

void judge_plans(struct judge *judge, int count, char **files)
{
	int i;

	for (i = 0; i < count; i++)
		judge_plan(judge, files[i]);
}

/* ---- broken and hostile files: the first finding of each, for a table ---- */

enum { SHOWN = 160 };

/* The message as JSON has it, but that backslashes are not doubled. */
static void put_message(const char *message, struct buf *text)
{
	struct buf quoted;
	size_t i;

	buf_init(&quoted);
	json_quote(&quoted, message);
	for (i = 1; i + 1 < quoted.length; i++) {
		buf_char(text, quoted.data[i]);
		i += quoted.data[i] == '\\' && quoted.data[i + 1] == '\\';
	}
	buf_release(&quoted);
}

/* " LINE:COLUMN SEVERITY RULE MESSAGE" */
static void put_first(const struct node *finding, struct buf *text)
{
	buf_printf(text, " %s:%s %s %s ", text_at(finding, "span.line"),
		   text_at(finding, "span.column"), text_at(finding, "severity"),
		   text_at(finding, "rule"));
	put_message(text_at(finding, "message"), text);
}

static void put_complaint(const char *complaint)
{
	for (; *complaint; complaint += strcspn(complaint, "\n") + 1)
		printf("    %.*s\n", (int)strcspn(complaint, "\n"), complaint);
}

static void judge_syntax_of(struct judge *judge, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct finding_at at = { 0 };
	struct told told;
	struct buf text;

	told_check(&told, judge->arena, path, NULL, 0);
	buf_init(&text);
	if (told_next(&told, &at))
		put_first(at.finding, &text);
	printf("%s: exit %d%.*s\n", slash ? slash + 1 : path, told.status, SHOWN, text.data);
	put_complaint(told.complaint);
	buf_release(&text);
}

void judge_syntax(struct judge *judge, int count, char **files)
{
	struct arena *kept = judge->arena, arena;
	int i;

	for (i = 0; i < count; i++) {
		arena_init(&arena); /* some of them fill hundreds of megabytes */
		judge->arena = &arena;
		judge_syntax_of(judge, files[i]);
		arena_release(&arena);
	}
	judge->arena = kept;
}
