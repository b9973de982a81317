#include "sim/workload/formats.h"

#include "base/text.h"

#include <string.h>

static const char *word(const struct job *job, enum field_id id)
{
	return setting_text(&job->settings, id, "");
}

static bool truth(const struct job *job, enum field_id id, bool otherwise)
{
	return setting_bool(&job->settings, id, otherwise);
}

/* The type of parameters as they are computed with: as asked, or as stored where nothing casts. */
static const char *computed_in(const struct workload *work, const struct job *job)
{
	return work->casting == CASTING_NOTHING
		       ? setting_text(&job->settings, FIELD_MASTER_DTYPE, "float32")
		       : word(job, FIELD_PARAM_DTYPE);
}

/* Words for types of products; the first of a type is what it is called. */
static const struct {
	const char *word;
	enum format_kind format;
} formats[] = { { "fp32", FORMAT_FP32 }, { "tf32", FORMAT_TF32 }, { "bf16", FORMAT_BF16 },
		{ "fp16", FORMAT_FP16 }, { "fp8", FORMAT_FP8 },	  { "mxfp8", FORMAT_FP8 },
		{ "nvfp4", FORMAT_FP4 } };

enum { FORMATS = sizeof(formats) / sizeof(formats[0]) };

const char *workload_format_word(enum format_kind format)
{
	size_t i = 0;

	while (i < FORMATS - 1 && formats[i].format != format)
		i++;
	return formats[i].word;
}

/* The type of products that the config says; without a word of it, that of the parameters. */
static enum format_kind format_of(const struct job *job, const char *param)
{
	const char *matmul = word(job, FIELD_MATMUL_DTYPE);
	size_t i;

	for (i = 0; i < FORMATS; i++)
		if (!strcmp(matmul, formats[i].word))
			return formats[i].format;
	if (truth(job, FIELD_FLOAT8_ENABLED, false))
		return FORMAT_FP8;
	return !strcmp(param, "float16")   ? FORMAT_FP16
	       : !strcmp(param, "float32") ? FORMAT_FP32
					   : FORMAT_BF16;
}

/*
 * Only linear layers are in 8 bits or fewer. Of fp32 Transformer Engine makes them in tf32
 * (NVIDIA/TransformerEngine@5c62f728 common/gemm/cublaslt_gemm.cu), PyTorch nothing unless it is
 * told (torch.backends.cuda.matmul.allow_tf32, false since 1.12).
 */
static void put_format(struct workload *work, const struct job *job, const char *param)
{
	work->format = format_of(job, param);
	work->core = work->format < FORMAT_FP8 ? work->format
		     : work->param_bytes == 4  ? FORMAT_FP32
					       : FORMAT_BF16;
	if (work->format == FORMAT_FP32 && work->software == SOFTWARE_ENGINE &&
	    !*word(job, FIELD_MATMUL_DTYPE))
		work->format = FORMAT_TF32;
}

/*
 * Bytes of a gradient as it is reduced: float32 by HABIT_REDUCES_FP32, as it is Megatron's with
 * bf16 (accumulate_allreduce_grads_in_fp32, training/arguments.py); DeepSpeed reduces in the type
 * of the parameters, and so does FSDP2 unless it is told otherwise.
 */
static int64_t reduced_bytes(const struct workload *work, const struct job *job)
{
	const char *reduce = word(job, FIELD_REDUCE_DTYPE);

	if (*reduce)
		return strcmp(reduce, "float32") == 0 ? 4 : 2;
	if (workload_does(work, HABIT_REDUCES_FP32) || work->autocast)
		return 4;
	return work->megatron && !work->deepspeed && !work->param_fp16 ? 4 : work->param_bytes;
}

/* Bytes of a parameter as plain PyTorch keeps it: fp32, or what its framework makes of it. */
static int64_t stored_bytes(const struct workload *work, const struct job *job)
{
	const char *stored = word(job, FIELD_MASTER_DTYPE);

	if (*stored)
		return !strcmp(stored, "float32") ? 4 : 2;
	if (workload_does(work, HABIT_STORES_AS_COMPUTED))
		return work->param_bytes;
	return workload_does(work, HABIT_STORES_BF16) && !workload_does(work, HABIT_STORES_FP32)
		       ? 2
		       : 4;
}

/* Whether the engine that runs the step does so, at its version or at the newest. */
static bool engine_does(const struct workload *work, const struct job *job, enum habit habit)
{
	const char *engine = word(job, FIELD_ENGINE);

	return workload_does(work, habit) ||
	       wing_does(wing_find(engine), habit, versions_find(&job->versions, engine));
}

/* What autocast does to tp's and pp's traffic is not modelled. */
static bool autocasts(const struct workload *work)
{
	return work->casting == CASTING_PRODUCTS && work->software == SOFTWARE_EAGER &&
	       !work->deepspeed && work->zero == ZERO_NONE && work->stored_bytes == 4 &&
	       work->param_bytes == 2 && work->tp == 1 && work->pp == 1;
}

void workload_formats(struct workload *work, const struct profile *gpu, const struct job *job)
{
	const char *recipe = word(job, FIELD_FLOAT8_RECIPE);
	const char *param = computed_in(work, job);

	work->param_fp16 = !strcmp(param, "float16");
	work->param_bytes = !strcmp(param, "float32") ? 4 : 2;
	put_format(work, job, param);
	work->stored_bytes = stored_bytes(work, job);
	work->one_copy = gpu && profile_get(gpu, FIGURE_CAPABILITY) >= 100 &&
			 strcmp(word(job, FIELD_MATMUL_DTYPE), "mxfp8") != 0;
	work->rowwise = text_starts(recipe, "rowwise");
	work->fuses_experts = gpu && profile_get(gpu, FIGURE_CAPABILITY) >= 100 &&
			      work->format == FORMAT_FP8 &&
			      workload_does(work, HABIT_FUSES_EXPERTS);
	work->casts_once =
		work->software >= SOFTWARE_MEGATRON || workload_does(work, HABIT_ENGINE_CASTS);
	/* torchao@v0.12.0 float8/fsdp_utils.py: weights of tensorwise scaling alone are gathered so
	 */
	work->fp8_gather = work->format == FORMAT_FP8 && !work->rowwise &&
			   work->zero == ZERO_PARAMETERS &&
			   truth(job, FIELD_FLOAT8_FSDP_ALL_GATHER, false);
	work->autocast = autocasts(work);
	work->clones_fp32 = engine_does(work, job, HABIT_CLONES_FP32);
	work->gradients_said = *word(job, FIELD_REDUCE_DTYPE) != '\0';
	work->grad_bytes = reduced_bytes(work, job);
}

static bool is_narrow(const char *type)
{
	return *type && strcmp(type, "float32") != 0;
}

/* Since NVIDIA/TransformerEngine@459e7cf49 moments that are both bf16 are read as they are. */
double workload_widened(const struct workload *work, const struct job *job)
{
	const char *first = word(job, FIELD_OPTIMIZER_EXP_AVG_DTYPE);
	const char *second = word(job, FIELD_OPTIMIZER_EXP_AVG_SQ_DTYPE);
	const bool read = !strcmp(first, "bfloat16") && !strcmp(second, "bfloat16") &&
			  workload_does_since(work, HABIT_NARROW_ADAM);
	const bool master = !strcmp(word(job, FIELD_OPTIMIZER_MASTER_DTYPE), "float16");

	if (!workload_fuses_gradients(work))
		return 0;
	return 4 * (master + (read ? 0 : is_narrow(first) + is_narrow(second)));
}
