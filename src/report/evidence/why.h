#ifndef REPORT_EVIDENCE_WHY_H
#define REPORT_EVIDENCE_WHY_H

#include "base/buf.h"
#include "evidence/hang/find.h"
#include "evidence/log/joblog.h"
#include "report/findings/excerpt.h"
#include "report/report.h"

/* Why a job died: what its logs say, and what check finds in its config. */
struct why {
	struct arena *arena;
	const struct joblog *log;
	const struct checked *config; /* NULL: none was given */
	struct hang hang;	      /* whom the others wait for */
};

void why_text(const struct why *why, const struct style *style, struct buf *out);
void why_json(const struct why *why, struct buf *out); /* parplan.why/1 */

/* Puts what check confirms before other causes, in the order that there is. */
void why_rank(const struct why *why, struct joblog *log);

/* What check finds in the config by that rule; `findings` is made anew. */
void why_findings(const struct why *why, const struct rule_id *id, struct findings *findings);

/* What the rule lacked to be judged in the config: "the world size (--world N)"; NULL: nothing. */
const char *why_lacking(const struct why *why, const struct rule_id *id);

/* What check finds in the config that is, or foretells, what the text says; NULL: nothing. */
const struct finding *why_confirms(const struct why *why, const struct log_hit *hit);

/* True when a known text is a cause and not only what follows from one. */
bool why_has_cause(const struct why *why);

#endif
