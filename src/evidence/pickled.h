#ifndef EVIDENCE_PICKLED_H
#define EVIDENCE_PICKLED_H

#include "base/pickle.h"

struct node;

/*
 * A pickled value as the tree that its JSON would be: dicts are maps, tuples lists. What lies under
 * the key `except` of the outermost dict is left out (NULL: nothing), and so is what is nested
 * deeper or larger than dumps are: parts of a pickle may be shared without end.
 */
const struct node *pickled_tree(struct arena *arena, const struct pickle_value *value,
				const char *except);

#endif
