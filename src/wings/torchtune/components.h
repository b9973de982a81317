#ifndef WINGS_TORCHTUNE_COMPONENTS_H
#define WINGS_TORCHTUNE_COMPONENTS_H

#include "input/document.h"
#include "input/field.h"

/* Reports components of a config that no version of torchtune has, or not the release that is
 * pinned, and keys of recipes that are nearly one. */
void torchtune_components(struct decoder *decoder, const struct document *document);

#endif
