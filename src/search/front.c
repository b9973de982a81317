#include "search/front.h"

#include <math.h>
#include <stdlib.h>

struct point {
	double time, free;
	size_t outcome;
};

static int by_time(const void *a, const void *b)
{
	const struct point *one = a, *other = b;

	if (one->time < other->time || one->time > other->time)
		return one->time < other->time ? -1 : 1;
	if (one->free < other->free || one->free > other->free)
		return one->free > other->free ? -1 : 1;
	return one->outcome < other->outcome ? -1 : one->outcome > other->outcome;
}

bool *front_of(struct arena *arena, const struct outcome *outcomes, size_t count,
	       bool (*stands)(void *context, size_t outcome), void *context)
{
	struct point *points = arena_array(arena, count + 1, sizeof(*points));
	bool *front = arena_array(arena, count + 1, sizeof(*front));
	double most = -HUGE_VAL, latest = HUGE_VAL;
	size_t i;

	for (i = 0; i < count; i++)
		points[i] = (struct point) { outcomes[i].time,
					     outcomes[i].capacity - outcomes[i].memory, i };
	if (count)
		qsort(points, count, sizeof(*points), by_time);
	for (i = 0; i < count && points[i].time <= latest; i++)
		if (points[i].free > most && stands(context, points[i].outcome)) {
			front[points[i].outcome] = true;
			most = points[i].free;
			latest = fmin(latest, FRONT_SLOWEST * points[i].time);
		}
	return front;
}
