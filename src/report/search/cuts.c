#include "report/search/search.h"

const char *cut_text(struct arena *arena, const struct cut *cut)
{
	static const char *const texts[] = {
		[CUT_UNFORECAST] = "no forecast can be made",
		[CUT_MEMORY] = "memory, as simulated",
		[CUT_MEMORY_BOUND] = "memory, by its bound",
		[CUT_BOUND] = "slower, by its bound",
		[CUT_WORSE] = "slower, as simulated",
		[CUT_SLOW] = "too few tokens per second",
		[CUT_UNWRITTEN] = "the config cannot say it",
	};

	return cut->why == CUT_RULE ? arena_join(arena, "rule ", cut->rule->name, "")
				    : texts[cut->why];
}

uint64_t cuts_of(const struct tally *tally, unsigned int whys)
{
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < tally->cuts.count; i++)
		if (whys >> tally->cuts.items[i].why & 1)
			count += tally->cuts.items[i].count;
	return count;
}
