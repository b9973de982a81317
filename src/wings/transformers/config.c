#include "base/text.h"
#include "input/document.h"
#include "input/field.h"
#include "input/vocabulary.h"
#include "input/launch/form.h"
#include "input/launch/launch.h"
#include "input/node.h"
#include "wings/transformers/arguments.h"
#include "wings/transformers/flags.h"
#include "wings/transformers/precision.h"

/*
 * The TrainingArguments of transformers (v4.57.0 training_args.py) as flags of a script of one's
 * own, under any launcher; and the JSON that --fsdp_config names.
 */

/* Keys of --fsdp_config, as training_args.py reads them: "fsdp_" in front is dropped there. */
static const char fsdp_keys[] =
	"version|min_num_params|transformer_layer_cls_to_wrap|backward_prefetch|forward_prefetch|"
	"limit_all_gathers|use_orig_params|sync_module_states|cpu_ram_efficient_loading|"
	"activation_checkpointing|xla|xla_fsdp_v2|xla_fsdp_settings|xla_fsdp_grad_ckpt|"
	"reshard_after_forward|state_dict_type|auto_wrap_policy|sharding_strategy|offload_params";

/* A map of nothing but such keys, of which one says how a model is cut into units. */
static bool is_fsdp_file(const struct node *root)
{
	const struct node *child;
	bool cuts = false;

	for (child = root->kind == NODE_MAP ? root->first : NULL; child; child = child->next) {
		const char *key = child->key + (text_starts(child->key, "fsdp_") ? 5 : 0);
		if (child->origin != NODE_FROM_FILE)
			continue;
		if (!words_have(fsdp_keys, key))
			return false;
		cuts = cuts || words_have("min_num_params|transformer_layer_cls_to_wrap|xla", key);
	}
	return cuts;
}

/* Launch lines, and the file of --fsdp_config: files of the other keys are others'. */
static int transformers_detect(const struct document *document)
{
	return is_fsdp_file(document->root) ? 60 : 0;
}

/* The file of --fsdp_config lies where the arguments have it; who shares what is not in it. */
static void transformers_compose(struct document *document, struct findings *findings)
{
	struct arena *arena = document->arena;
	struct node *child, *next, *config;

	(void)findings;
	if (!is_fsdp_file(document->root))
		return;
	config = node_container(arena, NODE_MAP, document->root->span);
	for (child = document->root->first; child; child = next) {
		next = child->next;
		if (child->origin != NODE_FROM_FILE)
			continue;
		node_remove(child);
		node_append(config, child);
	}
	node_put(arena, document->root, "fsdp_config", config);
	if (!node_member(document->root, "fsdp"))
		launch_leave_open(document, document->root->span,
				  "the file of --fsdp_config is a part: --fsdp says who shares");
}

static void transformers_settle(struct document *document, moment_t when, struct settings *settings,
				struct findings *findings)
{
	struct decoder decoder = { document->arena, settings, findings };
	const struct node *root = document->root;

	(void)when;
	trainer_flags_put(&decoder, document, root);
	if (document->launch)
		launch_settle(document->launch, document->arena, settings);
	if (document->open_why && !document->launch)
		training_arguments_fsdp(document, &decoder, root);
	else
		training_arguments_engine(document, &decoder, root);
	if (!document->open_why || document->launch)
		trainer_precision(document, &decoder, root, NULL);
	launch_open_axes(document, settings);
}

static void transformers_vocabulary(struct vocabulary *vocabulary)
{
	vocabulary->converts = true;
	training_arguments_vocabulary(vocabulary, "");
}

const struct dialect dialect_transformers = {
	.name = "transformers",
	.summary = "flags of transformers' Trainer on a launch line, and the file of --fsdp_config",
	.signs = "a command with --per_device_train_batch_size, --fsdp or --deepspeed FILE; a "
		 "file of keys of fsdp_config alone, as 'transformer_layer_cls_to_wrap'",
	.framework = "transformers",
	.as_of = "v4.57.0",
	.command = COMMAND_FLAGS,
	.detect = transformers_detect,
	.compose = transformers_compose,
	.vocabulary = transformers_vocabulary,
	.settle = transformers_settle,
};
