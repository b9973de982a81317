#include "sim/workload/batch.h"

#include "base/number.h"
#include "framework/wing.h"
#include "input/field.h"

#include <inttypes.h>

int64_t workload_whole(const struct job *job, enum field_id id, int64_t otherwise)
{
	int64_t value = setting_int(&job->settings, id, otherwise);

	return value > 0 ? value : otherwise;
}

/* Where a local batch is cut by the pipeline, its microbatches fill one. */
static int64_t pipelined(const struct workload *work, const struct job *job)
{
	const int64_t local = workload_whole(job, FIELD_LOCAL_BATCH_SIZE, 0);

	return work->pp > 1 && !workload_whole(job, FIELD_MICRO_BATCH_SIZE, 0) &&
			       local % work->micro == 0
		       ? local / work->micro
		       : 0;
}

void workload_batch(struct workload *work, const struct job *job)
{
	int64_t step, local;
	const int64_t usual = work->plan->microbatches > 0 ? work->plan->microbatches : 1;

	work->seq = workload_whole(job, FIELD_SEQ_LEN, 0);
	local = workload_whole(job, FIELD_LOCAL_BATCH_SIZE, 0);
	work->micro = workload_whole(job, FIELD_MICRO_BATCH_SIZE, 0);
	if (!work->micro && local && work->pp > 1)
		work->micro = job_does(job, HABIT_COUNTS_MICRO)
				      ? local / workload_whole(job, FIELD_PP_MICROBATCHES, usual)
				      : workload_whole(job, FIELD_PP_MICROBATCH_SIZE, 1);
	if (!work->micro)
		work->micro = local ? local : 1;
	step = job_sequences(job, work->dp, local ? local : work->micro);
	work->pipelined = pipelined(work, job);
	if (work->micro > step / work->dp)
		work->micro = step / work->dp > 0 ? step / work->dp : 1;
	work->microbatches = step / multiply(work->dp, work->micro);
	if (work->microbatches < 1)
		work->microbatches = 1;
}

const char *workload_torn(const struct job *job)
{
	const struct setting *items = job->settings.items;
	const struct {
		enum field_id tokens, sequences;
	} pairs[] = { { FIELD_TOKENS_PER_MICROBATCH, FIELD_LOCAL_BATCH_SIZE },
		      { FIELD_TOKENS_PER_STEP, FIELD_GLOBAL_BATCH_SIZE } };
	size_t i;

	for (i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		const struct setting *sequences = &items[pairs[i].sequences];
		const int64_t tokens = setting_int(&job->settings, pairs[i].tokens, 0);
		if (tokens > 0 && sequences->origin != ORIGIN_DERIVED && !setting_given(sequences))
			return arena_printf(job->arena,
					    "%s %" PRId64 " are no whole sequences of %" PRId64
					    " tokens, and parts of sequences are not modelled",
					    field_of(pairs[i].tokens)->key, tokens,
					    setting_int(&job->settings, FIELD_SEQ_LEN, 0));
	}
	return NULL;
}
