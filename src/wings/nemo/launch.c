#include "base/text.h"
#include "input/launch/form.h"

#include <string.h>

/*
 * NeMo 1.x's programs with hydra's overrides (NVIDIA/NeMo@8cfedd72), --config-path and
 * --config-name; and its launcher (NVIDIA/NeMo-Framework-Launcher@26e42fa9
 * launcher_scripts/main.py), whose overrides begin with the stage: training.model.x=4.
 */

static const char stage[] = "training.";

static const char *plain(const struct launch_word *word)
{
	return word->text + strspn(word->text, "+");
}

static bool overrides(const struct launch *launch, const char *prefix)
{
	size_t i;

	for (i = 0; i < launch->strays.count; i++)
		if (text_starts(plain(&launch->strays.items[i]), prefix))
			return true;
	return false;
}

static int claims(const struct launch *launch)
{
	if (overrides(launch, "training.trainer.") || overrides(launch, "training.model."))
		return launch_runs_below(launch, "launcher_scripts") || launch_runs(launch, "main")
			       ? 68
			       : 0;
	return overrides(launch, "trainer.") && overrides(launch, "model.") ? 56 : 0;
}

static const char *text_of(const struct launch_flag *flag)
{
	return flag && flag->value && !flag->unresolved ? flag->value : "";
}

/* FOLDER/NAME.yaml, the folder from where the program lies. */
static struct node *load_hydra(struct document *document, struct launch *launch,
			       struct findings *findings)
{
	struct arena *arena = document->arena;
	const char *folder = text_of(launch_find(launch, "config_path"));
	const struct launch_flag *name = launch_find(launch, "config_name");
	struct launch_flag file;

	if (!name || !name->value)
		return NULL;
	file = *name;
	if (*folder)
		file.value = arena_join(arena, folder, "/", file.value);
	if (!text_ends(file.value, ".yaml"))
		file.value = arena_join(arena, file.value, ".yaml", "");
	return launch_config_of(document, launch, &file, findings);
}

static struct node *compose(struct document *document, struct launch *launch,
			    struct findings *findings)
{
	struct node *root = load_hydra(document, launch, findings);

	if (!root) {
		root = node_container(document->arena, NODE_MAP, document->root->span);
		if (!document->open_why)
			launch_leave_open(document, launch->program_span,
					  "the config that it overrides decides");
	}
	document->open_model_only = true;
	launch_put_words(document->arena, root, launch, stage);
	return root;
}

const struct launch_form launch_form_nemo = {
	.name = "NeMo",
	.dialect = "nemo",
	.claims = claims,
	.compose = compose,
};
