#include "rules/sayings.h"

#include "plan/exception.h"

#include <string.h>

static bool belongs(const struct exception *row, const char *rule)
{
	return !strcmp(row->rule, rule) || (row->also && !strcmp(row->also, rule));
}

static const struct saying *raised_next(struct saying_walk *walk)
{
	const struct exceptions *table;

	for (; (table = exception_tables[walk->table]); walk->table++, walk->row = 0)
		while (walk->row < table->count) {
			const struct exception *row = &table->rows[walk->row++];
			if (row->says.speaker && belongs(row, walk->id->name))
				return &row->says;
		}
	return NULL;
}

const struct saying *saying_next(struct saying_walk *walk)
{
	const struct saying *saying = raised_next(walk), *own = walk->id->says;

	if (saying || !own || !own[walk->own].text)
		return saying;
	return &own[walk->own++];
}
