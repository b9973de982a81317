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

size_t utf8_character(const char *text)
{
	size_t length = 1, bad;

	while ((unsigned char)*text >= 0xc0 && length < 4 && (text[length] & 0xc0) == 0x80)
		length++;
	return text_is_utf8(text, length, &bad) && !is_control(text) ? length : 0;
}
