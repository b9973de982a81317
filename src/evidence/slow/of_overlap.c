#include "evidence/slow/study.h"

#include <math.h>

/* Causes that lie in what should run at once and does not. */

/*
 * What is not hidden is the least sure part of a forecast: up to `even` times of it nothing is
 * lost, from `twice` of it something is, where it is also a share of the step that anybody would
 * notice.
 */
static const double even = 1.25, twice = 2, noticeable = 0.03;

/* The mean of what one file tells of a quantity; 0: nothing. */
static double mean_of(const struct capture *capture, enum seen_quantity quantity, int32_t file)
{
	double sum = 0;
	size_t i, count = 0;

	for (i = 0; i < capture->measures.count; i++) {
		const struct seen_measure *measure = &capture->measures.items[i];
		if (measure->quantity != quantity || measure->witness.file != file)
			continue;
		sum += measure->value;
		count++;
	}
	return count ? sum / (double)count : 0;
}

/*
 * Seconds of a step in which a device runs collectives alone, of the traced rank that has fewest:
 * what is left of it beside computing, idling and waiting for a batch. NaN: no trace tells.
 */
static double exposed_of(const struct study *study, struct witness *witness)
{
	const struct capture *capture = study->observed->capture;
	double least = (double)NAN;
	size_t i;

	for (i = 0; i < capture->measures.count; i++) {
		const struct seen_measure *measure = &capture->measures.items[i];
		const int32_t file = measure->witness.file;
		const double step = mean_of(capture, SEEN_STEP_SECONDS, file);
		const double alone = step - measure->value -
				     mean_of(capture, SEEN_IDLE_SECONDS, file) -
				     mean_of(capture, SEEN_LOADING_SECONDS, file);
		if (measure->quantity != SEEN_COMPUTING_SECONDS || step <= 0 || alone >= least)
			continue;
		least = fmax(alone, 0);
		*witness = measure->witness;
	}
	return least;
}

static double expected_of(const struct step *step)
{
	return step->tensor + step->context + step->expert + step->data + step->bubble;
}

static bool judge_overlap(const struct study *study, struct slow_cause *cause)
{
	const double expected = expected_of(&study->base.step);
	const double exposed = exposed_of(study, &cause->witness);

	if (study->job->world < 2)
		return false;
	if (isnan(exposed)) {
		cause->says = "no trace tells what runs beside collectives";
		return true;
	}
	cause->says = arena_printf(study->arena,
				   "collectives run with nothing beside them for %.3g s a step, "
				   "the forecast has %.3g s",
				   exposed, expected);
	if (exposed < even * expected || exposed - expected < noticeable * study->seconds)
		cause->basis = SLOW_EXCLUDED;
	else if (exposed > twice * expected)
		cause->basis = SLOW_SHOWN;
	if (cause->basis == SLOW_SHOWN)
		cause->seconds = exposed - expected;
	return true;
}

const struct slow_row slow_row_overlap = {
	.name = "lost-overlap",
	.title = "collectives that should run beside computing run alone",
	.next = "in a trace, what collectives wait for: one stream for both, a synchronisation in "
		"between, prefetching that is off, CUDA_DEVICE_MAX_CONNECTIONS, overlap flags",
	.judge = judge_overlap,
	.traced = true,
};
