#include "base/buf.h"

#include "base/die.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What an unallocated buffer points at: capacity 0 means it is never written. */
static const char nothing[1] = "";

void buf_init(struct buf *buf)
{
	union {
		const char *constant;
		char *data;
	} empty = { nothing };

	buf->data = empty.data;
	buf->length = buf->capacity = 0;
}

void buf_release(struct buf *buf)
{
	if (buf->capacity)
		free(buf->data);
	buf_init(buf);
}

void buf_clear(struct buf *buf)
{
	buf->length = 0;
	if (buf->capacity)
		buf->data[0] = '\0';
}

static void reserve(struct buf *buf, size_t extra)
{
	size_t need, capacity;
	char *data;

	if (extra > SIZE_MAX / 4 - buf->length)
		die_out_of_memory();
	need = buf->length + extra + 1;
	if (need <= buf->capacity)
		return;
	capacity = buf->capacity ? buf->capacity : 64;
	while (capacity < need)
		capacity *= 2;
	data = realloc(buf->capacity ? buf->data : NULL, capacity);
	if (!data)
		die_out_of_memory();
	buf->data = data;
	buf->capacity = capacity;
	buf->data[buf->length] = '\0';
}

void buf_bytes(struct buf *buf, const char *bytes, size_t length)
{
	reserve(buf, length);
	memcpy(buf->data + buf->length, bytes, length);
	buf->length += length;
	buf->data[buf->length] = '\0';
}

void buf_char(struct buf *buf, char c)
{
	buf_bytes(buf, &c, 1);
}

void buf_text(struct buf *buf, const char *text)
{
	buf_bytes(buf, text, strlen(text));
}

void buf_repeat(struct buf *buf, char c, size_t count)
{
	reserve(buf, count);
	memset(buf->data + buf->length, c, count);
	buf->length += count;
	buf->data[buf->length] = '\0';
}

void buf_vprintf(struct buf *buf, const char *format, va_list args)
{
	va_list again;
	int length;

	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length < 0)
		bug("unprintable format '%s'", format);
	reserve(buf, (size_t)length);
	vsnprintf(buf->data + buf->length, (size_t)length + 1, format, args);
	buf->length += (size_t)length;
}

void buf_printf(struct buf *buf, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	buf_vprintf(buf, format, args);
	va_end(args);
}
