#ifndef WINGS_TORCHTUNE_COMPONENTS_H
#define WINGS_TORCHTUNE_COMPONENTS_H

#include "input/field.h"
#include "input/node.h"

/* Reports components of a config that no version of torchtune has, and keys of recipes that are
 * nearly one. */
void torchtune_components(struct decoder *decoder, const struct node *root);

#endif
