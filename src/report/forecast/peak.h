#ifndef REPORT_FORECAST_PEAK_H
#define REPORT_FORECAST_PEAK_H

#include "base/buf.h"
#include "sim/forecast.h"

/* What runs when a class is at its peak: "backward of block 31, microbatch 3 of 8". */
void moment_put(struct buf *out, const struct forecast *forecast,
		const struct memory_moment *moment);

/* What a part of memory is called in tables. */
const char *memory_part_name(enum memory_part part);

#endif
