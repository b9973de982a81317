#ifndef DRAW_UTF8_H
#define DRAW_UTF8_H

#include <stddef.h>

/*
 * Bytes of the character at `text`, which is not its end; 0 when it is not well-formed UTF-8 or no
 * text: control characters and noncharacters, which XML forbids and terminals obey, and characters
 * that turn the direction of text around.
 */
size_t utf8_character(const char *text);

#endif
