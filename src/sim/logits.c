#include "sim/logits.h"

#include "cost/kernel.h"

#include <math.h>
#include <string.h>

/* Answers are held against others: log-probabilities of theirs are no trainer's usual loss. */
static bool prefers(const struct workload *work)
{
	return work->sequences > 1 || work->passes > 0;
}

void logits_put(struct workload *work, const struct job *job)
{
	static const char *const words[] = {
		[LOSS_WHOLE] = "whole",	    [LOSS_IN_PLACE] = "in_place",
		[LOSS_CHUNKED] = "chunked", [LOSS_RECOMPUTED] = "recomputed",
		[LOSS_TILED] = "tiled",	    [LOSS_FUSED] = "fused",
	};
	const struct settings *settings = &job->settings;
	const char *word = setting_text(settings, FIELD_LOSS_KIND, "");
	int kind;

	for (kind = LOSS_WHOLE; kind <= LOSS_FUSED; kind++)
		if (!strcmp(word, words[kind]))
			work->loss = (enum loss_kind)kind;
	work->loss_unknown = setting_unresolved(settings, FIELD_LOSS_KIND) ||
			     (!*word && prefers(work) && !work->scalar_head);
	work->loss_chunks = setting_int(settings, FIELD_LOSS_CHUNKS, 0);
	work->loss_tokens = setting_int(settings, FIELD_LOSS_TOKENS, 0);
}

/* Parts of the sequence that a chunked loss takes one by one, unless it is told. */
enum { CHUNKS = 8 };

static double rows_of(const struct workload *work)
{
	return (double)workload_tokens(work);
}

/* Logits of a token on this rank. */
static double columns_of(const struct workload *work)
{
	return (double)work->model->vocab / (double)work->tp;
}

/* Elements of the projection on this rank. */
static double elements_of(const struct workload *work)
{
	return columns_of(work) * (double)work->model->hidden;
}

/* Bytes of an element of the gradient of its weight, which has the type that it is used in. */
static double gradient_width(const struct workload *work)
{
	const bool cast = work->zero == ZERO_PARAMETERS || work->deepspeed || work->megatron;

	return (double)(cast ? work->param_bytes : work->stored_bytes);
}

double logits_weight_gradient(const struct workload *work)
{
	return gradient_width(work) * elements_of(work);
}

/*
 * Each rank of a loss-parallel cross-entropy has its part of the vocabulary: the
 * log-softmax that is kept, the gradient of it, the softmax and their sum, in fp32 each
 * (torch/distributed/tensor/parallel/loss.py). Here and below: bytes per logit; where all is in
 * fp32, what is said of bf16 has its width.
 */
static struct logits loss_of_parts(const struct workload *work)
{
	const bool compiled = work->software == SOFTWARE_COMPILED;
	const double width = (double)work->param_bytes;
	struct logits loss = { 4, 12, width };

	if (workload_does_since(work, HABIT_LOSS_CHUNKED))
		return (struct logits) { 0, (double)12 / CHUNKS, width / CHUNKS };
	if (compiled && workload_does_since(work, HABIT_LOSS_COMPILED))
		return (struct logits) { width, 2 * width, width };
	if (work->tp > 1 && !(compiled && workload_does_since(work, HABIT_LOSS_TRACED)))
		loss.peak += 4;
	if (workload_does_since(work, HABIT_LOGITS_HELD))
		loss = (struct logits) { loss.kept + 4, loss.peak + 4, loss.gradient + 4 };
	return loss;
}

/* The hyperbolic tangent that caps logits is kept (transformers@v4.57.6 modeling_gemma2.py). */
static double capped(const struct workload *work)
{
	return work->model->traits->capped && work->software == SOFTWARE_EAGER &&
			       (workload_does(work, HABIT_TRANSFORMERS_MODELS) ||
				workload_does(work, HABIT_CAPS_SCORES))
		       ? 2
		       : 0;
}

/*
 * litgpt's: the logits stay until the loop lets them go, with their log-softmax, whose chunks
 * become gradients, which are joined (asked of 0.5.13 on fake tensors). Where precision is mixed,
 * Lightning makes fp32 of them first.
 */
static bool splits_loss(const struct workload *work)
{
	return workload_does(work, HABIT_LOSS_SPLIT) && work->stored_bytes == work->param_bytes;
}

