#include "base/number.h"
#include "base/text.h"
#include "wings/deepspeed/keys.h"
#include "input/document.h"
#include "input/keys.h"
#include "input/launch/launch.h"
#include "input/vocabulary.h"

#include <string.h>

/*
 * DeepSpeed's own JSON (deepspeed@edaa7221 runtime/config.py), as the program or transformers'
 * Trainer is handed it. "auto" is filled in by transformers.
 */

/* Counts the names that the map has. */
static int count_of(const struct node *root, const char *const names[], int count)
{
	int i, found = 0;

	for (i = 0; i < count; i++)
		found += node_member(root, names[i]) != NULL;
	return found;
}

static int deepspeed_detect(const struct document *document)
{
	static const char *const signs[] = { "zero_optimization", "train_micro_batch_size_per_gpu",
					     "zero_allow_untested_optimizer",
					     "zero_force_ds_cpu_optimizer" };
	static const char *const hints[] = { "train_batch_size",
					     "gradient_accumulation_steps",
					     "gradient_clipping",
					     "fp16",
					     "bf16",
					     "steps_per_print",
					     "optimizer",
					     "scheduler",
					     "wall_clock_breakdown",
					     "sequence_parallel_size",
					     "prescale_gradients",
					     "zero_optimization" };
	const struct node *root = document->root;
	int hinted = count_of(root, hints, sizeof(hints) / sizeof(*hints));

	if (node_member(root, "parplan"))
		return 0;
	if (count_of(root, signs, sizeof(signs) / sizeof(*signs)))
		return 60;
	return hinted > 2 && node_member(root, "train_batch_size") ? 50 : 0;
}

/* All three of the batch numbers: DeepSpeed goes through with one number of ranks only. */
static void put_implied(struct decoder *decoder)
{
	struct settings *settings = decoder->settings;
	const struct setting *train = settings_of(settings, FIELD_GLOBAL_BATCH_SIZE);
	int64_t micro = setting_int(settings, FIELD_MICRO_BATCH_SIZE, 0);
	int64_t steps = setting_int(settings, FIELD_GRADIENT_ACCUMULATION, 0);
	enum field_id open = FIELD_DP_REPLICATE;
	int64_t product = multiply(micro, steps);

	if (setting_int(settings, FIELD_DP_SHARD, 0) == -1)
		open = FIELD_DP_SHARD;
	if (setting_int(settings, open, 0) == -1 && setting_given(train) && setting_known(train) &&
	    product > 0 && train->integer > 0 && train->integer % product == 0)
		keys_derive(decoder, open, train->integer / product, train,
			    "train_batch_size / (micro batch * accumulation)");
}

/* Arguments of transformers' Trainer that stand for "auto" (HfTrainerDeepSpeedConfig). */
static const struct {
	const char *key, *flag;
	enum field_id field;
} arguments[] = {
	{ "train_micro_batch_size_per_gpu", "per_device_train_batch_size", FIELD_MICRO_BATCH_SIZE },
	{ "gradient_accumulation_steps", "gradient_accumulation_steps",
	  FIELD_GRADIENT_ACCUMULATION },
	{ "scheduler.params.total_num_steps", "max_steps", FIELD_STEPS },
};

static struct node *value_of(struct arena *arena, struct node *root, const struct launch_flag *flag)
{
	struct node *node = node_scalar(arena, SCALAR_STRING, flag->value, flag->span);

	node->origin = NODE_FROM_FLAG;
	node->key = flag->name;
	node->key_span = flag->name_span;
	node->parent = root;
	if (text_to_int(flag->value, &node->integer))
		node->type = SCALAR_INT;
	return node;
}

static void put_arguments(struct document *document, struct decoder *decoder)
{
	const struct launch_flag *flag;
	size_t i;

	for (i = 0; document->launch && i < sizeof(arguments) / sizeof(*arguments); i++) {
		flag = launch_find(document->launch, arguments[i].flag);
		if (flag && flag->value && !flag->unresolved &&
		    !strcmp(keys_text(document->root, arguments[i].key, ""), "auto"))
			field_put(decoder, arguments[i].field,
				  value_of(document->arena, document->root, flag));
	}
}

static void deepspeed_settle(struct document *document, moment_t when, struct settings *settings,
			     struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };

	(void)when;
	deepspeed_put(&decoder, document->root);
	deepspeed_choose(&decoder, document->root);
	deepspeed_precision(&decoder, document->root, "DeepSpeed without fp16 and bf16");
	put_arguments(document, &decoder);
	put_implied(&decoder);
	deepspeed_check_keys(&decoder, document->root);
}

static void deepspeed_file_vocabulary(struct vocabulary *vocabulary)
{
	deepspeed_vocabulary(vocabulary, "");
}

const struct dialect dialect_deepspeed = {
	.name = "deepspeed",
	.summary = "DeepSpeed's JSON: ZeRO's stage, the batch triple",
	.signs = "'zero_optimization' or 'train_micro_batch_size_per_gpu'",
	.framework = "deepspeed",
	.as_of = "edaa7221",
	.loose_json = true,
	.adds = "zero_optimization",
	.detect = deepspeed_detect,
	.field_of = deepspeed_field_of,
	.vocabulary = deepspeed_file_vocabulary,
	.settle = deepspeed_settle,
};
