#include "sim/workload/attention.h"

#include "framework/torch/job_torch.h"

#include <math.h>
#include <string.h>

/*
 * The attention core of Megatron on Volta and Ampere writes its scores unless told otherwise, that
 * of Megatron-DeepSpeed and GPT-NeoX everywhere. Models that DeepSpeed alone drives are
 * transformers', whose attention is PyTorch's (since 4.36, 2023-12).
 */
static bool writes_scores(const struct workload *work, const struct profile *gpu)
{
	return work->software == SOFTWARE_MEGATRON &&
	       (work->deepspeed || !work->megatron ||
		(gpu && profile_get(gpu, FIGURE_CAPABILITY) < 90));
}

/* Products of the core are of 32 bits, which no kernel of 16 bits takes. */
static bool is_wide(const struct workload *work)
{
	return work->core <= FORMAT_TF32;
}

/*
 * transformers' GPT-OSS has no attention by PyTorch's kernels, which know no sinks: its scores are
 * written unless it is told a kernel (transformers@v4.57.1 models/gpt_oss/modeling_gpt_oss.py,
 * _supports_sdpa). Nor does any cap them.
 */
static bool has_no_kernel(const struct workload *work)
{
	if (work->model->traits->capped && workload_does(work, HABIT_CAPS_SCORES))
		return true;
	return work->model->biases && !*work->kernels &&
	       workload_does(work, HABIT_TRANSFORMERS_MODELS);
}

/*
 * Where attention is of fp32, Megatron writes its scores: of Transformer Engine's only the unfused
 * takes it (NVIDIA/TransformerEngine@002a3e57 pytorch/attention/dot_product_attention/utils.py,
 * get_attention_backend), and Megatron-LM's own asserts 16 bits (NVIDIA/Megatron-LM@5c7968af
 * megatron/legacy/model/transformer.py, FlashSelfAttention). PyTorch has a kernel for it.
 */
static bool flash_of(const struct workload *work, const struct job *job, const struct profile *gpu)
{
	if (is_wide(work) && work->software >= SOFTWARE_MEGATRON)
		return false;
	if (!strcmp(work->kernels, "unfused") || !strcmp(work->kernels, "torch") ||
	    !strcmp(work->kernels, "local") || !strcmp(work->kernels, "eager"))
		return false; /* Megatron's --attention-backend, transformers' attn_implementation
			       */
	return setting_bool(&job->settings, FIELD_FLASH_ATTENTION,
			    !writes_scores(work, gpu) && !has_no_kernel(work));
}

/*
 * Megatron's kernel for scale, mask and softmax takes 16 bits, blocks of four heads and sequences
 * of 4096 tokens at most, and else PyTorch does it in fp32 (is_kernel_available in
 * NVIDIA/Megatron-LM@d98e8a64 megatron/core/fusions/fused_softmax.py, as in legacy/model/).
 */
bool workload_chains(const struct workload *work)
{
	enum { LONGEST = 4096, BLOCK = 4 };
	int64_t heads = work->micro * work->model->heads / (work->tp * workload_cut_heads(work));

	if (work->flash || work->software == SOFTWARE_ENGINE)
		return false;
	if (work->software < SOFTWARE_MEGATRON || !strcmp(work->kernels, "torch") ||
	    !strcmp(work->kernels, "eager"))
		return true;
	return is_wide(work) || work->seq > LONGEST || work->seq % BLOCK || heads % BLOCK;
}

/* FlashAttention's, FlexAttention's and Transformer Engine's kernels. */
static bool knows_windows(const char *kernels)
{
	return strstr(kernels, "flash") || strstr(kernels, "flex") || strstr(kernels, "attn=te") ||
	       !strcmp(kernels, "te");
}

double workload_windows(const struct workload *work)
{
	const struct model *model = work->model;
	const bool short_ones = workload_does(work, HABIT_MASKS_WINDOWS);

	return model->window <= work->seq || short_ones
		       ? (double)model->windowed / (double)model->layers
		       : 0;
}

/*
 * PyTorch's attention takes a window as a mask alone. litgpt has one for all sequences, whatever
 * their length (Lightning-AI/litgpt@0006c973a litgpt/model.py); transformers one for each, where
 * they are as long as the window (4.57.6 with torch 2.13.0, run: what the attention call is given,
 * and keeps in bf16 for each block).
 */
double workload_window_masks(const struct workload *work)
{
	const bool all = workload_does(work, HABIT_MASKS_WINDOWS);
	const bool each =
		workload_does(work, HABIT_TRANSFORMERS_MODELS) && !knows_windows(work->kernels);

	if (work->software > SOFTWARE_COMPILED || !work->flash || !(all || each))
		return 0;
	return all ? 1 / (double)workload_sequences(work) : 1;
}

/*
 * A kernel computes or leaves out blocks of 128 tokens whole (pytorch@v2.9.0
 * torch/nn/attention/flex_attention.py, _DEFAULT_SPARSE_BLOCK_SIZE;
 * Dao-AILab/flash-attention@v2.8.3 csrc/flash_attn/src/flash_fwd_launch_template.h, kBlockM). That
 * which takes a mask computes all pairs, those with the future, too, and is about as fast as the
 * first FlashAttention (arXiv:2307.08691, figure 4: xformers).
 */
