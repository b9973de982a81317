#ifndef SEARCH_GATHERS_H
#define SEARCH_GATHERS_H

#include "base/arena.h"
#include "sim/workload.h"

/* Seconds of gathers by whom they are between: the same for all layouts that cut parameters alike.
 */
struct gathers;

struct gathers *gathers_new(struct arena *arena);

/*
 * Seconds to gather one of `blocks` parts of so many elements, if they were gathered together: by
 * as many ranks as share dense parameters, which are as near to each other as `work` says. `site`
 * and the number of ranks tell what else they depend on.
 */
double gathers_seconds(struct gathers *known, const struct profile *profile,
		       const struct workload *work, int64_t site, double elements, double blocks);

#endif
