#ifndef WINGS_NEMO_AUTOMODEL_COMPONENTS_H
#define WINGS_NEMO_AUTOMODEL_COMPONENTS_H

#include "input/document.h"
#include "input/field.h"

/* Reports paths into Automodel that no version of it has, or not the release that is pinned. */
void nemo_automodel_components(struct decoder *decoder, const struct document *document);

#endif
