#include "base/text.h"
#include "report/report.h"

#include <string.h>

#define X(name) extern const struct format format_##name;
#include "formats.inc"
#undef X

const struct format *const formats[] = {
#define X(name) &format_##name,
#include "formats.inc"
#undef X
	NULL
};

const struct format *format_find(const char *name)
{
	const struct format *const *format;

	for (format = formats; *format; format++)
		if (!strcmp((*format)->name, name))
			return *format;
	return NULL;
}

const char *format_nearest(struct arena *arena, const char *name)
{
	VEC(const char *) names = { 0 };
	const struct format *const *format;

	for (format = formats; *format; format++)
		vec_push(arena, &names, (*format)->name);
	return text_nearest(name, names.items, names.count);
}