/*
 * PyTorch holds logits in bf16, in fp32, and their log-softmax, which is kept; its backward pass
 * the latter, the gradient of that and theirs (12). Compiled, the bf16 logits and their gradient
 * alone. Megatron core turns an fp32 copy of the bf16 logits into their softmax and that into their
 * gradient, which is cast to bf16 (6: core/tensor_parallel/cross_entropy.py); before
 * NVIDIA/Megatron-LM@9634c0e4a3 it subtracted the maximum into another copy (10). In eight chunks
 * (TorchTitan from 2026-07, pull request 2937) one chunk is left, in torchtune the bf16 ones, too.
 */
static struct logits usual(const struct workload *work)
{
	const double width = (double)work->param_bytes;

	if (work->whole_logits) /* bf16, their log-softmax, both gradients of that, bf16 theirs */
		return (struct logits) { 4 + width, 12 + 2 * width, width };
	if (workload_does(work, HABIT_LOSS_PARALLEL))
		return loss_of_parts(work);
	if (workload_does(work, HABIT_LOSS_FUSED))
		return (struct logits) { width, 2 * width, width };
	if (workload_does(work, HABIT_LOGITS_CHUNKED))
		return (struct logits) { 4, 4 + (double)10 / CHUNKS, width };
	if (splits_loss(work))
		return (struct logits) { 2 * width + capped(work), 3 * width + capped(work),
					 2 * width };
	if (workload_fuses_gradients(work) && !workload_does_since(work, HABIT_LOGITS_COPIED))
		return (struct logits) { 4, 6, width };
	if (workload_fuses_gradients(work) || work->software == SOFTWARE_MEGATRON)
		return (struct logits) { 4, 10, width };
	return (struct logits) { 4 + capped(work), 12 + capped(work), width };
}

/* Of losses that a config asks for. */
static struct logits asked(const struct workload *work)
{
	const double width = (double)work->param_bytes;
	const double chunks = (double)(work->loss_chunks ? work->loss_chunks : CHUNKS);

	if (work->loss == LOSS_IN_PLACE) /* bf16, and an fp32 copy that becomes the gradient */
		return (struct logits) { 4, 6, width };
	if (work->loss == LOSS_CHUNKED)
		return (struct logits) { 4, 4 + 10 / chunks, width / chunks };
	return (struct logits) { 4, 12, width };
}

double logits_tokens(const struct workload *work)
{
	const double rows = rows_of(work);
	const double parts = ceil((double)work->model->vocab / (double)work->model->hidden);

	return fmin(exp2(ceil(log2(ceil(rows / parts)))), rows);
}

/*
 * The gradients of the projection's weight and of its input are made in the forward pass, a chunk
 * of tokens after the other, and wait for the backward pass; the latter takes the place of the
 * input (liger_kernel 0.8.5 ops/fused_linear_cross_entropy.py: as many chunks as the vocabulary is
 * wider than the hidden size, of a power of two of tokens. 0.6.2 to 0.8.0 made a copy of the former
 * in fp32, besides).
 */
static struct logits fused(const struct workload *work)
{
	const double weight = logits_weight_gradient(work);
	const double width = (double)work->param_bytes;

	return (struct logits) {
		.kept = weight,
		.peak = weight + width * (rows_of(work) * (double)work->model->hidden +
					  logits_tokens(work) * columns_of(work)),
	};
}

/*
 * Of the logits their sums alone are kept, and they are made again in the backward pass: tokens by
 * tokens, in 16 bytes each (their log-softmax, what it is made of and both gradients: trl 1.13.0
 * trainer/sft_trainer.py, _chunk under checkpoint), beside gradients of the weight that add up; or
 * inside of one kernel (cut_cross_entropy 25.1.1 cce_backward.py), or in tiles that gradients in
 * fp32 are added up from (trl 1.16.0 kernels/chunked_logprob.py: 4096 tokens by 32768).
 */
static struct logits recomputed(const struct workload *work)
{
	const double width = (double)work->param_bytes, rows = rows_of(work);
	const double inputs = rows * (double)work->model->hidden, sums = 4 * rows;
	const double logits = 16 * fmin((double)work->loss_tokens, rows) * columns_of(work);
	const double tile = width * fmin(4096, rows) * fmin(32768, columns_of(work));

	if (work->loss == LOSS_TILED)
		return (struct logits) { 2 * sums, 2 * sums + tile,
					 2 * sums + tile + 4 * (inputs + elements_of(work)) };
	return (struct logits) { sums, sums + logits,
				 sums + logits + width * inputs +
					 (logits > 0 ? logits_weight_gradient(work) : 0) };
}

