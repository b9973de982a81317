#include "rules/project.h"

#include "framework/version.h"
#include "input/field.h"
#include "input/vocabulary.h"

#include <string.h>

/* Words of rules:, in the order of enum level. "off" is a boolean of YAML, so its text counts. */
static const char *const level_words[] = { "off", "note", "warning", "error" };
static const char level_list[] = "off|note|warning|error";

enum { LEVELS = sizeof(level_words) / sizeof(*level_words) };

static int level_of(const struct node *node)
{
	int i;

	for (i = 0; i < LEVELS; i++)
		if (node->kind == NODE_SCALAR && !strcmp(node->text, level_words[i]))
			return i;
	return -1;
}

static void report_rule(struct findings *findings, struct span span, const char *name)
{
	const char *near = rule_nearest(findings->arena, name);
	struct finding *finding =
		finding_add(findings, &rule_unknown_key, span, "there is no rule '%.60s'", name);

	if (near) {
		finding_fix(findings, finding, "did you mean %s?", near);
		finding_edit(findings, finding, span, "%s", near);
	} else {
		finding_fix(findings, finding, "parplan rules lists the rules");
	}
}

static void report_level(struct project *project, const struct node *node)
{
	struct decoder decoder = { project->findings.arena, NULL, &project->findings };

	if (node->kind == NODE_SCALAR && node->type != SCALAR_NULL)
		field_bad_word(&decoder, level_list, node->key, node);
	else
		finding_add(&project->findings, &rule_wrong_type, node->span,
			    "%.60s takes off, note, warning or error, not %s", node->key,
			    node_describe(decoder.arena, node));
}

void project_judge(struct project *project)
{
	const struct node *child;
	size_t i;

	for (child = project->rules ? project->rules->first : NULL; child; child = child->next) {
		if (!rule_find(child->key))
			report_rule(&project->findings, child->key_span, child->key);
		if (level_of(child) < 0)
			report_level(project, child);
	}
	for (i = 0; i < project->ignore.count; i++)
		if (!rule_find(project->ignore.items[i].text))
			report_rule(&project->findings, project->ignore.items[i].span,
				    project->ignore.items[i].text);
	for (i = 0; i < project->pins.count; i++)
		version_check_pin(&project->pins.items[i], &project->findings);
	findings_sort(&project->findings);
}

void project_levels(const struct project *project, struct arena *arena, struct levels *levels)
{
	const struct node *child;
	size_t i;

	for (i = 0; i < project->ignore.count; i++)
		(void)levels_add(levels, arena, project->ignore.items[i].text, LEVEL_IGNORE);
	for (child = project->rules ? project->rules->first : NULL; child; child = child->next)
		if (level_of(child) >= 0)
			(void)levels_add(levels, arena, child->key, (enum level)level_of(child));
}

void project_rule_names(struct vocabulary *vocabulary)
{
	struct vocabulary_key key = {
		.field = FIELD_COUNT, .typed = true, .type = FIELD_TEXT, .words = level_list
	};
	const struct rule *rule = NULL;

	while ((rule = rule_next(rule))) {
		key.path = arena_join(vocabulary->arena, "rules.", rule->id->name, "");
		key.help = rule->id->summary;
		vocabulary_add(vocabulary, &key);
	}
}
