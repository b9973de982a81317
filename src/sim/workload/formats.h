#ifndef SIM_WORKLOAD_FORMATS_H
#define SIM_WORKLOAD_FORMATS_H

#include "sim/workload.h"

/* In which types products are, and parameters and gradients stored, gathered and reduced; the
 * software and who shares the model are read before. `gpu` may be NULL. */
void workload_formats(struct workload *work, const struct profile *gpu, const struct job *job);

/* What training.matmul_dtype calls it: "bf16". */
const char *workload_format_word(enum format_kind format);

/*
 * Bytes of fp32 copies that an update makes of an element's state where that is none: Transformer
 * Engine's Adam of its moments and of an fp16 copy of the parameter (pytorch/optimizers/
 * fused_adam.py, get_unscaled_state).
 */
double workload_widened(const struct workload *work, const struct job *job);

#endif
