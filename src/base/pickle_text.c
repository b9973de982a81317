#include "base/pickle_text.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

static void put_text(struct pickle_value *value, enum pickle_kind kind, const char *text,
		     size_t length)
{
	value->kind = kind;
	value->count = (uint32_t)length;
	value->as.text = text;
}

static bool is_decimal(const char *text, size_t length)
{
	size_t i = length && text[0] == '-', digits;

	for (digits = 0; i < length && text[i] >= '0' && text[i] <= '9'; i++)
		digits++;
	return digits && i == length;
}

bool pickle_text_int(struct pickle_value *value, const char *text, size_t length, bool booleans)
{
	char copy[24];

	if (booleans && length == 2 && text[0] == '0' && (text[1] == '0' || text[1] == '1')) {
		value->kind = PICKLE_BOOL;
		value->as.integer = text[1] == '1';
		return true;
	}
	if (!booleans && length && text[length - 1] == 'L')
		length--;
	if (!is_decimal(text, length))
		return false;
	put_text(value, PICKLE_BIG, text, length);
	if (length >= sizeof(copy))
		return true;
	memcpy(copy, text, length);
	copy[length] = '\0';
	if (text_to_int(copy, &value->as.integer))
		value->kind = PICKLE_INT;
	else
		value->as.text = text;
	return true;
}

bool pickle_text_float(struct pickle_value *value, const char *text, size_t length)
{
	char copy[64];

	if (length >= sizeof(copy))
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	value->kind = PICKLE_FLOAT;
	if (!strcmp(copy, "nan"))
		value->as.number = (double)NAN;
	else if (!strcmp(copy, "inf") || !strcmp(copy, "-inf"))
		value->as.number = copy[0] == '-' ? -HUGE_VAL : HUGE_VAL;
	else
		return text_to_double(copy, &value->as.number);
	return true;
}

/* `digits` hexadecimal digits at `text`; -1 when there are others or too few. */
static int32_t hexadecimal(const char *text, size_t room, size_t digits)
{
	int32_t code = 0;
	size_t i;

	if (room < digits)
		return -1;
	for (i = 0; i < digits; i++) {
		static const char figures[] = "0123456789abcdef0123456789ABCDEF";
		const char *figure = memchr(figures, text[i], sizeof(figures) - 1);
		if (!figure || code > 0x10FFFF)
			return -1;
		code = code * 16 + (int32_t)((figure - figures) % 16);
	}
	return code;
}

static char *put_utf8(char *to, int32_t code)
{
	if (code < 0x80) {
		*to++ = (char)code;
	} else if (code < 0x800) {
		*to++ = (char)(0xC0 | code >> 6);
		*to++ = (char)(0x80 | (code & 0x3F));
	} else if (code < 0x10000) {
		*to++ = (char)(0xE0 | code >> 12);
		*to++ = (char)(0x80 | (code >> 6 & 0x3F));
		*to++ = (char)(0x80 | (code & 0x3F));
	} else {
		*to++ = (char)(0xF0 | code >> 18);
		*to++ = (char)(0x80 | (code >> 12 & 0x3F));
		*to++ = (char)(0x80 | (code >> 6 & 0x3F));
		*to++ = (char)(0x80 | (code & 0x3F));
	}
	return to;
}

/* One escape of repr behind its backslash; moves *at. -1: none that repr writes. */
static int32_t escape(const char *text, size_t length, size_t *at)
{
	static const char names[] = "\\'\"nrt", codes[] = "\\'\"\n\r\t";
	const char *name;
	int32_t code;

	if (*at >= length)
		return -1;
	if (text[*at] == 'x') {
		code = hexadecimal(text + *at + 1, length - *at - 1, 2);
		*at += 3;
		return code;
	}
	name = memchr(names, text[*at], sizeof(names) - 1);
	(*at)++;
	return name ? codes[name - names] : -1;
}

bool pickle_text_string(struct pickle_value *value, struct arena *arena, const char *text,
			size_t length)
{
	char *copy, *to;
	size_t i = 0;

	if (length < 2 || (text[0] != '\'' && text[0] != '"') || text[length - 1] != text[0])
		return false;
	text++;
	length -= 2;
	put_text(value, PICKLE_STRING, text, length);
	if (!memchr(text, '\\', length))
		return true;
	copy = to = arena_alloc(arena, length);
	while (i < length) {
		int32_t code = (unsigned char)text[i++];
		if (code == '\\' && (code = escape(text, length, &i)) < 0)
			return false;
		*to++ = (char)code;
	}
	put_text(value, PICKLE_STRING, copy, (size_t)(to - copy));
	return true;
}

/* The character at *at, which moves behind it; -1 when its escape is broken. */
static int32_t character(const char *text, size_t length, size_t *at)
{
	int32_t code = (unsigned char)text[(*at)++];
	size_t digits;

	if (code != '\\' || *at >= length || (text[*at] | 0x20) != 'u')
		return code;
	digits = text[*at] == 'u' ? 4 : 8;
	code = hexadecimal(text + *at + 1, length - *at - 1, digits);
	*at += 1 + digits;
	return code > 0x10FFFF ? -1 : code;
}

bool pickle_text_unicode(struct pickle_value *value, struct arena *arena, const char *text,
			 size_t length)
{
	char *copy = arena_alloc(arena, 2 * length), *to = copy;
	size_t i = 0;

	while (i < length) {
		int32_t code = character(text, length, &i);
		if (code < 0)
			return false;
		to = put_utf8(to, code);
	}
	put_text(value, PICKLE_STRING, copy, (size_t)(to - copy));
	return true;
}

static void put_big(struct pickle_value *value, struct arena *arena, const unsigned char *bytes,
		    size_t length)
{
	static const char figures[] = "0123456789abcdef";
	bool negative = bytes[length - 1] & 0x80, carry = true;
	char *text = arena_alloc(arena, 2 * length + 4), *to;
	size_t i;

	to = text + 2 * length + 3;
	for (i = 0; i < length; i++) {
		unsigned byte = negative ? (unsigned char)~bytes[i] + (unsigned)carry : bytes[i];
		carry = byte > 0xFF;
		*--to = figures[byte & 0xF];
		*--to = figures[byte >> 4 & 0xF];
	}
	while (*to == '0' && to[1])
		to++;
	*--to = 'x';
	*--to = '0';
	if (negative)
		*--to = '-';
	put_text(value, PICKLE_BIG, to, (size_t)(text + 2 * length + 3 - to));
}

void pickle_text_long(struct pickle_value *value, struct arena *arena, const unsigned char *bytes,
		      size_t length)
{
	uint64_t bits;
	size_t i;

	if (length > 8) {
		put_big(value, arena, bytes, length);
		return;
	}
	bits = length && bytes[length - 1] & 0x80 ? UINT64_MAX : 0;
	for (i = length; i-- > 0;)
		bits = bits << 8 | bytes[i];
	value->kind = PICKLE_INT;
	memcpy(&value->as.integer, &bits, sizeof(bits));
}
