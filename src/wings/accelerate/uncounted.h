#ifndef WINGS_ACCELERATE_UNCOUNTED_H
#define WINGS_ACCELERATE_UNCOUNTED_H

#include "input/field.h"

/* How the model is computed: products in 8 bits, compiled or not. */
void accelerate_compute(struct decoder *decoder, const struct node *root);

/* What of deepspeed_config waits in host memory beside the optimizer's state. */
void accelerate_offload(struct decoder *decoder, const struct node *map, int64_t stage);

/* What megatron_lm_config asks for and no forecast counts. */
void accelerate_megatron(struct decoder *decoder, const struct node *map);

#endif
