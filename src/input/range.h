#ifndef INPUT_RANGE_H
#define INPUT_RANGE_H

#include "base/arena.h"

#include <stdbool.h>

/* What a number may be, both ends included: "0..1" is a share, "0.." has no upper end. */
struct range {
	double low, high; /* high: HUGE_VAL where there is none */
};

/* Of its text; NULL is any number. */
struct range range_of(const char *text);

/* False of what is no number, too. */
bool range_has(const char *text, double number);

/* "number from 0 to 1", "whole number from 1 on". */
const char *range_words(struct arena *arena, const char *text, bool whole);

#endif
