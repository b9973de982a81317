#include "wings/transformers/flags.h"

#include "input/keys.h"
#include "input/launch/launch.h"
#include "input/node.h"
#include "input/settings/hf_model.h"
#include "wings/transformers/arguments.h"
#include "wings/transformers/liger.h"
#include "wings/transformers/preference.h"

#include <string.h>

static const struct key_row rows[] = {
	{ "max_seq_length", FIELD_SEQ_LEN, KEY_POSITIVE, NULL },
	{ "max_length", FIELD_SEQ_LEN, KEY_POSITIVE, NULL }, /* trl SFTConfig */
	{ "model_max_length", FIELD_SEQ_LEN, KEY_POSITIVE, NULL },
	{ "attn_implementation", FIELD_KERNELS, KEY_VALUE, NULL },
	/* what scripts call it (trl ModelConfig, LLaVA, peft's examples) */
	{ "use_peft", FIELD_TUNER, KEY_VALUE, "true=lora|false=" },
	{ "use_peft_lora", FIELD_TUNER, KEY_VALUE, "true=lora|false=" },
	{ "use_lora", FIELD_TUNER, KEY_VALUE, "true=lora|false=" },
	{ "lora_enable", FIELD_TUNER, KEY_VALUE, "true=lora|false=" },
	{ "cutoff_len", FIELD_SEQ_LEN, KEY_POSITIVE, NULL },
	{ "fsdp_config.activation_checkpointing", FIELD_AC_MODE, KEY_VALUE, "true=full|false=" },
};

#define ROWS(name) name, sizeof(name) / sizeof((name)[0])

/* A flag with a value that is a word, not a switch. */
static bool has(const struct launch *launch, const char *name)
{
	const struct launch_flag *flag = launch_find(launch, name);

	return flag && flag->value && *flag->value;
}

/* One of these arguments, which may be shortened, with a value. */
static bool tells(const struct launch *launch, const char *argument)
{
	size_t i;

	for (i = 0; i < launch->flags.count; i++) {
		const char *whole = training_argument_of(launch->flags.items[i].name);
		if (whole && !strcmp(whole, argument) && launch->flags.items[i].value)
			return true;
	}
	return false;
}

bool trainer_flags_share(const struct launch *launch)
{
	return has(launch, "fsdp") || has(launch, "deepspeed");
}

/*
 * --deepspeed alone is the switch of deepspeed.add_config_arguments, for a program with a parser
 * of its own; the Trainer's takes a file (transformers v4.57.0 training_args.py).
 */
static bool is_switch(const struct launch_flag *deepspeed)
{
	return deepspeed && !deepspeed->value && !deepspeed->unresolved;
}

bool trainer_flags_tell(const struct launch *launch)
{
	static const char *const others[] = { "output_dir",
					      "num_train_epochs",
					      "save_strategy",
					      "save_steps",
					      "logging_steps",
					      "lr_scheduler_type",
					      "report_to",
					      "evaluation_strategy",
					      "eval_strategy",
					      "save_total_limit",
					      "gradient_accumulation_steps",
					      "gradient_checkpointing",
					      "bf16",
					      "optim" };
	size_t i;

	if (!tells(launch, "per_device_train_batch_size") ||
	    is_switch(launch_find(launch, "deepspeed")))
		return false;
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (launch_find(launch, others[i]))
			return true;
	return false;
}

/* --pad_to_max_length, as scripts of transformers' examples have it. */
static void put_padding(struct decoder *decoder, const struct node *map)
{
	const struct setting *length = settings_of(decoder->settings, FIELD_SEQ_LEN);

	if (setting_known(length) && keys_true(map, "pad_to_max_length"))
		keys_default(decoder, FIELD_PAD_TO_MULTIPLE, length->integer,
			     "rows are filled up to the greatest length");
}

void trainer_flags_put(struct decoder *decoder, struct document *document, const struct node *map)
{
	keys_unquote(decoder->arena, map, ROWS(rows));
	keys_put(decoder, map, ROWS(rows));
	put_padding(decoder, map);
	training_arguments_put(decoder, map);
	hf_model_put(decoder, document, node_member(map, "model_name_or_path"));
	liger_settle(decoder, map, "use_liger_kernel", LIGER_FUSED);
	preference_put_script(decoder, document);
}
