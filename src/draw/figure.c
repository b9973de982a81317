#include "draw/figure.h"

#include <math.h>
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

double subject_received(const struct subject *subject, const struct layout *layout)
{
	double bytes = 0;
	size_t i;

	for (i = 0; i < subject->carried_count; i++)
		if (layout_same_groups(&subject->carried[i].layout, layout))
			bytes += subject->carried[i].bytes;
	return bytes;
}

double subject_thickness(const struct subject *subject, double bytes, double most)
{
	double largest = 0;
	size_t i;

	for (i = 0; i < subject->carried_count; i++)
		largest = fmax(largest, subject_received(subject, &subject->carried[i].layout));
	return largest > 0 ? fmax(bytes / largest * most, 1) : 0;
}
