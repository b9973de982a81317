#ifndef DRAW_SUBJECT_H
#define DRAW_SUBJECT_H

#include "draw/figure.h"
#include "evidence/observed/observed.h"
#include "framework/job.h"

/*
 * What figures show of a job whose rules have run; `path` is its file, or "-". The arena must
 * outlive the subject. The caller adds what options ask for: axes, a parameter, every rank.
 */
struct subject subject_of_job(struct arena *arena, struct job *job, const char *path);

/*
 * Adds what a step moves over each group, and where the device is known what it costs, as requested
 * and as applied. Without a forecast of the latter judge_raised or job->unforecast says why.
 */
void subject_forecast(struct subject *subject, struct job *job);

/* Makes it what evidence shows of a run: its groups in place of the plans, and what they carried.
 */
void subject_observe(struct subject *subject, const struct observed *observed);

/* Marks the ranks that others wait for. */
void subject_blame(struct subject *subject, const struct hang *hang);

/* Puts what evidence shows of a run in place of the plan that the framework builds. */
void subject_compare(struct subject *subject, const struct observed *observed);

/* What keeps every figure from being drawn, beginning with the path; NULL when nothing does. */
const char *subject_trouble(const struct job *job, const char *path);

#endif
