#include "base/text.h"
#include "evidence/slow/study.h"

#include <math.h>

/* Causes that lie in what a device computes, waits for and holds. */

/* ---- recomputation ---- */

/* Attention runs forward once again for each backward pass when its layer is computed again. */
static const double again = 1.5, once = 1.2;

static void change_recompute(struct arena *arena, struct forecast *then,
			     const struct slow_change *change)
{
	(void)arena;
	then->work.recompute = (enum recompute)(int)change->amount;
	then->work.recompute_every = then->work.recompute_unit = 1;
	then->work.recompute_first = 0;
	then->work.recompute_said = true;
}

static const char *asked_words(const struct study *study)
{
	return study->base.work.recompute_said ? "the config asks for less"
					       : "the config does not say so";
}

/* Kernels of attention in a trace: sure, whatever they take. */
static bool judge_passes(const struct study *study, struct slow_cause *cause)
{
	const struct seen_measure *measure;
	double passes;

	measure = study_value(study, SEEN_ATTENTION_PASSES, 0.5, &passes);
	if (!measure || (passes > once && passes < again))
		return false;
	cause->witness = measure->witness;
	cause->basis = passes >= again ? SLOW_SHOWN : SLOW_EXCLUDED;
	cause->says = arena_printf(study->arena,
				   "the trace has %.3g forward passes of attention for each "
				   "backward one%s%s",
				   passes, passes >= again ? ": " : "",
				   passes >= again ? asked_words(study) : "");
	return true;
}

/* What is computed again is not kept: memory tells where the two are far apart. */
static void judge_memory_kept(const struct study *study, struct slow_cause *cause)
{
	const double kept = memory_fullest(&study->base.memory)->reserved;
	const struct seen_measure *measure;
	struct forecast then;
	double value, less;

	measure = study_value(study, SEEN_MEMORY_RESERVED, 1, &value);
	study_forecast(study, &cause->change, &then);
	less = memory_fullest(&then.memory)->reserved;
	cause->says = "neither kernels of attention nor memory tell";
	if (!measure || less > 0.85 * kept || value < 0.75 * less)
		return;
	cause->witness = measure->witness;
	cause->basis = value * value < less * kept ? SLOW_FITS : SLOW_EXCLUDED;
	cause->says = arena_printf(study->arena,
				   "%s were reserved: the forecast has %s as the config is and %s "
				   "where every block is computed again",
				   text_bytes(study->arena, value), text_bytes(study->arena, kept),
				   text_bytes(study->arena, less));
}

static bool judge_recomputation(const struct study *study, struct slow_cause *cause)
{
	if (study->base.work.recompute == RECOMPUTE_FULL)
		return false;
	cause->change = (struct slow_change) { change_recompute, RECOMPUTE_FULL, 0 };
	if (study->base.work.recompute == RECOMPUTE_MODULES ||
	    study->base.work.recompute == RECOMPUTE_LAYERS || !judge_passes(study, cause))
		judge_memory_kept(study, cause);
	return true;
}

const struct slow_row slow_row_recomputation = {
	.name = "recomputation",
	.title = "blocks are computed again that need not be",
	.next = "activation_checkpoint or recompute_* of the launch line and the model's own "
		"gradient checkpointing",
	.judge = judge_recomputation,
	.traced = true,
};

/* ---- the device's own rate ---- */

static void change_device(struct arena *arena, struct forecast *then,
			  const struct slow_change *change)
{
	static const enum figure_id rates[] = { FIGURE_GEMM16, FIGURE_GEMM8, FIGURE_GEMM4,
						FIGURE_ATTENTION, FIGURE_HBM_SHARE };
	size_t i;

	(void)arena;
	for (i = 0; i < sizeof(rates) / sizeof(*rates); i++)
		then->profile.numbers[rates[i]].value /= change->amount;
}

/* The quickest rank's: what one alone takes longer makes it a straggler. */
static bool judge_device(const struct study *study, struct slow_cause *cause)
{
	const double expected = study_computing(study);
	const struct seen_measure *measure;
	double value, factor;

	measure = study_value(study, SEEN_COMPUTING_SECONDS, 0, &value);
	cause->change.apply = change_device;
	if (!measure) {
		cause->says = "no trace tells how long kernels take";
		return true;
	}
	factor = value / expected;
	cause->witness = measure->witness;
	cause->says = arena_printf(study->arena,
				   "kernels that compute take %.3g s a step, the forecast has "
				   "%.3g s",
				   value, expected);
	cause->basis = factor > 1 + study->half ? SLOW_SHOWN : SLOW_EXCLUDED;
	cause->change.amount = factor;
	return true;
}

