#include "wings/torchtitan/titan.h"

#include <string.h>

/*
 * What parallelize_llama logs beside the data-parallel line, v0.1.0 to v0.2.2. Where float8 or
 * async tensor parallel change the wording, and at HEAD, nothing is claimed.
 */
static bool claims_lines(const struct titan *titan)
{
	return titan->when >= 2025061750 && !titan->traits[TRAIT_PYTHON_CONFIG];
}

/*
 * When a family's job logs that context parallel was applied: llama3 stops with 1786292db, the
 * others with 8e820844e; gpt_oss goes on, behind its strategy, until d92336fee.
 */
static int cp_logged(const struct titan *titan)
{
	int logged = titan->traits[TRAIT_CP_LOGGED];

	if (logged == CP_LOGGED_BEFORE && titan->when >= 2026042701 &&
	    !strcmp(titan->family, "llama3"))
		return CP_NOT_LOGGED;
	if (logged == CP_NOT_LOGGED && titan->when < 2026060801 &&
	    !strcmp(titan->family, "gpt_oss"))
		return CP_LOGGED_AFTER;
	return logged;
}

void titan_log_before(struct job *job, struct plan *plan, const struct titan *titan)
{
	const char *ac = setting_text(&job->settings, FIELD_AC_MODE, "none");

	if (claims_lines(titan) && titan->degrees.tp > 1 &&
	    !setting_bool(&job->settings, FIELD_FLOAT8_ENABLED, false) &&
	    !setting_bool(&job->settings, FIELD_ASYNC_TP, false))
		plan_log(plan, "Applied Tensor Parallelism to the model");
	if (titan->degrees.cp > 1 && cp_logged(titan) == CP_LOGGED_BEFORE)
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
	if (titan->degrees.cp > 1 && cp_logged(titan) == CP_LOGGED_AFTER)
		plan_log(plan, "Applied Context Parallel to the model");
	if (claims_lines(titan) && setting_bool(&job->settings, FIELD_CPU_OFFLOAD, false))
		plan_log(plan, "Applied CPU Offloading to the model");
}
