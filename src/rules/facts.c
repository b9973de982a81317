#include "rules/facts.h"

#include "base/number.h"
#include "framework/wing.h"

const struct version *trainer_of(const struct job *job)
{
	return job_does(job, HABIT_TRAINER);
}

bool torch_release_of(const struct job *job, struct torch_release *torch)
{
	const struct version *version = versions_find(&job->versions, "torch");

	return version && torch_parse(job->arena, version->label, torch);
}

/* The member of degrees behind a field, or NULL. */
static const int64_t *member(const struct degrees *degrees, enum field_id field)
{
	switch (field) {
	case FIELD_DP:
		return &degrees->dp;
	case FIELD_DP_REPLICATE:
		return &degrees->dp_replicate;
	case FIELD_DP_SHARD:
		return &degrees->dp_shard;
	case FIELD_CP:
		return &degrees->cp;
	case FIELD_TP:
		return &degrees->tp;
	case FIELD_PP:
		return &degrees->pp;
	case FIELD_EP:
		return &degrees->ep;
	case FIELD_ETP:
		return &degrees->etp;
	default:
		return NULL;
	}
}

int64_t degree_of(const struct job *job, enum field_id field)
{
	const struct plan *plans[] = { job->applied, job->intended };
	int64_t given = setting_int(&job->settings, field, 1);
	size_t i;

	for (i = 0; i < sizeof(plans) / sizeof(*plans); i++) {
		const int64_t *degree = plans[i] ? member(&plans[i]->degrees, field) : NULL;

		if (degree && *degree > 0)
			return *degree;
	}
	return given > 0 ? given : 1;
}

const struct setting *fact(const struct job *job, enum field_id field)
{
	return &job->settings.items[field];
}

struct span first_place(const struct job *job, const enum field_id *fields, size_t count)
{
	struct span place = { 0 };
	size_t i;

	for (i = 0; i < count; i++) {
		const struct setting *setting = fact(job, fields[i]);

		if (!setting_given(setting) || !span_known(setting->span))
			continue;
		if (setting->integer != 1)
			return setting->span;
		if (!span_known(place))
			place = setting->span;
	}
	if (!span_known(place) && job->document.source)
		return source_span(job->document.source, 0, 0);
	return place;
}

int64_t samples_of(const struct job *job)
{
	const struct degrees *d = &job->intended->degrees;
	const int64_t global = setting_int(&job->settings, FIELD_GLOBAL_BATCH_SIZE, 0);
	int64_t each = setting_int(&job->settings, FIELD_LOCAL_BATCH_SIZE, 0);

	if (each < 1)
		each = setting_int(&job->settings, FIELD_MICRO_BATCH_SIZE, 0);
	if (d->dp_replicate < 1 || d->dp_shard < 1 || each < 1)
		return global > 0 ? global : 0;
	return job_sequences(job, multiply(d->dp_replicate, d->dp_shard), each);
}
