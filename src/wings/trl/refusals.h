#ifndef WINGS_TRL_REFUSALS_H
#define WINGS_TRL_REFUSALS_H

#include "input/document.h"
#include "input/field.h"

/*
 * Reports arguments that the constructors of TRL's trainers do not take together; `trainer` is
 * "dpo", "sft", ..., or NULL where no script says.
 */
void trl_refusals(struct document *document, struct decoder *decoder, const char *trainer);

#endif
