#include "report/search/search.h"

#include "cost/units.h"

#include <math.h>

/* "--fix parallelism.tp=8 and --fix parallelism.pp=2 exclude" */
static const char *options_text(const struct search *search)
{
	const size_t count = search->excluded.count;
	const char *text = "";
	size_t i;

	for (i = 0; i < count; i++)
		text = arena_join(search->arena, text,
				  !i		   ? ""
				  : i + 1 == count ? " and "
						   : ", ",
				  search->excluded.items[i]);
	return arena_join(search->arena, text, count == 1 ? " excludes" : " exclude", "");
}

/* "it takes 3.1 % more time and" */
static const char *rank_text(const struct search *search, const struct outcome *best)
{
	const enum objective objective = search->aim.objective;
	const int which = objective == OBJECTIVE_GPUS;
	const double more = search->current.score[which] / best->score[which] - 1;

	return arena_printf(search->arena, "it %s %.1f %% %s%s",
			    objective == OBJECTIVE_COST ? "costs" : "takes", 100 * fabs(more),
			    more < 0 ? "less" : "more",
			    objective == OBJECTIVE_COST	    ? " and takes"
			    : objective == OBJECTIVE_TOKENS ? " time per token and"
							    : " time and");
}

const char *yours_excluded_text(const struct search *search, const struct outcome *best)
{
	const double bytes = search->current.memory - best->memory;

	return arena_printf(search->arena,
			    ": not among what was searched, as %s it; %s %.1f GiB %s memory than "
			    "the best there",
			    options_text(search), rank_text(search, best), fabs(bytes) / GIB,
			    bytes < 0 ? "less" : "more");
}
