#include "judge.h"

#include "base/text.h"
#include "rules/known.h"

#include <stdio.h>
#include <string.h>

/* A1, B12, F4b: mistakes of the list; defects of frameworks have numbers alone. */
static bool is_mistake(const char *id)
{
	return *id >= 'A' && *id <= 'H' && id[1] >= '0' && id[1] <= '9';
}

static const struct known *find(const char *id)
{
	const struct knowns *const *list;
	size_t i;

	for (list = known_lists; *list; list++)
		for (i = 0; i < (*list)->count; i++)
			if (is_mistake((*list)->rows[i].id) && !strcmp((*list)->rows[i].id, id))
				return &(*list)->rows[i];
	return NULL;
}

static const char *id_of(struct arena *arena, const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	return arena_strndup(arena, name, strcspn(name, ".-"));
}

/* ---- what is said ---- */

static bool is_wanted(const struct announced *announced, const struct node *finding)
{
	const char *rule = text_at(finding, "rule");
	size_t i;

	for (i = 0; i < announced->wants.list.count; i++)
		if (!strcmp(announced->wants.list.items[i].rule, rule))
			return true;
	return false;
}

/* What the findings of the wanted rules say, one line each. */
static void put_said(const struct announced *announced, const struct told *told, struct buf *said)
{
	static const char *const parts[] = { "message",	    "requested", "actual",
					     "consequence", "quote",	 "fix.description" };
	struct finding_at at = { 0 };
	char *line_break;
	size_t i;

	while (told_next(told, &at)) {
		const size_t start = said->length;
		if (!is_wanted(announced, at.finding))
			continue;
		for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
			if (node_find(at.finding, parts[i]) && *text_at(at.finding, parts[i]))
				buf_printf(said, "%s%s", said->length > start ? " | " : "",
					   text_at(at.finding, parts[i]));
		for (line_break = said->data + start; (line_break = strchr(line_break, '\n'));)
			*line_break = ' ';
		buf_char(said, '\n');
	}
}

static const char *severity_of(const struct announced *announced, const struct told *told)
{
	static const char *const severities[] = { "note", "warning", "error" };
	struct finding_at at = { 0 };
	size_t highest = 0, i;

	while (told_next(told, &at))
		for (i = highest; is_wanted(announced, at.finding) && i < 3; i++)
			if (!strcmp(text_at(at.finding, "severity"), severities[i]))
				highest = i;
	return severities[highest];
}

/* ---- one file ---- */

static const char *not_found(struct arena *arena, const struct announced *announced,
			     const struct told *told)
{
	const char *missing = "";
	struct finding_at at = { 0 };
	struct marks got = { 0 };
	size_t i;

	while (told_next(told, &at))
		marks_add(arena, &got, line_of(at.finding, announced->path),
			  text_at(at.finding, "rule"));
	for (i = 0; i < announced->wants.list.count; i++) {
		const struct mark *mark = &announced->wants.list.items[i];
		if (!marks_hold(&got, mark))
			missing = arena_printf(arena, "%s%lld %s ", missing, (long long)mark->line,
					       mark->rule);
	}
	return missing;
}

static const char *unsaid(const struct announced *announced, const char *said)
{
	size_t i;

	for (i = 0; i < announced->says.count; i++)
		if (!strstr(said, announced->says.items[i]))
			return announced->says.items[i];
	return NULL;
}

/* NULL, or what is wrong. */
static const char *fault(struct judge *judge, const struct announced *announced,
			 const struct told *told)
{
	struct arena *arena = judge->arena;
	const char *again = arena_printf(arena, "again: %s/parplan check %s %s", judge->build,
					 announced->path, announced->run);
	const char *missing = not_found(arena, announced, told), *severity, *words, *fault = NULL;
	struct buf said;

	if (*missing)
		return arena_printf(arena, "%s: not found: %s; %s", announced->path, missing,
				    again);
	buf_init(&said);
	put_said(announced, told, &said);
	words = unsaid(announced, said.data);
	severity = severity_of(announced, told);
	if (words)
		fault = arena_printf(arena, "%s: nobody says '%s', but: %.600s; %s",
				     announced->path, words, said.data, again);
	else if (strcmp(severity, announced->severity) != 0)
		fault = arena_printf(arena, "%s: the severity is %s", announced->path, severity);
	buf_release(&said);
	return fault;
}

