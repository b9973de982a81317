#include "input/launch_form.h"

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

/* Without a number `oumi distributed` takes all devices, which torchrun alone would not. */
static void forget_assumed(struct launch *launch)
{
	size_t i;

	if (!launch_says(launch, "oumi", "distributed"))
		return;
	for (i = 0; i < launch->facts.count; i++)
		if (launch->facts.items[i].assumed &&
		    launch->facts.items[i].field == FIELD_LAUNCH_PER_NODE) {
			launch->facts.items[i].unresolved = "the devices that oumi finds";
			launch->world = 0;
		}
}

static struct node *compose(struct document *document, struct launch *launch,
			    struct findings *findings)
{
	const struct launch_flag *file = launch_find(launch, "config");

	forget_assumed(launch);
	return launch_config_of(document, launch, file ? file : launch_find(launch, "c"), findings);
}

const struct launch_form launch_form_oumi = {
	.name = "oumi",
	.dialect = "oumi",
	.claims = claims,
	.compose = compose,
};
