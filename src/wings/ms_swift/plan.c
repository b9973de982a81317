#include "base/number.h"
#include "wings/megatron/exceptions.h"
#include "wings/ms_swift/devices.h"
#include "framework/job.h"

#include <string.h>

/*
 * ms-swift's `megatron` (modelscope/ms-swift@3602360a swift/megatron/arguments/megatron_args.py):
 * checks of its own, then Megatron Core's groups.
 */

enum { ENDS, DEVICE_MAP_DEEPSPEED, DEVICE_MAP_FSDP };

/* clang-format off */
static const struct exception raises[] = {
	[ENDS] = { { NULL, "ValueError: pipeline_model_parallel_size must be greater than 1 if you want to set decoder_first_pipeline_num_layers or decoder_last_pipeline_num_layers." }, "swift/megatron/arguments/megatron_args.py", "framework-raises", NULL },
	[DEVICE_MAP_DEEPSPEED] = { { "ms-swift", "ValueError: DeepSpeed is not compatible with `device_map`. n_gpu: {n}, local_world_size: {n}." }, "swift/arguments/sft_args.py", "strategy-refused", NULL },
	[DEVICE_MAP_FSDP] = { { "ms-swift", "ValueError: FSDP2 is not compatible with `device_map`. n_gpu: {n}, local_world_size: {n}." }, "swift/arguments/sft_args.py", "strategy-refused", NULL },
};
/* clang-format on */

const struct exceptions exceptions_ms_swift = { raises, sizeof(raises) / sizeof(*raises) };
/* Megatron's by name, or a native config's by degrees that the Trainer has not. */
static bool is_megatron(const struct job *job)
{
	const char *engine = setting_text(&job->settings, FIELD_ENGINE, "");

	if (*engine || job_says_all(job))
		return !strcmp(engine, "megatron");
	return multiply(setting_int(&job->settings, FIELD_TP, 1),
			setting_int(&job->settings, FIELD_PP, 1)) > 1;
}

static int claims(const struct job *job)
{
	return versions_find(&job->versions, "ms-swift") && is_megatron(job) ? 60 : 0;
}

static void defaults(struct job *job)
{
	const struct framework *groups = framework_find("megatron");

	if (groups && groups->defaults)
		groups->defaults(job);
}

static void blame(struct job *job, struct plan *plan, enum field_id field)
{
	const struct setting *setting = settings_of(&job->settings, field);

	if (setting->origin != ORIGIN_UNSET)
		plan_blame(plan, setting);
}

/* Stages of other lengths need more than one stage. */
static void check_stages(struct job *job, struct plan *plan)
{
	const struct setting *first = settings_of(&job->settings, FIELD_PP_FIRST_STAGE_LAYERS);
	const struct setting *last = settings_of(&job->settings, FIELD_PP_LAST_STAGE_LAYERS);

	if (setting_int(&job->settings, FIELD_PP, 1) != 1 ||
	    (!setting_known(first) && !setting_known(last)))
		return;
	exception_raise(plan, &raises[ENDS]);
	plan_blame(plan, setting_known(first) ? first : last);
	blame(job, plan, FIELD_PP);
}

static void check_batch(struct job *job, struct plan *plan)
{
	const struct settings *settings = &job->settings;
	int64_t micro = setting_int(settings, FIELD_MICRO_BATCH_SIZE, 0);
	int64_t global = setting_int(settings, FIELD_GLOBAL_BATCH_SIZE, 0);
	int64_t model = multiply(
		multiply(setting_int(settings, FIELD_TP, 1), setting_int(settings, FIELD_PP, 1)),
		setting_int(settings, FIELD_CP, 1));
	int64_t parallel = model > 0 && job->world % model == 0 ? job->world / model : 0;
	int64_t least = multiply(micro, parallel);
	struct told told;

	if (plan->error || least < 1 || global < 1 || global % least == 0)
		return;
	told = exception_tell(plan->arena, MEGATRON(BATCH), VALUE(global), VALUE(micro),
			      VALUE(parallel));
	told.type = "ValueError";
	told.where = "swift/megatron/arguments/megatron_args.py";
	exception_raise_told(plan, told);
	blame(job, plan, FIELD_GLOBAL_BATCH_SIZE);
	blame(job, plan, FIELD_MICRO_BATCH_SIZE);
	blame(job, plan, FIELD_WORLD);
}

static void apply(struct job *job, struct plan *plan)
{
	const struct framework *groups = framework_find("megatron");

	plan->degrees = job->intended->degrees;
	check_stages(job, plan);
	if (job->world)
		check_batch(job, plan);
	if (!plan->error && groups)
		groups->apply(job, plan);
}

const struct framework framework_ms_swift = {
	.name = "ms-swift",
	.summary = "ms-swift's megatron: its own checks, then Megatron Core's groups",
	.claims = claims,
	.defaults = defaults,
	.apply = apply,
};
