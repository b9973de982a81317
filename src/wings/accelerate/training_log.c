#include "framework/training_log.h"

#include <stddef.h>

/* src/accelerate/state.py (PartialState.__repr__) */
static const struct log_shape shapes[] = {
	{ "Num processes:",
	  {
		  { LOG_WORLD, "Num processes:" },
	  } },
	{ NULL, { { LOG_NONE, NULL } } },
};

const struct training_log training_log_accelerate = { "accelerate", shapes };