static void judge_one(struct judge *judge, const char *path)
{
	struct announced announced;
	struct told told;
	const char *wrong;

	announced_read(&announced, judge->arena, path);
	if (text_ends(path, ".cmd"))
		told_script(&told, judge->arena, announced.script);
	else
		told_check(&told, judge->arena, path, announced.options.items,
			   announced.options.count);
	if (!announced.wants.list.count || !announced.says.count)
		wrong = arena_printf(judge->arena, "%s %s", path,
				     announced.says.count ? "announces nothing" : "wants no words");
	else if (told.status >= 2 || *told.complaint || !told.root)
		wrong = arena_printf(judge->arena, "%s: %s; again: %s/parplan check %s", path,
				     told.complaint, judge->build, path);
	else
		wrong = fault(judge, &announced, &told);
	if (wrong)
		judge_fail(judge, "%s", wrong);
	else
		judge->passed++;
}

/* ---- the list ---- */

/* Rules that the files of a mistake show, each once. */
static void shown_by(struct arena *arena, const struct paths *paths, const char *id,
		     struct marks *shown, int *files)
{
	struct announced announced;
	size_t i, j;

	for (i = 0; i < paths->list.count; i++) {
		if (strcmp(id_of(arena, paths->list.items[i]), id) != 0)
			continue;
		++*files;
		announced_read(&announced, arena, paths->list.items[i]);
		for (j = 0; j < announced.wants.list.count; j++)
			marks_add(arena, shown, 0, announced.wants.list.items[j].rule);
	}
	marks_sort(shown);
}

static const char *names(struct arena *arena, const struct marks *marks)
{
	const char *text = "";
	size_t i;

	for (i = 0; i < marks->list.count; i++)
		text = arena_join(arena, text, marks->list.items[i].rule, " ");
	return text;
}

/* A row has a file that shows its rules, all of them; a row out of reach has none. */
static void judge_row(struct judge *judge, const struct paths *paths, const struct known *known)
{
	struct marks shown = { 0 }, listed = { 0 };
	const char *rule = known->rules;
	int files = 0;
	size_t length;

	for (; *rule; rule += length + (rule[length] == ' ')) {
		length = strcspn(rule, " ");
		marks_add(judge->arena, &listed, 0, arena_strndup(judge->arena, rule, length));
	}
	marks_sort(&listed);
	shown_by(judge->arena, paths, known->id, &shown, &files);
	if (!listed.list.count && files)
		judge_fail(judge, "%s is out of reach, yet there is a file", known->id);
	else if (listed.list.count && !files)
		judge_fail(judge, "%s: no file in testdata/mistakes", known->id);
	else if (!marks_equal(&listed, &shown))
		judge_fail(judge, "%s: listed are %s, shown are %s", known->id,
			   names(judge->arena, &listed), names(judge->arena, &shown));
}

void judge_mistakes(struct judge *judge)
{
	const struct knowns *const *list;
	struct paths paths = { 0 };
	size_t i;

	paths_in(judge->arena, "testdata/mistakes", &paths);
	for (list = known_lists; *list; list++)
		for (i = 0; i < (*list)->count; i++)
			if (is_mistake((*list)->rows[i].id))
				judge_row(judge, &paths, &(*list)->rows[i]);
	for (i = 0; i < paths.list.count; i++) {
		const char *id = id_of(judge->arena, paths.list.items[i]);
		if (!find(id))
			judge_fail(judge, "%s: no mistake %s is known", paths.list.items[i], id);
		judge_one(judge, paths.list.items[i]);
	}
}
