#include "draw/figure.h"

#include <string.h>

#define X(name) extern const struct figure figure_##name;
#include "figures.inc"
#undef X

const struct figure *const figures[] = {
#define X(name) &figure_##name,
#include "figures.inc"
#undef X
	NULL
};

const struct figure *figure_find(const char *name)
{
	const struct figure *const *figure;

	for (figure = figures; *figure; figure++)
		if (!strcmp((*figure)->name, name))
			return *figure;
	return NULL;
}
