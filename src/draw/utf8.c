#include "draw/utf8.h"

#include <string.h>

size_t utf8_character(const char *text)
{
	unsigned char lead = (unsigned char)*text, next = (unsigned char)text[1];
	size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4, i;

	if (length == 1)
		return lead >= 0x20 && lead != 0x7f;
	if (lead < 0xc2 || lead > 0xf4)
		return 0;
	for (i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	if (lead == 0xc2 && next < 0xa0) /* C1 controls */
		return 0;
	if ((lead == 0xe0 && next < 0xa0) || (lead == 0xf0 && next < 0x90)) /* overlong */
		return 0;
	if ((lead == 0xed && next >= 0xa0) ||
	    (lead == 0xf4 && next >= 0x90)) /* surrogates, beyond */
		return 0;
	if (!strncmp(text, "\xef\xbf\xbe", 3) || !strncmp(text, "\xef\xbf\xbf", 3))
		return 0;
	return length;
}
