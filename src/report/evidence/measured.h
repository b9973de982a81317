#ifndef REPORT_EVIDENCE_MEASURED_H
#define REPORT_EVIDENCE_MEASURED_H

#include "base/json.h"
#include "evidence/observed/measured.h"
#include "report/findings/excerpt.h"

/* Measurements beside the forecast: a section of what `parplan verify` prints; nothing where there
 * is nothing to compare. */
void report_measured_text(const struct observed *observed, const struct yardstick *yardstick,
			  const struct measured *measured, const struct style *style,
			  struct buf *out);

/* What was measured of steps alone: a section of what `parplan observe` prints. */
void report_steps_text(const struct observed *observed, const struct measured *measured,
		       const struct style *style, struct buf *out);

/* The member "forecast" of parplan.verify/1, into an object that is open. */
void report_measured_json(const struct observed *observed, const struct yardstick *yardstick,
			  const struct measured *measured, struct json_writer *json);

/* What a quantity is called in JSON: "step_s". */
const char *quantity_name(enum seen_quantity quantity);

/* Writes a number, or null where it is not known. */
void write_number(struct json_writer *json, const char *key, double value, bool known);

#endif
