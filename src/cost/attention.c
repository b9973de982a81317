#include "cost/attention.h"

#include "cost/units.h"

#include <math.h>

double attention_seen(double seq, double window, bool pieces)
{
	const double share = window / seq;

	if (share >= 1)
		return 1;
	return pieces ? share : share * (2 - share);
}

/* The head size at which rates of attention are published, half and twice it. */
enum { HEAD = 128, HALF_HEAD = 64, TWICE_HEAD = 256 };

/*
 * Rate at a head size over that at 128: below, the softmax's share of each score's time stays while
 * the products shrink; above, registers run short.
 */
static double at_head_size(double head, double half, double twice)
{
	const double saved = (1 - 0.5 / half) / (HEAD - HALF_HEAD);

	if (head < HEAD)
		return head / HEAD / (1 - saved * (HEAD - head));
	return 1 - (1 - twice) * fmin((head - HEAD) / (TWICE_HEAD - HEAD), 1);
}

/* Rate over that of FlashAttention 2 at long sequences and head size 128, through whole steps. */
static double share_of(const struct profile *profile, enum attention_kind kind)
{
	const double sustained = profile_get(profile, FIGURE_ATTENTION_SUSTAINED);

	switch (kind) {
	case ATTENTION_FIRST:
		return sustained * profile_get(profile, FIGURE_ATTENTION_FIRST);
	case ATTENTION_TRITON:
		return sustained * profile_get(profile, FIGURE_ATTENTION_TRITON);
	case ATTENTION_ASYNC:
		return profile_get(profile, FIGURE_ATTENTION_SUSTAINED_ASYNC) *
		       profile_get(profile, FIGURE_ATTENTION_ASYNC);
	case ATTENTION_SECOND:
	case ATTENTION_WIDE:
		break;
	}
	return sustained;
}

/*
 * Peak of what the kernel multiplies with: of fp32 three products in tf32 are one (pytorch@v2.9.0
 * aten/src/ATen/native/transformers/cuda/mem_eff_attention/gemm_kernel_utils.h,
 * OpMultiplyAddFastF32 from Ampere on), or the units of fp32.
 */
static double peak_of(const struct profile *profile, enum attention_kind kind)
{
	if (kind != ATTENTION_WIDE)
		return profile_get(profile, FIGURE_PEAK_BF16);
	return fmax(profile_get(profile, FIGURE_PEAK_TF32) / 3,
		    profile_get(profile, FIGURE_PEAK_FP32));
}

/* Operations per second of a fused kernel forward. */
static double fused_rate(const struct profile *profile, const struct attention_core *core)
{
	const double head = core->width / 2;
	const double ramp = profile_get(profile, FIGURE_ATTENTION_RAMP);
	const double rate = TERA * peak_of(profile, core->kind) *
			    profile_get(profile, FIGURE_ATTENTION) * share_of(profile, core->kind);

	if (core->kind != ATTENTION_ASYNC)
		return rate * at_head_size(head, profile_get(profile, FIGURE_ATTENTION_64),
					   profile_get(profile, FIGURE_ATTENTION_256));
	return rate * core->seq / (core->seq + ramp) *
	       at_head_size(head, profile_get(profile, FIGURE_ATTENTION_64_ASYNC),
			    profile_get(profile, FIGURE_ATTENTION_256_ASYNC));
}

/* Five products backward, two forward, of half the pairs: none sees the future. */
struct attention_time attention_fused(const struct profile *profile,
				      const struct attention_core *core)
{
	const double time = core->pairs * core->width / fused_rate(profile, core) +
			    MICRO * profile_get(profile, FIGURE_KERNEL_LATENCY);

	return (struct attention_time) {
		time, 5 * time / 2 / profile_get(profile, FIGURE_ATTENTION_BACKWARD)
	};
}

/*
 * Seconds of one batch of products, one for each head: of queries with keys, whose inner size is a
 * head's, or of scores with values, over all keys.
 */
static double batch(const struct profile *profile, const struct attention_core *core, bool values)
{
	const enum format_kind format = core->format <= FORMAT_TF32 ? core->format : FORMAT_BF16;
	const double queries = core->pairs / core->heads / core->seq, head = core->width / 2;
	const double odd = core->odd ? profile_get(profile, FIGURE_ODD_HEAD) : 1;

	return odd * kernel_grouped_gemm(profile, format, core->heads, queries,
					 values ? head : core->seq, values ? core->seq : head);
}

/* Each has two backward; of those four one has a head's inner size, three are over keys or queries.
 */
struct attention_time attention_scores(const struct profile *profile,
				       const struct attention_core *core)
{
	const bool wide = core->format <= FORMAT_TF32;
	const double scores = batch(profile, core, false), values = batch(profile, core, true);
	const double chain = core->chained && !wide ? profile_get(profile, FIGURE_SCORE_CHAIN) : 0;
	const double passes =
		kernel_memory(profile, (wide ? 4 : 2) * core->pairs *
					       (profile_get(profile, FIGURE_SCORE_PASSES) + chain));

	return (struct attention_time) {
		scores + values + passes,
		scores + 3 * values + profile_get(profile, FIGURE_SCORE_BACKWARD) * passes
	};
}
