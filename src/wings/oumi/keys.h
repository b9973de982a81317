#ifndef WINGS_OUMI_KEYS_H
#define WINGS_OUMI_KEYS_H

#include "input/field.h"
#include "input/node.h"
#include "input/vocabulary.h"

/* Reports keys of a training file that no class of oumi's has there. */
void oumi_refuse(struct decoder *decoder, const struct node *root);

/* The keys of all of them. */
void oumi_offer(struct vocabulary *vocabulary);

#endif
