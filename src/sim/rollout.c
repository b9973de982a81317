#include "sim/rollout.h"

#include <math.h>

/* Bytes of a token's keys and values on one rank of the engine, in 16 bits. */
static double token_bytes(const struct workload *work)
{
	const struct model *model = work->model;
	const double heads = fmax((double)model->kv_heads / (double)work->rollout_tp, 1);

	if (model->kv_lora > 0) /* the compressed ones, on every rank */
		return 2 * (double)model->layers * (double)(model->kv_lora + model->qk_rope);
	return 4 * (double)model->layers * heads * (double)model->head_dim;
}

static double kept_by_trainer(const struct workload *work, const struct memory_class *class)
{
	double bytes = class->peak.parts[MEMORY_CONTEXT] + class->peak.parts[MEMORY_COMMUNICATORS];

	if (!work->rollout_offloads)
		bytes += class->resident[HELD_PARAMETER] + class->resident[HELD_OPTIMIZER];
	return bytes;
}

struct rollout rollout_of(const struct workload *work, const struct memory *memory)
{
	struct rollout rollout = { .share = work->rollout_share };

	if (rollout.share <= 0)
		return rollout;
	rollout.taken = rollout.share * memory->capacity;
	rollout.weights = 2 * (double)work->model->total / (double)work->rollout_tp;
	rollout.trainer = kept_by_trainer(work, memory_fullest(memory));
	rollout.tokens = fmax(rollout.taken - rollout.weights, 0) / token_bytes(work);
	if (rollout.weights >= rollout.taken)
		rollout.end = ROLLOUT_NO_CACHE;
	else if (rollout.trainer + rollout.taken > memory->capacity)
		rollout.end = ROLLOUT_NO_ROOM;
	return rollout;
}

/* vLLM's v1/core/kv_cache_utils.py and v1/worker/gpu_worker.py (0.8 to 0.11). */
const char *rollout_quote(enum rollout_end end)
{
	static const char *const quotes[] = {
		[ROLLOUT_NO_CACHE] = "ValueError: No available memory for the cache blocks.",
		[ROLLOUT_NO_ROOM] = "ValueError: Free memory on device on startup is less than "
				    "desired GPU memory utilization",
	};

	return quotes[end];
}