static struct attention_core window_of(const struct workload *work,
				       const struct attention_core *core)
{
	enum { BLOCK = 128 };
	struct attention_core window = *core;
	const double keys =
		(double)work->model->window + (work->model->traits->chunked ? 0 : BLOCK);

	if (workload_window_masks(work) > 0) {
		window.pairs *= 2;
		window.kind = core->kind == ATTENTION_WIDE ? ATTENTION_WIDE : ATTENTION_FIRST;
	} else if (work->flash) {
		window.pairs *= attention_seen(core->seq, keys, work->model->traits->chunked);
		window.seq = fmin(core->seq, keys);
	}
	return window;
}

/* What the core is of, for the rank's part of heads and queries. */
static struct attention_core core_of(const struct workload *work)
{
	const struct model *model = work->model;
	const bool latent = model->kv_lora > 0;
	const double heads = (double)model->heads / (double)work->tp;
	const double keys = (double)work->seq /
			    (work->context_exchange == EXCHANGE_NOTHING ? (double)work->cp : 1);

	return (struct attention_core) {
		.pairs = (double)workload_sequences(work) * (double)work->seq * keys * heads /
			 (double)workload_cut(work),
		.seq = keys,
		.heads =
			(double)workload_sequences(work) * heads / (double)workload_cut_heads(work),
		.width = (double)(latent ? model->qk_nope + model->qk_rope + model->v_dim
					 : 2 * model->head_dim),
		.kind = work->attention,
		.odd = model->head_dim % 8 != 0,
		.format = work->core,
		.chained = workload_chains(work)
	};
}

static struct attention_time time_of(const struct workload *work, const struct profile *profile,
				     const struct attention_core *core)
{
	return work->flash ? attention_fused(profile, core) : attention_scores(profile, core);
}

struct attention_time workload_core_time(const struct workload *work, const struct profile *profile)
{
	const double windows = workload_windows(work);
	const struct attention_core core = core_of(work), window = window_of(work, &core);
	const struct attention_time all = time_of(work, profile, &core);
	struct attention_time seen;

	if (windows == 0)
		return all;
	seen = time_of(work, profile, &window);
	return (struct attention_time) { (1 - windows) * all.forward + windows * seen.forward,
					 (1 - windows) * all.backward + windows * seen.backward };
}

/* Kernels of attention by what configs and people call them. */
static const struct {
	const char *word;
	enum attention_kind kind;
} cores[] = { { "flash_attentionv1", ATTENTION_FIRST },
	      { "flash_attention_1", ATTENTION_FIRST },
	      { "triton", ATTENTION_TRITON },
	      { "flash_attention_3", ATTENTION_ASYNC },
	      { "flash_attention3", ATTENTION_ASYNC },
	      { "flash-attn3", ATTENTION_ASYNC },
	      { "flash_attn_3", ATTENTION_ASYNC },
	      { "flash_attention_4", ATTENTION_ASYNC },
	      { "flash-attn4", ATTENTION_ASYNC },
	      { "cudnn", ATTENTION_ASYNC },
	      { "attn=te", ATTENTION_ASYNC } };

/* Whether PyTorch's own attention takes cuDNN's kernel where the device has one. */
static bool takes_cudnn(const struct workload *work, const struct job *job)
{
	struct torch_release torch;

	if (*work->kernels && !strstr(work->kernels, "sdpa"))
		return false;
	if (workload_does_since(work, HABIT_CUDNN_FIRST))
		return true;
	if (!versions_find(&job->versions, "torch"))
		return false;
	torch = torch_of_job(job);
	return torch_has(&torch, TORCH_CUDNN_FIRST);
}

/* Transformer Engine has cuDNN's on Hopper and Blackwell, PyTorch since; else FlashAttention 2. */
static enum attention_kind attention_of(const struct workload *work, const struct profile *gpu,
					const struct job *job)
{
	const double capability = gpu ? profile_get(gpu, FIGURE_CAPABILITY) : 0;
	const bool async = capability >= 90 && capability < 120;
	size_t i;

	if (is_wide(work))
		return ATTENTION_WIDE;
	for (i = 0; i < sizeof(cores) / sizeof(*cores); i++)
		if (strstr(work->kernels, cores[i].word) &&
		    (async || cores[i].kind != ATTENTION_ASYNC))
			return cores[i].kind;
	if (!*work->kernels && workload_does(work, HABIT_TRITON_ATTENTION))
		return ATTENTION_TRITON;
	if (async && (work->software == SOFTWARE_ENGINE ||
		      (work->software <= SOFTWARE_COMPILED && takes_cudnn(work, job))))
		return ATTENTION_ASYNC;
	return ATTENTION_SECOND;
}

void workload_attention(struct workload *work, const struct profile *gpu, const struct job *job)
{
	work->flash = flash_of(work, job, gpu);
	work->attention = attention_of(work, gpu, job);
}
