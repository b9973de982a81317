#ifndef FRAMEWORK_PLACING_STAGES_H
#define FRAMEWORK_PLACING_STAGES_H

#include "framework/job.h"

/* More stages than this are not laid out. */
enum { PLACED_STAGES_MOST = 4096 };

/*
 * Which pipeline stage holds which blocks: as the config or the framework says, else dealt out
 * evenly, which the plan then says. Plans that have stages already, or no pipeline, stay as they
 * are.
 */
void place_stages(struct job *job, struct plan *plan);

/*
 * Puts `stages` stages of so many blocks each: embedding first, norm and output last. They go round
 * robin over the pipeline ranks, or up and down where `v`.
 */
void put_stages(struct plan *plan, const int64_t *blocks, int64_t stages, bool v);

/* Puts blocks in parts as even as possible, the first ones larger (numpy.array_split). */
void put_even_stages(struct plan *plan, int64_t blocks, int64_t stages, bool v);

#endif
