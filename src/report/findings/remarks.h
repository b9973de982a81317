#ifndef REPORT_FINDINGS_REMARKS_H
#define REPORT_FINDINGS_REMARKS_H

#include "base/finding.h"

enum { REMARKS = 5 };

/* One line under a finding: "requested: ...", "torch 2.9 stops with: ...". */
struct remark {
	const char *label, *text;
};

/*
 * Fills in what there is to say about a finding beyond its message, in the order in which it is
 * read, and returns how many remarks that are.
 */
size_t remarks_of(struct arena *arena, const struct finding *finding,
		  struct remark remarks[REMARKS]);

/*
 * A related place in another text than the finding's own, where the excerpt cannot mark it:
 * "message (train.yaml:9:7)". NULL where it can.
 */
const char *remark_elsewhere(struct arena *arena, const struct finding *finding,
			     const struct related *related);

#endif
