#include "framework/wing.h"
#include "wings/oumi/says.h"

/* Its models are transformers', trained by Trainers of TRL or transformers (oumi-ai/oumi@d8ed0777).
 */
static const struct habit_row habits[] = {
	{ .habit = HABIT_KTO_PAIRS }, /* builders/training.py@d8ed0777: TRL's trainer */
	{ .habit = HABIT_TRANSFORMERS_MODELS },
	{ .habit = HABIT_NARROW_NORMS },
	{ .habit = HABIT_AUTOCASTS },
	/* core/collators/text_collator_with_padding.py@d8ed0777 */
	{ .habit = HABIT_OWN_LENGTHS },
	{ .habit = HABIT_REDUCES_LAST }, /* of transformers' and TRL's Trainers */
	{ .habit = HABIT_REDUCES_SHARDS, .until = 2025102000 }, /* accelerate 1.11.0 */
	{ .habit = HABIT_END },
};

static const struct exception raises[] = {
	/* OUMI_BOTH */
	{ { "oumi",
	    "OumiConfigError: Cannot enable both FSDP and DeepSpeed simultaneously. Please enable "
	    "only one distributed training method." },
	  "TrainingConfig.__post_init__",
	  "strategy-refused",
	  NULL },
};

const struct exceptions exceptions_oumi = { raises, sizeof(raises) / sizeof(*raises) };

const struct wing wing_oumi = {
	.name = "oumi",
	.habits = habits,
	.tells = &exceptions_oumi,
};
