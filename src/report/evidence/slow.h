#ifndef REPORT_EVIDENCE_SLOW_H
#define REPORT_EVIDENCE_SLOW_H

#include "base/buf.h"
#include "evidence/slow/slow.h"
#include "report/findings/excerpt.h"

/* What `parplan slow` prints: text, or parplan.slow/1 (docs/schemas/slow.json). */
void report_slow_text(const struct observed *observed, const struct slow *slow,
		      const struct style *style, struct buf *out);
void report_slow_json(const struct observed *observed, const struct slow *slow, struct buf *out);

#endif
