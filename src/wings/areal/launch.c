#include "base/text.h"
#include "input/launch/form.h"

/*
 * `python3 -m areal.launcher.ray train.py --config x.yaml KEY=VALUE`, and since the controllers a
 * script of one's own with the same words and `scheduler.type=` (areal-project/AReaL@cbff54d6
 * areal/api/cli_args.py, parse_cli_args): ranks are made by its schedulers, whoever starts it.
 */

static bool names_scheduler(const struct launch *launch)
{
	size_t i;

	for (i = 0; i < launch->strays.count; i++)
		if (text_starts(launch->strays.items[i].text, "scheduler.type=") ||
		    text_starts(launch->strays.items[i].text, "allocation_mode="))
			return true;
	return false;
}

static int claims(const struct launch *launch)
{
	if (launch_runs_below(launch, "areal.launcher|areal.infra.launcher"))
		return 60;
	return launch_find(launch, "config") && names_scheduler(launch) ? 50 : 0;
}

static struct node *compose(struct document *document, struct launch *launch,
			    struct findings *findings)
{
	launch_forget(launch);
	return launch_config_of(document, launch, launch_find(launch, "config"), findings);
}

const struct launch_form launch_form_areal = {
	.name = "AReaL",
	.dialect = "areal",
	.claims = claims,
	.compose = compose,
};