/* Of the tokens of a microbatch that are there at a time. */
static double logits_there(const struct workload *work)
{
	return rows_of(work) * (work->whole_logits ? (double)work->model->vocab : columns_of(work));
}

static bool is_scalar(const struct workload *work)
{
	return work->scalar_head && work->loss == LOSS_USUAL;
}

double logits_returned(const struct workload *work)
{
	const bool chunked = workload_does(work, HABIT_LOSS_PARALLEL) &&
			     workload_does_since(work, HABIT_LOSS_CHUNKED);

	if (is_scalar(work) || work->loss >= LOSS_RECOMPUTED || chunked)
		return 0;
	return (double)work->param_bytes * logits_there(work);
}

/* Logits in fp32, and their log-softmax: what the loss keeps while a reference goes over the same,
 * and that again (hiyouga/LLaMA-Factory@ff6d4d12 train/dpo/trainer.py, concatenated_forward and
 * get_batch_loss_metrics; torchtune and TRL, in 16 bits, have less). */
enum { BOTH = 8 };

double logits_apart(const struct workload *work)
{
	if (work->loss == LOSS_FUSED)
		return BOTH * logits_tokens(work) * columns_of(work);
	if (is_scalar(work) || work->loss == LOSS_RECOMPUTED || work->loss == LOSS_TILED)
		return 0;
	return BOTH * logits_there(work);
}

struct logits logits_of(const struct workload *work)
{
	const double logits = logits_there(work);
	struct logits each;

	if (is_scalar(work))
		return (struct logits) { 0, 0, 0 };
	if (work->loss == LOSS_FUSED)
		return fused(work);
	if (work->loss == LOSS_RECOMPUTED || work->loss == LOSS_TILED)
		return recomputed(work);
	each = work->loss == LOSS_USUAL ? usual(work) : asked(work);
	if (work->reference_passes > 0)
		each.kept = fmax(each.kept, BOTH);
	if (work->loss_unknown && prefers(work)) /* some take the likelihood of answers, too */
		each.peak = fmax(each.peak, 2 * BOTH);
	each.peak = fmax(each.peak, each.kept);
	return (struct logits) { logits * each.kept, logits * each.peak, logits * each.gradient };
}

/* Seconds of the product of so many rows, and of each of both that its gradients take. */
static double product(const struct profile *profile, const struct workload *work, double rows)
{
	return kernel_gemm(profile, work->core, rows, columns_of(work),
			   (double)work->model->hidden);
}

/* Products of a loss that takes some tokens at a time, each of `count` for all of them. */
static double in_parts(const struct profile *profile, const struct workload *work, double tokens,
		       double count)
{
	return count * rows_of(work) / tokens * product(profile, work, tokens);
}

/*
 * All three products of each chunk are in the forward pass, and each chunk's part is added to the
 * gradient of the weight; the backward pass scales both gradients.
 */
static struct pass fused_time(const struct profile *profile, const struct workload *work,
			      double logits)
{
	const double tokens = logits_tokens(work), chunks = rows_of(work) / tokens;
	const double weight = 2 * logits_weight_gradient(work);
	const double inputs =
		2 * (double)work->param_bytes * rows_of(work) * (double)work->model->hidden;
	const double added = fmax(product(profile, work, tokens), kernel_memory(profile, weight));

	return (struct pass) { in_parts(profile, work, tokens, 2) + chunks * added + logits,
			       kernel_memory(profile, weight + inputs) };
}

struct pass logits_time(const struct profile *profile, const struct workload *work)
{
	const double logits = kernel_memory(profile, 8 * rows_of(work) * columns_of(work));
	const double tokens = work->loss == LOSS_RECOMPUTED && work->loss_tokens
				      ? fmin((double)work->loss_tokens, rows_of(work))
				      : rows_of(work);
	const bool again = work->loss == LOSS_RECOMPUTED || work->loss == LOSS_TILED;

	if (is_scalar(work))
		return (struct pass) { 0, 0 };
	if (work->loss == LOSS_FUSED)
		return fused_time(profile, work, logits);
	return (struct pass) { in_parts(profile, work, tokens, 1) + logits,
			       in_parts(profile, work, tokens, again ? 3 : 2) + logits };
}
