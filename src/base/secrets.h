#ifndef BASE_SECRETS_H
#define BASE_SECRETS_H

#include <stddef.h>

/*
 * How many bytes at `at` are to be hidden, and behind how many that may be seen (*behind); 0: none.
 * `start` is where the text begins: what stands before `at` tells whether a word begins there.
 */
size_t secret_at(const char *start, const char *at, const char *end, size_t *behind);

#endif
