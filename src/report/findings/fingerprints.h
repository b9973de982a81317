#ifndef REPORT_FINDINGS_FINGERPRINTS_H
#define REPORT_FINDINGS_FINGERPRINTS_H

#include "base/map.h"
#include "report/findings/spot.h"

/*
 * Names by which a tracker knows findings again in the next run: their fingerprints, as a baseline
 * has them, told apart where several are alike. Zero-initialised with `arena` set is empty; one per
 * report.
 */
struct fingerprints {
	struct arena *arena;
	struct map seen; /* by name, index into `counts` */
	VEC(size_t) counts;
};

/* 16 hexadecimal digits; the second alike in one report gets ":2" behind them, and so on. */
const char *fingerprints_name(struct fingerprints *all, const struct checked *file,
			      const struct spot *place, const struct finding *finding);

#endif
