#ifndef EVIDENCE_OBSERVED_BUSY_H
#define EVIDENCE_OBSERVED_BUSY_H

#include "evidence/observed/comms.h"

/*
 * What a rank's device does over the steps of a trace: seconds in which it computes, in which it
 * has nothing to do, and of these those in which the host waits for a batch.
 */
struct busy_span {
	double from, to; /* in the clock of the trace, us */
};

struct busy {
	VEC(struct busy_span) kernels;	 /* whatever runs on the device */
	VEC(struct busy_span) computing; /* that is no collective */
	VEC(struct busy_span) loading;	 /* on the host: a batch is waited for */
	int64_t forward, backward;	 /* kernels of the attention core */
};

/* An event of the device, by its name. */
void busy_kernel(struct busy *busy, struct arena *arena, const char *name, size_t length,
		 struct busy_span span);

/* Measures per step; nothing where no steps are marked or no kernel was traced. */
void busy_measure(struct busy *busy, const struct comms *comms);

#endif
