#include "framework/torchtitan/raise.h"

#include <stdarg.h>

void titan_raise(struct plan *plan, const char *rule, const char *type, const char *where,
		 const char *format, ...)
{
	va_list args;
	char *message;

	if (plan->error)
		return;
	va_start(args, format);
	message = arena_vprintf(plan->arena, format, args);
	va_end(args);
	plan_raise(plan, type, where, "%s", message);
	plan->error->rule = rule;
}

bool titan_raised(struct plan *plan, const struct titan *titan, const char *rule, const char *where)
{
	if (!titan->torch.error.type)
		return false;
	titan_raise(plan, rule, titan->torch.error.type, where, "%s", titan->torch.error.message);
	return true;
}

void titan_blame(struct job *job, struct plan *plan, enum field_id field)
{
	plan_blame(plan, settings_of(&job->settings, field));
}

bool titan_has_etp(const struct titan *titan)
{
	return titan->traits[TRAIT_EP] == EP_ETP || titan->traits[TRAIT_EP] == EP_SPARSE_ETP;
}

bool titan_replicates(const struct titan *titan)
{
	return titan->degrees.dp_replicate > 1 || titan->ft_mesh;
}
