#include "base/bounds.h"
#include "base/io.h"
#include "base/path.h"
#include "base/text.h"
#include "input/axis.h"
#include "input/field.h"
#include "input/launch/form.h"

#include <string.h>

/* The configs that a launch line names: where they are looked for, and what it means that one is
 * not there. */

const struct rule_id rule_config_absent = {
	.name = "config-absent",
	.code = "U104",
	.severity = SEVERITY_NOTE,
	.evidence = EVIDENCE_RUN,
	.summary = "a config that the launch line names is not there",
	.explanation =
		"parplan looks for the config in the folder that the script changes to with cd, "
		"in the working directory, beside the script and at the root of the repository. "
		"If it does not find the config, strategy and degrees are not known.",
	.remedy =
		"Run parplan where the script is run, or give the config: parplan check CONFIG -- "
		"the launch line.",
	.source = "parplan's own search",
};

/* The root of the repository that the script lies in, or NULL. */
static const char *repository_of(struct arena *arena, const char *script)
{
	const char *root =
		bounds_repository(arena, path_absolute(arena, path_folder(arena, script)));

	return root ? path_relative(arena, ".", root) : NULL;
}

struct node *launch_load_there(struct document *document, const struct launch *launch,
			       const char *path, struct findings *findings)
{
	struct arena *arena = document->arena;
	const char *script = document->source->place;
	const char *folders[4] = { launch ? launch->folder : NULL, ".", NULL, NULL };
	struct node *root = NULL;
	size_t i;

	if (document->overrides->text && !document->overrides->in_folder)
		return NULL;
	if (*script != '<') {
		folders[2] = path_folder(arena, script);
		folders[3] = repository_of(arena, script);
	}
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]) && !root; i++)
		if (folders[i] && io_exists(path_join(arena, folders[i], path)))
			root = document_load_at(document, path_join(arena, folders[i], path),
						findings);
	return root;
}

struct node *launch_load(struct document *document, const struct launch *launch, const char *path,
			 struct findings *findings)
{
	const char *slash = strrchr(path, '/');
	struct node *root = launch_load_there(document, launch, path, findings);

	/* kept beside the script that names it elsewhere */
	if (!root && slash && *document->source->place != '<')
		root = document_load(document, NULL, slash + 1, findings);
	return root;
}

void launch_leave_open(struct document *document, struct span span, const char *why)
{
	document->open_why = why;
	document->open_span = span;
}

void launch_open_axes(const struct document *document, struct settings *settings)
{
	const bool model_only = document->open_model_only;
	const int end = model_only ? AXIS_SP : AXES;
	int i;

	for (i = model_only ? AXIS_CP : AXIS_DP; document->open_why && i < end; i++) {
		const struct setting *axis = settings_of(settings, axes[i]);
		if (!setting_given(axis) && !axis->unresolved)
			axis_leave_open(settings, axes[i], document->open_why, document->open_span);
	}
}

struct node *launch_config_of(struct document *document, const struct launch *launch,
			      const struct launch_flag *path, struct findings *findings)
{
	struct finding *finding;
	struct node *root;

	if (!path || !path->value)
		return NULL;
	root = path->unresolved ? NULL : launch_load(document, launch, path->value, findings);
	if (root)
		return root;
	launch_leave_open(document, path->span,
			  path->unresolved
				  ? path->unresolved
				  : arena_join(document->arena, path->value, " is not there", ""));
	if (path->unresolved)
		finding = finding_add(
			findings, &rule_config_absent, path->span,
			"which config is used is not known: no file or option says what "
			"%.80s is",
			path->unresolved);
	else
		finding =
			finding_add(findings, &rule_config_absent, path->span,
				    "the config %.120s, which the launch line names, is not there",
				    path->value);
	finding_fix(findings, finding,
		    "run parplan where the script is run, or give the config itself: parplan "
		    "check CONFIG -- and the launch line");
	return NULL;
}
