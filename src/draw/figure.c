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

const struct carried *subject_carried(const struct subject *subject, const struct layout *layout)
{
	size_t i;

	for (i = 0; i < subject->carried_count; i++)
		if (layout_same_groups(&subject->carried[i].layout, layout))
			return &subject->carried[i];
	return NULL;
}

double subject_thickness(const struct subject *subject, const struct layout *layout, double most)
{
	const struct carried *carried = subject_carried(subject, layout);
	double largest = 0;
	size_t i;

	for (i = 0; i < subject->carried_count; i++)
		largest = fmax(largest, subject->carried[i].bytes);
	if (!(largest > 0))
		return 0;
	return fmax(carried ? carried->bytes / largest * most : 0, 1);
}
