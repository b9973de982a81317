#include "framework/wing.h"
#include "input/launch/form.h"

/*
 * Frameworks that are known by how they are started, and whose plans nobody has modelled: a launch
 * of theirs is named for what it is, and nothing is claimed about it.
 */

const struct launch_form launch_form_areal = { .name = "AReaL", .packages = "areal" };
const struct launch_form launch_form_levanter = { .name = "levanter",
						  .packages = "levanter|haliax" };
const struct launch_form launch_form_mason = { .name = "open-instruct",
					       .packages = "mason|open_instruct" };
const struct launch_form launch_form_maxtext = { .name = "MaxText", .packages = "MaxText|maxtext" };
const struct launch_form launch_form_olmo = { .name = "OLMo", .packages = "olmo|olmo_core|OLMo" };
/* Its own programs take their config behind "@": `uv run rl @ rl.toml`. */
static int claims_prime_rl(const struct launch *launch)
{
	static const char *const programs[] = { "rl", "sft", "trainer" };
	size_t i;

	for (i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		if (launch_says(launch, programs[i], "@"))
			return 48;
	return launch_runs_below(launch, "prime_rl") ? 48 : 0;
}

const struct launch_form launch_form_prime_rl = { .name = "prime-rl", .claims = claims_prime_rl };
const struct launch_form launch_form_roll = {
	.name = "ROLL", .packages = "roll|start_agentic_pipeline|start_rlvr_pipeline"
};
const struct launch_form launch_form_veomni = { .name = "VeOmni", .packages = "veomni|VeOmni" };

const struct wing wing_olmo_core = {
	.name = "olmo-core",
};
