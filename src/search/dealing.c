#include "search/dealing.h"

#include "base/text.h"

struct dealing dealing_of(const struct reference *reference, int64_t pp, int64_t stages)
{
	const int64_t *ends = reference->ends;
	const int64_t units = reference->work.model->layers + ends[0] + ends[1];
	const struct cut_pipeline *cut = reference_pipeline(reference, pp);

	if (!reference->even || (cut && !cut->even))
		return (struct dealing) { 0 };
	if (!reference->ordered)
		return (struct dealing) { stages, units / stages, 0, 1, 1 };
	return (struct dealing) { stages, units / stages, units % stages, ends[0], ends[1] };
}

int64_t dealing_blocks(const struct dealing *dealing, int64_t stage)
{
	const int64_t less =
		(stage ? 0 : dealing->first) + (stage == dealing->stages - 1 ? dealing->last : 0);
	const int64_t units = dealing->each + (stage < dealing->more);

	return units > less ? units - less : 0;
}

bool dealing_holds(const struct dealing *dealing, const struct plan *plan)
{
	size_t i, k;

	for (i = 0; i < plan->stages.count; i++) {
		const struct stage *stage = &plan->stages.items[i];
		int64_t blocks = 0;
		for (k = 0; k < stage->modules.count; k++)
			blocks += text_starts(stage->modules.items[k], "layers.");
		if (blocks < dealing_blocks(dealing, stage->index))
			return false;
	}
	return true;
}
