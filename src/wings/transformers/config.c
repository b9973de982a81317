#include "input/document.h"
#include "input/settings/hf_model.h"
#include "input/keys.h"
#include "input/launch/launch.h"
#include "input/node.h"
#include "wings/transformers/arguments.h"

/*
 * The TrainingArguments of transformers (v4.57.0 training_args.py) as flags of a script of one's
 * own, under any launcher.
 */

static const struct key_row rows[] = {
	{ "max_seq_length", FIELD_SEQ_LEN, KEY_VALUE, NULL },
	{ "model_max_length", FIELD_SEQ_LEN, KEY_VALUE, NULL },
	{ "attn_implementation", FIELD_KERNELS, KEY_VALUE, NULL },
	{ "cutoff_len", FIELD_SEQ_LEN, KEY_VALUE, NULL },
};

#define ROWS(name) name, sizeof(name) / sizeof((name)[0])

/* Launch lines alone: files of such keys are others'. */
static int transformers_detect(const struct document *document)
{
	(void)document;
	return 0;
}

static void transformers_settle(struct document *document, moment_t when, struct settings *settings,
				struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const struct node *root = document->root;

	(void)when;
	keys_unquote(document->arena, root, ROWS(rows));
	keys_put(&decoder, root, ROWS(rows));
	training_arguments_put(&decoder, root);
	hf_model_put(&decoder, document, node_member(root, "model_name_or_path"));
	if (document->launch)
		launch_settle(document->launch, document->arena, settings);
	training_arguments_engine(document, &decoder, root);
}

const struct dialect dialect_transformers = {
	.name = "transformers",
	.summary = "flags of transformers' Trainer on a launch line",
	.signs = "a command with --per_device_train_batch_size, --fsdp or --deepspeed FILE",
	.framework = "transformers",
	.as_of = "v4.57.0",
	.command = COMMAND_FLAGS,
	.detect = transformers_detect,
	.settle = transformers_settle,
};
