#ifndef INPUT_SYNTAX_SCALAR_H
#define INPUT_SYNTAX_SCALAR_H

#include "base/arena.h"
#include "input/node.h"

#include <stdbool.h>

/*
 * What a plain YAML scalar means: the implicit resolvers of PyYAML 6.0's safe
 * loader (yaml/resolver.py, yaml/constructor.py), which follow YAML 1.1. The
 * answers that surprise people: `1e-5` is a string (a float needs a dot and a
 * signed exponent), `010` is 8, `1:30` is 90, `0o17` is a string, `no` is false.
 */

/*
 * Gives a scalar node its type and value from node->text as if it stood
 * without quotes. Dates and integers that 64 bits cannot hold stay strings.
 */
void scalar_resolve(struct arena *arena, struct node *node);

/*
 * The same under an explicit tag: "tag:yaml.org,2002:int" on `"8"` is 8.
 * False when the tag is none of str, int, float, bool, null and timestamp, or
 * the text is no such value.
 */
bool scalar_resolve_as(struct arena *arena, struct node *node, const char *tag);

#endif
