#ifndef REPORT_FORECAST_H
#define REPORT_FORECAST_H

#include "base/buf.h"
#include "sim/forecast.h"

#include <stdbool.h>

/* A forecast as `parplan sim` prints it: parplan.sim/1, or text. */
void report_forecast_json(const struct forecast *forecast, struct buf *out);
void report_forecast_text(const struct job *job, const struct forecast *forecast, struct buf *out,
			  bool color, int columns);

/* The table of --collectives: one row per group, collective and what it carries. */
void report_traffic_text(const struct forecast *forecast, struct buf *out, bool color);

#endif
