#include "sim/workload/open.h"

#include <string.h>

/* Whether the data says how long sequences are: their greatest length is all that the config has.
 */
static bool lengths_open(const struct workload *work, const struct job *job)
{
	const int64_t padded = setting_int(&job->settings, FIELD_PAD_TO_MULTIPLE, 0);
	const bool packed = setting_bool(&job->settings, FIELD_PACKING, false);

	return workload_does(work, HABIT_OWN_LENGTHS) && padded < work->seq &&
	       (!packed || workload_does(work, HABIT_PACKS_BATCHES));
}

void workload_open(struct workload *work, const struct job *job)
{
	work->lengths_open = lengths_open(work, job);
	work->sharing_open = job->document.sharing_open != NULL;
}
