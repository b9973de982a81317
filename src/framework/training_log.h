#ifndef FRAMEWORK_TRAINING_LOG_H
#define FRAMEWORK_TRAINING_LOG_H

/*
 * What a framework prints while it trains, for who reads a job's log afterwards. A wing defines
 * `training_log_NAME`: lines by words that each has, and the keys before its numbers.
 */
enum log_fact {
	LOG_NONE,
	LOG_WORLD, /* ranks of the job */
	LOG_TP,	   /* degrees of the groups that were made */
	LOG_PP,
	LOG_CP,
	LOG_EP,
	LOG_ZERO_STAGE, /* what of the model is cut over data-parallel ranks, 0 to 3 */
	LOG_BATCH,	/* sequences of all ranks in one step */
	LOG_SEQUENCE,	/* tokens of one */
	LOG_LOADING_MS, /* of a step, in which the rank that waits least waits for its batch */
	LOG_RETRIES,	/* of the allocator, which freed what it cached to make room */
	LOG_STEP,	/* the number of the step that the line is about */
	LOG_STEP_SECONDS,
	LOG_STEP_MS,
	LOG_TOKENS_DEVICE, /* per second and device */
	LOG_TFLOPS_DEVICE,
	LOG_RESERVED_MB, /* 2^20 bytes, peak of PyTorch's allocator */
	LOG_RESERVED_GB	 /* 2^30 bytes */
};

enum { LOG_KEYS = 8 };

struct log_shape {
	const char *mark; /* words of the line; NULL: the end */
	struct {
		enum log_fact fact;
		const char
			*key; /* what stands before the number, but for blanks, dots, ':' and '=' */
	} keys[LOG_KEYS];
};

struct training_log {
	const char *name; /* "Megatron-LM" */
	const struct log_shape *shapes;
};

extern const struct training_log *const training_logs[]; /* ended by NULL */

#endif
