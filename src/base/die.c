#include "base/die.h"

#include "base/outward.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void bug_at(const char *file, int line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "parplan: bug at %s:%d: ", file, line);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	abort();
}

void die(const char *format, ...)
{
	struct buf text;
	va_list args;

	buf_init(&text);
	buf_text(&text, "parplan: ");
	va_start(args, format);
	buf_vprintf(&text, format, args);
	va_end(args);
	buf_char(&text, '\n');
	outward_complain(&text);
	exit(2);
}

void die_out_of_memory(void)
{
	fputs("parplan: out of memory\n", stderr);
	exit(2);
}
