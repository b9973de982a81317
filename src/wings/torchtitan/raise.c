#include "wings/torchtitan/raise.h"

#include "plan/exception.h"

bool titan_raised(struct plan *plan, const struct titan *titan, const char *rule, const char *where)
{
	const struct torch_error *error = &titan->torch.error;

	if (!error->type)
		return false;
	exception_raise_told(plan, (struct told) { error->type, error->message, where, rule });
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
