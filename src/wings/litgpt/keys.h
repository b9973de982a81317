#ifndef WINGS_LITGPT_KEYS_H
#define WINGS_LITGPT_KEYS_H

#include "input/field.h"
#include "input/node.h"

/* Reports keys that none of litgpt's training scripts takes. */
void litgpt_refuse(struct decoder *decoder, const struct node *root);

#endif
