#ifndef EVIDENCE_RECORDED_H
#define EVIDENCE_RECORDED_H

#include "input/node.h"

/* Tensors of one side of a call, as an entry of the flight recorder lists them under a key. */

/* Elements of all of them; -1: not told. */
int64_t recorded_elements(const struct node *entry, const char *key);

/* Dimensions of the first; 0: not told. */
int32_t recorded_dims(const struct node *entry, const char *key);

/* The first text of a list; NULL: there is none. */
const char *recorded_type(const struct node *entry, const char *key);

#endif
