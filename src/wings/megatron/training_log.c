#include "framework/training_log.h"

#include <stddef.h>

/* megatron/training/initialize.py and training.py (training_log), utils.py (report_memory); older
 * ones write "data-parallel-size" with dashes alone. */
static const struct log_shape shapes[] = {
	{ "using world size:",
	  {
		  { LOG_WORLD, "using world size:" },
		  { LOG_TP, "tensor-model-parallel size:" },
		  { LOG_PP, "pipeline-model-parallel size:" },
		  { LOG_CP, "context-parallel size:" },
	  } },
	{ "elapsed time per iteration (ms):",
	  {
		  { LOG_STEP, "iteration" },
		  { LOG_STEP_MS, "elapsed time per iteration (ms):" },
		  { LOG_TFLOPS_DEVICE, "throughput per GPU (TFLOP/s/GPU):" },
		  { LOG_BATCH, "global batch size:" },
	  } },
	{ "memory (MB) | allocated:",
	  {
		  { LOG_RESERVED_MB, "max reserved:" },
	  } },
	/* Its arguments, and its timers: the least and the most of all ranks. */
	{ " seq_length ....", { { LOG_SEQUENCE, " seq_length" } } },
	{ "batch-generator ....", { { LOG_LOADING_MS, "batch-generator" } } },
	{ NULL, { { LOG_NONE, NULL } } },
};

const struct training_log training_log_megatron = { "Megatron-LM", shapes };
