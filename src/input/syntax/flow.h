#ifndef INPUT_SYNTAX_FLOW_H
#define INPUT_SYNTAX_FLOW_H

#include "base/buf.h"
#include "input/node.h"

/* Values written as YAML reads them back, in flow style. */

/* A tree: {a: 2, b: [c, d]}. */
void flow_node(struct buf *out, const struct node *node);

/* A string, in quotes where it needs them. */
void flow_text(struct buf *out, const char *text);

/* True for plain scalars that YAML 1.1 reads as something else than a string: yes, off, null. */
bool flow_is_keyword(const char *text);

#endif
