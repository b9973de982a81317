#ifndef BASE_PICKLE_TEXT_H
#define BASE_PICKLE_TEXT_H

#include "base/arena.h"
#include "base/pickle.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * The arguments that protocol 0 writes as lines of text, and long integers. Each function reads
 * `length` bytes at `text` and returns false when they are not what they should be.
 */

/* "12", "-12L", "01" (True) when `booleans`. */
bool pickle_text_int(struct pickle_value *value, const char *text, size_t length, bool booleans);

/* "1.5e3", "-inf", "nan". */
bool pickle_text_float(struct pickle_value *value, const char *text, size_t length);

/* 'a\x41' in quotes, with the escapes of repr. */
bool pickle_text_string(struct pickle_value *value, struct arena *arena, const char *text,
			size_t length);

/* Latin-1 and the escapes of a backslash with u (four digits) or U (eight), as UTF-8. */
bool pickle_text_unicode(struct pickle_value *value, struct arena *arena, const char *text,
			 size_t length);

/* An integer in two's complement, least byte first. */
void pickle_text_long(struct pickle_value *value, struct arena *arena, const unsigned char *bytes,
		      size_t length);

#endif
