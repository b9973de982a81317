#include "input/axis.h"

#include <string.h>

const enum field_id axes[AXES] = {
	FIELD_DP, FIELD_DP_REPLICATE, FIELD_DP_SHARD, FIELD_CP, FIELD_TP,
	FIELD_PP, FIELD_EP,	      FIELD_ETP,      FIELD_SP,
};

const char *axis_name(enum field_id axis)
{
	return strchr(field_of(axis)->key, '.') + 1;
}

bool axes_are_open(const struct settings *settings, int first, int end)
{
	for (; first < end; first++)
		if (setting_unresolved(settings, axes[first]))
			return true;
	return false;
}

void axis_leave_open(struct settings *settings, enum field_id axis, const char *why,
		     struct span span)
{
	struct setting *setting = settings_of(settings, axis);

	setting->unresolved = why;
	setting->invalid = true;
	setting->spelling = field_of(axis)->key;
	setting->span = span;
}
