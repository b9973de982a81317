#include "framework/training_log.h"

#include <stddef.h>

/* src/nanotron/trainer.py (train_step_logs), logging.py (LogItem) */
static const struct log_shape shapes[] = {
	{ "tokens_per_sec_per_gpu:",
	  {
		  { LOG_STEP, "iteration:" },
		  { LOG_STEP_MS, "elapsed_time_per_iteration_ms:" },
		  { LOG_STEP_MS, " time_per_iteration_ms:" },
		  { LOG_TOKENS_DEVICE, "tokens_per_sec_per_gpu:" },
		  { LOG_TFLOPS_DEVICE, "model_tflops_per_gpu:" },
	  } },
	{ NULL, { { LOG_NONE, NULL } } },
};

const struct training_log training_log_nanotron = { "nanotron", shapes };