static const char *need_device(struct arena *arena, double amount)
{
	return arena_printf(arena, "were each kernel %.3g times as long, that would be all of it",
			    amount);
}

const struct slow_row slow_row_device = {
	.name = "device-rate",
	.title = "devices compute below their rate",
	.next = "clocks and power (nvidia-smi -q -d CLOCK,PERFORMANCE), and kernels in a trace "
		"that are not those of the forecast",
	.judge = judge_device,
	.need = need_device,
	.most = 16,
	.traced = true,
};

/* ---- launching ---- */

/* Shares of a step: below them a device that has nothing to do is no matter. */
static const double noticeable = 0.03;

static bool judge_launch(const struct study *study, struct slow_cause *cause)
{
	const struct slow_change at_once = { .apply = change_hosts, .amount = 0 };
	const double swift = study_step(study, &at_once);
	const struct seen_measure *measure;
	double idle;

	measure = study_value(study, SEEN_IDLE_SECONDS, 0, &idle);
	cause->change.apply = change_hosts;
	if (!measure) {
		cause->says = "no trace tells how long devices have nothing to do";
		return true;
	}
	cause->witness = measure->witness;
	cause->says = arena_printf(study->arena,
				   "the device runs nothing for %.3g s a step, the forecast has "
				   "%.3g s of waiting for the host",
				   idle, study->base.step.total - swift);
	cause->basis = SLOW_EXCLUDED;
	if (idle < study->base.step.total - swift + noticeable * study->base.step.total)
		return true;
	cause->basis = SLOW_SHOWN;
	cause->change.amount = study_solve(study, cause->change, 256, swift + idle);
	return true;
}

static const char *need_launch(struct arena *arena, double amount)
{
	return arena_printf(arena,
			    "were hosts %.3g times as slow to launch kernels, that would be all of "
			    "it",
			    amount);
}

const struct slow_row slow_row_launch = {
	.name = "launch-bound",
	.title = "devices wait for their hosts to launch kernels",
	.next = "a trace's gaps between kernels; compilation or CUDA graphs, larger microbatches, "
		"processors that others share, Python's garbage collection",
	.judge = judge_launch,
	.need = need_launch,
	.most = 64,
	.traced = true,
};

/* ---- batches ---- */

static bool judge_loading(const struct study *study, struct slow_cause *cause)
{
	const struct seen_measure *measure;
	double value;

	measure = study_value(study, SEEN_LOADING_SECONDS, 0.5, &value);
	if (!measure) {
		cause->says = "nothing tells how long a batch is waited for";
		return true;
	}
	cause->witness = measure->witness;
	cause->says = arena_printf(study->arena, "a batch is waited for %.3g s a step", value);
	cause->basis = value > noticeable * study->seconds ? SLOW_SHOWN : SLOW_EXCLUDED;
	cause->seconds = value;
	return true;
}

const struct slow_row slow_row_loading = {
	.name = "data-loading",
	.title = "batches are not there in time",
	.next = "more loader workers, prefetching, and where the data lies",
	.judge = judge_loading,
};

/* ---- memory ---- */

static bool judge_memory(const struct study *study, struct slow_cause *cause)
{
	const double capacity = study->base.memory.capacity;
	const struct seen_measure *measure;
	double value;

	measure = study_value(study, SEEN_RETRIES, 1, &value);
	if (measure && value > 0) {
		cause->witness = measure->witness;
		cause->basis = SLOW_SHOWN;
		cause->says = arena_printf(study->arena,
					   "the allocator ran out and freed what it had cached to "
					   "make room (%.0f retries); how long that took nothing "
					   "tells",
					   value);
		return true;
	}
	measure = study_value(study, SEEN_MEMORY_DEVICE, 1, &value);
	measure = measure ? measure : study_value(study, SEEN_MEMORY_RESERVED, 1, &value);
	if (!measure || capacity <= 0) {
		cause->says = "nothing tells how full devices are";
		return true;
	}
	cause->witness = measure->witness;
	cause->basis = value > 0.92 * capacity ? SLOW_FITS : SLOW_EXCLUDED;
	cause->says =
		arena_printf(study->arena, "%s of %s are taken at most",
			     text_bytes(study->arena, value), text_bytes(study->arena, capacity));
	return true;
}

const struct slow_row slow_row_memory = {
	.name = "memory-pressure",
	.title = "device memory is so full that the allocator must free what it caches",
	.next = "allocator retries in the log, torch.cuda.memory_stats()['num_alloc_retries']; "
		"a smaller microbatch or expandable segments",
	.judge = judge_memory,
};
