#ifndef WINGS_DEEPSPEED_BATCH_H
#define WINGS_DEEPSPEED_BATCH_H

#include "framework/job.h"
#include "plan/exception.h"

/* Rows of DeepSpeed's table. */
enum deepspeed_exception {
	TWO_TYPES,
	MICS,
	AUTO_EP,
	UNEQUAL,
	TRAIN_BELOW_ONE,
	STEPS_BELOW_ONE,
	MICRO_BELOW_ONE,
	ZERO_PIPELINE,
	ZERO_TENSOR
};

extern const struct exceptions exceptions_deepspeed;

/* How a framework that has DeepSpeed's batch arithmetic says that it does not come out even. */
struct batch_words {
	const char *where;     /* the function that raises */
	const char *separator; /* between the sentence, a blank, and the numbers */
	bool ranks_as_float;   /* the ranks were divided with `/`: "12.0" */
	bool numbers_as_float; /* and what is computed from them is not made whole again */
};

/*
 * The third of train_batch_size, the micro batch and the accumulation from the other two, by floor
 * division over the world / others data-parallel ranks, which need not be whole, and DeepSpeed's
 * assertion of the product (deepspeed@edaa7221 runtime/config.py:938-985). False after the
 * exception; true, too, when not enough is given to tell.
 */
bool batch_triple_holds(struct job *job, struct plan *plan, int64_t world, int64_t others,
			const struct batch_words *words);

/*
 * What DeepSpeed's PipelineEngine, which takes any model made of stages, asks of ZeRO
 * (deepspeed@38327e07f runtime/pipe/engine.py:77). False after the exception.
 */
bool pipeline_engine_holds(struct job *job, struct plan *plan);

#endif
