#include "framework/torchtitan/titan.h"

#include <string.h>

/*
 * What parallelize_llama logs beside the data-parallel line, v0.1.0 to v0.2.2. Where float8 or
 * async tensor parallel change the wording, and at HEAD, nothing is claimed.
 */
static bool claims_lines(const struct titan *titan)
{
	return titan->when >= 2025061750 && !titan->traits[TRAIT_PYTHON_CONFIG];
}

void titan_log_before(struct job *job, struct plan *plan, const struct titan *titan)
{
	const char *ac = setting_text(&job->settings, FIELD_AC_MODE, "none");

	if (claims_lines(titan) && titan->degrees.tp > 1 &&
	    !setting_bool(&job->settings, FIELD_FLOAT8_ENABLED, false) &&
	    !setting_bool(&job->settings, FIELD_ASYNC_TP, false))
		plan_log(plan, "Applied Tensor Parallelism to the model");
	if (titan->degrees.cp > 1 && titan->traits[TRAIT_CP_LOGGED] == CP_LOGGED_BEFORE)
		plan_log(plan, "Applied Context Parallel to the model");
	if (!claims_lines(titan))
		return;
	if (strcmp(ac, "none") != 0)
		plan_log(plan, "Applied %s activation checkpointing to the model", ac);
	if (setting_bool(&job->settings, FIELD_COMPILE, false))
		plan_log(plan, "Compiling each TransformerBlock with torch.compile");
}

void titan_log_after(struct job *job, struct plan *plan, const struct titan *titan)
{
	if (titan->degrees.cp > 1 && titan->traits[TRAIT_CP_LOGGED] == CP_LOGGED_AFTER)
		plan_log(plan, "Applied Context Parallel to the model");
	if (claims_lines(titan) && setting_bool(&job->settings, FIELD_CPU_OFFLOAD, false))
		plan_log(plan, "Applied CPU Offloading to the model");
}
