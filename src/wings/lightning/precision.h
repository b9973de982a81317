#ifndef WINGS_LIGHTNING_PRECISION_H
#define WINGS_LIGHTNING_PRECISION_H

#include "input/field.h"
#include "input/node.h"

/*
 * Lightning's words for precision, which Trainer and Fabric share (Lightning-AI/pytorch-lightning@
 * 7f0c3436 src/lightning/fabric/plugins/precision): the half of a "true" one is what parameters are
 * stored in, and with them gradients and the optimizer's state; a "mixed" one stores fp32.
 */

/* Puts the type that the word at `precision` below `root` stores; words of 32 bits leave ours. */
void lightning_put_stored(struct decoder *decoder, const struct node *root);

#endif
