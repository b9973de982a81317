#ifndef INPUT_SETTINGS_ROPE_BASE_H
#define INPUT_SETTINGS_ROPE_BASE_H

#include "input/field.h"

/*
 * The base of rotary embeddings, which people write as a whole number or as a decimal one (500000,
 * 1000000.0, 1e6). NULL, and what is neither, is not known.
 */
void rope_base_put(struct decoder *decoder, const struct node *node);

#endif
