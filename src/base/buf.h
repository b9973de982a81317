#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdarg.h>
#include <stddef.h>

/*
 * Text under construction. `data` is never NULL and always ends in a NUL, so
 * it can be used as a string at any time. Out of memory ends the program.
 */
struct buf {
	char *data;
	size_t length, capacity;
};

void buf_init(struct buf *buf);
void buf_release(struct buf *buf);
void buf_clear(struct buf *buf);

void buf_char(struct buf *buf, char c);
void buf_text(struct buf *buf, const char *text);
void buf_bytes(struct buf *buf, const char *bytes, size_t length);
void buf_repeat(struct buf *buf, char c, size_t count);
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *buf, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

#endif
