#ifndef WINGS_NANOTRON_KEYS_H
#define WINGS_NANOTRON_KEYS_H

#include "input/field.h"
#include "input/node.h"
#include "input/vocabulary.h"

/* Reports keys of a training file that no class of nanotron's has there. */
void nanotron_refuse(struct decoder *decoder, const struct node *root);

/* The keys of all of them. */
void nanotron_offer(struct vocabulary *vocabulary);

#endif
