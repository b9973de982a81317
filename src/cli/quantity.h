#ifndef CLI_QUANTITY_H
#define CLI_QUANTITY_H

#include <stdbool.h>

/* "15T", "300B", "1.5e12": a count above 0. False: the text is none. */
bool quantity_count(const char *text, double *count);

/* "90s", "45m", "3h", "2d", or seconds alone: a time above 0, in seconds. False: none. */
bool quantity_seconds(const char *text, double *seconds);

#endif
