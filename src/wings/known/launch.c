#include "framework/wing.h"
#include "input/launch/form.h"

/*
 * Frameworks that are known by how they are started, and whose plans nobody has modelled: a launch
 * of theirs is named for what it is, and nothing is claimed about it.
 */

const struct launch_form launch_form_levanter = { .name = "levanter",
						  .packages = "levanter|haliax" };
const struct launch_form launch_form_mason = { .name = "open-instruct",
					       .packages = "mason|open_instruct" };
const struct launch_form launch_form_maxtext = { .name = "MaxText", .packages = "MaxText|maxtext" };
const struct launch_form launch_form_olmo = { .name = "OLMo", .packages = "olmo|olmo_core|OLMo" };
const struct launch_form launch_form_roll = {
	.name = "ROLL", .packages = "roll|start_agentic_pipeline|start_rlvr_pipeline"
};
const struct launch_form launch_form_veomni = { .name = "VeOmni", .packages = "veomni|VeOmni" };

const struct wing wing_olmo_core = {
	.name = "olmo-core",
};
