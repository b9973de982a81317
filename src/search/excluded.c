#include "search/excluded.h"

#include "input/field.h"
#include "sim/workload.h"
#include "sim/workload/formats.h"

#include <inttypes.h>
#include <string.h>

/* The config as it is. */
struct yours {
	struct arena *arena;
	const struct job *job;
	struct workload work;
};

static const char *number(const struct yours *yours, int64_t value)
{
	return arena_printf(yours->arena, "%" PRId64, value);
}

static const char *yes_or_no(bool value)
{
	return value ? "true" : "false";
}

/* As its file says it; NULL: that is not known. */
static const char *said(const struct yours *yours, enum field_id field)
{
	const struct setting *setting = &yours->job->settings.items[field];

	if (setting_known(setting))
		return setting->text;
	return field_of(field)->type == FIELD_BOOL ? "false" : NULL;
}

static const char *degree(const struct yours *yours, enum field_id field)
{
	const struct workload *work = &yours->work;
	const struct degrees *degrees = &yours->job->applied->degrees;

	switch (field) {
	case FIELD_PP:
		return number(yours, work->pp);
	case FIELD_TP:
		return number(yours, work->tp);
	case FIELD_CP:
		return number(yours, work->cp);
	case FIELD_SP:
	case FIELD_ULYSSES:
		return number(yours, work->sp);
	case FIELD_EP:
		return number(yours, work->ep);
	case FIELD_ETP:
		return number(yours, work->etp);
	case FIELD_DP:
		return number(yours, degrees->dp_replicate * degrees->dp_shard);
	case FIELD_DP_REPLICATE:
		return number(yours, degrees->dp_replicate);
	case FIELD_DP_SHARD:
		return number(yours, degrees->dp_shard);
	default:
		return NULL;
	}
}

/* Without ranks of tensor parallelism nothing is true of it. */
static const char *of_tensor(const struct workload *work, enum field_id field)
{
	switch (field) {
	case FIELD_SEQUENCE_PARALLEL:
		return yes_or_no(work->tp > 1 && work->sequence_parallel);
	case FIELD_ASYNC_TP:
		return yes_or_no(work->tp > 1 && work->async_tp);
	case FIELD_OVERLAP_TP:
		return yes_or_no(work->tp > 1 && work->overlap_tp);
	default:
		return NULL;
	}
}

/* Without a pipeline there is no schedule. */
static const char *value_of(const struct yours *yours, enum field_id field)
{
	const struct workload *work = &yours->work;
	const char *found = degree(yours, field);

	if (!found)
		found = of_tensor(work, field);
	if (found)
		return found;
	switch (field) {
	case FIELD_PP_SCHEDULE:
		return work->pp > 1 && work->schedule ? work->schedule->name : "";
	case FIELD_PP_VIRTUAL_STAGES:
		return number(yours, work->pp > 1 ? work->virtual_stages : 1);
	case FIELD_MICRO_BATCH_SIZE:
		return number(yours, work->micro);
	case FIELD_MATMUL_DTYPE:
		found = said(yours, field);
		return found ? found : workload_format_word(work->format);
	case FIELD_AC_MODE:
		return work->recompute == RECOMPUTE_NONE ? "none" : said(yours, field);
	default:
		return said(yours, field);
	}
}

/* Says the option, unless one of its values is that of the config. */
static void hold(struct search *search, const struct yours *yours,
		 const struct restriction *restriction)
{
	const char *own = value_of(yours, restriction->field);
	const char *text = arena_printf(search->arena, "%s %s=", restriction->option,
					field_of(restriction->field)->key);
	size_t i;

	for (i = 0; i < restriction->values.count; i++) {
		if (!own || !strcmp(own, restriction->values.items[i]))
			return;
		text = arena_join(search->arena, text, i ? "," : "", restriction->values.items[i]);
	}
	vec_push(search->arena, &search->excluded, text);
}

void search_exclude(struct search *search, const struct sites_request *request)
{
	const struct restrictions *restrictions = &search->space.restrictions;
	struct yours yours = { .arena = search->arena, .job = search->yours };
	size_t i, k;

	if (search->current.fate != OUTCOME_RUNS)
		return;
	yours.work = workload_of_plan(search->arena, yours.job, yours.job->applied);
	if (workload_read(&yours.work, NULL, yours.job, yours.job->applied))
		return;
	for (i = 0; i < restrictions->list.count; i++)
		hold(search, &yours, &restrictions->list.items[i]);
	for (i = 0; i < request->varied.count; i++) {
		const struct varied *varied = &request->varied.items[i];
		struct restriction restriction = { .option = varied->option,
						   .field = varied->field };
		for (k = 0; k < varied->values.count; k++)
			vec_push(search->arena, &restriction.values, varied->values.items[k]);
		if (varied->field != FIELD_CLUSTER_GPU) /* its machine is named beside it */
			hold(search, &yours, &restriction);
	}
}
