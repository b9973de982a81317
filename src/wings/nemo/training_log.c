#include "framework/training_log.h"

#include <stddef.h>

/* nemo/utils/exp_manager.py (TimingCallback), nemo/lightning: Megatron's parallel_state lines */
static const struct log_shape shapes[] = {
	{ "train_step_timing in s",
	  {
		  { LOG_STEP, "global_step" },
		  { LOG_STEP_SECONDS, "train_step_timing in s" },
		  { LOG_TFLOPS_DEVICE, "TFLOPS_per_GPU" },
	  } },
	{ NULL, { { LOG_NONE, NULL } } },
};

const struct training_log training_log_nemo = { "NeMo", shapes };
