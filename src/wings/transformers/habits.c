#include "framework/wing.h"
#include "wings/transformers/says.h"

/*
 * transformers' Trainer (transformers@v4.57.0): what it compares in the DeepSpeed file that it is
 * handed, integrations/deepspeed.py.
 */

#define FINALIZE       "trainer_config_finalize"
#define FSDP_ARGUMENTS "TrainingArguments._process_fsdp_args"

/* clang-format off */
#define PLEASE                                                                                     \
	"ValueError: Please correct the following DeepSpeed config values that mismatch "          \
	"TrainingArguments values: - ds "
static const struct exception raises[] = {
	/* TRAINER_FIRST_ONLY, TRAINER_NO_SWITCH, TRAINER_NO_NAME, TRAINER_OFFLOAD_ALONE, TRAINER_TWO_STRATEGIES,
	 * TRAINER_BOTH_ENGINES */
	{ { "transformers from 5.10 on", "ValueError: `fsdp={word}` is only available with FSDP1. Set `fsdp_config['version'] = 1` to use it, but note that FSDP1 is deprecated and will be removed in Transformers v5.20." }, FSDP_ARGUMENTS, "strategy-refused", NULL },
	{ { NULL, "ValueError: invalid truth value {word}" }, FSDP_ARGUMENTS, "strategy-refused", NULL },
	{ { NULL, "KeyError: '{word}'" }, "FullyShardedDataParallelPlugin.__post_init__", "strategy-refused", NULL },
	{ { "transformers before 5.10", "ValueError: `--fsdp offload` can't work on its own. It needs to be added to `--fsdp full_shard` or `--fsdp shard_grad_op`." }, "TrainingArguments.__post_init__", "strategy-refused", NULL },
	{ { "transformers before 5.10", "ValueError: `--fsdp full_shard` is not compatible with `--fsdp shard_grad_op`." }, "TrainingArguments.__post_init__", "strategy-refused", NULL },
	{ { "transformers", "ValueError: Using --fsdp xxx together with --deepspeed is not possible, deactivate one of those flags." }, "Trainer.__init__", "strategy-refused", NULL },
	{ { "transformers", PLEASE "train_batch_size={bs} vs hf train_batch_size (calculated)={pr}" }, FINALIZE, "batch-triple", NULL },
	{ { NULL, PLEASE "train_micro_batch_size_per_gpu={mb} vs hf per_device_train_batch_size={hm}" }, FINALIZE, "deepspeed-arguments-differ", NULL },
	{ { NULL, PLEASE "gradient_accumulation_steps={ga} vs hf gradient_accumulation_steps={hg}" }, FINALIZE, "deepspeed-arguments-differ", NULL },
	{ { NULL, PLEASE "gradient_clipping={cl} vs hf max_grad_norm={hc}" }, FINALIZE, "deepspeed-arguments-differ", NULL },
	{ { "transformers", "ds train_micro_batch_size_per_gpu={n} vs hf per_device_train_batch_size={n}" }, FINALIZE, "deepspeed-arguments-differ", NULL },
	{ { "transformers", "ds gradient_accumulation_steps={n} vs hf gradient_accumulation_steps={n}" }, FINALIZE, "deepspeed-arguments-differ", NULL },
};
/* clang-format on */

const struct exceptions exceptions_transformers = { raises, sizeof(raises) / sizeof(*raises) };

static const struct habit_row habits[] = {
	/* experts are grouped products by default from v5.0.0 on (integrations/moe.py) */
	{ .habit = HABIT_MODELS_LOOP, .major = 5, .until = 2026012600, .undated = true },
	{ .habit = HABIT_HF_TRAINER },
	{ .habit = HABIT_ASSERTS_TRIPLE },
	{ .habit = HABIT_TRANSFORMERS_MODELS },
	{ .habit = HABIT_NARROW_NORMS },
	{ .habit = HABIT_AUTOCASTS },
	{ .habit = HABIT_OWN_LENGTHS }, /* a script's own, of which flags give the greatest */
	/* accelerate's no_sync, around all passes but the last (trainer.py, _inner_training_loop)
	 */
	{ .habit = HABIT_REDUCES_LAST },
	{ .habit = HABIT_REDUCES_SHARDS, .until = 2025102000 }, /* accelerate 1.11.0 */
	{ .habit = HABIT_END },
};

const struct wing wing_transformers = {
	.name = "transformers",
	.habits = habits,
	.tells = &exceptions_transformers,
};
