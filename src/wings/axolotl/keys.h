#ifndef WINGS_AXOLOTL_KEYS_H
#define WINGS_AXOLOTL_KEYS_H

#include "input/field.h"
#include "input/node.h"
#include "input/vocabulary.h"

/* True when `plugins:` has a class of that name, ".LigerPlugin". */
bool axolotl_has_plugin(const struct node *root, const char *class);

/* Reports keys that axolotl silently ignores: those that it does not have, and those of a plugin
 * of its own that the file does not name. */
void axolotl_keys_judge(struct decoder *decoder, const struct node *root);

/* Adds all keys that it has, and the names of others that it does not. */
void axolotl_keys_vocabulary(struct vocabulary *vocabulary);

#endif
