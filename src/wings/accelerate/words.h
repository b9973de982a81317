#ifndef WINGS_ACCELERATE_WORDS_H
#define WINGS_ACCELERATE_WORDS_H

#include "input/field.h"

/* Reports values of accelerate launch's file that are none of the names that it takes there. */
void accelerate_choose(struct decoder *decoder, const struct node *root);

#endif
