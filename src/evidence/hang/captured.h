#ifndef EVIDENCE_HANG_CAPTURED_H
#define EVIDENCE_HANG_CAPTURED_H

#include "evidence/evidence.h"
#include "evidence/hang/find.h"

/* Whom the others wait for in a run of which this was captured. */
struct hang hang_of(struct capture *capture);

#endif
