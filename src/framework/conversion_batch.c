#include "framework/conversion.h"

#include "base/number.h"
#include "framework/wing.h"

/* The batch of a config that is converted, however its framework counts it. */

static int64_t conversion_int(struct conversion *conversion, enum field_id id, int64_t otherwise)
{
	const struct setting *setting = conversion_take(conversion, id);

	return setting ? setting->integer : otherwise;
}

static int64_t data_parallel(const struct conversion *conversion)
{
	const struct degrees *degrees = &conversion->job->intended->degrees;

	if (degrees->dp_replicate < 1 || degrees->dp_shard < 1)
		return 0;
	return multiply(degrees->dp_replicate, degrees->dp_shard);
}

/* Batches that are said in tokens are sequences of the job, where they are a whole number of them.
 */
static int64_t take_tokens(struct conversion *conversion, struct batch *batch)
{
	const struct setting *items = conversion->job->settings.items;

	if (items[FIELD_LOCAL_BATCH_SIZE].origin != ORIGIN_DERIVED ||
	    !conversion_take(conversion, FIELD_TOKENS_PER_MICROBATCH))
		return 0;
	if (batch->step < 1 && items[FIELD_GLOBAL_BATCH_SIZE].origin == ORIGIN_DERIVED &&
	    conversion_take(conversion, FIELD_TOKENS_PER_STEP)) {
		batch->step = items[FIELD_GLOBAL_BATCH_SIZE].integer;
		batch->step_from = FIELD_TOKENS_PER_STEP;
	}
	return items[FIELD_LOCAL_BATCH_SIZE].integer;
}

/* Sequences of a microbatch of a pipeline, of so many that a rank has. */
static int64_t take_cut(struct conversion *conversion, int64_t local)
{
	const struct job *job = conversion->job;
	const int64_t usual = job->applied ? job->applied->microbatches : 0;
	int64_t passes;

	if (!job_does(job, HABIT_COUNTS_MICRO))
		return conversion_int(conversion, FIELD_PP_MICROBATCH_SIZE, 1);
	(void)conversion_take(conversion, FIELD_PP_MICROBATCHES);
	passes = setting_int(&job->settings, FIELD_PP_MICROBATCHES, usual);
	return passes > 0 && local > passes ? local / passes : 1;
}

/* TorchTitan's local batch: what a rank has of a step; the pipeline cuts it. */
static void take_local(struct conversion *conversion, struct batch *batch, int64_t dp)
{
	const int64_t given = conversion_int(conversion, FIELD_LOCAL_BATCH_SIZE, 0);
	const int64_t local = given ? given : take_tokens(conversion, batch);
	const int64_t cut = take_cut(conversion, local);

	if (batch->micro || local < 1)
		return;
	batch->micro_from = given ? FIELD_LOCAL_BATCH_SIZE : FIELD_TOKENS_PER_MICROBATCH;
	batch->micro = conversion->job->intended->degrees.pp > 1 ? cut : local;
	if (batch->step < 1 && dp) {
		batch->step = multiply(local, dp);
		batch->step_from = batch->micro_from;
	}
}

struct batch conversion_batch(struct conversion *conversion)
{
	const int64_t dp = data_parallel(conversion);
	struct batch batch = { .micro_from = FIELD_MICRO_BATCH_SIZE,
			       .step_from = FIELD_GLOBAL_BATCH_SIZE };
	int64_t all;

	batch.micro = conversion_int(conversion, FIELD_MICRO_BATCH_SIZE, 0);
	batch.step = conversion_int(conversion, FIELD_GLOBAL_BATCH_SIZE, 0);
	batch.accumulated = conversion_int(conversion, FIELD_GRADIENT_ACCUMULATION, 0);
	take_local(conversion, &batch, dp);
	all = batch.micro > 0 && dp ? multiply(batch.micro, dp) : 0;
	if (conversion->said.items[FIELD_GRADIENT_ACCUMULATION].invalid)
		all = 0; /* nobody knows how many make a step */
	if (batch.step < 1 && all) {
		batch.step = multiply(all, batch.accumulated > 0 ? batch.accumulated : 1);
		batch.step_from =
			batch.accumulated > 1 ? FIELD_GRADIENT_ACCUMULATION : batch.micro_from;
	}
	if (!batch.accumulated && all && batch.step > 0 && batch.step % all == 0)
		batch.accumulated = batch.step / all;
	if (batch.step < 0)
		batch.step = 0;
	return batch;
}
