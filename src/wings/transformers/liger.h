#ifndef WINGS_TRANSFORMERS_LIGER_H
#define WINGS_TRANSFORMERS_LIGER_H

#include "input/field.h"

/*
 * Liger's kernels (liger_kernel 0.8.5, transformers/monkey_patch.py), which the Trainer and others
 * put into a model by its model_type: all that there are for it, with the fused loss but without
 * the plain one, unless liger_kernel_config says otherwise. There are none for other models, which
 * only a warning says. A row of the dialect has put the key that asks for them as the loss.
 */

/* What becomes of the loss where they are asked for. */
enum liger_loss {
	LIGER_FUSED,   /* the model computes it, from labels */
	LIGER_LAYERS,  /* the trainer has a loss of its own, of logits or not, which stays */
	LIGER_UNKNOWN, /* that loss is one of Liger's, of pairs or of groups of answers */
};

/* Puts what they make of the loss and of the layers. `root` holds liger_kernel_config, if any. */
void liger_settle(struct decoder *decoder, const struct node *root, const char *key,
		  enum liger_loss loss);

/* Whether there are kernels for the decoder's model, where its family is known. */
bool liger_has(const struct decoder *decoder);

#endif
