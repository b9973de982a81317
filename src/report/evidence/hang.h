#ifndef REPORT_EVIDENCE_HANG_H
#define REPORT_EVIDENCE_HANG_H

#include "base/buf.h"
#include "base/json.h"
#include "evidence/hang/find.h"
#include "report/findings/excerpt.h"

/* "culprits": whom the others wait for, and what is known of them. */
void hang_json(struct json_writer *json, const struct hang *hang);

/* What to look at next, where somebody is to blame. */
const char *hang_next(const struct hang *hang);

/* The same in sentences, and what to look at next; nothing where nobody is to blame. */
void hang_text(struct arena *arena, const struct hang *hang, const struct style *style,
	       struct buf *out);

#endif
