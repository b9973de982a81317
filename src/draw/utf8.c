#include "draw/utf8.h"

#include <stdbool.h>
#include <string.h>

/* What the second byte may be after each first byte: no overlong forms, no surrogates, no C1
 * controls. */
static const struct {
	unsigned char first, last, low, high;
	unsigned char length;
} leads[] = {
	{ 0xc2, 0xc2, 0xa0, 0xbf, 2 }, { 0xc3, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
	{ 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
	{ 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

static bool is_noncharacter(const char *text)
{
	return !strncmp(text, "\xef\xbf\xbe", 3) || !strncmp(text, "\xef\xbf\xbf", 3);
}

static size_t sequence(const char *text, size_t row)
{
	unsigned char second = (unsigned char)text[1];
	size_t i;

	if (second < leads[row].low || second > leads[row].high || is_noncharacter(text))
		return 0;
	for (i = 2; i < leads[row].length; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return 0;
	return leads[row].length;
}

size_t utf8_character(const char *text)
{
	unsigned char lead = (unsigned char)*text;
	size_t i;

	if (lead < 0x80)
		return lead >= 0x20 && lead != 0x7f;
	for (i = 0; i < sizeof(leads) / sizeof(*leads); i++)
		if (lead >= leads[i].first && lead <= leads[i].last)
			return sequence(text, i);
	return 0;
}
