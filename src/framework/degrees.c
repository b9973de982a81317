#include "framework/degrees.h"

#include <inttypes.h>

int64_t degree_or_one(const struct job *job, enum field_id field)
{
	int64_t value = setting_int(&job->settings, field, 1);

	return value > 0 ? value : 1;
}

void degrees_blame(struct job *job, struct plan *plan)
{
	static const enum field_id fields[] = { FIELD_TP,	FIELD_SP,	    FIELD_CP,
						FIELD_DP_SHARD, FIELD_DP_REPLICATE, FIELD_PP };
	size_t i;

	plan->error->rule = "degrees-product";
	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (setting_given(settings_of(&job->settings, fields[i])))
			plan_blame(plan, settings_of(&job->settings, fields[i]));
}

bool degrees_fit(struct job *job, struct plan *plan, const char *framework)
{
	if (job->intended->meshes.count)
		return true;
	plan_raise(plan, "Error", framework, "the degrees do not multiply to %" PRId64 " ranks",
		   job->world);
	degrees_blame(job, plan);
	return false;
}
