#ifndef SEARCH_CHOICES_H
#define SEARCH_CHOICES_H

#include "search/space.h"

/*
 * The choices that words are, as the first site's framework takes them. NULL, or what is wrong with
 * the values that the user allows.
 */
const char *choices_fill(struct space *space);

#endif
