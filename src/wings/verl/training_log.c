#include "framework/training_log.h"

#include <stddef.h>

/* verl/utils/tracking.py, trainer/ppo/metric_utils.py: "step:3 - ... - perf/throughput:1234.5" */
static const struct log_shape shapes[] = {
	{ "perf/time_per_step:",
	  {
		  { LOG_STEP, "step:" },
		  { LOG_STEP_SECONDS, "perf/time_per_step:" },
		  { LOG_TOKENS_DEVICE, "perf/throughput:" },
		  { LOG_RESERVED_GB, "perf/max_memory_reserved_gb:" },
	  } },
	{ NULL, { { LOG_NONE, NULL } } },
};

const struct training_log training_log_verl = { "verl", shapes };
