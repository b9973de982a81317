#include "framework/training_log.h"

#include <stddef.h>

/* deepspeed/runtime/config.py (print), runtime/engine.py, utils/timer.py */
static const struct log_shape shapes[] = {
	{ "world_size ...",
	  {
		  { LOG_WORLD, "world_size" },
	  } },
	{ "train_batch_size ...", { { LOG_BATCH, "train_batch_size" } } },
	/* deepspeed/runtime/zero/stage3.py, step() */
	{ "pytorch allocator cache flushes since last step",
	  {
		  { LOG_RETRIES, ":step]" },
	  } },
	{ "zero_optimization_stage ...",
	  {
		  { LOG_ZERO_STAGE, "zero_optimization_stage" },
	  } },
	{ "ZeRO stage 3 optimizer",
	  {
		  { LOG_ZERO_STAGE, "ZeRO stage" },
	  } },
	{ "Initializing ZeRO Stage",
	  {
		  { LOG_ZERO_STAGE, "ZeRO Stage" },
	  } },
	{ "Creating torch.bfloat16 ZeRO stage",
	  {
		  { LOG_ZERO_STAGE, "ZeRO stage" },
	  } },
	{ "Creating fp16 ZeRO stage",
	  {
		  { LOG_ZERO_STAGE, "ZeRO stage" },
	  } },
	{ NULL, { { LOG_NONE, NULL } } },
};

const struct training_log training_log_deepspeed = { "DeepSpeed", shapes };
