#include "evidence/observed/busy.h"

#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Kernels of attention, one for each call: FlashAttention's (pytorch_flash::flash_fwd_kernel,
 * flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel), cuDNN's (..._sdpa_..._flash_fprop_...,
 * ..._flash_bprop_...), CUTLASS' in PyTorch (fmha_cutlassF_..., fmha_cutlassB_...).
 */
static const char *const forwards[] = { "flash_fwd", "flash_fprop", "fmha_cutlassF" };
static const char *const backwards[] = { "flash_bwd_dq_dk_dv", "flash_bprop", "fmha_cutlassB" };

static bool is_one_of(const char *name, size_t length, const char *const words[3])
{
	return text_mentions(name, length, words[0]) || text_mentions(name, length, words[1]) ||
	       text_mentions(name, length, words[2]);
}

void busy_kernel(struct busy *busy, struct arena *arena, const char *name, size_t length,
		 struct busy_span span)
{
	const bool collective = length >= 4 && !memcmp(name, "nccl", 4);

	vec_push(arena, &busy->kernels, span);
	if (!collective)
		vec_push(arena, &busy->computing, span);
	busy->forward += is_one_of(name, length, forwards);
	busy->backward += is_one_of(name, length, backwards);
}

static int by_begin(const void *left, const void *right)
{
	const struct busy_span *a = left, *b = right;

	return (a->from > b->from) - (a->from < b->from);
}

/* Sorts spans and joins those that touch, within [from, to]; returns how many are left. */
static size_t join(struct busy_span *spans, size_t count, double from, double to)
{
	size_t i, kept = 0;

	if (count)
		qsort(spans, count, sizeof(*spans), by_begin);
	for (i = 0; i < count; i++) {
		const struct busy_span span = { fmax(spans[i].from, from), fmin(spans[i].to, to) };
		if (!(span.from < span.to))
			continue;
		if (kept && span.from <= spans[kept - 1].to)
			spans[kept - 1].to = fmax(spans[kept - 1].to, span.to);
		else
			spans[kept++] = span;
	}
	return kept;
}

static double length_of(const struct busy_span *spans, size_t count)
{
	double length = 0;
	size_t i;

	for (i = 0; i < count; i++)
		length += spans[i].to - spans[i].from;
	return length;
}

/* What two lists of joined spans have in common. */
static double common(const struct busy_span *a, size_t a_count, const struct busy_span *b,
		     size_t b_count)
{
	double both = 0;
	size_t i = 0, k = 0;

	while (i < a_count && k < b_count) {
		both += fmax(0, fmin(a[i].to, b[k].to) - fmax(a[i].from, b[k].from));
		if (a[i].to < b[k].to)
			i++;
		else
			k++;
	}
	return both;
}

static void put(const struct comms *comms, enum seen_quantity quantity, double value)
{
	evidence_measure(comms->intake, quantity, value, comms->rank, comms->steps.items[0].number);
}

void busy_measure(struct busy *busy, const struct comms *comms)
{
	const size_t steps = comms->steps.count;
	double from, to, each, loading;

	if (!steps || !busy->computing.count)
		return;
	from = comms->steps.items[0].from;
	to = comms->steps.items[steps - 1].to;
	each = 1e6 * (double)steps;
	busy->kernels.count = join(busy->kernels.items, busy->kernels.count, from, to);
	busy->computing.count = join(busy->computing.items, busy->computing.count, from, to);
	busy->loading.count = join(busy->loading.items, busy->loading.count, from, to);
	loading = length_of(busy->loading.items, busy->loading.count) -
		  common(busy->loading.items, busy->loading.count, busy->kernels.items,
			 busy->kernels.count);
	comms->intake->record = comms->steps.items[0].record;
	put(comms, SEEN_COMPUTING_SECONDS,
	    length_of(busy->computing.items, busy->computing.count) / each);
	put(comms, SEEN_IDLE_SECONDS,
	    (to - from - length_of(busy->kernels.items, busy->kernels.count) - loading) / each);
	if (busy->loading.count)
		put(comms, SEEN_LOADING_SECONDS, loading / each);
	if (busy->forward && busy->backward)
		put(comms, SEEN_ATTENTION_PASSES, (double)busy->forward / (double)busy->backward);
}
