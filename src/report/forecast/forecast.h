#ifndef REPORT_FORECAST_FORECAST_H
#define REPORT_FORECAST_FORECAST_H

#include "base/buf.h"
#include "base/json.h"
#include "sim/forecast.h"

#include <stdbool.h>

/*
 * A forecast as `parplan sim` prints it: parplan.sim/1, or text. `asked` is the forecast of the
 * plan as asked, where the applied one shares parameters otherwise; else NULL. `timelines`: with
 * the memory of every class of ranks over the simulated step.
 */
void report_forecast_json(const struct forecast *forecast, const struct forecast *asked,
			  bool timelines, struct buf *out);
void report_forecast_text(const struct job *job, const struct forecast *forecast,
			  const struct forecast *asked, struct buf *out, bool color, int columns);

/* parplan.sim/1 of a job that stops: what is raised, and no figures. */
void report_forecast_stopped(const struct plan_error *error, struct buf *out);

/* What the difference between two plans of a job costs: time, memory, bytes over each group. The
 * heading begins with `what`: "What", or "B: what". */
void report_asked_text(const struct forecast *applied, const struct forecast *asked,
		       const char *what, struct buf *out, bool color);

/* The first line of scenarios, too: which plan's step is forecast. */
void report_forecast_plan(struct json_writer *json, const struct forecast *forecast,
			  const struct forecast *asked, bool timelines);

/* The members of a forecast in parplan.sim/1, into an object that is open. */
void report_forecast_members(struct json_writer *json, const struct forecast *forecast,
			     bool timelines);

/* What a job asks for and no forecast counts (struct workload, not_counted). */
void report_uncounted_text(const struct node *words, struct buf *out, bool color, int columns);
void report_uncounted_json(const struct node *words, struct json_writer *json);

/* The table of --collectives: one row per group, collective and what it carries. */
void report_traffic_text(const struct forecast *forecast, struct buf *out, bool color);

/* The tables of --memory-report: memory of each class of ranks, when, and what would save some. */
void report_memory_text(const struct job *job, const struct forecast *forecast, struct buf *out,
			bool color);

/*
 * The simulated step as a timeline in Chrome's trace-event format (JSON), for Perfetto and
 * chrome://tracing: a process per pipeline rank, a thread per stream, arrows where computing waits
 * for what is sent or gathered, and what tensors hold over the step. Times are in eighths of a
 * microsecond. Of threads with very many tasks the middle becomes one slice, so that a file stays
 * below 50 MB; otherData counts what is left out.
 */
void report_forecast_trace(const struct job *job, const struct forecast *forecast, struct buf *out);

#endif
