#ifndef INPUT_SETTINGS_OPEN_AXIS_H
#define INPUT_SETTINGS_OPEN_AXIS_H

#include "input/document.h"
#include "input/field.h"

/*
 * Writes out the data-parallel axis that stands open (-1), where the file itself says how many
 * ranks there are: nodes times devices over the other degrees. It stays open when they do not
 * divide the world, which the framework refuses, or when --world or a launch line may say
 * otherwise.
 */
void open_axis_fill(const struct document *document, struct decoder *decoder);

#endif
