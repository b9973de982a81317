#include "wings/oumi/keys.h"

#include "input/homes.h"

/* Whose class has a key. */
enum {
	ROOT = 1 << 0,
	MODEL = 1 << 1,
	DATA = 1 << 2,
	SPLIT = 1 << 3,
	DATASET = 1 << 4,
	TRAINING = 1 << 5,
	PEFT = 1 << 6,
	FSDP = 1 << 7,
	DEEPSPEED = 1 << 8,
	OFFLOAD = 1 << 9,
	PROFILER = 1 << 10,
	SCHEDULE = 1 << 11,
	TELEMETRY = 1 << 12,
	GRPO = 1 << 13,
	GKD = 1 << 14,
	GOLD = 1 << 15
};

static const struct key_owned keys[] = {
#define KEY(name, whose, kind) { name, whose, TAKES_##kind },
#include "wings/oumi/keys.def"
#undef KEY
};

/* core/configs/training_config.py. */
static const struct key_home homes[] = {
	{ "", "TrainingConfig", ROOT },
	{ "model", "ModelParams", MODEL },
	{ "data", "DataParams", DATA },
	{ "data.train", "DatasetSplitParams", SPLIT },
	{ "data.test", "DatasetSplitParams", SPLIT },
	{ "data.validation", "DatasetSplitParams", SPLIT },
	{ "data.train.datasets[]", "DatasetParams", DATASET },
	{ "data.test.datasets[]", "DatasetParams", DATASET },
	{ "data.validation.datasets[]", "DatasetParams", DATASET },
	{ "training", "TrainingParams", TRAINING },
	{ "training.profiler", "ProfilerParams", PROFILER },
	{ "training.profiler.schedule", "ProfilerScheduleParams", SCHEDULE },
	{ "training.telemetry", "TelemetryParams", TELEMETRY },
	{ "training.grpo", "GrpoParams", GRPO },
	{ "training.gkd", "GkdParams", GKD },
	{ "training.gold", "GoldParams", GOLD },
	{ "peft", "PeftParams", PEFT },
	{ "fsdp", "FSDPParams", FSDP },
	{ "deepspeed", "DeepSpeedParams", DEEPSPEED },
	{ "deepspeed.offload_optimizer", "OffloadConfig", OFFLOAD },
	{ "deepspeed.offload_param", "OffloadConfig", OFFLOAD },
};

/* OmegaConf's structured configs (core/configs/base_config.py). */
static const struct key_homes all = {
	.speaker = "oumi",
	.before = "Key '",
	.between = "' not in '",
	.after = "'",
	.homes = homes,
	.home_count = sizeof(homes) / sizeof(homes[0]),
	.keys = keys,
	.key_count = sizeof(keys) / sizeof(keys[0]),
};

void oumi_refuse(struct decoder *decoder, const struct node *root)
{
	if (node_member(root, "training"))
		keys_at_home(decoder, root, &all);
}

void oumi_offer(struct vocabulary *vocabulary)
{
	keys_offer(vocabulary, &all);
}
