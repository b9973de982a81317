#ifndef WINGS_ACCELERATE_TRAINER_H
#define WINGS_ACCELERATE_TRAINER_H

#include "input/document.h"
#include "input/field.h"

/*
 * Scripts around transformers' Trainer behind accelerate launch: their flags say batch, precision,
 * length and model, which are none of the launcher's; who shares the model is the launcher's.
 */

/* True when accelerate launch starts something with the flags of transformers' Trainer. */
bool accelerate_starts_trainer(const struct document *document);

/* Puts what those flags, and --set by their names, say; the map of them. */
const struct node *accelerate_put_trainer(struct decoder *decoder, struct document *document);

/*
 * Of another script: without mixed precision all is in the type that it loads, or asks Accelerator
 * for, which nobody knows.
 */
void accelerate_leave_precision(struct decoder *decoder, const struct node *root);

/* Puts back what flags and --set had said when the copy `told` was made. */
void accelerate_keep_trainer(struct settings *settings, const struct settings *told);

#endif
