#ifndef WINGS_LITGPT_KEYS_H
#define WINGS_LITGPT_KEYS_H

#include "input/field.h"
#include "input/node.h"
#include "input/vocabulary.h"

/* Reports keys that none of litgpt's training scripts takes. */
void litgpt_refuse(struct decoder *decoder, const struct node *root);

/* The keys of all of them. */
void litgpt_offer(struct vocabulary *vocabulary);

#endif
