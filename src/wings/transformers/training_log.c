#include "framework/training_log.h"

#include <stddef.h>

/* src/transformers/trainer.py, integrations/deepspeed.py */
static const struct log_shape shapes[] = {
	{ "Detected DeepSpeed ZeRO-3: activating zero.init()",
	  {
		  { LOG_ZERO_STAGE, "DeepSpeed ZeRO-" },
	  } },
	{ "Total train batch size (w. parallel",
	  {
		  { LOG_BATCH, "distributed & accumulation) =" },
	  } },
	{ NULL, { { LOG_NONE, NULL } } },
};

const struct training_log training_log_transformers = { "transformers", shapes };
