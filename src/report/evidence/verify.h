#ifndef REPORT_EVIDENCE_VERIFY_H
#define REPORT_EVIDENCE_VERIFY_H

#include "base/buf.h"
#include "base/json.h"
#include "evidence/observed/measured.h"

#include <stdbool.h>

/* All that there is to say of a run and its plan. */
struct verification {
	const struct observed *observed;
	const struct verdict *verdict;
	const struct yardstick *yardstick;
	const struct measured *measured;
};

/* What `parplan verify` prints: text, or parplan.verify/1 (docs/schemas/verify.json). */
void report_verdict_text(const struct verification *verification, struct buf *out, bool color,
			 int columns);
void report_verdict_json(const struct verification *verification, struct buf *out);

/* What `parplan observe` prints: text, parplan.observe/1 (docs/schemas/observe.json), or a native
 * config that would run so. */
void report_observed_text(const struct observed *observed, const struct yardstick *yardstick,
			  struct buf *out, bool color, int columns);
void report_observed_json(const struct observed *observed, const struct yardstick *yardstick,
			  struct buf *out);
void report_observed_yaml(const struct observed *observed, struct buf *out);

/* "traces/rank_0, entry 12" */
const char *witness_text(const struct observed *observed, struct witness witness);

/* Writes the member "effective": degrees by axis, null where they are not known. */
void report_effective(const struct observed *observed, struct json_writer *json);

#endif
