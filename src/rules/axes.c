#include "rules/axes.h"

#include "framework/wing.h"

#include "rules/facts.h"

#include <string.h>

enum field_id factor(int i)
{
	return axes[i < AXIS_EP ? i : AXIS_SP];
}

int64_t axis_degree(const struct job *job, enum field_id field)
{
	return setting_int(&job->settings, field, 1);
}

bool axis_plays(const struct job *job, enum field_id field)
{
	bool total = setting_given(fact(job, FIELD_DP));

	if (!job_has_axis(job, field))
		return false;
	if (field == FIELD_DP)
		return total;
	if (field == FIELD_DP_SHARD && axis_free(job) == FIELD_DP_REPLICATE)
		return axis_degree(job, field) > 1;
	if (field == FIELD_DP_REPLICATE || field == FIELD_DP_SHARD)
		return !total;
	if (field == FIELD_SP)
		return axis_degree(job, field) > 1;
	if (field == FIELD_CP) /* total data parallel is older than context parallel */
		return !total || axis_degree(job, field) != 1;
	return true;
}

enum field_id axis_free(const struct job *job)
{
	const struct setting *replicate = fact(job, FIELD_DP_REPLICATE);
	const struct setting *shard = fact(job, FIELD_DP_SHARD);

	if (setting_given(fact(job, FIELD_DP)))
		return FIELD_DP;
	if (setting_known(replicate) && !setting_given(replicate) && replicate->integer == -1)
		return FIELD_DP_REPLICATE; /* what Megatron and ZeRO up to 2 leave to it */
	if (setting_known(shard) && !setting_given(shard) && shard->integer == 1)
		return FIELD_DP_REPLICATE; /* the framework shares no parameters */
	return FIELD_DP_SHARD;
}

const char *axis_key(const struct job *job, enum field_id field)
{
	const struct setting *setting = fact(job, field);
	const char *dot;

	if (!setting_given(setting) || !setting->spelling || file_does(job, HABIT_AXES_NAMED))
		return axis_name(field);
	dot = strrchr(setting->spelling, '.');
	return dot ? dot + 1 : setting->spelling;
}
