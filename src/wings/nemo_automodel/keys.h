#ifndef WINGS_NEMO_AUTOMODEL_KEYS_H
#define WINGS_NEMO_AUTOMODEL_KEYS_H

#include "input/field.h"
#include "input/node.h"
#include "input/vocabulary.h"

/* Reports keys that the classes behind a recipe's sections refuse; `sizes` is the section with the
 * sizes, or NULL, of a strategy that is "fsdp2", "megatron_fsdp" or "ddp". False: those sizes are
 * of a class that is not known. */
bool nemo_automodel_refuse(struct decoder *decoder, const struct node *root,
			   const struct node *sizes, const char *strategy);

/* The keys of all of them. */
void nemo_automodel_offer(struct vocabulary *vocabulary);

#endif
