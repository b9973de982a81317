#include "framework/job.h"
#include "framework/torch/resume.h"
#include "input/keys.h"
#include "input/node.h"
#include "plan/exception.h"

#include <string.h>

/*
 * prime-rl's FSDP2 is PyTorch's own: meshes and shards are those of torch. What its config refuses
 * (PrimeIntellect-ai/prime-rl@559b4477 packages/prime-rl-configs/src/prime_rl/configs/trainer.py,
 * ModelConfig, then sft.py) ends it before.
 */

enum { CP_ATTENTION, CP_MODEL, HF_ATTENTION, CP_MICRO };

/* clang-format off */
static const struct exception raises[] = {
	[CP_ATTENTION] = { { "prime-rl", "ValueError: CP is only supported with flash attention 2, 3, or 4" }, "ModelConfig.validate_cp", "framework-raises", NULL },
	[CP_MODEL] = { { "prime-rl", "ValueError: Context parallelism requires model.impl='custom' or 'auto' (resolved to a custom PrimeRL implementation)" }, "ModelConfig.validate_cp", "framework-raises", NULL },
	[HF_ATTENTION] = { { "prime-rl", "ValueError: Flash attention 4 is only supported with model.impl='custom' or 'auto'" }, "ModelConfig.flash_attention_4_only_with_custom_impl", "framework-raises", NULL },
	[CP_MICRO] = { { "prime-rl", "ValueError: Micro batch size must be 1 when CP is enabled" }, "SFTConfig.validate_cp_micro_batch_size", "framework-raises", NULL },
};
/* clang-format on */

const struct exceptions exceptions_prime_rl = { raises, sizeof(raises) / sizeof(*raises) };

extern const struct framework framework_torch;

static int claims(const struct job *job)
{
	return job_driven_by(job, "prime-rl") ? 40 : 0;
}

/* The trainer's keys: of `rl` below [trainer]. */
static const struct node *trainer_of(const struct job *job)
{
	const struct node *root = job_own(job);

	return root && node_member(root, "orchestrator") ? node_member(root, "trainer") : root;
}

static void refuse(struct job *job, struct plan *plan, int which, enum field_id other)
{
	exception_raise(plan, &raises[which]);
	if (which != HF_ATTENTION)
		plan_blame(plan, settings_of(&job->settings, FIELD_CP));
	plan_blame(plan, settings_of(&job->settings, other));
}

/* In the order of the model's validators. */
static void check_model(struct job *job, struct plan *plan)
{
	static const char flash[] = "flash_attention_2|flash_attention_3|flash_attention_4|auto";
	const struct node *trainer = trainer_of(job);
	const char *attention = keys_text(trainer, "model.attn", "auto");
	const char *impl = keys_text(trainer, "model.impl", "auto");
	const bool cp = setting_int(&job->settings, FIELD_CP, 1) > 1;

	if (cp && !words_have(flash, attention))
		refuse(job, plan, CP_ATTENTION, FIELD_MODEL_PRESET);
	else if (cp && !words_have("custom|auto", impl))
		refuse(job, plan, CP_MODEL, FIELD_MODEL_PRESET);
	else if (words_have("flash_attention_4|auto", attention) &&
		 !words_have("custom|auto", impl))
		refuse(job, plan, HF_ATTENTION, FIELD_MODEL_PRESET);
	else if (cp && setting_int(&job->settings, FIELD_MICRO_BATCH_SIZE, 1) > 1)
		refuse(job, plan, CP_MICRO, FIELD_MICRO_BATCH_SIZE);
}

static void apply(struct job *job, struct plan *plan)
{
	plan->degrees = job->intended->degrees;
	check_model(job, plan);
	if (!plan->error)
		framework_torch.apply(job, plan);
}

static void refused(struct job *job, struct plan *plan)
{
	framework_torch.refused(job, plan);
}

const struct framework framework_prime_rl = {
	.name = "prime-rl",
	.summary = "prime-rl's trainer: fully_shard of every block, after its config's own checks",
	.claims = claims,
	.views_heads = true,
	.apply = apply,
	.refused = refused,
	.resume = torch_resume,
};
