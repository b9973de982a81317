#include "base/text.h"
#include "input/launch_form.h"
#include "input/titan_keys.h"
#include "input/titan_reader.h"

#include <string.h>

/*
 * `torchrun ... -m torchtitan.train --module X --config Y --section.key V` of main,
 * --job.config_file of the versions with TOML, and run_train.sh, which starts either
 * (pytorch/torchtitan@73a0e697 run_train.sh). The wing's reader takes flags and registry from the
 * launch itself.
 */

/* Flags of the config's own, by the names of all versions. */
static bool has_key(const struct launch *launch)
{
	size_t i;

	for (i = 0; i < launch->flags.count; i++)
		if (strchr(launch->flags.items[i].name, '.') &&
		    titan_key_ever(launch->flags.items[i].name))
			return true;
	return false;
}

static int claims(const struct launch *launch)
{
	const bool script = launch->script && strstr(launch->script, "run_train.sh");

	if (launch_runs_below(launch, "torchtitan"))
		return launch_runs(launch, "train|__main__") || has_key(launch) ? 80 : 0;
	if (script)
		return launch->config_file || launch_find(launch, "module") || has_key(launch) ? 78
											       : 60;
	return launch_runs(launch, "train") && launch_find(launch, "job.config_file") ? 70 : 0;
}

/* A function of the registry that a variable names sets nobody knows what. */
static void leave_to_function(struct document *document, const struct launch_flag *flag)
{
	if (flag && flag->unresolved)
		launch_leave_open(document, flag->span, flag->unresolved);
}

static struct node *compose(struct document *document, struct launch *launch,
			    struct findings *findings)
{
	const struct launch_flag *flag = launch_find(launch, "job.config_file");
	const struct launch_flag file = { .name = "job.config_file",
					  .value = launch->config_file,
					  .span = launch->config_span,
					  .name_span = launch->config_span };

	leave_to_function(document, launch_find(launch, "module"));
	leave_to_function(document, launch_find(launch, "config"));
	return launch_config_of(document, launch, flag ? flag : &file, findings);
}

const struct launch_form launch_form_torchtitan = {
	.name = "TorchTitan",
	.dialect = "torchtitan",
	.claims = claims,
	.compose = compose,
};
