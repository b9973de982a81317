#ifndef REPORT_FORECAST_SCENARIO_H
#define REPORT_FORECAST_SCENARIO_H

#include "report/forecast/forecast.h"
#include "rules/changes.h"
#include "sim/speedup.h"

/*
 * Forecasts side by side: the first is what the others are held against, and they are either the
 * same config with something changed (what if) or other configs.
 */
struct scenario {
	const char *name; /* a path; NULL: the first one, changed */
	const struct job *job;
	const struct forecast *forecast;
	const struct forecast *asked;  /* of the plan as asked, where its step costs otherwise */
	const struct changes *changes; /* against the first; NULL for that */
};

struct scenarios {
	struct arena *arena;
	VEC(struct scenario) list; /* two at least */
};

/* The speed of the i-th against the first. */
struct speedup scenario_speedup(const struct scenarios *scenarios, size_t i);

/* A part of a step that one scenario spends more or less on than another. */
struct moved {
	const char *name; /* "computing", as the text has it */
	const char *key;  /* "compute", as breakdown_s has it */
	double seconds;	  /* more than the first, negative: less */
};

/* The part that changes most in absolute seconds. */
struct moved scenario_moved(const struct scenarios *scenarios, size_t i);

/* Parts of a step in the order of both reports, ended by a NULL name. */
struct step_part {
	const char *name, *key;
	size_t offset; /* of a double in struct step */
};

extern const struct step_part step_parts[];

double step_part_of(const struct step *step, const struct step_part *part);

void report_scenarios_text(const struct scenarios *scenarios, struct buf *out, bool color,
			   int columns);

/* parplan.sim/1 of the first, with the others under "what_if" (one) or "compare" (a list). */
void report_scenarios_json(const struct scenarios *scenarios, bool timelines, struct buf *out);

#endif
