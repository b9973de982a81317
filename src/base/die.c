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
	va_list args;

	va_start(args, format);
	outward_vsay(format, args);
	va_end(args);
	exit(2);
}

void die_out_of_memory(void)
{
	fputs("parplan: out of memory\n", stderr);
	exit(2);
}
