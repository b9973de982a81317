#ifndef WINGS_TRANSFORMERS_FLAGS_H
#define WINGS_TRANSFORMERS_FLAGS_H

#include "input/document.h"
#include "input/field.h"

struct launch;

/*
 * Flags of a script of one's own around transformers' Trainer: its TrainingArguments, and what
 * scripts call the model, the length of its sequences and the adapters that are trained.
 */

/* True when they say who shares the model: --fsdp or --deepspeed with a value. */
bool trainer_flags_share(const struct launch *launch);

/* True when the flags behind a script are the Trainer's: its batch size, and one more. */
bool trainer_flags_tell(const struct launch *launch);

/* Puts what a map of such flags says; who shares the model is training_arguments_engine's. */
void trainer_flags_put(struct decoder *decoder, struct document *document, const struct node *map);

#endif
