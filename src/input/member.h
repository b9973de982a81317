#ifndef INPUT_MEMBER_H
#define INPUT_MEMBER_H

#include "input/node.h"

/* Members of a map by what they should be; also of no map (NULL). */

/* A text that is not empty, or NULL. */
const char *member_text(const struct node *map, const char *key);

/* A number; 0: none. */
double member_number(const struct node *map, const char *key);

/* A count of 1 to 2^24; 0: none. */
int64_t member_count(const struct node *map, const char *key);

/* An integer, which may stand in quotes; or `otherwise`. */
int64_t member_integer(const struct node *map, const char *key, int64_t otherwise);

#endif
