#include "input/launch/form.h"
#include "input/shell/shell.h"

#include <string.h>

/*
 * `oumi train -c x.yaml`, under `oumi distributed torchrun` or accelerate, which pass what they are
 * given on (oumi-ai/oumi@d8ed0777 src/oumi/cli/distributed_run.py).
 */

static int claims(const struct launch *launch)
{
	const struct launch_word *first = launch_positional(launch, 0);

	if (launch_says(launch, "oumi", "train"))
		return 70;
	return launch_runs(launch, "oumi") && first && !strcmp(first->text, "train") ? 70 : 0;
}

/*
 * Without numbers `oumi distributed` takes all devices of all nodes that the scheduler gives, which
 * torchrun alone would not.
 */
static void take_all(const struct document *document, struct launch *launch)
{
	const struct shell_word *nodes =
		document->shell ? shell_sbatch(document->shell, "nodes") : NULL;
	size_t i;

	for (i = 0; i < launch->facts.count; i++) {
		struct launch_fact *fact = &launch->facts.items[i];
		if (!fact->assumed)
			continue;
		launch->world = 0;
		if (fact->field == FIELD_LAUNCH_PER_NODE)
			fact->text = "gpu";
		else if (fact->field == FIELD_LAUNCH_NODES && nodes)
			fact->text = nodes->text;
	}
}

static struct node *compose(struct document *document, struct launch *launch,
			    struct findings *findings)
{
	const struct launch_flag *file = launch_find(launch, "config");

	if (launch_says(launch, "oumi", "distributed"))
		take_all(document, launch);
	return launch_config_of(document, launch, file ? file : launch_find(launch, "c"), findings);
}

const struct launch_form launch_form_oumi = {
	.name = "oumi",
	.dialect = "oumi",
	.claims = claims,
	.compose = compose,
};
