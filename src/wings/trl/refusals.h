#ifndef WINGS_TRL_REFUSALS_H
#define WINGS_TRL_REFUSALS_H

#include "input/document.h"
#include "input/field.h"

/*
 * Reports arguments that the constructors of TRL's trainers do not take together; `trainer` is
 * "dpo", "sft", ..., or NULL where no script says.
 */
void trl_refusals(struct document *document, struct decoder *decoder, const char *trainer);

/* Whether loss_type, or the first of a list, is a word of other trainers alone. */
bool trl_loss_of_others(const struct node *root, const char *trainer);

#endif
