#include "draw/utf8.h"

#include "base/text.h"

#include <stdbool.h>
#include <string.h>

/* True for what is well-formed but no text: control characters and U+FFFE, U+FFFF. */
static bool is_control(const char *text)
{
	unsigned char lead = (unsigned char)text[0];

	if (lead < 0x80)
		return lead < 0x20 || lead == 0x7f;
	if (lead == 0xc2)
		return (unsigned char)text[1] < 0xa0;
	return !strncmp(text, "\xef\xbf\xbe", 3) || !strncmp(text, "\xef\xbf\xbf", 3);
}

/* True for U+202A to 202E and U+2066 to 2069, which make a text look like another one. */
static bool turns_direction(const char *text)
{
	unsigned char last = (unsigned char)text[2];

	if (!strncmp(text, "\xe2\x80", 2))
		return last >= 0xaa && last <= 0xae;
	return !strncmp(text, "\xe2\x81", 2) && last >= 0xa6 && last <= 0xa9;
}

size_t utf8_character(const char *text)
{
	size_t length = 1, bad;

	while ((unsigned char)*text >= 0xc0 && length < 4 && (text[length] & 0xc0) == 0x80)
		length++;
	if (!text_is_utf8(text, length, &bad) || is_control(text))
		return 0;
	return length == 3 && turns_direction(text) ? 0 : length;
}
