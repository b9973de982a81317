#include "judge.h"

#include "base/io.h"
#include "rules/rule.h"

#include <stdio.h>
#include <string.h>

/* Not judged by a file of their own: tests/rules.sh does what it takes. */
static bool is_by_hand(const char *rule)
{
	return !strcmp(rule, "too-large") || !strcmp(rule, "stale-baseline") ||
	       !strcmp(rule, "settings-change") || !strcmp(rule, "lost-in-conversion");
}

static struct marks of_rule(struct arena *arena, const struct marks *marks, const char *rule)
{
	struct marks found = { 0 };
	size_t i;

	for (i = 0; i < marks->list.count; i++)
		if (!strcmp(marks->list.items[i].rule, rule))
			marks_add(arena, &found, marks->list.items[i].line, rule);
	return found;
}

static struct marks found_of(struct arena *arena, const struct told *told, const char *path,
			     const char *rule)
{
	struct marks found = { 0 };
	struct finding_at at = { 0 };

	while (told_next(told, &at))
		if (!strcmp(text_at(at.finding, "rule"), rule))
			marks_add(arena, &found, line_of(at.finding, path), rule);
	marks_sort(&found);
	return found;
}

static const char *lines(struct arena *arena, const struct marks *marks)
{
	const char *text = "";
	size_t i;

	for (i = 0; i < marks->list.count; i++)
		text = arena_printf(arena, "%s%lld ", text, (long long)marks->list.items[i].line);
	return text;
}

static void judge_one(struct judge *judge, const char *rule, const char *path, bool fires)
{
	struct announced announced;
	struct marks want, got;
	struct told told;

	announced_read(&announced, judge->arena, path);
	want = of_rule(judge->arena, &announced.wants, rule);
	if (fires && !want.list.count)
		judge_fail(judge, "%s announces no %s", path, rule);
	told_check(&told, judge->arena, path, announced.options.items, announced.options.count);
	got = found_of(judge->arena, &told, path, rule);
	if (told.status < 2 && told.root && marks_equal(&want, &got)) {
		judge->passed++;
		return;
	}
	judge_fail(judge, "%s%s: %s wanted on lines %s, found on %s; again: %s/parplan check %s %s",
		   told.complaint, path, rule, lines(judge->arena, &want),
		   lines(judge->arena, &got), judge->build, path, announced.run);
}

/* The files of that suffix, as YAML and as TOML; how many there are. */
static int judge_both(struct judge *judge, const char *rule, const char *suffix, bool fires)
{
	static const char *const syntaxes[] = { "yaml", "toml" };
	int count = 0;
	size_t i;

	for (i = 0; i < 2; i++) {
		const char *path = arena_printf(judge->arena, "testdata/rules/%s%s%s", rule, suffix,
						syntaxes[i]);
		if (!io_exists(path))
			continue;
		judge_one(judge, rule, path, fires);
		count++;
	}
	return count;
}

/* A file of a rule that no longer exists is left over. */
static void judge_leftovers(struct judge *judge)
{
	struct paths paths = { 0 };
	size_t i;

	paths_in(judge->arena, "testdata/rules", &paths);
	for (i = 0; i < paths.list.count; i++) {
		const char *name = strrchr(paths.list.items[i], '/') + 1;
		const char *rule = arena_strndup(judge->arena, name, strcspn(name, "."));
		if (!rule_find(rule))
			judge_fail(judge, "%s: there is no rule %s", paths.list.items[i], rule);
	}
}

void judge_rules(struct judge *judge)
{
	const struct rule *rule = NULL;

	while ((rule = rule_next(rule))) {
		const char *name = rule->id->name;
		if (is_by_hand(name))
			continue;
		if (!judge_both(judge, name, ".", true) || !judge_both(judge, name, ".ok.", false))
			judge_fail(judge, "%s: testdata/rules/%s.yaml and %s.ok.yaml are wanted",
				   name, name, name);
	}
	judge_leftovers(judge);
}
