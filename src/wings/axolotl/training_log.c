#include "framework/training_log.h"

#include <stddef.h>

/* src/axolotl/core/trainers: what it adds to the Trainer's line of a step */
static const struct log_shape shapes[] = {
	{ "'tokens_per_second_per_gpu'",
	  {
		  { LOG_TOKENS_DEVICE, "'tokens_per_second_per_gpu'" },
		  { LOG_RESERVED_GB, "'memory/device_reserved (GiB)'" },
	  } },
	{ "'memory/device_reserved (gib)'",
	  {
		  { LOG_RESERVED_GB, "'memory/device_reserved (gib)'" },
	  } },
	{ NULL, { { LOG_NONE, NULL } } },
};

const struct training_log training_log_axolotl = { "axolotl", shapes };
