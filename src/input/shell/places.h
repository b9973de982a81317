#ifndef INPUT_SHELL_PLACES_H
#define INPUT_SHELL_PLACES_H

#include "input/node.h"
#include "input/shell/shell.h"

/* Gives the words of a script that stands in a scalar their own places. */
void shell_place_words(struct shell_script *script, const struct node *scalar);

#endif
